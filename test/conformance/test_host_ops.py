# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with ops that a host function computes: against NumPy, in every schedule, on a CPU and on a chip's plan."""
import numpy as np
import pytest

from bundles import onnx
from streaming import stream

ALL = ["single", "overlap-io-signals", "overlap-io", "overlap-input", "single-untraced",
       "overlap-io-untraced", "overlap-input-untraced"]


@pytest.fixture(scope="module")
def library(build_dir):
    if "-fsanitize" in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("a sanitized library does not load into Python")
    return build_dir / "test/unit/libacme.so"


def swish(x, beta):
    return x / (1 + np.exp(-beta * x))


def make(path, build, outputs):
    """A model of f32[3, 5] inputs `x` and `z`; `build(node)` adds nodes with node(op, inputs, output, domain)."""
    nodes, helper = [], onnx.helper

    def node(op, inputs, output, **attributes):
        domain = "com.acme" if op == "Swish" else ""
        nodes.append(helper.make_node(op, inputs, [output], domain=domain, **attributes))
        return output

    build(node)
    tensor = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [3, 5])
    infos = [tensor(n.output[0]) for n in nodes if n.output[0] not in outputs]
    graph = helper.make_graph(nodes, "host", [tensor("x"), tensor("z")], [tensor(name) for name in outputs], value_info=infos)
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]), path)


def chain(node):
    """Host calls of the same function with other attributes, one after the other; the input of a call is an output, too."""
    node("Relu", ["x"], "a")
    node("Swish", ["a"], "b", beta=2.0)
    node("Add", ["b", "z"], "c")
    node("Swish", ["c"], "d", beta=0.5)
    node("Mul", ["d", "b"], "y")


def ends(node):
    """A call at the very beginning, on an input, and one at the very end, that is an output."""
    node("Swish", ["x"], "a", beta=3.0)
    node("Add", ["a", "z"], "c")
    node("Swish", ["c"], "y", beta=1.0)


def alone(node):
    """Nothing else: a bundle without code."""
    node("Swish", ["x"], "c", beta=1.0)
    node("Swish", ["z"], "y", beta=2.0)


CASES = {
    "chain": (chain, ["c", "y"], lambda x, z: (lambda b: (b + z, swish(b + z, 0.5) * b))(swish(np.maximum(x, 0), 2.0))),
    "ends": (ends, ["y"], lambda x, z: (swish(swish(x, 3.0) + z, 1.0),)),
    "alone": (alone, ["c", "y"], lambda x, z: (swish(x, 1.0), swish(z, 2.0))),
}


@pytest.mark.parametrize("target", ["cpu", "wormhole_n150"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("slots", [1, 2])
def test_against_numpy(tools, library, tmp_path, case, target, slots):
    build, outputs, reference = CASES[case]
    model, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    make(model, build, outputs)
    tools.compile(model, bundle, "--host-ops=com.acme.Swish", f"--target={target}", f"--slots={slots}")
    random = np.random.default_rng(1)
    x, z = (random.standard_normal((3, 5)).astype(np.float32) for _ in range(2))
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "z.npy", z)
    tools.ttrun("run", bundle, f"--host-library={library}", f"--input=x={tmp_path}/x.npy", f"--input=z={tmp_path}/z.npy",
                *(f"--output={name}={tmp_path}/{name}.out.npy" for name in outputs))
    for name, expected in zip(outputs, reference(x, z)):
        np.testing.assert_allclose(np.load(tmp_path / f"{name}.out.npy"), expected, rtol=1e-5, atol=1e-6)
    assert stream(tools, bundle, 20, library) == [["main", name] for name in ALL]


def test_supported_op_on_the_host(tools, library, tmp_path):
    """--host-ops may name what ttc supports: then the function is wanted."""
    model, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    make(model, lambda node: node("Erf", ["x"], "y"), ["y"])
    tools.compile(model, bundle, "--host-ops=Erf")
    done = tools.ttrun("run", bundle, "--random", f"--host-library={library}", check=False)
    assert done.returncode == 2 and "not registered: 'Erf'" in done.stderr
