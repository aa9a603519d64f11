# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names in models and files come from strangers: none acts on the terminal that a message is printed to."""
import json
import sys

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


@pytest.mark.parametrize("options", [
    ["--dim={}:4..1"], ["--dim=n:1..2", "--dim=n:{}"], ["--input-value={}"], ["--dims-from={}"], ["--weights={}"], ["--tuning={}", "--tune={}"],
    ["--{}"]], ids=lambda options: options[-1].split("=")[0].strip("{}-") or "unknown")
def test_options_of_the_compiler(options, tools, tmp_path):
    """Scripts and other people's command lines have them."""
    save(tmp_path / "m.onnx")
    found = tools.run("ttc", tmp_path / "m.onnx", "-o", tmp_path / "m.ttcb", *(option.replace("{}", NAME) for option in options), check=False)
    assert found.returncode != 0 and "red" in found.stderr
    assert not [c for c in HIDDEN if c in found.stderr], repr(found.stderr)


@pytest.mark.parametrize("command", [
    ["ttc"], ["ttc", "compile"], ["ttc-opt"], ["ttc-translate", "--gguf-to-bundle"], ["ttrun"], ["ttrun", "read"], ["ttrun", "check"],
    ["ttc-plan"], ["ttc-plan-check"]], ids=" ".join)
def test_files_that_are_not_there(command, tools, tmp_path):
    found = tools.run(*command, NAME, check=False, cwd=tmp_path)
    assert found.returncode != 0 and "red" in found.stderr
    assert not [c for c in HIDDEN if c in found.stderr], repr(found.stderr)


def test_json_on_a_terminal(tools, tmp_path):
    save(tmp_path / "m.onnx", output=NAME)
    tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
    found = tools.ttrun("run", tmp_path / "m.ttcb", "--random", "--json")
    assert json.loads(found.stdout)["outputs"][0]["name"] == NAME
    assert not [c for c in HIDDEN if c in found.stdout], repr(found.stdout)


@pytest.mark.parametrize("fault", ["input", "op", "file"])
def test_errors_of_the_other_engine(fault, tools, tmp_path):
    """ONNX Runtime's messages name nodes; the script that starts it prints them."""
    pytest.importorskip("onnxruntime")
    save(tmp_path / "m.onnx", output=NAME)
    model = onnx.load(tmp_path / "m.onnx")
    node = model.graph.node[0]
    node.name = NAME
    if fault == "input":
        model.graph.input[0].name = node.input[0] = NAME + "2"
    elif fault == "op":
        node.op_type = NAME
    onnx.save(model, tmp_path / "theirs.onnx")
    tools.run("ttc", tmp_path / "m.onnx", "--keep-values", "-o", tmp_path / "m.ttcb")
    found = tools.ttrun("run", tmp_path / "m.ttcb", "--random", f"--trace-values={tmp_path}/v", "--against=onnxruntime", f"--python={sys.executable}",
                        f"--model={tmp_path / (NAME if fault == 'file' else 'theirs.onnx')}", check=False)
    assert found.returncode == 2 and "red" in found.stderr and "Traceback" not in found.stderr
    assert not [c for c in HIDDEN if c in found.stderr], repr(found.stderr)


def test_an_engine_that_cannot_load_the_model(tools, tmp_path):
    """ttrun bench."""
    pytest.importorskip("onnxruntime")
    save(tmp_path / "m.onnx", output=NAME)
    found = tools.ttrun("bench", tmp_path / "m.onnx", "--against=onnxruntime", f"--python={sys.executable}", "--loops=2", check=False)
    assert not [c for c in HIDDEN if c in found.stdout + found.stderr], repr(found.stdout + found.stderr)
