# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traced regions that a user marks: wherever they begin and end, results have the bits of the function without marks. A
bundle has one entry point for each choice of regions, and `plain`, which has none."""
import json
import random
import re

import pytest

from bundles import assert_same_bits, np
from gate import nightly
from streaming import stream

TENSOR = re.compile(r"(tensor<[^<>]*>)$")


class Function:
    """A function on tensors: a line for each op. `arguments` and `results` are {name: (type, attributes)}; a type in
    `results` is that of the value of the name."""

    def __init__(self, arguments, lines, results):
        self.arguments, self.results = arguments, results
        self.lines = [line.strip() for line in lines.strip().splitlines()]
        self.names = [re.match(r"%(\w+) = ", line)[1] for line in self.lines]
        self.types = {name: TENSOR.search(line)[1] for name, line in zip(self.names, self.lines)}
        self.types |= {name: type for name, (type, _) in arguments.items()}

    def text(self, name, regions=(), transfers=True):
        """`regions`: the numbers of their first lines and of those after their last ones, in order. With `transfers`, as
        users of recorded traces write them, each region takes its values from the host and gives them back."""
        used = [set(re.findall(r"%(\w+)", line.partition(" = ")[2])) for line in self.lines]
        body, names, at = [], {}, 0

        def renamed(line, names):
            return re.sub(r"%(\w+)\b", lambda match: "%" + names.get(match[1], match[1]), line)

        for number, (first, last) in enumerate(regions):
            body += [renamed(line, names) for line in self.lines[at:first]]
            inside = self.names[first:last]
            later = set().union(*used[last:], self.results)
            given = sorted(set().union(*used[first:last]) - set(inside))
            taken = [value for value in inside if value in later]
            types = ", ".join(self.types[value] for value in taken)
            held = {value: f"{value}_in" for value in inside}
            body.append(f"%r{number}:{len(taken)} = ttc.traced -> {types} {{")
            if transfers:
                body += [renamed(f"%{v}_d{number} = ttc.to_device %{v} : {self.types[v]} to {self.types[v]}", names)
                         for v in given]
                held |= {value: f"{value}_d{number}" for value in given}
            body += [renamed(line, names | held) for line in self.lines[first:last]]
            if transfers:
                body += [f"%{v}_h = ttc.from_device %{v}_in : {self.types[v]} to {self.types[v]}" for v in taken]
            yielded = ", ".join(f"%{value}_{'h' if transfers else 'in'}" for value in taken)
            body += [f"ttc.yield {yielded} : {types}", "}"]
            names |= {value: f"r{number}#{i}" for i, value in enumerate(taken)}
            at = last
        body += [renamed(line, names) for line in self.lines[at:]]
        arguments = ", ".join(f"%{v}: {type} {{{attrs}}}" for v, (type, attrs) in self.arguments.items())
        results = ", ".join(f"{self.types[v]} {{{attrs}}}" for v, attrs in self.results.items())
        values = ", ".join(renamed(f"%{value}", names) for value in self.results)
        types = ", ".join(self.types[value] for value in self.results)
        return "\n  ".join([f"func.func @{name}({arguments}) -> ({results}) {{", *body, f"return {values} : {types}\n}}\n"])

    def cuts(self, seed):
        """Regions at random, some of which touch."""
        generator = random.Random(seed)
        places = sorted(generator.sample(range(len(self.lines) + 1), 2 * generator.randint(1, 4)))
        if generator.random() < 0.5:
            places[2:-1:2] = places[1:-2:2]
        return [(first, last) for first, last in zip(places[::2], places[1::2]) if first < last]


def weights(generator, *shape, scale=0.5):
    data = (scale * generator.standard_normal(shape)).astype(np.float32)
    return f'ttc.constant dense<"0x{data.tobytes().hex()}"> : tensor<{"".join(f"{size}x" for size in shape)}f32>'


def named(**values):
    return {name: (type, f'ttc.name = "{name}"') for name, type in values.items()}


def network():
    """A convolution whose batch norm is folded into it, an attention, a step on the host, a reduction, equal products, bf16."""
    draw = np.random.default_rng(32)
    m = "(tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>"
    same = "(tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>"
    return Function(named(x="tensor<1x3x4x4xf32>"), f"""
      %k = {weights(draw, 8, 3, 3, 3)}
      %scale = {weights(draw, 1, 8, 1, 1)}
      %shift = {weights(draw, 1, 8, 1, 1)}
      %c = ttc.conv %x, %k {{pads = array<i64: 1, 1, 1, 1>}} : (tensor<1x3x4x4xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x4x4xf32>
      %n0 = ttc.mul %c, %scale : (tensor<1x8x4x4xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x4x4xf32>
      %n1 = ttc.add %n0, %shift : (tensor<1x8x4x4xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x4x4xf32>
      %a = ttc.relu %n1 : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
      %t = ttc.transpose %a {{permutation = array<i64: 0, 2, 3, 1>}} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
      %rows = ttc.reshape %t : (tensor<1x4x4x8xf32>) -> tensor<16x8xf32>
      %wq = {weights(draw, 8, 8)}
      %q = ttc.matmul %rows, %wq : {m}
      %wk = {weights(draw, 8, 8)}
      %wv = {weights(draw, 8, 8)}
      %key = ttc.matmul %rows, %wk : {m}
      %v = ttc.matmul %rows, %wv : {m}
      %kt = ttc.transpose %key {{permutation = array<i64: 1, 0>}} : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %s = ttc.matmul %q, %kt : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
      %p = ttc.softmax %s {{axis = 1 : i64}} : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %o = ttc.matmul %p, %v : (tensor<16x16xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
      %h = ttc.host_dispatch @square(%o) : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %g = ttc.tanh %h : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %e = ttc.mul %g, %o : {same}
      %sm = ttc.softmax %e {{axis = 1 : i64}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %sum = ttc.reduce_sum %sm {{axes = [0], keepdims}} : (tensor<16x8xf32>) -> tensor<1x8xf32>
      %d = ttc.sub %sm, %sum : (tensor<16x8xf32>, tensor<1x8xf32>) -> tensor<16x8xf32>
      %f = ttc.add %d, %rows : {same}
      %q2 = ttc.matmul %f, %wq : {m}
      %b = ttc.cast %q2 : (tensor<16x8xf32>) -> tensor<16x8xbf16>
      %b1 = ttc.exp %b : (tensor<16x8xbf16>) -> tensor<16x8xbf16>
      %b2 = ttc.mul %b1, %b : (tensor<16x8xbf16>, tensor<16x8xbf16>) -> tensor<16x8xbf16>
      %b3 = ttc.cast %b2 : (tensor<16x8xbf16>) -> tensor<16x8xf32>
      %y = ttc.add %b3, %q2 : {same}
    """, {"y": 'ttc.name = "y"', "f": 'ttc.name = "f"'})


SQUARE = """
ttc.program private @square(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = ttc.mul %x, %x : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  ttc.return %y : tensor<16x8xf32>
}
"""


def compile_functions(tools, folder, texts, *options):
    source, bundle = folder / "marked.mlir", folder / "marked.ttcb"
    source.write_text("\n".join(texts))
    return tools.compile_ir(source, bundle, *options), bundle


@pytest.mark.parametrize("seed", [0, *nightly(range(1, 24))])
@pytest.mark.parametrize("target", ["cpu", "wormhole_n150"])
def test_random_regions(tools, tmp_path, target, seed):
    function = network()
    marks = {f"marked{i}": (function.cuts(8 * seed + i), i % 2 == 0) for i in range(6)}
    texts = [SQUARE, function.text("plain"), *(function.text(name, *how) for name, how in marks.items())]
    _, bundle = compile_functions(tools, tmp_path, texts, f"target={target}")
    generator = np.random.default_rng(seed)
    with tools.open(bundle) as opened, opened.device(cores=2) as device:
        for scale in (1, 1e18):
            inputs = {"x": (scale * generator.standard_normal((1, 3, 4, 4))).astype(np.float32)}
            expected = device.run(opened.entries["plain"], inputs)
            assert np.isfinite(expected["f"]).all() or scale > 1
            for name, how in marks.items():
                assert_same_bits(device.run(opened.entries[name], inputs), expected, (name, how))


def test_shards(tools, tmp_path):
    """Regions decide what is in shards, and that the last bits of sums in generated programs."""
    function = network()
    choices = [function.cuts(seed) for seed in range(3)]
    texts = [SQUARE, function.text("plain"), *(function.text(f"marked{i}", regions) for i, regions in enumerate(choices))]
    _, bundle = compile_functions(tools, tmp_path, texts, "target=wormhole_n150 shard=height")
    inputs = {"x": np.random.default_rng(4).standard_normal((1, 3, 4, 4)).astype(np.float32)}
    with tools.open(bundle) as opened, opened.device(cores=2) as device:
        expected = device.run(opened.entries["plain"], inputs)["f"]
        for i, regions in enumerate(choices):
            found = device.run(opened.entries[f"marked{i}"], inputs)["f"]
            assert np.allclose(found, expected, rtol=1e-5, atol=1e-6), regions


def test_regions_are_traces(tools, tmp_path):
    """As many traces as marked, and more for what is beside them and where the host is in between; in every schedule."""
    function = network()
    lines = len(function.lines)
    host = function.names.index("h")
    marks = {"whole": [(0, lines)], "halves": [(0, 10), (10, host)], "middle": [(10, 14)], "around": [(0, host), (host + 1, lines)]}
    texts = [SQUARE, function.text("plain"), *(function.text(name, how) for name, how in marks.items())]
    _, bundle = compile_functions(tools, tmp_path, texts)
    traces = [trace["name"] for trace in json.loads(tools.ttrun("read", bundle, "--json", "--traces").stdout)["traces"]]
    counts = {name: sum(bool(re.fullmatch(rf"{name}_t\d+", trace)) for trace in traces) for name in ("plain", *marks)}
    assert counts == {"plain": 2, "whole": 2, "halves": 3, "middle": 4, "around": 2}
    ran = stream(tools, bundle, inferences=10)
    assert len(ran) == 7 * len(counts)


@pytest.mark.parametrize("target", ["cpu", "wormhole_n150"])
def test_a_function_in_one_region_is_the_function(tools, tmp_path, target):
    """The same plan, machine code included."""
    function = network()
    plain, _ = compile_functions(tools, tmp_path, [SQUARE, function.text("main")], f"target={target}")
    for transfers in (True, False):
        text = function.text("main", [(0, len(function.lines))], transfers)
        assert compile_functions(tools, tmp_path, [SQUARE, text], f"target={target}")[0] == plain


def test_states(tools, tmp_path):
    """Read and updated in the same region, in different ones, and beside them."""
    same = "(tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>"
    function = Function(
        {"s": ("tensor<4x8xf32>", "ttc.state = @s"), **named(x="tensor<4x8xf32>")}, f"""
        %a = ttc.mul %s, %x : {same}
        %n = ttc.add %s, %x : {same}
        %b = ttc.tanh %n : (tensor<4x8xf32>) -> tensor<4x8xf32>
        %c = ttc.sub %b, %s : {same}
        %d = ttc.add %c, %a : {same}
        """, {"n": "ttc.state = @s", "d": 'ttc.name = "d"', "s": 'ttc.name = "before"'})
    choices = [[], [(0, 5)], [(0, 2), (2, 5)], [(1, 2)], [(0, 1), (1, 2), (3, 4)], [(2, 5)], [(0, 2), (4, 5)]]
    texts = []
    for number, regions in enumerate(choices):
        for transfers in (True, False):
            name = f"f{number}_{int(transfers)}"
            text = function.text(name, regions, transfers)
            texts.append(f"ttc.state @{name}_s : tensor<4x8xf32>\n" + text.replace("@s", f"@{name}_s"))
    _, bundle = compile_functions(tools, tmp_path, texts)
    generator = np.random.default_rng(5)
    with tools.open(bundle) as opened, opened.device(cores=2) as device:
        total = np.zeros((4, 8), np.float32)
        for _ in range(3):
            x = generator.standard_normal((4, 8)).astype(np.float32)
            first, *others = opened.entries.values()
            expected = device.run(first, {"x": x})
            assert np.array_equal(expected["before"], total)
            total += x
            for entry in others:
                assert_same_bits(device.run(entry, {"x": x}), expected, entry.name)


def test_collectives(tools, tmp_path):
    """Exchanges inside of regions and beside them, and regions of a function that is divided afterwards."""
    function = Function(named(x="tensor<4x8xf32>"), """
      %r = ttc.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %a = ttc.all_reduce %r {axes = ["x"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %b = ttc.tanh %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %c = ttc.all_reduce %b {axes = ["x"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %y = ttc.mul %c, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      """, {"y": 'ttc.name = "y"'})
    marks = {"plain": [], "whole": [(0, 5)], "inside": [(1, 3)], "two": [(0, 2), (2, 5)], "each": [(i, i + 1) for i in range(5)]}
    texts = [function.text(name, regions) for name, regions in marks.items()]
    check_on_mesh(tools, tmp_path, texts, list(marks), "mesh=2")

    draw = np.random.default_rng(7)
    function = Function(named(x="tensor<4x32xf32>"), f"""
      %w = {weights(draw, 32, 64)}
      %h = ttc.matmul %x, %w : (tensor<4x32xf32>, tensor<32x64xf32>) -> tensor<4x64xf32>
      %g = ttc.tanh %h : (tensor<4x64xf32>) -> tensor<4x64xf32>
      %v = {weights(draw, 64, 32)}
      %y = ttc.matmul %g, %v : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
      """, {"y": 'ttc.name = "y"'})
    texts = [function.text("plain"), function.text("two", [(0, 2), (2, 5)])]
    check_on_mesh(tools, tmp_path, texts, ["plain", "two"], "mesh=2 parallel=tensor")


def check_on_mesh(tools, folder, texts, names, options):
    source, bundle = folder / "mesh.mlir", folder / "mesh.ttcb"
    source.write_text("\n".join(texts))
    tools.compile_ir(source, bundle, options, execute=False)
    outputs = []
    for name in names:
        tools.ttrun("run", bundle, f"--entry={name}", "--devices=2", "--random=3", f"--output=y={folder}/{name}.npy")
        outputs.append(np.load(folder / f"{name}.npy"))
    assert outputs[0].any() and all(np.array_equal(output, outputs[0]) for output in outputs)
