# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are not what they seem: pointers of Git LFS, and the links of a cache of models."""
import os

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed")
onnx = pytest.importorskip("onnx", reason="the Python package onnx is not installed")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


def save(path, data="model.onnx_data"):
    """y = x + w, with w in a file of its own."""
    weights = numpy_helper.from_array(np.arange(64, dtype=np.float32), "w")
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [64]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", ports[:1], ports[1:], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path, save_as_external_data=True, location=data, size_threshold=0)


def compile_it(tools, path, folder, option="--onnx-to-bundle"):
    return tools.run("ttc-translate", option, path, "-o", folder / "out.ttcb", check=False)


@pytest.mark.parametrize("name", ["model.onnx", "model.gguf", "model.onnx_data"])
def test_pointers_of_git_lfs(name, tools, tmp_path):
    if name == "model.onnx_data":
        save(tmp_path / "model.onnx")
    (tmp_path / name).write_bytes(POINTER)
    gguf = name.endswith(".gguf")
    found = compile_it(tools, tmp_path / (name if gguf else "model.onnx"), tmp_path, "--gguf-to-bundle" if gguf else "--onnx-to-bundle")
    assert found.returncode != 0 and "found a pointer of Git LFS to the file: 'git lfs pull' fetches it" in found.stderr, found.stderr


def test_pointers_in_place_of_bundles_and_arrays(tools, tmp_path):
    save(tmp_path / "model.onnx")
    tools.compile(tmp_path / "model.onnx", tmp_path / "m.ttcb")
    (tmp_path / "x.npy").write_bytes(POINTER)
    (tmp_path / "lfs.ttcb").write_bytes(POINTER)
    for arguments, found in ((["read", tmp_path / "lfs.ttcb"], "not a bundle: the file is a pointer of Git LFS to one"),
                             (["run", tmp_path / "m.ttcb", f"--input=x={tmp_path / 'x.npy'}"], "x.npy: a pointer of Git LFS to a .npy file")):
        done = tools.run("ttrun", *arguments, check=False)
        assert done.returncode != 0 and found in done.stderr and "'git lfs pull' fetches it" in done.stderr, done.stderr
    (tmp_path / "text.ttcb").write_bytes(b"version 1.2 of something else\n" * 9)
    found = tools.run("ttrun", "read", tmp_path / "text.ttcb", check=False).stderr
    assert "does not begin with the bundle's magic bytes" in found and "LFS" not in found, found


def test_a_cache_of_links(tools, tmp_path):
    """snapshots/1/model.onnx leads to blobs/a, and its data to blobs/b: by the link, and by no other name."""
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots/1"
    blobs.mkdir(), snapshot.mkdir(parents=True)
    save(tmp_path / "model.onnx")
    for name, blob in (("model.onnx", "a"), ("model.onnx_data", "b")):
        os.rename(tmp_path / name, blobs / blob)
        (snapshot / name).symlink_to(f"../../blobs/{blob}")
    found = compile_it(tools, snapshot / "model.onnx", tmp_path)
    assert found.returncode == 0, found.stderr
    (tmp_path / "elsewhere").write_bytes((blobs / "b").read_bytes())
    (snapshot / "model.onnx_data").unlink()
    (snapshot / "model.onnx_data").symlink_to("../../elsewhere")
    found = compile_it(tools, snapshot / "model.onnx", tmp_path)
    assert found.returncode != 0 and "leads out of the model's folder" in found.stderr, found.stderr


def test_a_model_that_is_no_link(tools, tmp_path):
    (tmp_path / "models").mkdir()
    save(tmp_path / "models/model.onnx")
    os.rename(tmp_path / "models/model.onnx_data", tmp_path / "data")
    (tmp_path / "models/model.onnx_data").symlink_to("../data")
    found = compile_it(tools, tmp_path / "models/model.onnx", tmp_path)
    assert found.returncode != 0 and "leads out of the model's folder" in found.stderr, found.stderr


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_external_data_is_a_file(kind, tools, tmp_path):
    """A pipe that nothing writes to would block."""
    save(tmp_path / "model.onnx")
    (tmp_path / "model.onnx_data").unlink()
    (os.mkfifo if kind == "pipe" else os.mkdir)(tmp_path / "model.onnx_data")
    found = tools.run("ttc-translate", "--onnx-to-bundle", tmp_path / "model.onnx", "-o", tmp_path / "out.ttcb", check=False, timeout=60)
    assert found.returncode == 1 and "cannot read external data" in found.stderr and "not a regular file" in found.stderr, found.stderr
