# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small decoders with random weights as GGUF files: every format and architecture, with what real files have.

    python gguf_models.py FILE [name=value...]     # the fields of Shape
"""
import dataclasses
import sys

import numpy as np

import gguf_file
from gguf_file import ARRAY, BOOL, F32, FORMATS, I32, STRING, U32


# What an architecture has beside, or instead of, llama's tensors and keys.
NORMS = {"gemma2": {"post_attention_norm", "ffn_norm", "post_ffw_norm", "attn_norm"},
         "gemma3": {"post_attention_norm", "ffn_norm", "post_ffw_norm", "attn_norm"}, "olmo2": {"post_attention_norm", "post_ffw_norm"},
         "seed_oss": {"attn_norm", "post_attention_norm"}, "gpt-oss": {"attn_norm", "post_attention_norm"}, "exaone4": {"post_attention_norm", "post_ffw_norm"},
         "glm4": {"post_attention_norm", "ffn_norm", "post_ffw_norm", "attn_norm"}, "cohere2": {"attn_norm"}, "command-r": {"attn_norm"},
         "phi2": {"attn_norm"}, "falcon": {"attn_norm"}}
LAYER_NORMS = ("cohere2", "command-r", "falcon", "gpt2", "gptneox", "nemotron", "orion", "phi2", "stablelm", "starcoder", "starcoder2")
UNGATED = ("arcee", "falcon", "gpt2", "gptneox", "nemotron", "phi2", "starcoder", "starcoder2")
ALL_HEADS, ALL_UP = ("falcon", "gpt2", "gptneox", "phi3", "starcoder"), ("glm4", "phi3")  # one product
HEAD_NORMS = ("dots1", "exaone4", "gemma3", "olmo2", "olmoe", "qwen3", "qwen3moe")
# The tensors of experts for all tokens, of those that can have some.
SHARED = {"deepseek": (), "dots1": (), "ernie4_5-moe": (), "granitemoe": (), "qwen2moe": ("ffn_gate_inp_shexp",)}
COUNTED = ("deepseek", "dots1")  # the file says how many there are of the others' size, not how large they are
BIASES = ("gpt-oss", "qwen2moe", "gpt2", "gptneox", "phi2", "stablelm", "starcoder", "starcoder2", "seed_oss", "glm4")
POSITIONS = ("gpt2", "starcoder")  # learned
KEYS = {
    "deepseek": {"leading_dense_block_count": (U32, 1), "expert_shared_count": (U32, 2), "expert_weights_scale": (F32, 1.0)},
    "dots1": {"leading_dense_block_count": (U32, 1), "expert_shared_count": (U32, 2), "expert_weights_scale": (F32, 2.5),
              "expert_weights_norm": (BOOL, True), "expert_gating_func": (U32, 2)},
    "mistral3": {"rope.scaling.type": (STRING, "yarn"), "rope.scaling.factor": (F32, 16.0), "rope.scaling.original_context_length": (U32, 128),
                 "rope.scaling.yarn_log_multiplier": (F32, 1.0), "attention.temperature_scale": (F32, 0.1)},
    "minicpm": {"embedding_scale": (F32, 12.0), "residual_scale": (F32, 0.22), "logit_scale": (F32, 9.0)},
    "gemma2": {"attention.sliding_window": (U32, 20), "attn_logit_softcapping": (F32, 1.5), "final_logit_softcapping": (F32, 4.0)},
    "gemma3": {"attention.sliding_window": (U32, 24), "rope.freq_base": (F32, 1e6), "rope.scaling.type": (STRING, "linear"),
               "rope.scaling.factor": (F32, 8.0)},
    "granite": {"attention.scale": (F32, 0.11), "embedding_scale": (F32, 12.0), "residual_scale": (F32, 0.22),
                "logit_scale": (F32, 8.0)},
    "gpt-oss": {"attention.sliding_window": (U32, 24), "rope.scaling.type": (STRING, "yarn"), "rope.scaling.factor": (F32, 8.0),
                "rope.scaling.original_context_length": (U32, 64)},
    "granitemoe": {"attention.scale": (F32, 0.11), "embedding_scale": (F32, 12.0), "residual_scale": (F32, 0.22),
                   "logit_scale": (F32, 8.0)},
    "ernie4_5-moe": {"leading_dense_block_count": (U32, 1), "interleave_moe_layer_step": (U32, 2), "expert_shared_count": (U32, 2)},
    "qwen3moe": {"expert_weights_scale": (F32, 2.5), "expert_gating_func": (U32, 1)},
    "olmo2": {"attention.sliding_window": (U32, 33)},
    "cohere2": {"attention.sliding_window": (U32, 32), "logit_scale": (F32, 0.25)},
    "command-r": {"logit_scale": (F32, 0.0625)},
    "exaone4": {"attention.sliding_window": (U32, 17)},
    "glm4": {"rope.dimension_count": (U32, 16)},
    "gptneox": {"rope.dimension_count": (U32, 8), "use_parallel_residual": (BOOL, True)},
    "nemotron": {"rope.dimension_count": (U32, 16)},
    "phi2": {"rope.dimension_count": (U32, 12)},
    "phi3": {"attention.sliding_window": (U32, 32)},
    "stablelm": {"rope.dimension_count": (U32, 8)},
}
ARCHITECTURES = ["llama", "arcee", "cohere2", "command-r", "deepseek", "dots1", "ernie4_5", "ernie4_5-moe", "exaone", "exaone4", "falcon", "gemma", "gemma2",
                 "gemma3", "glm4", "gpt-oss", "gpt2", "gptneox", "granite", "granitemoe", "internlm2", "minicpm", "mistral3", "nemotron", "olmo2", "olmoe", "orion", "phi2",
                 "phi3", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "seed_oss", "smollm3", "stablelm", "starcoder", "starcoder2", "xverse"]


@dataclasses.dataclass
class Shape:
    architecture: str = "llama"
    layers: int = 2
    width: int = 64
    hidden: int = 96
    heads: int = 4
    kv_heads: int = 2
    head_size: int = 32
    vocabulary: int = 300
    padding: int = 0  # tokens of the model that have no text
    context: int = 512
    format: str = "Q4_1"  # of the products
    value_format: str = ""  # of the values' products, and of down, as in Q4_K_M; empty: the same
    embedding_format: str = "Q8_0"
    tied: bool = True
    rope_factors: bool = False
    rope_base: float = 10000.0
    rope_scale: str = ""  # a key and its value: "rope.scaling.factor=4"
    rope_type: str = ""  # rope.scaling.type
    biases: bool = False  # of queries, keys and values; always with qwen2
    tokenizer: bool = True
    pre: str = ""  # the pre-tokenizer
    second_norm: bool = False  # falcon's, of the attention
    windows: bool = True  # where the architecture can have some
    experts: int = 0  # of a layer; always some where the architecture has them
    used_experts: int = 3
    expert_hidden: int = 64
    expert_gate: int = 0  # expert_gating_func; 0: not given
    pattern: str = ""  # which layers have one: a period, or true or false of each
    window_base: float = 0.0  # of their rotary embedding
    sentences: bool = False  # a vocabulary of SentencePiece
    seed: int = 0


def experts_of(shape):
    return shape.experts or (5 if shape.architecture in (*SHARED, "gpt-oss", "olmoe", "qwen3moe") else 0)


def has_experts(shape, layer):
    has_dense = {"ernie4_5-moe": layer % 2 == 0, "deepseek": layer < 1, "dots1": layer < 1}
    return experts_of(shape) > 0 and not has_dense.get(shape.architecture, False)


def shared_size(shape):
    return 2 * shape.expert_hidden if shape.architecture in COUNTED else shape.hidden


def random_blocks(random, format, rows, columns, scale):
    """Blocks whose numbers have about this standard deviation. Bits are random; only the scales are chosen."""
    _, elements, size = FORMATS[format]
    assert columns % elements == 0, (format, columns)
    count = rows * columns // elements
    if elements == 1:
        numbers = (random.standard_normal(count) * scale).astype(np.float32)
        if format == "F32":
            return numbers.view(np.uint8)
        if format == "F16":
            return numbers.astype(np.float16).view(np.uint8)
        return (numbers.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    blocks = random.integers(0, 256, (count, size), np.uint8)

    def put(at, numbers):
        blocks[:, at : at + 2] = np.asarray(numbers, np.float32).astype(np.float16).reshape(-1, 1).view(np.uint8)

    spread = scale * random.uniform(0.5, 1.5, count)
    if format == "Q8_0":
        put(0, spread / 74)
    elif format in ("Q4_0", "Q5_0"):
        put(0, spread / (4.6 if format == "Q4_0" else 9.2))
    elif format in ("Q4_1", "Q5_1"):
        steps = 4.6 if format == "Q4_1" else 9.2
        put(0, spread / steps)
        put(2, spread / steps * -(7.5 if format == "Q4_1" else 15.5))
    elif format in ("Q4_K", "Q5_K"):
        steps = 4.6 if format == "Q4_K" else 9.2
        put(0, spread / steps / 32)
        put(2, spread / steps / 32 * (7.5 if format == "Q4_K" else 15.5))
    elif format == "Q6_K":
        put(208, spread / 18 / 74)
    elif format == "MXFP4":
        blocks[:, 0] = np.round(127 + np.log2(spread / 2.9))
    elif format == "Q2_K":
        put(80, spread / 14)
        put(82, spread / 14 * 1.5)
    else:
        at, steps = {"IQ4_NL": (0, 66), "IQ4_XS": (0, 1220), "Q3_K": (108, 43), "TQ1_0": (52, 0.8), "TQ2_0": (64, 1.2)}[format]
        put(at, spread / steps)
    return blocks.reshape(-1)


def byte_letters():
    """The letters that byte-level BPE writes bytes with."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    return {byte: chr(byte) for byte in kept} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def tokenizer_values(shape):
    """All bytes, some merges, and special tokens last."""
    letters = byte_letters()
    tokens = [letters[byte] for byte in range(256)]
    merges = []
    for left, right in (("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "n"), ("Ġ", "a"), ("e", "r"), ("Ġ", "Ġ"), ("o", "n")):
        merges.append(f"{left} {right}")
        tokens.append(left + right)
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    first = len(tokens)
    tokens += special
    types = [1] * first + [3] * len(special)
    while len(tokens) < shape.vocabulary:
        types.append(5)
        tokens.append(f"[unused{len(tokens)}]")
    return {
        "tokenizer.ggml.model": (STRING, "gpt2"),
        "tokenizer.ggml.pre": (STRING, shape.pre or ("qwen2" if shape.architecture == "qwen2" else "smollm")),
        "tokenizer.ggml.tokens": ((ARRAY, STRING), tokens),
        "tokenizer.ggml.token_type": ((ARRAY, I32), types),
        "tokenizer.ggml.merges": ((ARRAY, STRING), merges),
        "tokenizer.ggml.bos_token_id": (U32, first + 1),
        "tokenizer.ggml.eos_token_id": (U32, first + 2),
        "tokenizer.ggml.add_bos_token": (BOOL, False),
        "tokenizer.chat_template": (
            STRING,
            "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
            "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
        ),
    }


def sentence_values(shape):
    """A vocabulary of SentencePiece: controls, all bytes, letters, and what they make, the first of which scores best."""
    made = ["th", "the", "\u2581the", "in", "\u2581a"]
    letters = ["\u2581", *"abcdefghijklmnopqrstuvwxyz"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *made, *letters]
    types = [2, 3, 3, *[6] * 256, *[1] * (len(made) + len(letters))]
    scores = [0.0] * 259 + [-float(i) for i in range(len(made) + len(letters))]
    while len(tokens) < shape.vocabulary:
        tokens.append(f"[unused{len(tokens)}]")
        types.append(5)
        scores.append(-1000.0)
    return {
        "tokenizer.ggml.model": (STRING, "llama"),
        "tokenizer.ggml.tokens": ((ARRAY, STRING), tokens),
        "tokenizer.ggml.scores": ((ARRAY, F32), scores),
        "tokenizer.ggml.token_type": ((ARRAY, I32), types),
        "tokenizer.ggml.bos_token_id": (U32, 1),
        "tokenizer.ggml.eos_token_id": (U32, 2),
    }


def values_of(shape):
    a = shape.architecture
    values = {
        "general.architecture": (STRING, a),
        f"{a}.block_count": (U32, shape.layers),
        f"{a}.context_length": (U32, shape.context),
        f"{a}.embedding_length": (U32, shape.width),
        f"{a}.feed_forward_length": (U32, shape.hidden),
        f"{a}.attention.head_count": (U32, shape.heads),
        f"{a}.attention.head_count_kv": (U32, shape.kv_heads),
        f"{a}.attention.layer_norm{'' if a in LAYER_NORMS else '_rms'}_epsilon": (F32, 1e-5),
        f"{a}.rope.freq_base": (F32, shape.rope_base),
    }
    if shape.head_size * shape.heads != shape.width:
        values[f"{a}.attention.key_length"] = values[f"{a}.attention.value_length"] = (U32, shape.head_size)
    if a == "llama":
        values[f"{a}.rope.dimension_count"] = (U32, shape.head_size)
    if shape.rope_scale:
        name, _, factor = shape.rope_scale.partition("=")
        values[f"{a}.{name}"] = (F32, float(factor))
    if shape.rope_type:
        values[f"{a}.rope.scaling.type"] = (STRING, shape.rope_type)
    values |= {f"{a}.{name}": value for name, value in KEYS.get(a, {}).items()
               if shape.windows or name != "attention.sliding_window"}
    if experts_of(shape):
        values[f"{a}.expert_count"] = (U32, experts_of(shape))
        values[f"{a}.expert_used_count"] = (U32, shape.used_experts)
        values[f"{a}.expert_feed_forward_length"] = (U32, shape.expert_hidden)
        if a in SHARED and a not in COUNTED:
            values[f"{a}.expert_shared_feed_forward_length"] = (U32, shape.hidden)
        if shape.expert_gate:
            values[f"{a}.expert_gating_func"] = (U32, shape.expert_gate)
    if shape.pattern.isdigit():
        values[f"{a}.attention.sliding_window_pattern"] = (U32, int(shape.pattern))
    elif shape.pattern:
        values[f"{a}.attention.sliding_window_pattern"] = ((ARRAY, BOOL), [one == "true" for one in shape.pattern.split(",")])
    if shape.window_base:
        values[f"{a}.rope.freq_base_swa"] = (F32, shape.window_base)
    if shape.sentences:
        return values | sentence_values(shape)
    return values | (tokenizer_values(shape) if shape.tokenizer else {})


def tensors_of(shape):
    random = np.random.default_rng(shape.seed)
    tensors = []

    def matrix(name, rows, columns, format, *outer):
        data = random_blocks(random, format, int(np.prod(outer)) * rows, columns, columns**-0.5)
        tensors.append(gguf_file.Tensor(name, format, (*outer, rows, columns), data))

    def add_experts(prefix):
        count, hidden, width = experts_of(shape), shape.expert_hidden, shape.width
        # The scores of a softmax are far enough apart to choose the same experts as the reference.
        tensors.append(gguf_file.Tensor(f"{prefix}ffn_gate_inp.weight", "F32", (count, width), random_blocks(random, "F32", count, width, 0.3)))
        for name, rows, columns, format in (("gate", hidden, width, shape.format), ("up", hidden, width, shape.format), ("down", width, hidden, other)):
            matrix(f"{prefix}ffn_{name}_exps.weight", rows, columns, format, count)
        if shape.architecture == "gpt-oss":
            vector(f"{prefix}ffn_gate_inp.bias", count, 0, 0.3)
            for name, rows in (("gate", hidden), ("up", hidden), ("down", width)):
                numbers = random.standard_normal((count, rows)).astype(np.float32) * 2
                tensors.append(gguf_file.Tensor(f"{prefix}ffn_{name}_exps.bias", "F32", numbers.shape, numbers.reshape(-1).view(np.uint8)))
        if shape.architecture in ("dots1", "ernie4_5-moe"):
            vector(f"{prefix}exp_probs_b.bias", count, 0, 0.3)
        if shape.architecture in SHARED:
            matrix(f"{prefix}ffn_gate_shexp.weight", shared_size(shape), width, shape.format)
            matrix(f"{prefix}ffn_up_shexp.weight", shared_size(shape), width, other)
            matrix(f"{prefix}ffn_down_shexp.weight", width, shared_size(shape), other)
            for name in SHARED[shape.architecture]:
                vector(f"{prefix}{name}.weight", width, 0, 0.2)

    def vector(name, size, center, spread):
        numbers = (center + spread * random.standard_normal(size)).astype(np.float32)
        tensors.append(gguf_file.Tensor(name, "F32", (size,), numbers.view(np.uint8)))

    queries, keys = shape.heads * shape.head_size, shape.kv_heads * shape.head_size
    other = shape.value_format or shape.format
    matrix("token_embd.weight", shape.vocabulary + shape.padding, shape.width, shape.embedding_format)
    if shape.architecture in POSITIONS:
        matrix("position_embd.weight", shape.context, shape.width, "F32")
    for i in range(shape.layers):
        prefix = f"blk.{i}."
        second = {"attn_norm_2"} if shape.second_norm else set()
        for name in sorted(NORMS.get(shape.architecture, {"attn_norm", "ffn_norm"}) | second):
            vector(f"{prefix}{name}.weight", shape.width, 1, 0.1)
            if shape.architecture in LAYER_NORMS and shape.architecture not in ("cohere2", "command-r"):
                vector(f"{prefix}{name}.bias", shape.width, 0, 0.2)
        if shape.architecture in HEAD_NORMS:
            for name, size in (("attn_q_norm", queries), ("attn_k_norm", keys)):
                vector(f"{prefix}{name}.weight", size if shape.architecture in ("olmo2", "olmoe") else shape.head_size, 1, 0.3)
        products = {
            "ffn_down": (shape.width, shape.hidden, other), "ffn_gate": (shape.hidden, shape.width, shape.format),
            "ffn_up": (shape.hidden, shape.width, shape.format), "attn_k": (keys, shape.width, shape.format),
            "attn_output": (shape.width, queries, shape.format), "attn_q": (queries, shape.width, shape.format),
            "attn_v": (keys, shape.width, other),
        }
        if shape.architecture in (*UNGATED, *ALL_UP):
            del products["ffn_gate"]
        if shape.architecture in ALL_UP:
            products["ffn_up"] = (2 * shape.hidden, shape.width, shape.format)
        if has_experts(shape, i):
            products = {name: product for name, product in products.items() if not name.startswith("ffn_")}
            add_experts(prefix)
        heads = {"attn_q": queries, "attn_k": keys, "attn_v": keys}
        if shape.architecture in ALL_HEADS:
            heads = {"attn_qkv": queries + 2 * keys}
            products = {name: product for name, product in products.items() if name not in ("attn_q", "attn_k", "attn_v")}
            products["attn_qkv"] = (queries + 2 * keys, shape.width, shape.format)
        for name, product in products.items():
            matrix(f"{prefix}{name}.weight", *product)
        if shape.biases or shape.architecture in ("qwen2", *BIASES):
            for name, size in heads.items():
                vector(f"{prefix}{name}.bias", size, 0, 0.5)
        if shape.architecture == "gpt-oss":
            vector(f"{prefix}attn_output.bias", shape.width, 0, 0.2)
            vector(f"{prefix}attn_sinks.weight", shape.heads, 0, 1)
        if shape.architecture in UNGATED and shape.architecture not in ("arcee", "falcon"):
            for name, size in (("ffn_up", shape.hidden), ("ffn_down", shape.width), ("attn_output", shape.width)):
                vector(f"{prefix}{name}.bias", size, 0, 0.2)
    vector("output_norm.weight", shape.width, 1, 0.1)
    if shape.architecture in LAYER_NORMS and shape.architecture not in ("cohere2", "command-r"):
        vector("output_norm.bias", shape.width, 0, 0.2)
    if not shape.tied:
        matrix("output.weight", shape.vocabulary + shape.padding, shape.width, shape.format)
    if shape.rope_factors:
        factors = np.geomspace(1, 8, shape.head_size // 2).astype(np.float32)
        tensors.append(gguf_file.Tensor("rope_freqs.weight", "F32", factors.shape, factors.view(np.uint8)))
    return tensors


def write(path, **fields):
    shape = Shape(**fields)
    gguf_file.write(path, values_of(shape), tensors_of(shape))
    return shape


def main(path, *settings):
    fields = {field.name: field.type for field in dataclasses.fields(Shape)}
    parse = {bool: lambda text: text in ("1", "true", "True")}
    given = dict(setting.split("=", 1) for setting in settings)
    write(path, **{name: parse.get(fields[name], fields[name])(text) for name, text in given.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
