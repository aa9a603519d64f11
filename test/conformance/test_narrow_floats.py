# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in f16 and bf16 compute in f32: as exact as ONNX Runtime's f16, and rounded where ONNX's reference
rounds bf16. Weights in fewer bits: exact where that is promised, near where they are rounded."""
import pathlib
import re

import pytest

import encoders
from bundles import np, onnx, run_bundle, run_onnxruntime
from gate import nightly, pairs

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")

TYPES = {"f16": (TensorProto.FLOAT16, np.float16),
         "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16)}


def small_network(seed=3):
    """Convolutions (with groups, depthwise), a norm, pools, a product, a layer norm, GELU, softmax: f32."""
    rng = np.random.default_rng(seed)
    weights = []

    def weight(*shape, scale=None, around=0.0):
        scale = scale or 1 / np.sqrt(np.prod(shape[1:]))
        name = f"w{len(weights)}"
        values = around + scale * rng.standard_normal(shape)
        weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def shape(*sizes):
        weights.append(numpy_helper.from_array(np.array(sizes, np.int64), f"w{len(weights)}"))
        return f"w{len(weights) - 1}"

    def node(kind, inputs, output, **attributes):
        return helper.make_node(kind, inputs, [output], **attributes)

    nodes = [
        node("Conv", ["x", weight(20, 3, 3, 3), weight(20, scale=0.1)], "a", pads=[1, 1, 1, 1]),
        node("BatchNormalization",
             ["a", weight(20, scale=0.1, around=1), weight(20, scale=0.1), weight(20, scale=0.1),
              weight(20, scale=0.05, around=1)], "b"),
        node("Relu", ["b"], "c"),
        node("Conv", ["c", weight(20, 1, 3, 3)], "d", group=20, pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Conv", ["d", weight(36, 10, 3, 3)], "e", group=2),
        node("Sigmoid", ["e"], "f"),
        node("Mul", ["e", "f"], "g"),
        node("MaxPool", ["g"], "h", kernel_shape=[2, 2]),
        node("GlobalAveragePool", ["h"], "i"),
        node("Flatten", ["i"], "j"),
        node("Gemm", ["j", weight(77, 36), weight(77, scale=0.1)], "k", transB=1),
        node("LayerNormalization", ["k", weight(77, scale=0.1, around=1), weight(77, scale=0.1)], "l"),
        node("Erf", ["l"], "m"),
        node("Add", ["l", "m"], "n"),
        node("Reshape", ["n", shape(2, 7, 11)], "o"),
        node("Transpose", ["o"], "p", perm=[0, 2, 1]),
        node("MatMul", ["o", "p"], "q"),
        node("Softmax", ["q"], "y", axis=-1),
    ]
    graph = helper.make_graph(
        nodes, "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 13, 15])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 7, 7])], weights)
    return helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 18)])


def converted(model, name, keep_io=False):
    """The model with all floats in 16 bits; with `keep_io`, f32 inputs and outputs with casts."""
    wanted, dtype = TYPES[name]
    model = onnx.ModelProto.FromString(model.SerializeToString())
    for tensor in model.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            values = np.clip(numpy_helper.to_array(tensor), -6e4, 6e4)
            tensor.CopyFrom(numpy_helper.from_array(values.astype(dtype), tensor.name))
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR \
                    and attribute.t.data_type == TensorProto.FLOAT:
                values = np.clip(numpy_helper.to_array(attribute.t), -6e4, 6e4)
                attribute.t.CopyFrom(numpy_helper.from_array(values.astype(dtype)))
            elif node.op_type == "Cast" and attribute.i == TensorProto.FLOAT:
                attribute.i = wanted
    nodes = list(model.graph.node)
    for value, to in [(v, True) for v in model.graph.input] + [(v, False) for v in model.graph.output]:
        if value.type.tensor_type.elem_type != TensorProto.FLOAT:
            continue
        if not keep_io:
            value.type.tensor_type.elem_type = wanted
            continue
        inner = value.name + "_16"
        for node in nodes:
            names = node.input if to else node.output
            names[:] = [inner if n == value.name else n for n in names]
        cast = helper.make_node("Cast", [value.name if to else inner],
                                [inner if to else value.name],
                                to=wanted if to else TensorProto.FLOAT)
        nodes = [cast, *nodes] if to else [*nodes, cast]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.graph.ClearField("value_info")
    return model


def run(tools, model, inputs, folder, *options):
    """Outputs, with the same bits however the bundle is run, and what the compiler said."""
    folder.mkdir(exist_ok=True)
    path, bundle = folder / "model.onnx", folder / "model.ttcb"
    onnx.save(model, path)
    done = tools.run("ttc-translate", "--onnx-to-bundle", path, "-o", bundle, *options)
    tools.ttrun("check", "--execute", bundle)
    return run_bundle(tools, bundle, inputs, {}, 0, 0), done.stderr, bundle


def worst(found, expected):
    """The largest difference, relative to the largest number."""
    expected = np.asarray(expected, np.float32)
    return float(np.abs(np.asarray(found, np.float32) - expected).max() / np.abs(expected).max())


def encoder(name, folder):
    path = folder / f"{name}.onnx"
    encoders.fill(pathlib.Path(__file__).parent / f"encoders/{name}.onnx", path)
    rng = np.random.default_rng(1)
    length = onnx.load(path).graph.input[0].type.tensor_type.shape.dim[1].dim_value
    mask = np.ones((1, length), np.int64)
    mask[:, length * 3 // 4:] = 0
    return onnx.load(path), {"ids": rng.integers(0, 100, (1, length)), "mask": mask}


@pytest.mark.parametrize("keep_io", [False, True])
def test_f16_is_as_exact_as_onnxruntime(keep_io, tools, tmp_path):
    """Compared with f32 arithmetic on the same rounded weights and inputs."""
    rng = np.random.default_rng(5)
    image = rng.standard_normal((2, 3, 13, 15)).astype(np.float16)
    model = converted(small_network(), "f16", keep_io)
    inputs = {"x": image.astype(np.float32) if keep_io else image}
    exact = small_network()
    for tensor in exact.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            values = numpy_helper.to_array(tensor).astype(np.float16).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    wanted = ReferenceEvaluator(exact).run(None, {"x": image.astype(np.float32)})[0]
    found, _, _ = run(tools, model, inputs, tmp_path)
    # The output is rounded once: half of the last of 11 bits.
    assert worst(found["y"], wanted) <= 2 ** -11 + 1e-5
    onnx.save(model, tmp_path / "f16.onnx")
    theirs = run_onnxruntime(tmp_path / "f16.onnx", inputs)
    assert worst(found["y"], wanted) <= 1.5 * worst(theirs["y"], wanted) + 1e-5


@pytest.mark.parametrize("name", ["small_32", *nightly(["minilm_16"])])
def test_f16_encoder(name, tools, tmp_path):
    model, inputs = encoder(name, tmp_path)
    model = converted(model, "f16", keep_io=True)
    onnx.save(model, tmp_path / "f16.onnx")
    expected = run_onnxruntime(tmp_path / "f16.onnx", inputs)
    found, _, _ = run(tools, model, inputs, tmp_path / "ttc")
    for output, values in expected.items():
        assert worst(found[output], values) < 2e-3, output


@pytest.mark.parametrize("rounding", ["ops", "outputs"])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_rounding(kind, rounding, tools, tmp_path):
    """`ops` gives the reference's bits for ops that both round once; `outputs` is exact but for the last."""
    wanted, dtype = TYPES[kind]
    rng = np.random.default_rng(7)
    a, b, c = (rng.standard_normal((4, 37)).astype(np.float32) for _ in range(3))
    nodes = [helper.make_node("Cast", [n], [n + "h"], to=wanted) for n in "abc"]
    nodes += [helper.make_node("Mul", ["ah", "bh"], ["p"]), helper.make_node("Add", ["p", "ch"], ["s"]),
              helper.make_node("Relu", ["s"], ["r"]), helper.make_node("Sub", ["r", "p"], ["d"]),
              helper.make_node("Cast", ["d"], ["y"], to=TensorProto.FLOAT)]
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4, 37]) for n in "abcy"]
    model = helper.make_model(helper.make_graph(nodes, "g", info[:3], info[3:]), ir_version=9,
                              opset_imports=[helper.make_opsetid("", 18)])
    found, _, _ = run(tools, model, {"a": a, "b": b, "c": c}, tmp_path, f"--float-rounding={rounding}")

    def rounded(values, now=rounding == "ops"):
        return values.astype(dtype).astype(np.float32) if now else values

    a, b, c = (rounded(values, True) for values in (a, b, c))
    p = rounded(a * b)
    expected = rounded(np.maximum(rounded(p + c), 0) - p)
    if rounding == "ops":
        assert np.array_equal(found["y"], expected)
    else:
        np.testing.assert_allclose(found["y"], expected, rtol=1e-6, atol=1e-6)


def test_bf16_rounds_as_the_reference(tools, tmp_path):
    """Attention in bf16 as ONNX's function expands it: products, a short softmax, a product."""
    rng = np.random.default_rng(8)
    q, k, v = (rng.standard_normal((2, 3, 6, 8)).astype(np.float32) for _ in range(3))
    nodes = [helper.make_node("Cast", [n], [n + "h"], to=TensorProto.BFLOAT16) for n in "qkv"]
    nodes += [helper.make_node("Transpose", ["kh"], ["kt"], perm=[0, 1, 3, 2]),
              helper.make_node("MatMul", ["qh", "kt"], ["s"]),
              helper.make_node("Softmax", ["s"], ["p"], axis=-1),
              helper.make_node("MatMul", ["p", "vh"], ["o"]),
              helper.make_node("Cast", ["o"], ["y"], to=TensorProto.FLOAT)]
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3, 6, 8]) for n in "qkv"]
    out = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3, 6, 8])]
    model = helper.make_model(helper.make_graph(nodes, "g", info, out), ir_version=9,
                              opset_imports=[helper.make_opsetid("", 18)])
    inputs = {"q": q, "k": k, "v": v}
    expected = ReferenceEvaluator(model).run(None, inputs)[0]
    found, _, _ = run(tools, model, inputs, tmp_path)
    assert np.array_equal(found["y"], expected)


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_norms_compute_in_f32(kind, tools, tmp_path):
    """In f16, epsilons below 2^-25 are zero and squares of 300 infinite."""
    _, dtype = TYPES[kind]
    rng = np.random.default_rng(12)
    rows = [np.zeros(24), np.full(24, 3), 3e-3 * rng.standard_normal(24), 300 * rng.standard_normal(24)]
    x = np.array(rows, np.float32).astype(dtype)[:, :, None, None]
    s, z = (1 + 0.25 * rng.standard_normal(24)).astype(dtype), np.zeros((4, 24), dtype)
    flat, scale = x[:, :, 0, 0].astype(np.float64), s.astype(np.float64)
    expected, nodes = {}, []

    def node(op, inputs, outputs, domain="", **attributes):
        nodes.append(helper.make_node(op, inputs, [name if values is not None else "" for name, values in outputs.items()],
                                      domain=domain, **attributes))
        expected.update({name: values for name, values in outputs.items() if values is not None})

    mean = flat.mean(1, keepdims=True)
    variance, square = ((flat - mean) ** 2).mean(1, keepdims=True), (flat**2).mean(1, keepdims=True)
    node("MeanVarianceNormalization", ["x"], {"mvn": ((flat - mean) / (np.sqrt(variance) + 1e-9))[:, :, None, None]}, axes=[1])
    rms, layer = 1 / np.sqrt(square + 1e-12), 1 / np.sqrt(variance + 1e-12)
    node("SimplifiedLayerNormalization", ["f", "s"], {"simple": flat * rms * scale, "factor": rms}, epsilon=1e-12)
    node("SkipSimplifiedLayerNormalization", ["f", "z", "s"],
         {"skip_rms": flat * rms * scale, "_": None, "skip_factor": rms, "sum": flat}, "com.microsoft")
    node("SkipLayerNormalization", ["f", "z", "s"],
         {"skip_layer": (flat - mean) * layer * scale, "mean": mean, "inverse": layer}, "com.microsoft")
    nodes.append(helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0, 2, 3]))  # a channel of zeros
    node("BatchNormalization", ["t", "ones", "zeros", "zeros", "ones"],
         {"batch": ((flat - mean) / np.sqrt(variance + 1e-12)).T[:, :, None, None]}, training_mode=1, epsilon=1e-12)
    nodes[-1].output.extend(["running_mean", "running_variance"])
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", element, x.shape)],
                              [onnx.ValueInfoProto(name=name) for name in expected],
                              [numpy_helper.from_array(array, name) for name, array in
                               (("s", s), ("z", z), ("ones", np.ones(4, dtype)), ("zeros", np.zeros(4, dtype)),
                                ("shape", np.array([4, 24])))])
    graph.node.insert(0, helper.make_node("Reshape", ["x", "shape"], ["f"]))
    model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
    found, _, _ = run(tools, model, {"x": x}, tmp_path)
    for name, wanted in expected.items():
        array = found[name]
        exact = array.dtype == np.float32 and name in ("factor", "skip_factor", "mean", "inverse")
        assert exact or array.dtype.itemsize == 2, name
        values = (array.view(dtype) if array.dtype.itemsize == 2 else array).astype(np.float64)
        # Rounded once to the type, after sums in f32.
        np.testing.assert_allclose(values, wanted, rtol=1e-5 if exact else 1.01 * float(ml_dtypes.finfo(dtype).eps) / 2, atol=1e-5,
                                   err_msg=name)


@pytest.mark.parametrize("rows,kind", pairs([1, 5, 40], ["f16", "bf16"]))
def test_exact_narrow_weights(kind, rows, tools, tmp_path):
    """Weights that 16 bits hold are stored in them; the bits of the result stay the same."""
    _, dtype = TYPES[kind]
    rng = np.random.default_rng(9)
    w = rng.standard_normal((333, 217)).astype(dtype).astype(np.float32)
    x = rng.standard_normal((rows, 333)).astype(np.float32)
    model = helper.make_model(helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 333])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, 217])],
        [numpy_helper.from_array(w, "w")]), ir_version=9, opset_imports=[helper.make_opsetid("", 18)])
    wide, _, wide_bundle = run(tools, model, {"x": x}, tmp_path / "wide", "--weights=f32")
    auto, said, auto_bundle = run(tools, model, {"x": x}, tmp_path / "auto")
    assert np.array_equal(wide["y"], auto["y"])
    assert "stored as" not in said
    assert auto_bundle.stat().st_size < 0.7 * wide_bundle.stat().st_size


@pytest.mark.parametrize("weights,most", [("f16", 1e-3), ("bf16", 1e-2), ("int8", 3e-2)])
def test_rounded_weights(weights, most, tools, tmp_path):
    rng = np.random.default_rng(5)
    inputs = {"x": rng.standard_normal((2, 3, 13, 15)).astype(np.float32)}
    model = small_network()
    exact = ReferenceEvaluator(model).run(None, inputs)[0]
    found, said, _ = run(tools, model, inputs, tmp_path, f"--weights={weights}")
    assert 0 < worst(found["y"], exact) < most
    report = re.search(r"weights of (\d+) products and convolutions are stored as (\w+): "
                       r"largest error (\S+), relative RMS error (\S+)", said)
    assert report and (int(report[1]), report[2]) == (3, weights), said
    # Half of a step, relative to numbers that are spread over a binade, or over a normal distribution.
    expected = {"f16": 2 ** -12, "bf16": 2 ** -9, "int8": 0.006}[weights]
    assert 0.3 * expected < float(report[4]) < 2 * expected


def test_int8_by_hand(tools, tmp_path):
    """The same numbers as weights that are quantised here."""
    rng = np.random.default_rng(10)
    w = (rng.standard_normal((64, 50)) * np.exp(rng.standard_normal(50))).astype(np.float32)
    w[:, 7] = 0
    x = rng.standard_normal((21, 64)).astype(np.float32)
    model = helper.make_model(helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [21, 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [21, 50])],
        [numpy_helper.from_array(w, "w")]), ir_version=9, opset_imports=[helper.make_opsetid("", 18)])
    found, said, _ = run(tools, model, {"x": x}, tmp_path, "--weights=int8")
    scale = np.abs(w).max(axis=0) / np.float32(127)
    stored = np.rint(w / np.where(scale > 0, scale, 1))
    np.testing.assert_allclose(found["y"], (x @ stored) * scale, rtol=1e-5, atol=1e-5)
    largest = float(re.search(r"largest error (\S+),", said)[1])
    assert largest == pytest.approx(np.abs(w - stored * scale).max(), rel=0.01)
