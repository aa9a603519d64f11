# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformer encoders against ONNX Runtime: one that is written here as PyTorch writes it, and
two that PyTorch exported (see encoders.py). Sizes of a whole BERT are in benchmarks/models.py."""
import pathlib

import pytest

import encoders
from bundles import np, onnx, relative_to_largest, run_bundle, run_onnxruntime
from encoder import write_encoder


def compare(tools, path, folder):
    pytest.importorskip("onnxruntime",
                        reason=f"onnxruntime is not installed: {path.stem} not compared")
    model = onnx.load(path)
    sequence = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    rng = np.random.default_rng(1)
    mask = np.ones((1, sequence), np.int64)
    mask[:, sequence * 3 // 4:] = 0
    inputs = {"ids": rng.integers(0, 100, (1, sequence)), "mask": mask}
    expected = run_onnxruntime(path, inputs)
    bundle = folder / "model.ttcb"
    tools.compile(path, bundle)
    run_bundle(tools, bundle, inputs, expected, rtol=0, atol=relative_to_largest(expected))


def test_written_encoder(tools, tmp_path):
    path = tmp_path / "encoder.onnx"
    write_encoder(path, width=64, layers=2, heads=4, sequence=32)
    compare(tools, path, tmp_path)


@pytest.mark.parametrize("name", ["small_32", "minilm_16"])
def test_exported_encoder(name, tools, tmp_path):
    path = tmp_path / f"{name}.onnx"
    encoders.fill(pathlib.Path(__file__).parent / f"encoders/{name}.onnx", path)
    compare(tools, path, tmp_path)
