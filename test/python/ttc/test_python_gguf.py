# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders in GGUF files from Python: ttc.compile(), ttc.build(), Bundle.metadata, and steps of a small random one."""
import json
import pathlib
import sys

import numpy as np
import pytest
import ttc
import ttrt

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "conformance"))
import gguf_models
from gguf_reference import Reference

OPTIONS = ["--context=64", "--prefill=16", "--activations=f32", "--cache=f32", "--logits"]


@pytest.fixture(scope="module")
def model(tools, tmp_path_factory):
    tools.path("ttc-translate")
    path = tmp_path_factory.mktemp("models") / "small.gguf"
    gguf_models.write(path)
    return path


def test_metadata(model):
    with ttc.compile(model, options=OPTIONS) as bundle:
        assert list(bundle.entries) == ["decode", "prefill_16"]
        metadata = bundle.metadata
        assert list(metadata) == ["architecture", "chat_template", "tokenizer", "vocabulary"]
        assert all(isinstance(value, bytes) for value in metadata.values())
        assert metadata["architecture"] == b"llama"
        assert b"<|im_start|>" in metadata["chat_template"]
        tokenizer = json.loads(metadata["tokenizer"])
        assert tokenizer["model"] == "bpe" and len(tokenizer["vocab"]) == gguf_models.Shape().vocabulary
        metadata.clear()
        assert bundle.metadata["architecture"] == b"llama"
    with pytest.raises(ValueError, match="closed"):
        bundle.metadata


def test_no_metadata(digits):
    with ttc.compile(digits) as bundle:
        assert bundle.metadata == {}


def test_steps(model):
    """The prompt by the entry point for 16 tokens, then the likeliest tokens: those of a plain decoder."""
    prompt, steps = [3, 141, 59, 26, 5], 6
    with ttc.compile(model, options=OPTIONS) as bundle:
        # The device's states begin with zeros: position 0, token 0, a greedy choice.
        tokens, reference = [0], Reference(str(model))
        for _ in range(steps):
            found = bundle["decode"].run()
            want = reference([tokens[-1]])[-1]
            np.testing.assert_allclose(found["logits"][0], want, atol=1e-3)
            tokens.append(int(found["token"][0]))
            assert tokens[-1] == want.argmax()
        padded = np.zeros(16, np.int32)
        padded[: len(prompt)] = prompt
        after = bundle["prefill_16"].run(tokens=padded, count=np.array([len(prompt)], np.int32))
        assert after["position"][0] == steps + len(prompt)
        reference([*prompt])
        np.testing.assert_allclose(bundle["decode"].run()["logits"][0], reference([tokens[-1]])[-1], atol=1e-3)


def test_build(model, tmp_path):
    path = ttc.build(str(model), tmp_path / "small.ttcb", options=["--context=64", "--prefill=0"])
    with ttrt.load(path) as bundle:
        assert list(bundle.entries) == ["decode"] and list(bundle["decode"].outputs) == ["token"]
        assert bundle["decode"].run()["token"].dtype == np.int32


def test_errors(model, digits, tmp_path):
    with pytest.raises(ValueError, match=r"expected one .mlir file or .gguf file, .*small.gguf' among 2"):
        ttc.compile([digits, model], entries=["a", "b"])
    with pytest.raises(ttc.CompileError, match="--context"):
        ttc.compile(model, options=["--context=33"])
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(model.read_bytes()[:5000])
    with pytest.raises(ttc.CompileError, match="damaged.gguf"):
        ttc.compile(damaged)
    assert list(tmp_path.iterdir()) == [damaged]
