# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plain decoder in f32 for GGUF models: weights dequantised, a cache of keys and values, numpy. Which norms and biases it
has, it sees from the tensors that are there.

    python gguf_reference.py MODEL --tokens 1,2,3 --count 32     # greedy tokens, and how near the two best logits were
"""
import argparse
import json

import numpy as np

import gguf_file


# Neighbours are rotated, not halves of a head: converters to GGUF make them so, or the model's own definition does.
PAIRS = ("llama", "arcee", "cohere2", "command-r", "deepseek", "ernie4_5", "ernie4_5-moe", "glm4", "granite", "granitemoe", "internlm2", "minicpm", "mistral3", "smollm3",
         "xverse")
GEMMA = ("gemma", "gemma2", "gemma3")
GELU = (*GEMMA, "falcon", "gpt2", "gptneox", "phi2", "starcoder", "starcoder2")
LAYER_NORMS = ("cohere2", "command-r", "falcon", "gpt2", "gptneox", "nemotron", "orion", "phi2", "stablelm", "starcoder", "starcoder2")
PARALLEL = ("cohere2", "command-r", "falcon", "phi2")
# Every such layer sees all positions, the others a window.
PERIODS = {"cohere2": 4, "exaone4": 4, "gemma2": 2, "gemma3": 6, "gpt-oss": 2, "olmo2": 4}
UNROTATED = {"smollm3": 4, "gpt2": 1, "starcoder": 1}  # every such layer
WINDOWS_ROTATED = ("cohere2", "exaone4")  # where there are windows, the others are not rotated


def capped(x, cap):
    return np.float32(cap) * np.tanh(x / np.float32(cap)) if cap else x


class Reference:
    def __init__(self, path, cache=np.float32):
        """`cache`: the type that keys and values are stored in."""
        file = gguf_file.Reader(path)
        self.architecture = file.values["general.architecture"]
        value = lambda key, *fallback: file.values.get(f"{self.architecture}.{key}", *fallback)
        self.layers = value("block_count")
        self.width = value("embedding_length")
        self.heads = value("attention.head_count")
        self.kv_heads = value("attention.head_count_kv", self.heads)
        self.head_size = value("attention.key_length", self.width // self.heads)
        self.has_layer_norms = self.architecture in LAYER_NORMS
        self.epsilon = np.float32(value("attention.layer_norm_epsilon" if self.has_layer_norms else "attention.layer_norm_rms_epsilon"))
        self.is_parallel = self.architecture in PARALLEL or (self.architecture == "gptneox" and value("use_parallel_residual", True))
        self.rotated = value("rope.dimension_count", self.head_size)
        pairs = np.arange(self.rotated // 2, dtype=np.float64)
        base = value("rope.freq_base", 10000.0)
        self.frequencies = base ** (-2 * pairs / self.rotated)
        self.magnitude = 1.0
        if value("rope.scaling.type", "linear") == "linear":
            self.frequencies = self.frequencies / (value("rope.scaling.factor", value("rope.scale_linear", 1.0)) or 1.0)
        elif value("rope.scaling.type") == "yarn":
            factor, trained = value("rope.scaling.factor"), value("rope.scaling.original_context_length")
            first, last = (self.rotated * np.log(trained / (turns * 2 * np.pi)) / (2 * np.log(base)) for turns in (32, 1))
            first, last = max(np.floor(first), 0), min(np.ceil(last), self.rotated - 1)
            part = np.clip((pairs - first) / (last - first), 0, 1)
            self.frequencies = self.frequencies * (part / factor + 1 - part)
            self.magnitude = 1.0 if self.architecture == "mistral3" else 0.1 * np.log(factor) + 1
        plain = base if self.architecture != "gemma3" else 10000.0
        self.in_windows = value("rope.freq_base_swa", plain) ** (-2 * pairs / self.rotated)
        if self.architecture == "gpt-oss":
            self.in_windows = self.frequencies
        has_default = self.architecture == "gemma2" or (self.architecture, self.layers) == ("exaone4", 64)
        self.window = value("attention.sliding_window", 4096 if has_default else 0)
        period = PERIODS.get(self.architecture) if self.window else None
        pattern = value("attention.sliding_window_pattern", period)
        self.windows = pattern if isinstance(pattern, list) else [
            bool(period) and (pattern == 0 or (layer + 1) % pattern != 0) for layer in range(self.layers)]
        self.attention_scale = value("attention.scale", 0.0) or self.head_size**-0.5
        if (self.architecture, self.layers) in (("gemma2", 46), ("gemma3", 62)):  # of 27B
            self.attention_scale = (self.width // self.heads) ** -0.5
        self.score_cap, self.logit_cap = value("attn_logit_softcapping", 0), value("final_logit_softcapping", 0)
        self.embedding_scale = self.width**0.5 if self.architecture in GEMMA else value("embedding_scale", 0.0) or 1.0
        self.residual_scale, self.logit_scale = value("residual_scale", 0.0) or 1.0, value("logit_scale", 0.0) or 1.0
        if self.architecture in ("granite", "granitemoe", "minicpm"):
            self.logit_scale = 1 / self.logit_scale
        self.used_experts = value("expert_used_count", 0)
        self.expert_scale = np.float32(value("expert_weights_scale", 0.0) or 1.0)
        self.has_sigmoid_scores = value("expert_gating_func", 1) == 2
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
        if name not in self.weights:
            return x
        if self.has_layer_norms:
            x = x - np.mean(x, axis=-1, keepdims=True)
            bias = self.weights.get(name.replace(".weight", ".bias"), np.float32(0))
            return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self.epsilon) * self.weights[name] + bias
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self.epsilon) * self.weights[name]

    def linear(self, x, name):
        y = x @ self.weights[name + ".weight"].T
        bias = self.weights.get(name + ".bias")
        return y if bias is None else y + bias

    def has_window(self, layer):
        return self.windows[layer]

    def rotate(self, x, positions, layer):
        if self.architecture in UNROTATED and (layer + 1) % UNROTATED[self.architecture] == 0:
            return x
        if self.architecture in WINDOWS_ROTATED and any(self.windows) and not self.has_window(layer):
            return x
        if self.rotated < x.shape[-1]:
            return np.concatenate([self.rotate(x[..., : self.rotated], positions, layer), x[..., self.rotated :]], axis=-1)
        angles = positions[:, None] * (self.in_windows if self.has_window(layer) else self.frequencies)
        magnitude = 1.0 if self.has_window(layer) and self.architecture in ("gemma3", "olmo2") else self.magnitude
        cos, sin = ((f(angles) * magnitude).astype(np.float32)[:, None, :] for f in (np.cos, np.sin))
        if self.architecture in PAIRS:
            a, b = x[..., 0::2], x[..., 1::2]
            return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)
        a, b = np.split(x, 2, axis=-1)
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)

    def attend(self, x, layer, positions):
        count, size = len(x), self.head_size
        prefix = f"blk.{layer}."
        if f"{prefix}attn_qkv.weight" in self.weights:
            q, k, v = np.split(self.linear(x, prefix + "attn_qkv"), np.cumsum([self.heads, self.kv_heads]) * size, axis=-1)
        else:
            q, k, v = (self.linear(x, prefix + name) for name in ("attn_q", "attn_k", "attn_v"))
        q, k = (self.norm_heads(x, f"{prefix}{name}_norm.weight") for x, name in ((q, "attn_q"), (k, "attn_k")))
        q, k, v = (x.reshape(count, -1, size) for x in (q, k, v))
        new = [self.rotate(k, positions, layer), v]
        self.caches[layer] = [np.concatenate([old, one.astype(self.cache_type)]) for old, one in zip(self.caches[layer], new)]
        keys, values = (cache.astype(np.float32) for cache in self.caches[layer])
        q = self.rotate(q, positions, layer).reshape(count, self.kv_heads, -1, size)
        scores = np.einsum("mghd,tgd->ghmt", q, keys) * np.float32(self.attention_scale)
        scores = capped(scores, self.score_cap)
        at = np.arange(len(keys))[None, :]
        future = at > positions[:, None]
        if self.has_window(layer):
            future |= at <= positions[:, None] - self.window
        scores = np.where(future, -np.inf, scores)
        sinks = self.weights.get(prefix + "attn_sinks.weight", np.full(self.heads, -np.inf)).reshape(self.kv_heads, -1, 1, 1)
        largest = np.maximum(scores.max(axis=-1, keepdims=True), sinks)
        weights = np.exp(scores - largest)
        weights /= weights.sum(axis=-1, keepdims=True) + np.exp(sinks - largest)
        y = np.einsum("ghmt,tgd->mghd", weights, values).reshape(count, -1)
        return self.linear(y, prefix + "attn_output")

    def activate(self, x):
        if self.architecture == "gpt-oss":
            return np.minimum(x, 7) / (1 + np.exp(np.float32(-1.702) * np.minimum(x, 7)))
        if self.architecture in ("arcee", "nemotron"):
            return np.maximum(x, 0) ** 2
        if self.architecture in GELU:
            return x / 2 * (1 + np.tanh(np.float32((2 / np.pi) ** 0.5) * (x + np.float32(0.044715) * x**3)))
        return x / (1 + np.exp(-x))

    def experts(self, h, prefix):
        """Each token's by itself."""
        scores = self.linear(h, prefix + "ffn_gate_inp")
        if self.architecture == "gpt-oss":
            pass
        elif self.has_sigmoid_scores:
            scores = 1 / (1 + np.exp(-scores))
        else:
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            scores /= scores.sum(axis=-1, keepdims=True)
        ranks = scores + self.weights.get(prefix + "exp_probs_b.bias", np.float32(0))
        gate, up, down = (self.weights[f"{prefix}ffn_{name}_exps.weight"] for name in ("gate", "up", "down"))
        biases = [self.weights.get(f"{prefix}ffn_{name}_exps.bias", np.zeros((len(gate), 1), np.float32)) for name in ("gate", "up", "down")]
        y = np.zeros_like(h)
        for i, x in enumerate(h):
            chosen = np.argsort(-ranks[i], kind="stable")[: self.used_experts]
            factors = scores[i][chosen]
            if self.architecture == "gpt-oss":
                factors = np.exp(factors - factors.max())
            if self.architecture not in ("deepseek", "olmoe", "qwen2moe"):
                factors = factors / factors.sum()
            for expert, factor in zip(chosen, factors * self.expert_scale):
                a, b = gate[expert] @ x + biases[0][expert], up[expert] @ x + biases[1][expert]
                b = np.clip(b, -7, 7) + 1 if self.architecture == "gpt-oss" else b
                y[i] += factor * (down[expert] @ (self.activate(a) * b) + biases[2][expert])
        if f"{prefix}ffn_up_shexp.weight" in self.weights:
            shared = self.linear(self.activate(self.linear(h, prefix + "ffn_gate_shexp")) * self.linear(h, prefix + "ffn_up_shexp"),
                                 prefix + "ffn_down_shexp")
            if f"{prefix}ffn_gate_inp_shexp.weight" in self.weights:
                shared = shared / (1 + np.exp(-h @ self.weights[prefix + "ffn_gate_inp_shexp.weight"]))[:, None]
            y = y + shared
        return y

    def feed_forward(self, h, prefix):
        if f"{prefix}ffn_gate_inp.weight" in self.weights:
            return self.experts(h, prefix)
        return self.linear(self.up(h, prefix), prefix + "ffn_down")

    def up(self, h, prefix):
        up = self.linear(h, prefix + "ffn_up")
        if f"{prefix}ffn_gate.weight" in self.weights:
            return self.activate(self.linear(h, prefix + "ffn_gate")) * up
        if up.shape[-1] != self.weights[prefix + "ffn_down.weight"].shape[1]:
            gate, up = np.split(up, 2, axis=-1)
            return self.activate(gate) * up
        return self.activate(up)

    def norm_heads(self, x, name):
        """Of each head, or of all together, as the number of weights says."""
        size = self.weights[name].size if name in self.weights else x.shape[-1]
        return self.norm(x.reshape(len(x), -1, size), name).reshape(x.shape)

    def __call__(self, tokens):
        """Appends tokens to the text; the logits after each of them."""
        positions = np.arange(self.position, self.position + len(tokens), dtype=np.float64)
        x = self.weights["token_embd.weight"][np.asarray(tokens)] * np.float32(self.embedding_scale)
        if "position_embd.weight" in self.weights:
            x = x + self.weights["position_embd.weight"][positions.astype(int)]
        residual = np.float32(self.residual_scale)
        # Where there is one norm more, this is that of the attention's result.
        has_more = "blk.0.post_ffw_norm.weight" in self.weights
        before, after = ("ffn_norm", "post_attention_norm") if has_more else (
            "ffn_norm" if "blk.0.ffn_norm.weight" in self.weights else "post_attention_norm", "none")
        for i in range(self.layers):
            prefix = f"blk.{i}."
            norm = "attn_norm_2" if f"{prefix}attn_norm_2.weight" in self.weights else "attn_norm"
            attended = self.norm(x, f"{prefix}{norm}.weight")
            y = self.attend(attended, i, positions)
            old, x = x, x + residual * self.norm(y, f"{prefix}{after}.weight")
            h = self.norm(old if self.is_parallel else x, f"{prefix}{before}.weight")
            if self.is_parallel and f"{prefix}{before}.weight" not in self.weights:
                h = self.norm(old, f"{prefix}attn_norm.weight")
            y = self.feed_forward(h, prefix)
            x = x + residual * self.norm(y, prefix + "post_ffw_norm.weight")
        x = self.norm(x, "output_norm.weight")
        x = x @ self.weights.get("output.weight", self.weights["token_embd.weight"]).T * np.float32(self.logit_scale)
        return capped(x, self.logit_cap)

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
