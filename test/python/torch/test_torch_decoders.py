# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders of transformers with a static cache, exported by PyTorch: examples/decoder, and other ways to write it."""
import needs  # noqa: F401, I001: skips the file

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import torch
import ttc
import ttrt

transformers = pytest.importorskip("transformers", reason="transformers is not installed: scripts/test-torch.sh")

pytestmark = [pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning"),
              pytest.mark.filterwarnings("ignore::DeprecationWarning")]

CONTEXT, ROWS, STEPS = 96, 12, 64
ROOT = pathlib.Path(__file__).resolve().parents[3]


def example(name):
    spec = importlib.util.spec_from_file_location(f"decoder_{name}", ROOT / f"examples/decoder/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXPORT, GENERATE = example("export"), example("generate")


def compiled(tools, folder, *options):
    bundle = folder / "decoder.ttcb"
    tools.compile(folder / "prefill.onnx", bundle, folder / "decode.onnx", "--entry=prefill,decode",
                  "--state=past_*=present_*", *options)
    return bundle


def check_tokens(model, bundle, atol=1e-4):
    """64 tokens after a prompt of one and a half parts; PyTorch computes all of them at once, without a cache."""
    prompt = np.random.default_rng(1).integers(0, model.config.vocab_size, ROWS * 3 // 2).tolist()
    with ttrt.load(bundle) as opened:
        tokens, logits = zip(*GENERATE.generate(opened, prompt, STEPS), strict=True)
    with torch.no_grad():
        wanted = model(torch.tensor([[*prompt, *tokens[:-1]]])).logits[0, len(prompt) - 1:].float().numpy()
    np.testing.assert_allclose(np.stack(logits).astype(np.float32), wanted, rtol=0, atol=atol)
    if model.dtype == torch.float32:
        assert list(tokens) == wanted.argmax(-1).tolist()
    assert len(set(tokens)) > 8, "a text that says something about the caches"


def check_in_place(tools, bundle, writers=("scatter_",)):
    """Caches are written where they are, and a step computes nothing of their size."""
    read = json.loads(tools.ttrun("read", bundle, "--json").stdout)
    caches = {state["name"]: state["bytes"] for state in read["states"]}
    for entry in ("prefill", "decode"):
        commands = next(trace["commands"] for trace in read["traces"] if trace["name"] == f"{entry}_t0")
        written = []
        for command in commands:
            assert command["opcode"] != "copy"
            inputs, outputs = ({o["buffer"]: o["bytes"] for o in command.get("operands", []) if o["role"] == role}
                               for role in ("in", "out"))
            for name in outputs.keys() & caches.keys():
                assert name in inputs and command["program"].startswith(writers), command
                written.append(name)
            if entry == "decode":
                assert all(size < min(caches.values()) for name, size in outputs.items() if name not in caches), command
        assert sorted(written) == sorted(caches)


EXPORTERS = {
    "dynamo": {},
    "older": {"dynamo": False},
    "opset 23": {"opset_version": 23},
    "opset 24": {"opset_version": 24},
}


@pytest.mark.parametrize(("name", "exporter"), [
    *((name, exporter) for name in ("gpt2", "llama", "qwen2") for exporter in ("dynamo", "older")),
    ("llama", "opset 23"), ("llama", "opset 24")])
def test_static_cache(tools, tmp_path, name, exporter):
    model = EXPORT.small_model(name, CONTEXT)
    EXPORT.export(model, tmp_path, CONTEXT, ROWS, **EXPORTERS[exporter])
    bundle = compiled(tools, tmp_path)
    check_tokens(model, bundle)
    check_in_place(tools, bundle)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_attention_in_steps(tools, tmp_path, name):
    """Without PyTorch's op for attention: as products and a softmax."""
    model = EXPORT.small_model(name, CONTEXT)
    model.set_attn_implementation("eager")
    EXPORT.export(model, tmp_path, CONTEXT, ROWS)
    bundle = compiled(tools, tmp_path)
    check_tokens(model, bundle)
    check_in_place(tools, bundle)


def test_one_head_for_all_queries(tools, tmp_path):
    torch.manual_seed(4)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        hidden_size=60, intermediate_size=128, num_hidden_layers=2, num_attention_heads=5, num_key_value_heads=1,
        vocab_size=320, max_position_embeddings=CONTEXT, initializer_range=0.1)).eval()
    EXPORT.export(model, tmp_path, CONTEXT, ROWS)
    bundle = compiled(tools, tmp_path)
    check_tokens(model, bundle)
    check_in_place(tools, bundle)


def test_half_precision(tools, tmp_path):
    """The caches are f16. Products read them as f32, so a step makes such a copy, but writes in place."""
    model = EXPORT.small_model("llama", CONTEXT).half()
    EXPORT.export(model, tmp_path, CONTEXT, ROWS)
    bundle = compiled(tools, tmp_path)
    check_tokens(model, bundle, atol=0.03)
    read = json.loads(tools.ttrun("read", bundle, "--json").stdout)
    assert {state["dtype"] for state in read["states"]} == {"f16"}
    commands = next(trace["commands"] for trace in read["traces"] if trace["name"] == "decode_t0")
    writers = [c["program"] for c in commands for o in c.get("operands", []) if o["role"] == "out" and "past_" in o["buffer"]]
    assert len(writers) == 6 and all(writer.startswith("scatter_") for writer in writers)


class Layer(transformers.cache_utils.StaticLayer):
    """A cache that is replaced."""

    def __init__(self, way, keys, values, position):
        super().__init__(keys.shape[2])
        self.way = way
        self.lazy_initialization(keys, values)
        self.keys, self.values, self.cumulative_length = keys, values, position.reshape(())

    def update(self, keys, values, *args, **kwargs):
        at = torch.arange(keys.shape[2]) + self.cumulative_length
        self.keys, self.values = self.way(self.keys, at, keys), self.way(self.values, at, values)
        return self.keys, self.values


def by_index(old, at, new):
    old = old.clone()
    old[:, :, at] = new
    return old


def by_scatter(old, at, new):
    return old.scatter(2, at.reshape(1, 1, -1, 1).expand_as(new), new)


def by_choice(old, at, new):
    if new.shape[2] > 1:
        return by_scatter(old, at, new)
    return torch.where((torch.arange(old.shape[2]) == at).reshape(1, 1, -1, 1), new, old)


def in_another_order(old, at, new):
    """A cache that is stored as [batch, positions, heads, size]; the attention sees a transpose of it."""
    return old.transpose(1, 2).index_copy(1, at, new.transpose(1, 2)).transpose(1, 2)


class ReplacingStep(EXPORT.Step):
    way = None

    def forward(self, tokens, position, *past):
        layers = [Layer(self.way, key, value, position) for key, value in zip(past[0::2], past[1::2], strict=True)]
        cache = transformers.Cache(layers=layers)
        logits = self.model(input_ids=tokens, past_key_values=cache, use_cache=True).logits
        return logits, *(tensor for layer in layers for tensor in (layer.keys, layer.values))


@pytest.mark.parametrize("way", [by_index, by_scatter, by_choice, in_another_order], ids=lambda way: way.__name__)
@pytest.mark.parametrize("exporter", ["dynamo", "older"])
def test_other_ways_to_write(tools, tmp_path, monkeypatch, way, exporter):
    monkeypatch.setattr(EXPORT, "Step", type("Step", (ReplacingStep,), {"way": staticmethod(way)}))
    model = EXPORT.small_model("llama", CONTEXT)
    EXPORT.export(model, tmp_path, CONTEXT, ROWS, **EXPORTERS[exporter])
    bundle = compiled(tools, tmp_path)
    check_tokens(model, bundle)
    check_in_place(tools, bundle, ("scatter_", "where_"))


def test_modules_with_state():
    """ttc.compile() exports modules itself; dictionaries give the names."""

    class Named(EXPORT.Step):
        def forward(self, tokens, position, past):
            logits, *tensors = super().forward(tokens, position, *past.values())
            return {"logits": logits, "present": dict(zip(past, tensors, strict=True))}

    model = EXPORT.small_model("qwen2", CONTEXT)
    past = EXPORT.cache_of(model, CONTEXT)
    inputs = {entry: {"tokens": torch.zeros(1, rows, dtype=torch.int64), "position": torch.tensor([0]), "past": past}
              for entry, rows in (("prefill", ROWS), ("decode", 1))}
    bundle = ttc.compile(dict.fromkeys(inputs, Named(model)), inputs, options=["--state=past_*=present_*"])
    assert list(bundle["decode"].inputs) == ["tokens", "position"] and list(bundle["decode"].outputs) == ["logits"]
    prompt = list(range(3, 3 + ROWS))
    tokens, logits = zip(*GENERATE.generate(bundle, prompt, STEPS), strict=True)
    with torch.no_grad():
        wanted = model(torch.tensor([[*prompt, *tokens[:-1]]])).logits[0, ROWS - 1:].numpy()
    np.testing.assert_allclose(np.stack(logits), wanted, rtol=0, atol=1e-4)


def test_a_cache_that_grows_is_refused(tools, tmp_path):
    """It is no state: its size differs from step to step."""

    class Growing(torch.nn.Module):
        def forward(self, x, past):
            return x.sum(), torch.cat([past, x], dim=1)

    x, past = torch.zeros(1, 1, 4), torch.zeros(1, 5, 4)
    torch.onnx.export(Growing().eval(), (x, past), tmp_path / "grows.onnx", dynamo=True, verbose=False,
                      input_names=["x", "past"], output_names=["y", "present"])
    done = tools.run("ttc-translate", "--onnx-to-bundle", tmp_path / "grows.onnx", "--state=past=present",
                     "-o", tmp_path / "x.ttcb", check=False)
    assert done.returncode != 0 and not (tmp_path / "x.ttcb").exists()
    assert "expected output 'present' of the type of input 'past' ('tensor<1x5x4xf32>'), found 'tensor<1x6x4xf32>'" in done.stderr
    assert "the model must write into a cache of the whole context, and not append to it" in done.stderr


def test_the_example(tools, tmp_path):
    """As docs/generation.md has it."""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}

    def run(name, *args):
        command = [sys.executable, str(ROOT / f"examples/decoder/{name}.py"), *map(str, args)]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    run("export", "llama", tmp_path, "--context=64", "--rows=8")
    tokens = run("generate", compiled(tools, tmp_path), 5, 7, 11, "--count=8").split()
    model = EXPORT.small_model("llama", 64)
    with torch.no_grad():
        wanted = model(torch.tensor([[5, 7, 11, *map(int, tokens[:-1])]])).logits[0, 2:].argmax(-1).tolist()
    assert [int(token) for token in tokens] == wanted
