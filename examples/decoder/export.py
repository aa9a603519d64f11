# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports a decoder of transformers with a static cache as two ONNX models, for a prompt and for a step:
export.py gpt2|llama|qwen2|PATH FOLDER

The weights of the three are random; PATH is a folder in which transformers has saved a model."""
import argparse
import pathlib

import torch
import transformers
from transformers import StaticCache


class Step(torch.nn.Module):
    """Some tokens from a position on. The cache comes as arguments, and goes as results."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, position, *past):
        cache = StaticCache(config=self.model.config, max_cache_len=past[0].shape[2])
        for layer, key, value in zip(cache.layers, past[0::2], past[1::2], strict=True):
            layer.lazy_initialization(key, value)
            layer.keys, layer.values = key.clone(), value.clone()
            layer.cumulative_length = position.reshape(()).clone()
        logits = self.model(input_ids=tokens, past_key_values=cache, use_cache=True).logits
        return logits, *(tensor for layer in cache.layers for tensor in (layer.keys, layer.values))


def cache_of(model, context):
    """Empty caches of a context, by name."""
    config = model.config
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    names = [f"{kind}_{layer}" for layer in range(config.num_hidden_layers) for kind in ("key", "value")]
    return {name: torch.zeros(1, heads, context, size, dtype=model.dtype) for name in names}


def export(model, folder, context, rows, **options):
    """Writes prefill.onnx, for this number of tokens at once, and decode.onnx, for one."""
    past = cache_of(model, context)
    for name, count in (("prefill", rows), ("decode", 1)):
        tokens = torch.zeros(1, count, dtype=torch.int64)
        with torch.no_grad():
            torch.onnx.export(Step(model).eval(), (tokens, torch.tensor([0]), *past.values()), folder / f"{name}.onnx",
                              input_names=["tokens", "position", *(f"past_{name}" for name in past)],
                              output_names=["logits", *(f"present_{name}" for name in past)],
                              **{"dynamo": True, "verbose": False} | options)


def small_model(name, context):
    """A decoder with random weights."""
    shape = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 320,
             "max_position_embeddings": context, "initializer_range": 0.1,
             "bos_token_id": 0, "eos_token_id": 0}
    grouped = shape | {"intermediate_size": 160, "num_key_value_heads": 2}
    config = {"gpt2": lambda: transformers.GPT2Config(**shape),
              "llama": lambda: transformers.LlamaConfig(**grouped),
              "qwen2": lambda: transformers.Qwen2Config(**grouped)}[name]()
    torch.manual_seed(0)
    return transformers.AutoModelForCausalLM.from_config(config).eval()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--context", type=int, default=128, help="how many tokens the cache holds")
    parser.add_argument("--rows", type=int, default=16, help="how many tokens of a prompt are computed at once")
    given = parser.parse_args()
    if given.model in ("gpt2", "llama", "qwen2"):
        chosen = small_model(given.model, given.context)
    else:
        chosen = transformers.AutoModelForCausalLM.from_pretrained(given.model, local_files_only=True).eval()
    given.folder.mkdir(parents=True, exist_ok=True)
    export(chosen, given.folder, given.context, given.rows)
