# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A shape that is computed at run time, and declared for the compiler: a run in which they differ fails, in every way in
which a bundle runs; one in which they agree, or whose branch the model would not take, does not."""
import pytest

from bundles import WAYS, entry_of, np, onnx
from onnx import parser

HEADER = '<ir_version: 9, opset_import: ["" : 20]>\n'
X = np.arange(6, dtype=np.float32).reshape(2, 3)
EYE = np.array([[[1, 0, 0], [0, 1, 0]]], np.float32)


def ints(*values):
    return np.array(values, np.int64)


# op: (inputs besides x, the node, the declared result, values that agree, values that do not)
CASES = {
    "Reshape": ("int64[2] s", "Reshape(x, s)", "float[3,2]",
                [ints(3, 2), ints(-1, 2), ints(3, -1)], [ints(2, 3), ints(6, 1), ints(-1, 3)]),
    "Reshape-zero": ("int64[3] s", "Reshape(x, s)", "float[2,3,1]",
                     [ints(0, 0, 1), ints(0, 3, -1), ints(2, 0, 1)], [ints(0, 1, 3), ints(2, 1, -1)]),
    "Expand": ("int64[3] s", "Expand(x, s)", "float[4,2,3]",
               [ints(4, 1, 3), ints(4, 2, 1), ints(4, 1, 1)], [ints(1, 2, 3), ints(5, 2, 3)]),
    "Expand-shorter": ("int64[1] s", "Expand(x, s)", "float[2,3]", [ints(1), ints(3)], [ints(2), ints(6)]),
    "Tile": ("int64[2] s", "Tile(x, s)", "float[4,3]", [ints(2, 1)], [ints(1, 2), ints(2, 2), ints(0, 1)]),
    "ConstantOfShape": ("int64[2] s", "ConstantOfShape(s)", "float[4,3]", [ints(4, 3)], [ints(3, 4), ints(4, 2)]),
    "Range": ("int64 s", "Range(zero, s, one)", "int64[4]", [np.array(4)], [np.array(5), np.array(3), np.array(-2)]),
    "Slice": ("int64[1] s", "Slice(x, first, s, axis)", "float[2,2]", [ints(2), ints(-1)], [ints(1), ints(3), ints(-3)]),
    "Pad": ("int64[4] s", "Pad(x, s)", "float[4,3]",
            [ints(1, 0, 1, 0), ints(2, 0, 0, 0), ints(3, 0, -1, 0)], [ints(1, 0, 0, 0), ints(0, 1, 2, -2)]),
    "TopK": ("int64[1] s", "TopK(x, s)", "float[2,2]", [ints(2)], [ints(1), ints(3)]),
    "OneHot": ("int64 s", "OneHot(k, s, pair)", "float[2,5]", [np.array(5)], [np.array(4), np.array(6)]),
    "Split": ("int64[2] s", "Split<axis = 1>(x, s)", "float[2,1]", [ints(1, 2)], [ints(2, 1), ints(3, 0)]),
    "ReduceSum": ("int64[1] s", "ReduceSum<keepdims = 0>(x, s)", "float[3]", [ints(0), ints(-2)], [ints(1), ints(-1)]),
    "ReduceMax": ("int64[1] s", "ReduceMax<keepdims = 1>(square, s)", "float[3,1]", [ints(1), ints(-1)], [ints(0)]),
    "Resize-sizes": ("int64[2] s", "Resize(x, , , s)", "float[4,3]", [ints(4, 3)], [ints(3, 4), ints(4, 6)]),
    "Resize-scales": ("float[2] s", "Resize(x, , s)", "float[3,3]",
                      [np.array([1.5, 1], np.float32), np.array([1.75, 1.2], np.float32)],
                      [np.array([2, 1], np.float32), np.array([1.5, 1.4], np.float32)]),
    "NonZero": ("float[4] s", "NonZero(s)", "int64[1,2]",
                [np.array([0, 1, 0, 2], np.float32), np.zeros(4, np.float32)], [np.ones(4, np.float32)]),
    "Compress": ("bool[3] s", "Compress<axis = 1>(x, s)", "float[2,2]",
                 [np.array([1, 0, 1], bool), np.array([0, 1, 0], bool)], [np.ones(3, bool)]),
    "AffineGrid": ("int64[4] s", "AffineGrid(theta, s)", "float[1,4,5,2]",
                   [ints(1, 3, 4, 5), ints(1, 9, 4, 5)], [ints(1, 3, 5, 4), ints(2, 3, 4, 5)]),
    "HannWindow": ("int64 s", "HannWindow(s)", "float[7]", [np.array(7)], [np.array(6), np.array(8)]),
    "CenterCropPad": ("int64[2] s", "CenterCropPad(x, s)", "float[4,2]", [ints(4, 2)], [ints(2, 4), ints(4, 3)]),
}
CONSTANTS = ("int64 zero = {0}, int64 one = {1}, int64[1] first = {0}, int64[1] axis = {1}, int64[2] k = {1, 4}, "
             "float[2] pair = {0, 1}, float[3,3] square = {1, 2, 3, 4, 5, 6, 7, 8, 9}")


def write(path, text):
    onnx.save(parser.parse_model(HEADER + text), path)
    return path


@pytest.mark.parametrize("case", CASES)
def test_other_shapes_fail_the_run(tools, tmp_path, case):
    given, node, result, agreeing, others = CASES[case]
    outputs = {"TopK": "y, places", "Split": "y, rest"}.get(case, "y")
    rest = ", float[2,2] rest" if case == "Split" else ""
    model = write(tmp_path / "m.onnx", f"g (float[2,3] x, float[1,2,3] theta, {given}) => ({result} y{rest}) <{CONSTANTS}> "
                  f"{{ {outputs} = {node} }}")
    tools.compile(model, tmp_path / "m.ttcb")
    with tools.open(tmp_path / "m.ttcb") as bundle:
        entry = entry_of(bundle)
        for cores, trace in WAYS:
            with bundle.device(cores=cores) as device:
                # An earlier failure has no effect on later runs.
                for value in [agreeing[0], *others, *agreeing]:
                    inputs = {name: {"x": X, "theta": EYE, "s": value}[name] for name in entry.inputs}
                    if any(value is other for other in others):
                        with pytest.raises(RuntimeError, match=rf"\({case.split('-')[0]}.*(than the declared|to be one of)"):
                            device.run(entry, inputs, trace)
                    else:
                        device.run(entry, inputs, trace)


@pytest.mark.parametrize("schedule", ["single", "overlap-input", "overlap-io", "overlap-io-signals",
                                      "single-untraced", "overlap-input-untraced", "overlap-io-untraced"])
def test_every_schedule_fails(tools, tmp_path, schedule):
    """`ttrun run` says which node of the model it is."""
    model = write(tmp_path / "m.onnx", f"g (int64 s) => (float[4] y) <{CONSTANTS}> "
                  "{ r = Range(zero, s, one) f = Cast<to = 1>(r) p = Gather(f, r) y = Add(p, p) }")
    tools.compile(model, tmp_path / "m.ttcb", "--value-shape=r:4")
    for length, status in ((4, 0), (5, 1), (3, 1), (4, 0)):
        np.save(tmp_path / "s.npy", np.array(length))
        done = tools.run("ttrun", "run", tmp_path / "m.ttcb", f"--input=s={tmp_path / 's.npy'}", f"--schedule={schedule}",
                         "--loops=3", check=False)
        assert done.returncode == status, done.stderr
        assert status == 0 or ("(Range, opset 20) has another shape than the declared [4]; inputs decide it: --input gives"
                               in done.stderr)


def test_a_branch_that_is_not_taken(tools, tmp_path):
    """Both branches are computed; what the model would not do fails nothing."""
    model = write(tmp_path / "m.onnx", f'''g (int64 s, bool b, bool c) => (int64[4] y) <{CONSTANTS}, int64[4] four = {{1, 2, 3, 4}}>
      {{ y = If(b) <then_branch = t () => (int64[4] u) {{ u = If(c) <then_branch = v () => (int64[4] r) {{ r = Range(zero, s, one) }},
                                                              else_branch = w () => (int64[4] q) {{ q = Neg(four) }}> }},
                   else_branch = e () => (int64[4] o) {{ o = Identity(four) }}> }}''')
    tools.compile(model, tmp_path / "m.ttcb")
    with tools.open(tmp_path / "m.ttcb") as bundle, bundle.device(cores=2) as device:
        entry = entry_of(bundle)
        for length in (4, 5):
            for b in (False, True):
                for c in (False, True):
                    inputs = {"s": np.array(length), "b": np.array(b), "c": np.array(c)}
                    if b and c and length == 5:
                        with pytest.raises(RuntimeError, match="Range"):
                            device.run(entry, inputs)
                        continue
                    wanted = [0, 1, 2, 3] if b and c else [-1, -2, -3, -4] if b else [1, 2, 3, 4]
                    assert device.run(entry, inputs)["y"].tolist() == wanted


def test_steps_after_the_end(tools, tmp_path):
    """Steps of a loop that has ended are computed, too, and fail nothing."""
    model = write(tmp_path / "m.onnx", f'''g (int64 n, int64 s) => (int64[3] y) <{CONSTANTS}, int64 trips = {{6}}, bool yes = {{1}}, int64[3] nought = {{0, 0, 0}}>
      {{ m, y = Loop(trips, yes, n, nought) <body = l (int64 i, bool g0, int64 k, int64[3] v) => (bool go, int64 less, int64[3] w) <int64[3] r>
        {{ less = Sub(k, one) go = Greater(less, zero) reach = Sub(s, i) r = Range(zero, reach, one) w = Add(v, r) }}> }}''')
    tools.compile(model, tmp_path / "m.ttcb")
    with tools.open(tmp_path / "m.ttcb") as bundle, bundle.device(cores=1) as device:
        entry = entry_of(bundle)
        assert device.run(entry, {"n": np.array(1), "s": np.array(3)})["y"].tolist() == [0, 1, 2]
        with pytest.raises(RuntimeError, match="Range"):  # the second step has 2 elements
            device.run(entry, {"n": np.array(2), "s": np.array(3)})


def test_boxes_that_do_not_fit(tools, tmp_path):
    model = write(tmp_path / "m.onnx", '''g (float[1,4,4] boxes, float[1,1,4] scores, float[1] least) => (int64[2,3] y) <int64[1] most = {4}, float[1] overlap = {0.5}>
      { y = NonMaxSuppression(boxes, scores, most, overlap, least) }''')
    tools.compile(model, tmp_path / "m.ttcb")
    boxes = np.array([[[i, i, i + 0.5, i + 0.5] for i in range(4)]], np.float32)
    scores = np.array([[[0.9, 0.2, 0.8, 0.1]]], np.float32)
    with tools.open(tmp_path / "m.ttcb") as bundle, bundle.device(cores=1) as device:
        entry = entry_of(bundle)
        for least, rows in ((0.5, [[0, 0, 0], [0, 0, 2]]), (0.85, [[0, 0, 0], [-1, -1, -1]])):
            found = device.run(entry, {"boxes": boxes, "scores": scores, "least": np.array([least], np.float32)})["y"]
            assert found.tolist() == rows
        with pytest.raises(RuntimeError, match="finds more boxes than the declared 2"):
            device.run(entry, {"boxes": boxes, "scores": scores, "least": np.array([0.15], np.float32)})


def test_ranges_of_sizes_have_no_checks(tools, tmp_path):
    """What is computed from a size differs from run to run there. No element is lost unnoticed nevertheless."""
    model = write(tmp_path / "m.onnx", f"g (float[n] x, int64 s) => (float[n] y, float[4] z) <{CONSTANTS}> "
                  "{ r = Range(zero, s, one) z = Cast<to = 1>(r) y = Neg(x) }")
    tools.compile(model, tmp_path / "m.ttcb", "--value-shape=r:4", "--dim=n:1..3")
    assert "at_most" not in tools.ttrun("read", "--traces", tmp_path / "m.ttcb").stdout


def test_traces_show_the_check(tools, tmp_path):
    model = write(tmp_path / "m.onnx", f"g (int64 s) => (int64[4] r) <{CONSTANTS}> {{ r = Range(zero, s, one) }}")
    tools.compile(model, tmp_path / "m.ttcb")
    shown = tools.ttrun("read", "--traces", tmp_path / "m.ttcb").stdout
    assert "at_most 1 fails_at_limit" in shown or "while" in shown, shown
