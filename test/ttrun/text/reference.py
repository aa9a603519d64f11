# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tokenizers of PyPI's package `tokenizers`, and the metadata `tokenizer` that ttrun reads for the same one."""
import json
import random
import unicodedata

LLAMA = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|NUMBER| ?[^\s\p{L}\p{N}]+[\r\n]*"
         r"|\s*[\r\n]+|\s+(?!\S)|\s+")
PRE_TOKENIZERS = ["dbrx", "gpt-2", "llama-bpe", "qwen2", "smollm"]


def pre_tokenizer(name):
    from tokenizers import Regex, pre_tokenizers
    bytes_alone = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if name == "gpt-2":
        return gpt2
    if name == "smollm":
        return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), gpt2])
    expression = LLAMA.replace("NUMBER", r"\p{N}{1,3}" if name in ("dbrx", "llama-bpe") else r"\p{N}")
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(expression), "isolated"), bytes_alone])


def tokenizer_of(blob):
    """The object of `tokenizers` for ttrun's metadata."""
    from tokenizers import AddedToken, Tokenizer, decoders, models
    named = {token: i for i, (token, kind) in enumerate(zip(blob["vocab"], blob["types"])) if kind != 1}
    vocabulary = {token: i for i, token in enumerate(blob["vocab"])}
    model = models.BPE(vocab=vocabulary, merges=[tuple(merge.split(" ")) for merge in blob["merges"]],
                       ignore_merges=blob["pre"] == "llama-bpe")
    made = Tokenizer(model)
    made.pre_tokenizer = pre_tokenizer(blob["pre"])
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in named
                             if blob["types"][named[token]] == 3])
    made.add_tokens([AddedToken(token, special=False, normalized=False) for token in named
                     if blob["types"][named[token]] == 4])
    return made


def trained(pre, corpus, size=2000, missing=()):
    """Metadata of a vocabulary that is trained on `corpus`; it lacks the bytes `missing`."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    letters = letters_of_bytes()
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizer(pre)
    made.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=size, show_progress=False, special_tokens=["<|end|>", "<|start|>", "<|start|>x"],
        initial_alphabet=[letters[byte] for byte in range(256) if byte not in missing]))
    state = json.loads(made.to_str())["model"]
    vocab = sorted(state["vocab"], key=state["vocab"].get)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in state["merges"]]
    types = [3] * 3 + [1] * (len(vocab) - 3)
    return {"model": "bpe", "pre": pre, "vocab": vocab + ["[tool]"], "types": types + [4], "merges": merges,
            "bos": 1, "eos": 0, "eot": None, "add_bos": False, "stop": [0]}


def letters_of_bytes():
    """How vocabularies write bytes."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in visible]
    return {**{byte: chr(byte) for byte in visible}, **{byte: chr(256 + i) for i, byte in enumerate(others)}}


TEXTS = [
    "", " ", "  ", "a", " a", "a ", "Hello, world!", "I'm sure they'll've said it's 5 o'clock; we'd WE'LL I'M 'S",
    "1", "12", "123", "1234", "12345.678e-9", "x1y22z333", "٣٤٥ ⅷ ½ ²³ 一二三", "v1.2.3-rc4",
    "\n", "\n\n", " \n", "\n ", "  \n  \n", "\r\n\r\n", "a\r\nb\rc\n", "\t\tif x:\n\t\t\treturn  x  \n", "a\u00a0b\u2003c\u3000d\u2028e\u180ef\u0085g",
    "def f(x):\n    return {'a': [1, 2, 3], \"b\": x ** 2}  # comment\n\n\nclass A: pass\n",
    "#include <vector>\nint main() { return std::vector<int>{1,2}.size() == 2u ? 0 : -1; }",
    "naïve café Ångström ﬁ ŒUVRE straße İstanbul ǅ", "Привет, мир! Ещё 25 лет.", "你好，世界。こんにちは世界 안녕하세요",
    "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดีชาวโลก", "e\u0301 n\u0303 \u1100\u1161\u11a8",
    "🙂👍🏽👨‍👩‍👧‍👦🇩🇪🏴‍☠️ a🙂b 🙂🙂", "'ſ 'S 'ſ'T", "\u200b\u200d\ufeff", "\x00\x01\x02\x7f", "\U0010ffff\ue000",
    "<|start|>user\nHi<|end|>\n<|start|>xyz<|start|", "a<|end|>b", "<|end|><|end|>", "[tool] x [tool]y", "<|e<|end|>nd|>",
    "...!!!???---===###", "http://example.org/a?b=c&d=%20#e", "a" * 300, " " * 257, "\n" * 65 + "x", "ab" * 400, "! " * 100,
]


def random_texts(count, seed):
    """Texts of all kinds of characters that Unicode 14 has, in runs as text has them."""
    rng = random.Random(seed)
    groups = {}
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        if category not in ("Cn", "Cs"):
            groups.setdefault(category, []).append(chr(code))
    spaces = [" ", " ", " ", "\n", "\t", "\r\n", "\u00a0", "  ", "\u3000"]
    texts = []
    for _ in range(count):
        text = ""
        for _ in range(rng.randrange(1, 30)):
            kind = rng.random()
            if kind < 0.3:
                text += rng.choice(spaces) * rng.choice([1, 1, 2, 5])
            elif kind < 0.6:
                text += "".join(chr(rng.randrange(32, 127)) for _ in range(rng.randrange(1, 8)))
            else:
                group = groups[rng.choice(sorted(groups))]
                text += "".join(rng.choice(group) for _ in range(rng.randrange(1, 5)))
        texts.append(text)
    return texts
