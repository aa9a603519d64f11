# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.trace_values(): what ttrun run --trace-values does, with arrays."""
import numpy as np
import pytest
import ttc

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402


@pytest.fixture
def model(tmp_path):
    """log(2 x), with any number of rows."""
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 4]) for name in ("x=", "y")]
    nodes = [helper.make_node("Mul", ["x=", "two"], ["m"], name="double"), helper.make_node("Log", ["m"], ["y"])]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], [numpy_helper.from_array(np.float32(2), "two")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def test_values(model, tmp_path):
    x = np.arange(1, 9, dtype=np.float32).reshape(2, 4)
    trace = ttc.trace_values(model, {"x=": x}, tmp_path / "values", against="onnxruntime")
    assert list(trace.values) == ["m", "y"]
    product = trace.values["m"]
    assert (product.node, product.op, product.inputs) == ("double", "Mul", ("x=", "two"))
    np.testing.assert_array_equal(product.array, 2 * x)
    assert trace.largest_difference == 0
    assert trace.first_not_finite is trace.first_different is trace.own is trace.command is None
    assert trace.not_compared == {}


def test_not_finite(model, tmp_path):
    trace = ttc.trace_values(model, {"x=": np.full((3, 4), -1, np.float32)}, tmp_path / "values", only=["Log"])
    assert list(trace.values) == ["y"] and trace.first_not_finite.op == "Log" and np.isnan(trace.first_not_finite.array).all()


def test_difference(model, tmp_path):
    """With no tolerance at all, a difference in the last place is one."""
    x = np.random.default_rng(1).random((64, 4), np.float32) + 0.5
    trace = ttc.trace_values(model, {"x=": x}, tmp_path / "values", against="onnxruntime", rtol=0, atol=0)
    assert trace.first_different is not None and trace.first_different.name == "y" and trace.own is True
    assert "--expect=y=" in trace.command


def test_errors(model, tmp_path):
    with pytest.raises(ttc.CompileError, match="inputs names 'z'|--input-shape names 'z'"):
        ttc.trace_values(model, {"z": np.ones((2, 4), np.float32)}, tmp_path / "values")
    with pytest.raises(ValueError, match="^only: no op, node or value"):
        ttc.trace_values(model, {"x=": np.ones((2, 4), np.float32)}, tmp_path / "values", only=["Conv"])
    with pytest.raises(ValueError, match="^against=nothing: expected onnxruntime"):
        ttc.trace_values(model, {"x=": np.ones((2, 4), np.float32)}, tmp_path / "values", against="nothing")
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="^folder: cannot make .*/file/in"):
        ttc.trace_values(model, {"x=": np.ones((2, 4), np.float32)}, tmp_path / "file/in")
    with pytest.raises(TypeError, match="inputs: expected"):
        ttc.trace_values(model, [1], tmp_path / "values")


def test_entry_point(model):
    bundle = ttc.compile(model, {"x=": (1, 4)}, options=["--keep-values"])
    assert list(bundle.entries) == ["main", "main.values"] and "values/main" in bundle.metadata
    assert list(bundle.run(np.ones((1, 4), np.float32))) == ["y"]
    np.testing.assert_array_equal(bundle["main.values"].run(np.ones((1, 4), np.float32))["m"], 2)
