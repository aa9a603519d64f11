# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models for ranges of sizes: every variant, at many extents, with anything in the padding, against ONNX Runtime."""
import itertools

import pytest

import shape_models
from bundles import np, onnx
from gate import NIGHTLY, nightly, thin

helper, TensorProto = onnx.helper, onnx.TensorProto

# Two variants are enough here: one whose padding is small, and one in which most is padding.
DIMS = {
    "encoder": ["batch:1,3", "sequence:9,40"],
    "decoder": ["batch:2", "sequence:9,33"],
    "classifier": ["batch:1,2", "height:48..64", "width:64"],
    "mobile": ["batch:2", "height:33..64", "width:16..48"],
    "detector": ["batch:2", "height:32..64:8", "width:48..64:16"],
    "unet": ["batch:1,2", "height:8..32:4", "width:32"],
    "audio": ["batch:2", "length:400..900"],
    "recurrent": ["batch:1..6", "sequence:1..40"],
}
GARBAGE = {"f": [np.nan, np.inf, -np.inf, 3e38], "i": [-2**63, 2**63 - 1, 0, -1]}


def parse(text):
    name, sizes = text.split(":", 1)
    if ".." in sizes:
        low, rest = sizes.split("..")
        high, _, step = rest.partition(":")
        return name, range(int(low), int(high) + 1, int(step or 1))
    numbers = [int(size) for size in sizes.split(",")]
    return name, range(1, numbers[-1] + 1) if len(numbers) > 1 else range(numbers[0], numbers[0] + 1)


def fill(model, sizes, rng):
    inputs = {}
    for value in model.graph.input:
        shape = [dim.dim_value or sizes[dim.dim_param] for dim in value.type.tensor_type.shape.dim]
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            inputs[value.name] = (rng.standard_normal(shape) * 10.0 ** rng.integers(-2, 2)).astype(np.float32)
        else:
            inputs[value.name] = rng.integers(0, 2 if "mask" in value.name else 300, shape)
            inputs[value.name][..., 0] = 1
    return inputs


def compile_ranges(tools, tmp_path, model, dims, check=True, options=()):
    """The bundle, and the finished process."""
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    onnx.save(model, path)
    return bundle, tools.run(
        "ttc-translate", "--onnx-to-bundle", *options, *[f"--dim={dim}" for dim in dims], str(path), "-o", str(bundle), check=check)


def check(tools, tmp_path, model, dims, runs, seed=0, options=(), tolerance=1e-5):
    bundle, _ = compile_ranges(tools, tmp_path, model, dims, options=options)
    return check_bundle(tools, bundle, model, dims, runs, seed, tolerance)


def every(ranges):
    """All sizes; in the gate, a sample of them."""
    return thin([dict(zip(ranges, sizes)) for sizes in itertools.product(*ranges.values())], most=32)


def chosen(runs, ranges, rng):
    """The smallest sizes, the largest, and random ones."""
    for number in range(runs):
        sizes = {name: int(rng.choice(range_)) for name, range_ in ranges.items()}
        yield {name: range_[-number] for name, range_ in ranges.items()} if number < 2 else sizes


def check_bundle(tools, bundle, model, dims, runs, seed=0, tolerance=1e-5, least=1e-30):
    """Runs all variants that hold the extents, `runs` times, or None: once for all sizes. Returns the number of
    comparisons."""
    onnxruntime = pytest.importorskip("onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    ranges = dict(map(parse, dims))
    names = [name for name, sizes in ranges.items() if len(sizes) > 1]
    rng, count = np.random.default_rng(seed), 0
    with tools.open(bundle) as opened, opened.device(cores=2) as device:
        for sizes in every(ranges) if runs is None else chosen(runs, ranges, rng):
            inputs = fill(model, sizes, rng)
            expected = dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))
            for name, entry in opened.entries.items():
                if any(sizes[dim] > int(high) for dim, high in zip(names, name.split(".")[1].split("x"))):
                    continue
                padded = {"extents": np.array([sizes[dim] for dim in names], np.int32)}
                for key, array in inputs.items():
                    port = entry.inputs[key]
                    padded[key] = np.full(port.shape, rng.choice(GARBAGE[array.dtype.kind]), array.dtype)
                    padded[key][tuple(map(slice, array.shape))] = array
                # What an earlier run left behind: NaN wherever this one does not write.
                highest = np.array(name.split(".")[1].split("x"), np.int32)
                device.run(entry, {key: highest if key == "extents" else np.full_like(array, GARBAGE[array.dtype.kind][0])
                                   for key, array in padded.items()})
                found = device.run(entry, padded)
                for key, wanted in expected.items():
                    part = found[key][tuple(map(slice, wanted.shape))].astype(np.float64)
                    assert part.shape == wanted.shape
                    finite = np.isfinite(wanted)
                    assert (part[~finite].astype(np.float32).tobytes() == wanted[~finite].tobytes()
                            or np.isnan(wanted[~finite]).any()), f"{name} with {sizes}: {key} has other infinities"
                    error = np.abs(part - wanted)[finite].max(initial=0) / max(np.abs(wanted[finite]).max(initial=0), least)
                    assert error <= tolerance, f"{name} with {sizes}: {key} differs by {error}"
                    count += 1
    return count


LARGE = ["classifier", "mobile"]  # test_image_sizes.py has their windows


@pytest.mark.parametrize("name", [*(name for name in DIMS if name not in LARGE), *nightly(LARGE)])
def test_padding_reaches_no_result(name, tools, tmp_path):
    assert check(tools, tmp_path, shape_models.MODELS[name](), DIMS[name], runs=8) >= 8


def test_padding_is_in_no_range_of_states(tools, tmp_path):
    """An element between two numbers may be rounded the other way."""
    model = shape_models.recurrent_bytes()
    assert check(tools, tmp_path, model, DIMS["recurrent"], runs=8, tolerance=1e-2) >= 8


def small(*nodes, output=None):
    """A model of x [batch, n, 6]."""
    graph = helper.make_graph(
        [helper.make_node(op, inputs, [result] if isinstance(result, str) else result, **attributes) for op, inputs, result, attributes in nodes],
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "n", 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, output)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def constants(model, **arrays):
    model.graph.initializer.extend(onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items())
    return model


# One value whose padding two ops need to be different numbers, directly, and through an op that only moves elements.
CONFLICTS = {
    "sum, maximum, minimum": small(
        ("ReduceMax", ["x"], "a", {"axes": [1], "keepdims": 1}),
        ("ReduceMin", ["x"], "b", {"axes": [1], "keepdims": 1}),
        ("ReduceMean", ["x"], "c", {"axes": [1], "keepdims": 1}),
        ("ReduceProd", ["x"], "d", {"axes": [1], "keepdims": 1}),
        ("Concat", ["a", "b", "c", "d"], "y", {"axis": 1}),
        output=["batch", 4, 6],
    ),
    "dimensions that are one before a reshape": constants(
        small(
            ("Flatten", ["x"], "f", {"axis": 2}),
            ("Tanh", ["f"], "t", {}),
            ("Shape", ["x"], "s", {}),
            ("Reshape", ["t", "s"], "r", {}),
            ("LogSoftmax", ["r"], "l", {"axis": 1}),
            ("ReduceSum", ["r", "i"], "a", {"keepdims": 0}),
            ("ReduceMax", ["l"], "m", {"axes": [0, 1], "keepdims": 0}),
            ("Add", ["a", "m"], "y", {}),
            output=[6],
        ),
        i=np.int64([0, 1])),
    "through a transpose": small(
        ("Transpose", ["x"], "t", {"perm": [0, 2, 1]}),
        ("ReduceMean", ["t"], "a", {"axes": [2], "keepdims": 1}),
        ("ReduceMax", ["t"], "b", {"axes": [2], "keepdims": 1}),
        ("ReduceMax", ["x"], "c", {"axes": [1], "keepdims": 1}),
        ("Transpose", ["c"], "d", {"perm": [0, 2, 1]}),
        ("Concat", ["a", "b", "d"], "y", {"axis": 2}),
        output=["batch", 6, 3],
    ),
}


# What begins at another place in each run.
PLACES = {
    "first": constants(small(("Gather", ["x", "i"], "y", {"axis": 1}), output=["batch", 6]), i=np.int64(0)),
    "last": constants(small(("Gather", ["x", "i"], "y", {"axis": 1}), output=["batch", 6]), i=np.int64(-1)),
    "last two": constants(small(("Gather", ["x", "i"], "y", {"axis": 1}), output=["batch", 2, 6]), i=np.int64([-2, -1])),
    "slice of the last": constants(
        small(("Slice", ["x", "s", "e", "a"], "y", {}), output=["batch", 1, 6]), s=[-1], e=[2**62], a=[1]),
    "all but the last": constants(
        small(("Slice", ["x", "s", "e", "a"], "y", {}), output=["batch", "m", 6]), s=[0], e=[-1], a=[1]),
    "the last but one, and columns": constants(
        small(("Slice", ["x", "s", "e", "a"], "y", {}), output=["batch", 2, 3]), s=[-3, 1], e=[-1, 4], a=[1, 2]),
    "backwards": constants(
        small(("Slice", ["x", "s", "e", "a", "t"], "y", {}), output=["batch", "n", 6]), s=[-1], e=[-2**62], a=[1], t=[-1]),
    "every third, backwards": constants(
        small(("Slice", ["x", "s", "e", "a", "t"], "v", {}), ("Tanh", ["v"], "y", {}), output=["batch", "m", 6]),
        s=[-1], e=[-2**62], a=[1], t=[-3]),
    "every second": constants(
        small(("Slice", ["x", "s", "e", "a", "t"], "v", {}), ("Tanh", ["v"], "y", {}), output=["batch", "m", 6]),
        s=[0], e=[2**62], a=[1], t=[2]),
    "differences": constants(
        small(
            ("Slice", ["x", "one", "most", "a"], "b", {}),
            ("Slice", ["x", "zero", "end", "a"], "c", {}),
            ("Sub", ["b", "c"], "y", {}),
            output=["batch", "m", 6],
        ),
        one=[1], most=[2**62], zero=[0], end=[-1], a=[1]),
    "what follows": small(("Concat", ["x", "x", "x"], "y", {"axis": 1}), output=["batch", "m", 6]),
    "a running sum of merged rows": constants(
        small(("Flatten", ["x"], "f", {"axis": 2}), ("CumSum", ["f", "i"], "y", {"exclusive": 1}), output=["rows", 6]),
        i=np.int64(0)),
    "the largest of merged rows": small(
        ("Flatten", ["x"], "f", {"axis": 2}),
        ("ArgMax", ["f"], "i", {"axis": 0, "keepdims": 1}),
        ("Cast", ["i"], "y", {"to": TensorProto.FLOAT}),
        output=[1, 6],
    ),
    "elements of the largest of merged rows": small(
        ("Flatten", ["x"], "f", {"axis": 2}), ("Tanh", ["f"], "t", {}),
              ("ArgMax", ["t"], "i", {"axis": 0, "keepdims": 1}), ("GatherElements", ["t", "i"], "y", {"axis": 0}), output=[1, 6]),
    "the last and the first of merged rows": constants(
        small(("Flatten", ["x"], "f", {"axis": 2}), ("Gather", ["f", "i"], "y", {"axis": 0}), output=[2, 6]), i=np.int64([-1, 0])),
    "all but the first of merged columns": constants(
        small(("Transpose", ["x"], "t", {"perm": [0, 2, 1]}), ("Flatten", ["t"], "f", {"axis": 1}),
              ("Slice", ["f", "s", "e", "a"], "v", {}), ("Tanh", ["v"], "y", {}), output=["batch", "m"]), s=[1], e=[2**62], a=[1]),
    "the least of one part and the largest of another": constants(
        small(("Split", ["x", "sizes"], ["a", "b"], {"axis": 2}), ("ReduceMin", ["a"], "l", {"axes": [1]}),
              ("ReduceMax", ["b"], "h", {"axes": [1]}), ("Concat", ["l", "h"], "y", {"axis": 2}), output=["batch", 1, 6]),
        sizes=[2, 4]),
    "reductions over what follows": small(
        ("Tanh", ["x"], "t", {}),
        ("Concat", ["t", "x"], "c", {"axis": 0}),
        ("ReduceMean", ["c"], "m", {"axes": [0, 1], "keepdims": 0}),
        ("Concat", ["t", "x"], "d", {"axis": 1}),
        ("ReduceMax", ["d"], "n", {"axes": [0, 1], "keepdims": 0}),
        ("Add", ["m", "n"], "y", {}),
        output=[6],
    ),
}


MANY = ["last two", "all but the last", "the last but one, and columns", "differences"]  # take more than one


@pytest.mark.parametrize("name", PLACES)
def test_parts_that_begin_at_another_place(name, tools, tmp_path):
    """Of one element, parts are the whole, which importers leave out."""
    length = "n:4..40" if name in MANY else "n:1..40"
    assert check(tools, tmp_path, PLACES[name], ["batch:1,3", length], runs=16) >= 20


def repeated(shape, *repeats, of="x", size=None, then=("Tanh", {})):
    """`of` as often as `repeats` say, or by dimension `size` of x along the first."""
    nodes = [("Transpose", ["x"], "columns", {"perm": [2, 1, 0]}), ("Reshape", ["x", "flat"], "merged", {})]
    if size is not None:
        nodes += [("Shape", ["x"], "shape", {}), ("Gather", ["shape", "size"], "count", {}), ("Concat", ["count", "rest"], "r", {"axis": 0})]
    nodes += [("Tile", [of, "r"], "tiled", {}), (then[0], ["tiled"], "y", then[1])]
    rest = {"size": [size], "rest": np.ones(2, np.int64)} if size is not None else {"r": np.int64(repeats)}
    table = np.random.default_rng(4).standard_normal((4, 3, 2)).astype(np.float32)
    return constants(small(*nodes, output=shape), **rest, table=table, flat=[0, -1])


REPEATS = {
    "columns": repeated(["batch", "n", 12], 1, 1, 2),
    "rows": repeated(["batch", "m", 6], 1, 2, 1),
    "rows, and their mean": repeated(["batch", 1, 6], 1, 2, 1, then=("ReduceMean", {"axes": [1]})),
    "rows of merged dimensions": repeated(["batch", "m"], 1, 3, of="merged"),
    "samples": repeated(["m", "n", 6], 2, 1, 1, then=("Softmax", {"axis": 0})),
    "all": repeated(["b", "m", 6], 3, 2, 1),
    "a table, for each sample": repeated(["b", 3, 2], of="table", size=0),
    "columns, for each row": repeated(["m", "n", "batch"], of="columns", size=1),
}


@pytest.mark.parametrize("name", REPEATS)
def test_repetitions(name, tools, tmp_path):
    assert check(tools, tmp_path, REPEATS[name], ["batch:1,3", "n:1..20"], runs=16) >= 20


def scatter(op, indices, of_updates, output, data="table", **attributes):
    """Of x, where the largest of its numbers say, or where constant indices do."""
    nodes = [("Abs", ["x"], "a", {}), ("Mul", ["a", "seven"], "b", {}), ("Mod", ["b", "rows"], "c", {"fmod": 1}),
             ("ReduceMax", ["c"], "m", {"axes": [2], "keepdims": 1})]  # fmt: skip
    nodes += [("Cast", [name], name + "i", {"to": TensorProto.INT64}) for name in "cm"]
    model = small(*nodes, (op, [data, indices, of_updates], "y", attributes), output=output)
    model.opset_import[0].version = 16
    table = np.arange(3 * 20 * 6, dtype=np.float32).reshape(3, 20, 6) if op == "ScatterElements" else np.ones((20, 6), np.float32)
    return constants(model, seven=np.float32(7), rows=np.float32(20), table=table, last=np.full((1, 1, 6), -1),
                     one=np.full((1, 1, 6), 9, np.float32), corner=np.int64([[0, -1]]), row=np.full((1, 6), 9, np.float32))


SCATTERS = {
    "elements": scatter("ScatterElements", "ci", "x", [3, 20, 6], axis=1),
    "sums of elements": scatter("ScatterElements", "ci", "x", [3, 20, 6], axis=1, reduction="add"),
    "the last elements": scatter("ScatterElements", "last", "one", ["batch", "n", 6], data="x", axis=1),
    "rows": scatter("ScatterND", "mi", "x", [20, 6]),
    "sums of rows": scatter("ScatterND", "mi", "x", [20, 6], reduction="add"),
    "the last row": scatter("ScatterND", "corner", "row", ["batch", "n", 6], data="x"),
}


@pytest.mark.parametrize("name", SCATTERS)
def test_updates_by_index(name, tools, tmp_path):
    """Padding of updates is left out, and negative indices count from the extent."""
    assert check(tools, tmp_path, SCATTERS[name], ["batch:1,3", "n:5,20"], runs=8) >= 12


@pytest.mark.parametrize("name", CONFLICTS)
def test_ops_that_need_different_padding(name, tools, tmp_path):
    assert check(tools, tmp_path, CONFLICTS[name], ["batch:1,3", "n:5,20"], runs=12) >= 24


def test_a_mean_of_many_f16_numbers(tools, tmp_path):
    """Their sum and their number are larger than any f16."""
    nodes = [
        helper.make_node("Cast", ["x"], ["h"], to=TensorProto.FLOAT16),
        helper.make_node("Abs", ["h"], ["p"]),
        helper.make_node("ReduceMean", ["p"], ["m"], axes=[1], keepdims=0),
        helper.make_node("Cast", ["m"], ["y"], to=TensorProto.FLOAT),
    ]
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "n"])
    graph = helper.make_graph(nodes, "f16", [value], [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch"])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    onnx.save(model, path)
    tools.run("ttc-translate", "--onnx-to-bundle", "--dim=batch:1", "--dim=n:70000,80000", str(path), "-o", str(bundle))
    x = np.random.default_rng(0).standard_normal((1, 75000)).astype(np.float32)
    with tools.open(bundle) as opened, opened.device(cores=1) as device:
        entry = opened.entries["main.80000"]
        padded = np.full((1, 80000), np.nan, np.float32)
        padded[:, : x.shape[1]] = x
        found = device.run(entry, {"x": padded, "extents": np.array([75000], np.int32)})["y"]
    wanted = np.abs(x.astype(np.float16).astype(np.float64)).mean()
    assert abs(found[0] - wanted) < 2e-3


def quantized(*nodes, shape, outputs, **arrays):
    """A model of x of this shape."""
    graph = helper.make_graph(
        [helper.make_node(op, inputs, results, **attributes) for op, inputs, results, attributes in nodes],
        "quantized",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return constants(model, **arrays)


IMAGE, ROWS = ["batch", 3, "h", "w"], ["batch", "n", 16]
RNG = np.random.default_rng(9)
# Sums of two products with a u8 fit into i16, as ONNX Runtime needs it on CPUs without VNNI.
KERNEL = RNG.integers(-63, 64, (8, 3, 3, 3)).astype(np.int8)
SCALES = RNG.uniform(0.002, 0.01, 8).astype(np.float32)
QUANTIZED = {
    "convolution between dequantized values": (quantized(
        ("QuantizeLinear", ["x", "s", "z"], ["q"], {}),
        ("DequantizeLinear", ["q", "s", "z"], ["d"], {}),
        ("DequantizeLinear", ["w", "ws", "wz"], ["v"], {"axis": 0}),
        ("Conv", ["d", "v"], ["c"], {"pads": [1, 1, 1, 1]}),
        ("QuantizeLinear", ["c", "s2", "z2"], ["p"], {}),
        ("DequantizeLinear", ["p", "s2", "z2"], ["y"], {}),
        ("GlobalAveragePool", ["y"], ["mean"], {}),
        shape=IMAGE, outputs=["y", "mean"], s=np.float32(0.05), z=np.uint8(131), w=KERNEL, ws=SCALES,
        wz=np.zeros(8, np.int8), s2=np.float32(0.06), z2=np.uint8(7)), ["batch:1..2", "h:6..20", "w:6..20"]),
    "depthwise convolutions between dequantized values": (quantized(
        ("QuantizeLinear", ["x", "s", "z"], ["q"], {}),
        ("DequantizeLinear", ["q", "s", "z"], ["d"], {}),
        ("DequantizeLinear", ["w", "ws", "wz"], ["v"], {"axis": 0}),
        ("Conv", ["d", "v"], ["c"], {"pads": [1, 1, 1, 1]}),
        ("QuantizeLinear", ["c", "s2", "z2"], ["p"], {}),
        ("DequantizeLinear", ["p", "s2", "z2"], ["e"], {}),
        ("DequantizeLinear", ["dw", "ws", "wz"], ["dv"], {"axis": 0}),
        ("Conv", ["e", "dv"], ["f"], {"pads": [1, 1, 1, 1], "strides": [2, 2], "group": 8}),
        ("QuantizeLinear", ["f", "s3", "z3"], ["g"], {}),
        ("DequantizeLinear", ["g", "s3", "z3"], ["h1"], {}),
        ("DequantizeLinear", ["fw", "ws", "wz"], ["fv"], {"axis": 0}),
        ("Conv", ["h1", "fv"], ["i"], {"pads": [2, 2, 2, 2], "group": 8}),
        ("QuantizeLinear", ["i", "s3", "z3"], ["j"], {}),
        ("DequantizeLinear", ["j", "s3", "z3"], ["y"], {}),
        shape=IMAGE, outputs=["y", "e"], s=np.float32(0.05), z=np.uint8(131), w=KERNEL, ws=SCALES,
        wz=np.zeros(8, np.int8), s2=np.float32(0.06), z2=np.uint8(7), s3=np.float32(0.05), z3=np.uint8(120),
        dw=RNG.integers(-64, 64, (8, 1, 3, 3)).astype(np.int8), fw=RNG.integers(-64, 64, (8, 1, 5, 5)).astype(np.int8)),
        ["batch:1..2", "h:6..20", "w:6..36"]),
    "integer convolution and pool": (quantized(
        ("QuantizeLinear", ["x", "s", "z"], ["q"], {}),
        ("QLinearConv", ["q", "s", "z", "w", "ws", "wz", "s2", "z2"], ["c"], {"pads": [1, 1, 1, 1]}),
        ("MaxPool", ["c"], ["m"], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}),
        ("DequantizeLinear", ["m", "s2", "z2"], ["y"], {}),
        shape=IMAGE, outputs=["y"], s=np.float32(0.05), z=np.uint8(131), w=KERNEL, ws=SCALES,
        wz=np.zeros(8, np.int8), s2=np.float32(0.06), z2=np.uint8(120)), ["batch:1..2", "h:6..20", "w:10"]),
    "scales found in each run": (quantized(
        ("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], {}),
        ("MatMulInteger", ["q", "w", "z"], ["i"], {}),
        ("Cast", ["i"], ["f"], {"to": TensorProto.FLOAT}),
        ("Mul", ["f", "s"], ["y"], {}),
        ("ReduceMean", ["y"], ["mean"], {"axes": [1]}),
        shape=ROWS, outputs=["y", "mean"], w=RNG.integers(-63, 64, (16, 12)).astype(np.int8)), ["batch:1..2", "n:3..40"]),
    "integer product": (quantized(
        ("QuantizeLinear", ["x", "s", "z"], ["q"], {}),
        ("QLinearMatMul", ["q", "s", "z", "w", "ws", "wz", "s2", "z2"], ["i"], {}),
        ("DequantizeLinear", ["i", "s2", "z2"], ["y"], {}),
        ("ReduceSum", ["y"], ["sum"], {"keepdims": 0}),
        shape=ROWS, outputs=["y", "sum"], s=np.float32(0.05), z=np.uint8(131),
        w=RNG.integers(0, 255, (16, 12)).astype(np.uint8), ws=np.float32(0.01), wz=np.uint8(117), s2=np.float32(0.1),
        z2=np.uint8(90)), ["batch:1..2", "n:3..40"]),
    "integer product over a length": (quantized(
        ("QuantizeLinear", ["x", "s", "z"], ["q"], {}),
        ("Transpose", ["q"], ["t"], {"perm": [0, 2, 1]}),
        ("QLinearMatMul", ["t", "s", "z", "q", "s", "z", "s2", "z2"], ["i"], {}),
        ("DequantizeLinear", ["i", "s2", "z2"], ["y"], {}),
        ("MatMulInteger", ["t", "q", "z", "z"], ["j"], {}),
        ("Cast", ["j"], ["f"], {"to": TensorProto.FLOAT}),
        shape=ROWS, outputs=["y", "f"], s=np.float32(0.05), z=np.uint8(131), s2=np.float32(0.5), z2=np.uint8(90)),
        ["batch:1..2", "n:3..40"]),
    "integer convolution over padded channels": (quantized(
        ("QuantizeLinear", ["x", "s", "z"], ["q"], {}),
        ("ConvInteger", ["q", "q", "z", "z"], ["i"], {"kernel_shape": [16]}),
        ("Cast", ["i"], ["y"], {"to": TensorProto.FLOAT}),
        shape=ROWS, outputs=["y"], s=np.float32(0.05), z=np.uint8(131)), ["batch:1..2", "n:3..40"]),
}


@pytest.mark.parametrize("name", QUANTIZED)
def test_quantized_models(name, tools, tmp_path):
    model, dims = QUANTIZED[name]
    assert check(tools, tmp_path, model, dims, runs=8) >= 8


def test_a_mask_that_is_looked_up(tools, tmp_path):
    """By the indices of all its elements, which depend on batch and length, as torch's exporter has it."""
    b = shape_models.Builder()
    batch, length = b.size("x", 0), b.size("x", 1)
    zero, one = b.constant(np.array(0, np.int64)), b.constant(np.array(1, np.int64))
    count = b("Squeeze", b("Mul", batch, length), b.ints(0))
    indices = b("Reshape", b("Range", zero, count, one), b("Concat", batch, b.ints(1), b.ints(1), length, axis=0))
    found = b("Gather", b("Reshape", "x", b.ints(-1)), indices, axis=0)
    y = b("Softmax", b("Transpose", found, perm=[0, 1, 3, 2]), axis=2)
    model = b.model([("x", None, "f32", ["batch", "n"])], [("y", y, "f32", ["batch", 1, "m", 1])])
    assert check(tools, tmp_path, model, ["batch:1,3", "n:1..20"], runs=16) >= 20


def test_lookups_that_are_too_large_to_evaluate(tools, tmp_path):
    """The types of a text's words, all 0, as BERT has them: those of short texts would be evaluated by the importer."""
    b = shape_models.Builder()
    zero, one = b.constant(np.array(0, np.int64)), b.constant(np.array(1, np.int64))
    shape = b("Concat", b.size("x", 0), b.size("x", 1), axis=0)
    types = b("Expand", b.constant(np.zeros((1, 1), np.int64)), shape)
    places = b("Expand", b("Unsqueeze", b("Range", zero, b("Squeeze", b.size("x", 1), b.ints(0)), one), b.ints(0)), shape)
    y = b("Add", b("Add", "x", b("Gather", b.weight(2, 600), types)), b("Gather", b.weight(800, 600), places))
    y = b("ReduceMean", y, axes=[2], keepdims=0)
    model = b.model([("x", None, "f32", ["batch", "n", 600])], [("y", y, "f32", ["batch", "n"])])
    assert 12 * 600 * 600 > 1 << 22
    assert check(tools, tmp_path, model, ["batch:1..12", "n:1..600"], runs=8) >= 8


@pytest.mark.parametrize("inner", [16, 256])
def test_every_number_of_rows(inner, tools, tmp_path):
    """Rows that count lie in runs; the last tile of a product may have any number of them, from several runs."""
    b = shape_models.Builder(seed=9)
    y = b("Relu", b("MatMul", "x", b.weight(inner, 32)))
    model = b.model([("x", None, "f32", ["batch", "length", inner])], [("y", y, "f32", None)])
    assert check(tools, tmp_path, model, ["batch:1..4", "length:1..15"], runs=None) >= (60 if NIGHTLY else 20)
