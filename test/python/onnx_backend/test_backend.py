# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of ONNX's Backend interface that its runner does not call, and wrong calls."""
import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("ttrt")

from onnx import TensorProto, helper  # noqa: E402

import ttc  # noqa: E402
import ttc.onnx_backend as backend  # noqa: E402

RANDOM = np.random.default_rng(3)
A, B = (RANDOM.standard_normal((2, 3), dtype=np.float32) for _ in range(2))


def value(name, shape=(2, 3), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


@pytest.fixture(scope="module")
def model():
    graph = helper.make_graph(
        [helper.make_node("Sub", ["a", "b"], ["difference"]), helper.make_node("Mul", ["a", "b"], ["1"])],
        "g", [value("a"), value("b")], [value("difference"), value("1")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


@pytest.fixture(scope="module")
def prepared(model):
    return backend.prepare(model, cores=2)


def test_outputs_are_asked_for_by_name_or_place(prepared):
    outputs = prepared.run([A, B])
    np.testing.assert_array_equal(outputs[0], A - B)
    np.testing.assert_array_equal(outputs["difference"], A - B)
    np.testing.assert_array_equal(outputs["1"], A * B)
    assert len(outputs) == 2


def test_inputs_by_name(prepared):
    np.testing.assert_array_equal(prepared.run({"b": B, "a": A})[0], A - B)


def test_inputs_that_are_strided(prepared):
    np.testing.assert_array_equal(prepared.run([A.T.copy().T, B])[0], A - B)


def test_outputs_of_a_run_are_kept(prepared):
    first = prepared.run([A, B])[0]
    prepared.run([B, A])
    np.testing.assert_array_equal(first, A - B)


def test_wrong_inputs(prepared):
    with pytest.raises(ValueError, match=r"expected 2 inputs \(a, b\), found 1"):
        prepared.run([A])
    with pytest.raises((ValueError, TypeError), match="expected.*found"):
        prepared.run([A, B[:1]])
    with pytest.raises((ValueError, TypeError), match="expected.*found"):
        prepared.run([A, B.astype(np.float64)])
    with pytest.raises((ValueError, TypeError, KeyError), match="has no input 'c'"):
        prepared.run({"a": A, "c": B})
    with pytest.raises(TypeError, match="no options, found quick"):
        prepared.run([A, B], quick=True)


def test_run_model(model):
    np.testing.assert_array_equal(backend.run_model(model, [A, B])[1], A * B)


def test_run_node():
    node = helper.make_node("Sub", ["x", "y"], ["z"])
    np.testing.assert_array_equal(backend.run_node(node, [A, B])["z"], A - B)
    np.testing.assert_array_equal(backend.run_node(node, {"y": B, "x": A}, opset_version=14)[0], A - B)
    information = [(np.float32, (2, 3))]
    np.testing.assert_array_equal(backend.run_node(node, [A, B], outputs_info=information)[0], A - B)
    with pytest.raises(ValueError, match=r"expected 2 inputs \(x, y\), found 1"):
        backend.run_node(node, [A])


def test_run_node_with_axes_as_input():
    node = helper.make_node("ReduceSum", ["x", "axes"], ["z"], keepdims=0)
    outputs = backend.run_node(node, [A, np.array([1], np.int64)])
    np.testing.assert_allclose(outputs[0], A.sum(axis=1), rtol=1e-6)


def test_run_node_without_an_optional_input():
    node = helper.make_node("Clip", ["x", "", "most"], ["z"])
    np.testing.assert_array_equal(backend.run_node(node, [A, np.float32(0.5)])[0], np.minimum(A, 0.5))


def test_types_that_numpy_lacks():
    bfloat16 = helper.tensor_dtype_to_np_dtype(TensorProto.BFLOAT16)
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g",
                              [value("x", kind=TensorProto.BFLOAT16)], [value("y", kind=TensorProto.BFLOAT16)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    x = A.astype(bfloat16)
    y, = backend.run_model(model, [x])
    assert y.dtype == bfloat16
    np.testing.assert_array_equal(y.astype(np.float32), -x.astype(np.float32))


def test_devices(model):
    assert backend.supports_device("CPU") and backend.supports_device("CPU:0")
    assert not backend.supports_device("CUDA") and not backend.supports_device("nonsense")
    with pytest.raises(ValueError, match="expected the device CPU, found CUDA"):
        backend.prepare(model, "CUDA")


def test_compatible(model):
    assert backend.is_compatible(model)
    assert not backend.is_compatible(model, "CUDA")
    graph = helper.make_graph([helper.make_node("Nothing", ["a"], ["b"])], "g", [value("a")], [value("b")])
    unknown = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    assert not backend.is_compatible(unknown)
    with pytest.raises(ttc.CompileError, match="Nothing"):
        backend.prepare(unknown)
