# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types from ONNX file to output: casts, stored constants, what is not folded, no elements."""
import pytest

from bundles import np, onnx, run_bundle
from onnx import TensorProto, helper, numpy_helper

ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")

NARROW = {TensorProto.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn, TensorProto.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
          TensorProto.FLOAT8E5M2: ml_dtypes.float8_e5m2, TensorProto.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
          24: ml_dtypes.float8_e8m0fnu, 23: ml_dtypes.float4_e2m1fn, 21: ml_dtypes.uint4, 22: ml_dtypes.int4,
          25: ml_dtypes.uint2, 26: ml_dtypes.int2}
OPSET = 25


def stored(array):
    """As a bundle's port holds it: narrow floats as bytes, narrow integers as 8-bit integers."""
    if array.dtype in (ml_dtypes.int4, ml_dtypes.int2):
        return array.astype(np.int8)
    if array.dtype in (ml_dtypes.uint4, ml_dtypes.uint2):
        return array.astype(np.uint8)
    if array.dtype == ml_dtypes.bfloat16:
        return array.view(np.uint16)
    is_number = array.dtype.type.__module__ == "numpy"
    return array if is_number else array.view(np.uint8)


def compile_and_compare(tools, folder, nodes, inputs, outputs, initializers=(), rtol=0, atol=0):
    """`inputs` and `outputs`: {name: array}, whose types are the model's."""
    def infos(arrays):
        return [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                for name, array in arrays.items()]

    graph = helper.make_graph(nodes, "types", infos(inputs), infos(outputs), list(initializers))
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", OPSET)])
    onnx.save(model, folder / "model.onnx")
    tools.compile(folder / "model.onnx", folder / "model.ttcb")
    inputs, outputs = ({name: stored(array) for name, array in arrays.items()} for arrays in (inputs, outputs))
    run_bundle(tools, folder / "model.ttcb", inputs, outputs, rtol, atol)


@pytest.mark.parametrize("saturate", [1, 0])
@pytest.mark.parametrize("constant", [False, True])
def test_casts_of_narrow_types(tools, tmp_path, saturate, constant):
    """To all of them and back, at run time and folded; ml_dtypes says what is right."""
    random = np.random.default_rng(3)
    x = np.concatenate([random.normal(0, 3, 97), random.normal(0, 300, 30), [0, 1, -2, 448, 464, 465, 6e4, 1e30]])
    x = x.astype(np.float32)
    nodes, outputs = [], {}
    for to, dtype in NARROW.items():
        kind = np.dtype(dtype).name
        source, values = "x", x
        if "float" not in kind:  # ONNX leaves undefined what does not fit.
            source, values = "small", np.clip(x, *((0, 3) if "u" in kind else (-2, 1)))
        elif "e8m0" in kind:
            source, values = "positive", np.abs(x) + np.float32(0.01)
        with np.errstate(all="ignore"):
            if "e8m0" in kind:
                expected = onnx.numpy_helper.to_float8e8m0(values, bool(saturate), "up")
            elif saturate and "float8" in kind:
                expected = onnx.numpy_helper.saturate_cast(values, np.dtype(dtype))
            else:
                expected = values.astype(dtype)
        if source == "small":
            source = f"small_{kind[0]}"
        nodes += [helper.make_node("Cast", [source], [kind], to=to, saturate=saturate),
                  helper.make_node("Cast", [kind], [kind + "_back"], to=TensorProto.FLOAT)]
        outputs[kind], outputs[kind + "_back"] = expected, expected.astype(np.float32)
    values = {"x": x, "small_u": np.clip(x, 0, 3), "small_i": np.clip(x, -2, 1),
              "positive": np.abs(x) + np.float32(0.01)}
    given = {} if constant else values
    initializers = [numpy_helper.from_array(array, name) for name, array in values.items()] if constant else []
    if constant:  # An entry point has an input.
        given = {"unused": np.zeros(1, np.float32)}
        nodes.append(helper.make_node("Identity", ["unused"], ["same"]))
        outputs["same"] = given["unused"]
    compile_and_compare(tools, tmp_path, nodes, given, outputs, initializers)


def test_stored_constants(tools, tmp_path):
    """Weights of every type in raw_data and in the typed fields, moved and converted."""
    nodes, outputs, initializers = [], {}, []
    codes = np.arange(15, dtype=np.uint8)  # An odd number: the last byte of a packed tensor is not full.
    for to, dtype in NARROW.items():
        kind = np.dtype(dtype).name
        width = {"2": 2, "4": 4}.get(kind[-1], 8) if "int" in kind else 4 if "float4" in kind else 8
        array = (codes & ((1 << width) - 1)).view(dtype) if width == 8 or "float" in kind \
            else (codes.astype(np.int64) % (1 << width) - (0 if kind[0] == "u" else 1 << (width - 1))).astype(dtype)
        array = array.reshape(3, 5)
        raw = numpy_helper.from_array(array, kind)
        per_byte = 8 // width
        bits = array.reshape(-1).view(np.uint8).astype(np.int64) & ((1 << width) - 1)
        bits = np.pad(bits, (0, -len(bits) % per_byte)).reshape(-1, per_byte)
        packed = (bits << (np.arange(per_byte) * width)).sum(axis=1)
        assert raw.raw_data == packed.astype(np.uint8).tobytes()
        typed = TensorProto(name=kind + "_typed", dims=array.shape, data_type=to, int32_data=packed)
        initializers += [raw, typed]
        for name in (raw.name, typed.name):
            nodes += [helper.make_node("Transpose", [name], [name + "_t"]),
                      helper.make_node("Cast", [name + "_t"], [name + "_f"], to=TensorProto.FLOAT)]
            outputs[name + "_t"], outputs[name + "_f"] = array.T, array.T.astype(np.float32)
    x = np.zeros(1, np.float32)
    nodes.append(helper.make_node("Identity", ["x"], ["same"]))
    compile_and_compare(tools, tmp_path, nodes, {"x": x}, {**outputs, "same": x}, initializers)


def test_narrow_inputs(tools, tmp_path):
    """.npy files as ml_dtypes saves them."""
    nodes, inputs, outputs = [], {}, {}
    for dtype in NARROW.values():
        kind = np.dtype(dtype).name
        x = np.arange(-2, 2).astype(dtype) if kind[0] == "i" else np.arange(4).astype(dtype)
        nodes.append(helper.make_node("Cast", [kind], [kind + "_f"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Concat", [kind, kind], [kind + "_twice"], axis=0))
        inputs[kind], outputs[kind + "_f"] = x, x.astype(np.float32)
        outputs[kind + "_twice"] = np.concatenate([x, x])
    compile_and_compare(tools, tmp_path, nodes, inputs, outputs)


def test_large_weights_are_cast(tools, tmp_path):
    """A conversion widens its operand; that does not keep it from being evaluated."""
    random = np.random.default_rng(1)
    weights = random.integers(-128, 128, (1024, 600), dtype=np.int8)
    x = random.standard_normal((2, 1024), np.float32)
    nodes = [helper.make_node("Cast", ["w"], ["wide"], to=TensorProto.FLOAT),
             helper.make_node("Mul", ["wide", "scale"], ["scaled"]),
             helper.make_node("MatMul", ["x", "scaled"], ["y"])]
    initializers = [numpy_helper.from_array(weights, "w"),
                    numpy_helper.from_array(np.array(0.01, np.float32), "scale")]
    expected = x @ (weights.astype(np.float32) * np.float32(0.01))
    compile_and_compare(tools, tmp_path, nodes, {"x": x}, {"y": expected}, initializers, 1e-4, 1e-3)
    listing = tools.ttrun("read", tmp_path / "model.ttcb").stdout
    assert "cast" not in listing


def test_what_is_not_folded_is_computed(tools, tmp_path):
    """An expansion that is too large to store; an operation whose operands are all constant."""
    column = np.arange(2048, dtype=np.float32).reshape(2048, 1)
    row = np.arange(1024, dtype=np.float32).reshape(1, 1024)
    x = np.ones((1, 1), np.float32)
    nodes = [helper.make_node("Add", ["column", "row"], ["sum"]),
             helper.make_node("Mul", ["sum", "x"], ["y"])]
    initializers = [numpy_helper.from_array(column, "column"), numpy_helper.from_array(row, "row")]
    compile_and_compare(tools, tmp_path, nodes, {"x": x}, {"y": (column + row) * x}, initializers)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64, np.uint16, np.int8, np.uint64])
def test_reductions_of_constants(tools, tmp_path, dtype):
    w = np.arange(3, 63).reshape(3, 20).astype(dtype)
    x = np.ones((3, 1), dtype)
    nodes, outputs = [], {}
    for op, reference in {"ReduceMax": np.max, "ReduceMin": np.min, "ReduceSum": np.sum}.items():
        if op == "ReduceSum" and np.dtype(dtype).itemsize < 4:
            continue
        nodes += [helper.make_node(op, ["w", "axes"], [op + "_w"]),
                  helper.make_node("Mul", [op + "_w", "x"], [op])]
        outputs[op] = reference(w, axis=1, keepdims=True).astype(dtype) * x
    initializers = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(np.array([1], np.int64), "axes")]
    compile_and_compare(tools, tmp_path, nodes, {"x": x}, outputs, initializers)


@pytest.mark.parametrize("dtype", [np.float64, np.uint16, np.uint32, np.uint64])
def test_arithmetic(tools, tmp_path, dtype):
    """On values of the upper half of the type's range, from files and back."""
    top = np.iinfo(dtype).max if np.dtype(dtype).kind == "u" else 1e300
    a, b = np.array([top, top // 2, 5, 7], dtype), np.array([3, top // 2 + 1, 2, top], dtype)
    nodes, outputs = [], {}
    for op, reference in {"Div": np.floor_divide if np.dtype(dtype).kind == "u" else np.divide, "Max": np.maximum,
                          "Min": np.minimum, "Less": np.less, "Sub": np.subtract, "Equal": np.equal}.items():
        nodes.append(helper.make_node(op, ["a", "b"], [op]))
        with np.errstate(all="ignore"):
            outputs[op] = reference(a, b)
    compile_and_compare(tools, tmp_path, nodes, {"a": a, "b": b}, outputs, rtol=1e-15)


def test_double_functions(tools, tmp_path):
    x = np.linspace(0.1, 3, 41)
    nodes, outputs = [], {}
    for op, reference in {"Exp": np.exp, "Log": np.log, "Tanh": np.tanh, "Sin": np.sin, "Sqrt": np.sqrt}.items():
        nodes.append(helper.make_node(op, ["x"], [op]))
        outputs[op] = reference(x)
    nodes.append(helper.make_node("Clip", ["x", "low", "high"], ["clipped"]))
    outputs["clipped"] = np.clip(x, 0.3, 1.1)
    initializers = [numpy_helper.from_array(np.array(value), name) for name, value in (("low", 0.3), ("high", 1.1))]
    compile_and_compare(tools, tmp_path, nodes, {"x": x}, outputs, initializers, rtol=1e-15)


def test_no_elements(tools, tmp_path):
    """A dimension of size zero is a size."""
    empty, x = np.zeros((0, 3), np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    nodes = [
        helper.make_node("Concat", ["empty", "x"], ["joined"], axis=0),
        helper.make_node("ReduceSum", ["empty", "axis"], ["sum"], keepdims=0),
        helper.make_node("ReduceMax", ["empty", "axis"], ["max"], keepdims=0),
        helper.make_node("Relu", ["empty"], ["relu"]),
        helper.make_node("Identity", ["empty"], ["same"]),
        helper.make_node("Reshape", ["empty", "shape"], ["reshaped"], allowzero=1),
        helper.make_node("MatMul", ["turned", "empty"], ["product"]),
        helper.make_node("Transpose", ["empty"], ["turned"], perm=[1, 0]),
        helper.make_node("Split", ["x", "sizes"], ["part", "none"], axis=0),
    ]
    initializers = [numpy_helper.from_array(np.array(value, np.int64), name)
                    for name, value in (("axis", [0]), ("shape", [3, 0, 2]), ("sizes", [2, 0]))]
    outputs = {"joined": x, "sum": np.zeros(3, np.float32), "max": np.full(3, -np.inf, np.float32), "relu": empty,
               "same": empty, "reshaped": np.zeros((3, 0, 2), np.float32), "product": np.zeros((3, 3), np.float32),
               "part": x, "none": empty}
    compile_and_compare(tools, tmp_path, nodes, {"empty": empty, "x": x}, outputs, initializers)
