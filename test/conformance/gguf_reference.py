# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plain decoder in f32 for GGUF models (llama, qwen2): weights dequantised, a cache of keys and values, numpy.

    python gguf_reference.py MODEL --tokens 1,2,3 --count 32     # greedy tokens, and how near the two best logits were
"""
import argparse
import json

import numpy as np

import gguf_file


class Reference:
    def __init__(self, path, cache=np.float32):
        """`cache`: the type that keys and values are stored in."""
        file = gguf_file.Reader(path)
        self.architecture = file.values["general.architecture"]
        assert self.architecture in ("llama", "qwen2"), self.architecture
        value = lambda key, *fallback: file.values.get(f"{self.architecture}.{key}", *fallback)
        self.layers = value("block_count")
        self.width = value("embedding_length")
        self.heads = value("attention.head_count")
        self.kv_heads = value("attention.head_count_kv", self.heads)
        self.head_size = value("attention.key_length", self.width // self.heads)
        self.epsilon = np.float32(value("attention.layer_norm_rms_epsilon"))
        pairs = np.arange(self.head_size // 2, dtype=np.float64)
        self.frequencies = value("rope.freq_base", 10000.0) ** (-2 * pairs / self.head_size)
        if value("rope.scaling.type", "linear") == "linear":
            self.frequencies = self.frequencies / (value("rope.scaling.factor", value("rope.scale_linear", 1.0)) or 1.0)
        self.weights = {name: tensor.floats() for name, tensor in file.tensors.items()}
        if "rope_freqs.weight" in self.weights:
            self.frequencies = self.frequencies / self.weights["rope_freqs.weight"]
        self.cache_type = cache
        self.reset()

    def reset(self):
        self.caches = [[np.zeros((0, self.kv_heads, self.head_size), self.cache_type) for _ in range(2)] for _ in range(self.layers)]

    @property
    def position(self):
        return len(self.caches[0][0])

    def norm(self, x, name):
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self.epsilon) * self.weights[name]

    def linear(self, x, name):
        y = x @ self.weights[name + ".weight"].T
        bias = self.weights.get(name + ".bias")
        return y if bias is None else y + bias

    def rotate(self, x, positions):
        angles = positions[:, None] * self.frequencies
        cos, sin = (f(angles).astype(np.float32)[:, None, :] for f in (np.cos, np.sin))
        if self.architecture == "llama":  # converters to GGUF make pairs neighbours
            a, b = x[..., 0::2], x[..., 1::2]
            return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)
        a, b = np.split(x, 2, axis=-1)
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)

    def attend(self, x, layer, positions):
        count, size = len(x), self.head_size
        prefix = f"blk.{layer}."
        q, k, v = (self.linear(x, prefix + name).reshape(count, -1, size) for name in ("attn_q", "attn_k", "attn_v"))
        new = [self.rotate(k, positions), v]
        self.caches[layer] = [np.concatenate([old, one.astype(self.cache_type)]) for old, one in zip(self.caches[layer], new)]
        keys, values = (cache.astype(np.float32) for cache in self.caches[layer])
        q = self.rotate(q, positions).reshape(count, self.kv_heads, -1, size)
        scores = np.einsum("mghd,tgd->ghmt", q, keys) * np.float32(size**-0.5)
        future = np.arange(len(keys))[None, :] > positions[:, None]
        scores = np.where(future, -np.inf, scores)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        y = np.einsum("ghmt,tgd->mghd", weights, values).reshape(count, -1)
        return self.linear(y, prefix + "attn_output")

    def __call__(self, tokens):
        """Appends tokens to the text; the logits after each of them."""
        positions = np.arange(self.position, self.position + len(tokens), dtype=np.float64)
        x = self.weights["token_embd.weight"][np.asarray(tokens)]
        for i in range(self.layers):
            prefix = f"blk.{i}."
            x = x + self.attend(self.norm(x, prefix + "attn_norm.weight"), i, positions)
            h = self.norm(x, prefix + "ffn_norm.weight")
            gate = self.linear(h, prefix + "ffn_gate")
            gate = gate / (1 + np.exp(-gate))
            x = x + self.linear(gate * self.linear(h, prefix + "ffn_up"), prefix + "ffn_down")
        x = self.norm(x, "output_norm.weight")
        return x @ self.weights.get("output.weight", self.weights["token_embd.weight"]).T

    def greedy(self, prompt, count, stops=()):
        """Tokens after the prompt, and for each how far its logit was above the second best one."""
        self.reset()
        logits = self(prompt)[-1]
        tokens, gaps = [], []
        while len(tokens) < count:
            second, first = np.partition(logits, -2)[-2:]
            tokens.append(int(logits.argmax()))
            gaps.append(float(first - second))
            if tokens[-1] in stops:
                break
            logits = self([tokens[-1]])[-1]
        return tokens, gaps


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--tokens", required=True)
    parser.add_argument("--count", type=int, default=32)
    arguments = parser.parse_args()
    tokens, gaps = Reference(arguments.model).greedy([int(token) for token in arguments.tokens.split(",")], arguments.count)
    print(json.dumps({"tokens": tokens, "gaps": gaps}))


if __name__ == "__main__":
    main()
