# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with loops, from ops on tensors to what they compute: in every schedule, and on any number of cores."""
import json
import re

import numpy as np
import pytest

SCHEDULES = ["single", "overlap-io-signals", "overlap-io", "overlap-input", "single-untraced", "overlap-io-untraced", "overlap-input-untraced"]
# Each program of a loop has a command of its own, and the loop is one, too.
APART = ("--fuse-commands=false",)


def counted(body, start, steps):
    for step in range(steps):
        start = body(step, *start)
    return start


# As long as the flag says: `n` steps. What changes places is set aside; the weights are an input that each step reads.
FIBONACCI = """
func.func @main(%n: tensor<i32> {ttc.name = "n"}, %w: tensor<5xf32> {ttc.name = "w"}) -> (tensor<5xf32> {ttc.name = "y"}, tensor<i32> {ttc.name = "steps"}) {
  %zero = ttc.constant dense<0> : tensor<i32>
  %one = ttc.constant dense<1> : tensor<i32>
  %go0 = ttc.compare lt %zero, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %go, %i, %a, %b = ttc.loop_begin %go0, %zero, %w, %w while at_most 2000 fails_at_limit : tensor<i1>, tensor<i32>, tensor<5xf32>, tensor<5xf32>
  %next = ttc.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %s = ttc.add %a, %b : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %t = ttc.sin %s : (tensor<5xf32>) -> tensor<5xf32>
  %u = ttc.mul %t, %w : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %more = ttc.compare lt %next, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r:4 = ttc.loop_end %more, %next, %b, %u : tensor<i1>, tensor<i32>, tensor<5xf32>, tensor<5xf32>
  return %r#3, %r#1 : tensor<5xf32>, tensor<i32>
}
"""


def fibonacci(n, w):
    _, last = counted(lambda _, a, b: (b, np.sin(a + b) * w), (w, w), n)
    return last, np.int32(max(n, 0))


# Programs of several workgroups, so all cores go through the loop together; one loop in the other.
WIDE = """
func.func @main(%x: tensor<192x192xf32> {ttc.name = "x"}, %w: tensor<192x192xf32> {ttc.name = "w"}) -> (tensor<192x192xf32> {ttc.name = "y"}) {
  %v = ttc.loop_begin %x times 5 : tensor<192x192xf32>
  %0 = ttc.matmul %v, %w : (tensor<192x192xf32>, tensor<192x192xf32>) -> tensor<192x192xf32>
  %1 = ttc.tanh %0 : (tensor<192x192xf32>) -> tensor<192x192xf32>
  %u = ttc.loop_begin %1 times 3 : tensor<192x192xf32>
  %2 = ttc.sub %u, %v : (tensor<192x192xf32>, tensor<192x192xf32>) -> tensor<192x192xf32>
  %3 = ttc.matmul %2, %w : (tensor<192x192xf32>, tensor<192x192xf32>) -> tensor<192x192xf32>
  %4 = ttc.loop_end %3 : tensor<192x192xf32>
  %5 = ttc.add %4, %w : (tensor<192x192xf32>, tensor<192x192xf32>) -> tensor<192x192xf32>
  %6 = ttc.loop_end %5 : tensor<192x192xf32>
  %7 = ttc.relu %6 : (tensor<192x192xf32>) -> tensor<192x192xf32>
  return %7 : tensor<192x192xf32>
}
"""


def wide(x, w):
    def inner(v, u):
        return counted(lambda _, u: ((u - v) @ w,), (u,), 3)[0]

    return np.maximum(counted(lambda _, v: (inner(v, np.tanh(v @ w)) + w,), (x,), 5)[0], 0),


# Reads a row of an input and writes one of the result in each step.
ROWS = """
func.func @main(%x: tensor<300x8xf32> {ttc.name = "x"}) -> (tensor<300x8xf32> {ttc.name = "y"}, tensor<8xf32> {ttc.name = "sum"}) {
  %zero = ttc.constant dense<0> : tensor<1x1xi32>
  %one = ttc.constant dense<1> : tensor<1x1xi32>
  %rows = ttc.constant dense<0.0> : tensor<300x8xf32>
  %start = ttc.constant dense<1.0> : tensor<8xf32>
  %i, %y, %s = ttc.loop_begin %zero, %rows, %start times 300 : tensor<1x1xi32>, tensor<300x8xf32>, tensor<8xf32>
  %at = ttc.reshape %i : (tensor<1x1xi32>) -> tensor<1xi32>
  %row = ttc.gather %x, %at {axis = 0} : (tensor<300x8xf32>, tensor<1xi32>) -> tensor<1x8xf32>
  %0 = ttc.mul %row, %s : (tensor<1x8xf32>, tensor<8xf32>) -> tensor<1x8xf32>
  %1 = ttc.scatter_nd %y, %i, %0 : (tensor<300x8xf32>, tensor<1x1xi32>, tensor<1x8xf32>) -> tensor<300x8xf32>
  %2 = ttc.reshape %row : (tensor<1x8xf32>) -> tensor<8xf32>
  %3 = ttc.add %s, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = ttc.add %i, %one : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
  %r:3 = ttc.loop_end %4, %1, %3 : tensor<1x1xi32>, tensor<300x8xf32>, tensor<8xf32>
  return %r#1, %r#2 : tensor<300x8xf32>, tensor<8xf32>
}
"""


def rows(x):
    sums = np.cumsum(np.concatenate([np.ones((1, 8), np.float32), x]), axis=0, dtype=np.float32)
    return x * sums[:-1], sums[-1]


# A state that each run takes through a loop.
STATE = """
ttc.state @s : tensor<4xf32>
func.func @main(%s: tensor<4xf32> {ttc.state = @s}, %x: tensor<4xf32> {ttc.name = "x"}) -> (tensor<4xf32> {ttc.state = @s}, tensor<4xf32> {ttc.name = "y"}) {
  %v = ttc.loop_begin %s times 10 : tensor<4xf32>
  %0 = ttc.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ttc.sub %0, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = ttc.loop_end %1 : tensor<4xf32>
  return %2, %2 : tensor<4xf32>, tensor<4xf32>
}
"""


def random(*shape, scale=1.0):
    return (np.random.default_rng(len(shape)).standard_normal(shape) * scale).astype(np.float32)


CASES = {
    **{f"fibonacci-{n}": (FIBONACCI, fibonacci, {"n": np.int32(n), "w": random(5)}) for n in (-1, 0, 1, 2, 3, 1000)},
    "wide": (WIDE, wide, {"x": random(192, 192), "w": random(192, 192, scale=0.05)}),
    "rows": (ROWS, rows, {"x": random(300, 8)}),
}


@pytest.fixture(scope="module")
def bundle_of(tools, tmp_path_factory):
    """Compiles a model once, for all schedules."""
    folder, made = tmp_path_factory.mktemp("loops"), {}

    def compile(text, *options):
        key = text, options
        if key not in made:
            source, made[key] = folder / f"{len(made)}.mlir", folder / f"{len(made)}.ttcb"
            source.write_text(text)
            tools.run("ttc-translate", "--mlir-to-bundle", *options, source, "-o", made[key])
        return made[key]

    return compile


def run(tools, bundle, folder, inputs, expected, *options):
    arguments = []
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value)
        arguments.append(f"--input={name}={folder / f'{name}.npy'}")
    for name, value in expected.items():
        np.save(folder / f"expected-{name}.npy", value)
        arguments.append(f"--expect={name}={folder / f'expected-{name}.npy'}")
    return tools.ttrun("run", bundle, *arguments, "--rtol=1e-4", *options)


def outputs(text):
    return re.findall(r'ttc\.name = "(\w+)"', text.partition("->")[2].partition("{\n")[0])


@pytest.mark.parametrize("options", [(), APART], ids=["", "apart"])
@pytest.mark.parametrize("name", CASES)
def test_every_schedule_on_any_number_of_cores(tools, bundle_of, tmp_path, name, options):
    text, reference, inputs = CASES[name]
    bundle = bundle_of(text, *options)
    proved = tools.ttrun("check", bundle).stdout
    assert "7 schedules" in proved
    expected = dict(zip(outputs(text), reference(**inputs)))
    for number, schedule in enumerate(SCHEDULES):
        run(tools, bundle, tmp_path, inputs, expected, f"--schedule={schedule}", f"--cores={1 + number % 4}", "--loops=3")
    for cores in (1, 2, 3, 4):
        run(tools, bundle, tmp_path, inputs, expected, f"--cores={cores}", "--loops=2")


@pytest.mark.parametrize("name", CASES)
def test_the_bits_are_the_same_in_one_command(tools, bundle_of, tmp_path, name):
    text, _, inputs = CASES[name]
    results = []
    for options in ((), APART):
        files = {output: tmp_path / f"{output}.npy" for output in outputs(text)}
        run(tools, bundle_of(text, *options), tmp_path, inputs, {}, *(f"--output={output}={file}" for output, file in files.items()))
        results.append([file.read_bytes() for file in files.values()])
    assert results[0] == results[1]


def test_a_loop_is_a_part_of_a_program(tools, bundle_of):
    """Loops of a known number of iterations on one core, and the commands of one that data ends. The program is called as those that it is
    made of."""
    ir = tools.run("ttc-translate", "--bundle-to-ttc", bundle_of(ROWS)).stdout
    assert "ttc.cmd.repeat" not in ir
    assert re.search(r"ttc\.cmd\.dispatch @loop_300_\w*gather\w*scatter\w*\(", ir)
    ir = tools.run("ttc-translate", "--bundle-to-ttc", bundle_of(FIBONACCI)).stdout
    body = re.search(r"ttc\.cmd\.repeat.*\n((?:.*\n)*?).*ttc\.cmd\.end_repeat", ir)[1]
    assert body.count("ttc.cmd.") == body.count("ttc.cmd.dispatch") == 1


def test_the_bits_are_the_same_on_any_number_of_cores(tools, bundle_of, tmp_path):
    text, _, inputs = CASES["wide"]
    results = []
    for cores in (1, 2, 3, 4):
        run(tools, bundle_of(text), tmp_path, inputs, {}, f"--cores={cores}", f"--output=y={tmp_path / 'y.npy'}")
        results.append((tmp_path / "y.npy").read_bytes())
    assert len(set(results)) == 1


def test_a_loop_that_does_not_end(tools, bundle_of, tmp_path):
    """The limit is 2000 steps: 2000 of them are a result, 2001 an error."""
    inputs = {"n": np.int32(2000), "w": random(5)}
    run(tools, bundle_of(FIBONACCI), tmp_path, inputs, {"steps": np.int32(2000)})
    inputs["n"] = np.int32(2001)
    np.save(tmp_path / "n.npy", inputs["n"])
    done = tools.ttrun("run", bundle_of(FIBONACCI), f"--input=n={tmp_path / 'n.npy'}", f"--input=w={tmp_path / 'w.npy'}", check=False)
    assert done.returncode == 1 and "2000 iterations" in done.stderr


def test_state(tools, bundle_of, tmp_path):
    """10 * (x - s) is added to the state in each run."""
    x = random(4)
    state = np.zeros(4, np.float32)
    for loops in (1, 2, 3):
        state = state + 10 * (x - state)
        np.save(tmp_path / "x.npy", x)
        tools.ttrun("run", bundle_of(STATE), f"--input=x={tmp_path / 'x.npy'}", f"--loops={loops}", f"--output=y={tmp_path / 'y.npy'}")
        np.testing.assert_allclose(np.load(tmp_path / "y.npy"), state, rtol=1e-4)


def test_rows_are_written_in_place(tools, bundle_of):
    """No command of the loop moves all rows: the body has no copy, and one workgroup writes into the slot of the output."""
    ir = tools.run("ttc-translate", "--bundle-to-ttc", bundle_of(ROWS, *APART)).stdout
    body = re.search(r"ttc\.cmd\.repeat.*?ttc\.cmd\.end_repeat", ir, re.S)[0]
    assert "ttc.cmd.copy" not in body and "ttc.cmd.barrier" not in body, body
    scatter = re.search(r"ttc\.cmd\.dispatch @(\w*scatter\w*)\(@y, .*\) into \(@y\)", body)
    assert scatter, body
    assert re.search(rf"ttc\.program.* @{scatter[1]}\(.*grid = 1 :", ir)


def test_round_trip(tools, bundle_of, tmp_path):
    """What is read back of a bundle is written to the same bytes."""
    for text in (FIBONACCI, WIDE, ROWS):
        ir = tools.run("ttc-translate", "--bundle-to-ttc", bundle_of(text, *APART)).stdout
        assert "ttc.cmd.repeat" in ir
        (tmp_path / "read.mlir").write_text(ir)
        tools.run("ttc-translate", "--ttc-to-bundle", tmp_path / "read.mlir", "-o", tmp_path / "again.ttcb")
        assert (tmp_path / "again.ttcb").read_bytes() == bundle_of(text, *APART).read_bytes()


@pytest.mark.parametrize("name, steps", [("rows", "300"), ("wide", "5"), ("fibonacci-1000", "by data")])
def test_perf_tells_the_time_of_an_iteration(tools, bundle_of, tmp_path, name, steps):
    """Of each loop that is in no other."""
    text, _, inputs = CASES[name]
    arguments = []
    for key, value in inputs.items():
        np.save(tmp_path / f"{key}.npy", value)
        arguments.append(f"--input={key}={tmp_path / f'{key}.npy'}")
    options = ("perf", bundle_of(text, *APART), *arguments, "--loops=3")
    loops = [op for op in json.loads(tools.ttrun(*options, "--ops", "--json").stdout)["ops"] if op["program"] == "repeat"]
    assert [loop.get("iterations") for loop in loops] == [int(steps) if steps.isdigit() else None]
    for loop in loops if steps.isdigit() else []:
        assert loop["iteration_us"] == pytest.approx(loop["median_us"] / loop["iterations"], rel=1e-3)
    for more in ("--ops", "--programs"):
        said = tools.ttrun(*options, more).stdout
        assert re.search(rf"iteration us +iterations.*\n +[-\d.]+ +{steps} ", said), said


def test_as_many_values_as_a_loop_can_hand_on(tools, tmp_path):
    """The loader takes 4,096; the compiler says so, and not only the loader."""
    for count in (4096, 4097):
        types = ", ".join(["tensor<f32>"] * count)
        (tmp_path / "m.mlir").write_text(f"""func.func @many(%x: tensor<f32>) -> tensor<f32> {{
          %v:{count} = ttc.loop_begin {", ".join(["%x"] * count)} times 3 : {types}
          %s = ttc.add %v#0, %v#1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
          %r:{count} = ttc.loop_end {", ".join(["%s"] + [f"%v#{i}" for i in range(1, count)])} : {types}
          return %r#0 : tensor<f32>
        }}""")
        done = tools.run("ttc-translate", "--mlir-to-bundle", tmp_path / "m.mlir", "-o", tmp_path / "m.ttcb", check=False)
        if count == 4096:
            assert done.returncode == 0, done.stderr
            tools.ttrun("check", tmp_path / "m.ttcb")
        else:
            assert done.returncode != 0 and "expected a loop that hands on at most 4096 values, found 4097" in done.stderr
