# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names in models and files come from strangers: none acts on the terminal that a message is printed to."""
import pytest

onnx = pytest.importorskip("onnx", reason="the Python package onnx is not installed")
from onnx import TensorProto, helper  # noqa: E402

# Colours, a title, text that runs backwards, another line.
NAME = "\x1b[31mred\x1b]0;title\x07\u202e\u2066\u2028\x9b\x7f"
HIDDEN = [character for character in NAME if not character.isalnum() and character not in "[];"]


def save(path, op_type="Relu", domain="", output="y", dim="n"):
    node = helper.make_node(op_type, ["x"], [output], domain=domain)
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2] if dim == "n" else [dim]) for name in ("x", output)]
    graph = helper.make_graph([node], "g", ports[:1], ports[1:])
    sets = [helper.make_opsetid("", 17)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    onnx.save(helper.make_model(graph, opset_imports=sets, ir_version=8), path)


@pytest.mark.parametrize("how", ["op_type", "domain", "dim", "file"])
def test_errors_of_the_compiler(how, tools, tmp_path):
    path = tmp_path / (f"{NAME}.onnx" if how == "file" else "m.onnx")
    save(path, **({"op_type": "Nope"} if how == "file" else {how: NAME}))
    found = tools.run("ttc-translate", "--onnx-to-bundle", path, "-o", tmp_path / "m.ttcb", check=False)
    assert found.returncode != 0 and "red" in found.stderr
    assert not [c for c in HIDDEN if c in found.stderr], repr(found.stderr)


def test_errors_of_ttrun(tools, tmp_path):
    (tmp_path / NAME).write_bytes(b"no bundle")
    found = tools.ttrun("run", tmp_path / NAME, check=False)
    assert found.returncode != 0 and "red" in found.stderr
    assert not [c for c in HIDDEN if c in found.stderr], repr(found.stderr)
