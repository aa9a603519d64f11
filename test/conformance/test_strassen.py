# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--strassen: large products by Strassen's algorithm, whose numbers are compared with those in f64; the bounds are
those of docs/performance.md."""
import json

import pytest

from bundles import np, onnx, run_bundle, run_once
from gate import nightly

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

UNIT = 2.0**-24


class Model:
    """One product, weights at run time or constant, with what follows it."""

    def __init__(self, shape, depth, columns, constant=True, transposed=False, tail=False):
        random = np.random.default_rng(3)
        self.inputs = {"x": random.standard_normal((*shape, depth)).astype(np.float32)}
        weights = random.standard_normal((columns, depth) if transposed else (depth, columns)).astype(np.float32)
        bias = random.standard_normal(columns).astype(np.float32)
        residual = random.standard_normal((*shape, columns)).astype(np.float32)
        matrix = weights.T if transposed else weights
        exact = self.inputs["x"].astype(np.float64) @ matrix.astype(np.float64)
        self.scale = np.abs(self.inputs["x"]).max() * np.abs(weights).max()
        self.weights = [numpy_helper.from_array(weights, "w")] if constant else []
        if not constant:
            self.inputs["w"] = weights
        self.nodes = []
        if transposed:
            assert not tail
            self.nodes.append(helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1))
            self.weights.append(numpy_helper.from_array(bias, "b"))
            exact += bias
        else:
            self.nodes.append(helper.make_node("MatMul", ["x", "w"], ["p" if tail else "y"]))
        if tail:  # The bias, an op on it twice, an input of the same shape; and a reduction of the product itself.
            self.inputs["r"] = residual
            self.weights.append(numpy_helper.from_array(bias, "b"))
            self.nodes += [helper.make_node("Add", ["b", "p"], ["q"]), helper.make_node("Sigmoid", ["q"], ["s"]),
                           helper.make_node("Mul", ["q", "s"], ["t"]), helper.make_node("Sub", ["r", "t"], ["u"]),
                           helper.make_node("ReduceMax", ["p"], ["m"], axes=[-1], keepdims=1),
                           helper.make_node("Sub", ["u", "m"], ["y"])]
            q = exact + bias
            exact = residual - q / (1 + np.exp(-q)) - exact.max(-1, keepdims=True)
        self.exact = exact

    def save(self, path):
        graph = helper.make_graph(
            self.nodes, "graph",
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, v.shape) for n, v in self.inputs.items()],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, self.exact.shape)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, path)

    def run(self, tools, folder, *options):
        """The result and the number of products."""
        path, bundle = folder / "model.onnx", folder / "model.ttcb"
        self.save(path)
        tools.compile(path, bundle, *options)
        found = run_once(tools, bundle, self.inputs)
        commands = json.loads(tools.ttrun("read", bundle, "--json").stdout)["traces"][0]["commands"]
        programs = [c["program"] for c in commands if c["opcode"] == "dispatch"]
        return found["y"], programs


def count(programs):
    return sum(name.startswith("gemm") for name in programs)


def rms(array):
    return np.sqrt(np.mean(np.square(array, dtype=np.float64)))


@pytest.mark.parametrize("sizes", [(197, 768, 512), *nightly([(128, 768, 512), (197, 768, 1024), (512, 512, 512), (256, 3072, 768)])],
                         ids=lambda s: "x".join(map(str, s)))
def test_error(sizes, tools, tmp_path):
    model = Model(sizes[:1], *sizes[1:])
    direct, programs = model.run(tools, tmp_path)
    assert count(programs) == 1
    result, programs = model.run(tools, tmp_path, "--strassen")
    assert count(programs) == 7, programs
    error, expected = rms(result - model.exact) / rms(model.exact), rms(direct - model.exact) / rms(model.exact)
    print(error, expected, np.abs(result - model.exact).max() / np.abs(model.exact).max())
    assert expected < error < 4e-6
    assert error < 6 * expected
    assert np.abs(result - model.exact).max() < 1e-5 * np.abs(model.exact).max()
    # Higham, Accuracy and Stability of Numerical Algorithms, 23.2.2, for one level.
    half = sizes[1] / 2
    assert np.abs(result - model.exact).max() <= (18 * (half**2 + 6 * half) - 6 * sizes[1]) * UNIT * model.scale


@pytest.mark.parametrize("case", [
    dict(shape=(2, 64), depth=512, columns=768, tail=True),  # Rows of several matrices.
    dict(shape=(129,), depth=512, columns=768, tail=True),  # A row of zeros is added; the residual is whole.
    dict(shape=(128,), depth=768, columns=512, transposed=True),
    dict(shape=(1024,), depth=1024, columns=1024, constant=False),
], ids=["tail", "odd", "transposed", "run_time"])
def test_forms(case, tools, tmp_path):
    model = Model(**case)
    result, programs = model.run(tools, tmp_path, "--strassen")
    assert count(programs) == 7, programs
    # Nothing but the reduction needs the product itself: no op on the whole is left of an even one.
    assert not [name for name in programs if name.startswith(("concat", "slice", "copy"))], programs
    assert np.abs(result - model.exact).max() < 1e-5 * np.abs(model.exact).max()


@pytest.mark.parametrize("sizes", [(127, 512, 512), (128, 511, 512), (128, 512, 510), (1, 4096, 4096)],
                         ids=lambda s: "x".join(map(str, s)))
def test_too_small(sizes, tools, tmp_path):
    model = Model(sizes[:1], *sizes[1:])
    result, programs = model.run(tools, tmp_path, "--strassen")
    assert count(programs) == 1
    assert np.abs(result - model.exact).max() < 1e-5 * np.abs(model.exact).max()


@pytest.mark.parametrize("option", ["--weights=bf16", "--shard=height"])
def test_off(option, tools, tmp_path):
    model = Model((128,), 512, 512)
    _, programs = model.run(tools, tmp_path, "--strassen", option)
    assert count(programs) == 1


def test_same_bits(tools, tmp_path):
    """On one core and on several."""
    model = Model((128,), 768, 512, tail=True)
    found, _ = model.run(tools, tmp_path, "--strassen")
    run_bundle(tools, tmp_path / "model.ttcb", model.inputs, {"y": found}, 0, 0)
