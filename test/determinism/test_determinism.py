# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same model gives the same bundle, byte for byte: in another process, at another time, from
another folder, on another number of CPUs. (That a bundle gives the same bits however it is run is
tested with every model in test/conformance.)"""
import os
import shutil

import pytest

from gate import nightly


def bundles_of(model, tools, tmp_path):
    """Two bundles of one model, made as differently as can be."""
    tools.compile(model, tmp_path / "first.ttcb")
    elsewhere = tmp_path / "another folder"
    elsewhere.mkdir()
    shutil.copy(model, elsewhere / model.name)
    one_cpu = {min(os.sched_getaffinity(0))}
    tools.compile(
        model.name, "second.ttcb", cwd=elsewhere, env={**os.environ, "TZ": "Asia/Tokyo", "LANG": "C"},
        preexec_fn=lambda: os.sched_setaffinity(0, one_cpu),
    )
    return (tmp_path / "first.ttcb").read_bytes(), (elsewhere / "second.ttcb").read_bytes()


def check_equal(first, second):
    assert len(first) == len(second)
    differ = [at for at in range(0, len(first), 64) if first[at : at + 64] != second[at : at + 64]]
    assert not differ, f"{len(differ)} blocks of 64 bytes differ, the first at {differ[0]:#x}"


def test_digits_bundle_is_reproducible(tools, root, tmp_path):
    check_equal(*bundles_of(root / "examples/digits/digits.onnx", tools, tmp_path))


@pytest.mark.parametrize("name", ["squeezenet", *nightly(["shufflenet", "inception_v1"])])
def test_light_bundle_is_reproducible(name, tools, shared, tmp_path):
    check_equal(*bundles_of(shared / f"data/light/light_{name}.onnx", tools, tmp_path))


def test_bundles_are_kept_for_equal_compilations(tools, root, tmp_path):
    """What Tools.compile() does for tests that compile the same: other options, or another model, are not the same."""
    model, found = tmp_path / "model.onnx", []
    for source, option in (("mlp", "--queues=2"), ("mlp", "--queues=2"), ("mlp", "--queues=1"), ("digits", "--queues=2")):
        shutil.copy(root / f"examples/{source}/{source}.onnx", model)
        tools.compile(model, tmp_path / "kept.ttcb", option)
        found.append((tmp_path / "kept.ttcb").read_bytes())
        tools.compile(model, tmp_path / "fresh.ttcb", option, reuse=False)
        assert (tmp_path / "fresh.ttcb").read_bytes() == found[-1]
    assert found[0] == found[1] and len(set(found)) == 3


def test_ir_is_reproducible(tools, root, tmp_path):
    """Also of the level that a person reads, with --mlir-disable-threading and without."""
    tools.run("ttc-translate", "--import-onnx", root / "examples/digits/digits.onnx", "-o",
              tmp_path / "digits.mlir")
    texts = {
        tools.run("ttc-opt", tmp_path / "digits.mlir", "--ttc-trace-pipeline", *options).stdout
        for options in ([], ["--mlir-disable-threading"])
    }
    assert len(texts) == 1
