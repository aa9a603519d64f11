# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.compile(model, dims=...)."""
import numpy as np
import pytest
import ttc
from onnx import TensorProto, helper


def relu():
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", "columns"]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", ports[:1], ports[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("sizes", [(4, 4), [4], range(4, 5), np.int64(4)])
def test_one_size(sizes):
    bundle = ttc.compile(relu(), dims={"rows": sizes, "columns": 3}, cores=1)
    assert bundle.dims == {} and bundle.inputs["x"].shape == (4, 3)
    x = np.random.default_rng(4).standard_normal((4, 3), np.float32)
    np.testing.assert_array_equal(bundle.run(x)["y"], np.maximum(x, 0))


@pytest.mark.parametrize("sizes, error, message", [
    (-1, ValueError, "expected a size that is not negative for 'rows', found -1"),
    (1 << 31, ValueError, "found 2147483648"),
    (1.5, ValueError, r"expected a size, \(low, high\), a range or a list of sizes for 'rows', found 1.5"),
    ("1..4", ValueError, "found '1..4'"),
    ((1, 2, 3), ValueError, r"expected \(low, high\) for 'rows', found \(1, 2, 3\); a list has the sizes"),
    ((4, 1), ValueError, r"found \(4, 1\)"),
    ((0, 4), ValueError, "expected sizes from 1 to 2147483647 for 'rows', found 0"),
    ([1, "a"], ValueError, "found 'a'"),
    ([], ValueError, r"expected at least one size for 'rows', found \[\]"),
    (range(4, 4), ValueError, r"expected at least one size for 'rows', found range\(4, 4\)"),
    (range(10, 100, 32), ValueError, r"expected multiples of the step 32 for 'rows', found range\(10, 100, 32\)"),
])  # fmt: skip
def test_sizes_that_are_wrong(sizes, error, message, tmp_path):
    for compile in (ttc.compile, lambda model, **options: ttc.build(model, tmp_path / "b.ttcb", **options)):
        with pytest.raises(error, match="^dims: .*" + message):
            compile(relu(), dims={"rows": sizes, "columns": 3})


def test_what_the_compiler_says():
    with pytest.raises(ttc.CompileError, match=r"dims={\"columns\": 1}"):
        ttc.compile(relu(), dims={"rows": (1, 4)})
    with pytest.raises(ttc.CompileError, match="dims names 'lines'"):
        ttc.compile(relu(), dims={"lines": (1, 4), "rows": 1, "columns": 1})
