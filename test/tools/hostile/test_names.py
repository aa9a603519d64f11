# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of inputs with the characters that options use, and with NUL; names of files and folders."""
import json
import os

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed")
onnx = pytest.importorskip("onnx", reason="the Python package onnx is not installed")
from onnx import TensorProto, helper  # noqa: E402


def save(path, *names, shape=("n",), output="y", node="add", constants=(), op="Sum"):
    """The sum of all inputs, and of constants."""
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in (*names, output)]
    weights = [helper.make_tensor(name, TensorProto.FLOAT, [1], [1.0]) for name in constants]
    graph = helper.make_graph([helper.make_node(op, [*names, *constants], [output], name=node)], "g", ports[:-1], ports[-1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.mark.parametrize("name", ["a=b", "a:0", "a,b", "a b=c:2,d", "=", "a=", "/x=1/y"])
def test_characters_of_options(name, tools, tmp_path):
    save(tmp_path / "m.onnx", name, "a")
    np.save(tmp_path / "one.npy", np.full(3, 1, np.float32))
    np.save(tmp_path / "two=.npy", np.full(3, 2, np.float32))
    tools.run("ttc", "m.onnx", f"--input-shape={name}:3", cwd=tmp_path)
    tools.ttrun("run", "m.ttcb", f"--input={name}=two=.npy", "--input=a=one.npy", "--output=y=y.npy", cwd=tmp_path)
    assert np.load(tmp_path / "y.npy").tolist() == [3, 3, 3]
    # As constants: only the rest of the name tells two that begin alike apart.
    tools.run("ttc", "m.onnx", "--input-shape=a:3", f"--input-value={name}=5", cwd=tmp_path)
    tools.ttrun("run", "m.ttcb", "--input=a=one.npy", "--output=y=y.npy", cwd=tmp_path)
    assert np.load(tmp_path / "y.npy").tolist() == [6, 6, 6]
    tools.run("ttc", "m.onnx", f"--input-value={name}=two=.npy", "--input-shape=a:3", cwd=tmp_path)
    tools.ttrun("run", "m.ttcb", "--input=a=one.npy", "--output=y=y.npy", cwd=tmp_path)
    assert np.load(tmp_path / "y.npy").tolist() == [3, 3, 3]


def test_values_of_names_that_begin_alike(tools, tmp_path):
    save(tmp_path / "m.onnx", "a=b", "a=c", "a", "x")
    tools.run("ttc", "m.onnx", "--input-shape=x:3", "--input-value=a=b=1", "--input-value=a=c=10", "--input-value=a=100", cwd=tmp_path)
    np.save(tmp_path / "zero.npy", np.zeros(3, np.float32))
    tools.ttrun("run", "m.ttcb", "--input=zero.npy", "--output=y.npy", cwd=tmp_path)
    assert np.load(tmp_path / "y.npy").tolist() == [111, 111, 111]


@pytest.mark.parametrize("names, found", [
    ({"names": ["x\0y"]}, "the graph input 'x"), ({"output": "y\0"}, "the graph output 'y"), ({"node": "\0"}, "the node '"),
    ({"constants": ["w\0"]}, "the initializer 'w"), ({"op": "Sum\0"}, "the op 'Sum")])
def test_nul(names, found, tools, tmp_path):
    names = dict(names)
    save(tmp_path / "m.onnx", *names.pop("names", ["x"]), shape=(2,), **names)
    done = tools.run("ttc", tmp_path / "m.onnx", "-o", tmp_path / "m.ttcb", check=False)
    assert done.returncode == 1 and not (tmp_path / "m.ttcb").exists()
    assert f"m.onnx: error: expected names without NUL characters, found {found}" in done.stderr and "\0" not in done.stderr


def test_proposed_command_is_one_of_a_shell(tools, tmp_path):
    save(tmp_path / "it's $HOME.onnx", "x`id`", shape=("n=1;", 3))
    done = tools.run("ttc", "it's $HOME.onnx", cwd=tmp_path, check=False)
    command = done.stderr.partition("note: this sets it: ttc ")[2]
    import shlex

    tools.run("ttc", *shlex.split(command), cwd=tmp_path)
    described = json.loads(tools.ttrun("read", tmp_path / "it's $HOME.ttcb", "--entries", "--json").stdout)
    assert described["entries"][0]["inputs"][0]["shape"] == [1, 3]


def test_kind_of_a_file_in_capitals(tools, tmp_path):
    save(tmp_path / "MODEL.ONNX", "x", shape=(2,))
    tools.run("ttc", "MODEL.ONNX", cwd=tmp_path)
    assert "compile " in tools.ttrun("bench", "MODEL.ONNX", "--seconds=0.01", cwd=tmp_path).stdout
    (tmp_path / "MODEL.ONNX").rename(tmp_path / ".ONNX")
    tools.run("ttc", ".ONNX", cwd=tmp_path)
    done = tools.run("ttc", "MODEL.TTCB", check=False)
    assert "a bundle is run by 'ttc run MODEL.TTCB'" in done.stderr


def test_temporary_folder_that_is_not_there(tools, tmp_path):
    save(tmp_path / "m.onnx", "x", shape=(2,))
    for folder, why in [(tmp_path / "no", "No such file or directory"), (tmp_path / "m.onnx", "not a folder")]:
        done = tools.ttrun("bench", tmp_path / "m.onnx", env={**os.environ, "TMPDIR": str(folder)}, check=False)
        assert done.returncode == 2
        assert f"expected a folder for temporary files (TMPDIR), found {folder}: {why}" in done.stderr
        tools.run("ttc", tmp_path / "m.onnx", "-o", tmp_path / "m.ttcb", env={**os.environ, "TMPDIR": str(folder)})
