# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unigram vocabularies of SentencePiece, as T5 has one, beside PyPI's package `sentencepiece`."""
import io
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "text"))
import expressions  # noqa: E402
import reference  # noqa: E402

sentencepiece = pytest.importorskip("sentencepiece", reason="sentencepiece is not installed: its tokens are not compared")

SYMBOLS = ["<turn>", "\u2581\u2581", "[tool]", "caf\u00e9"]  # defined by the user
CONTROLS = ["<|start|>", "<|end|>"]
# rule of normalisation, a space before, merged spaces, a token for each byte
KINDS = {"t5": ("nmt_nfkc", True, True, False), "folded": ("nmt_nfkc_cf", True, True, True), "plain": ("identity", False, False, True),
         "spaces": ("nfkc", True, False, False)}


def corpus():
    words = [text for text in reference.TEXTS + expressions.TEXTS if text.strip() and "\0" not in text and "<|" not in text]
    return words * 3 + [f"the {a} {b}ing of {c}" for a in ("cat", "house", "stranger") for b in ("run", "sing", "read") for c in ("it", "them")] * 5


def charsmap(model):
    """The field precompiled_charsmap (2) of normalizer_spec (3) of a model: messages of Protocol Buffers."""
    def fields(data):
        at = 0

        def number():
            nonlocal at
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value
        while at < len(data):
            key = number()
            if key & 7 == 0:
                number()
            elif key & 7 == 2:
                size = number()
                yield key >> 3, data[at:at + size]
                at += size
            else:
                at += {1: 8, 5: 4}[key & 7]
    [spec] = [value for field, value in fields(model) if field == 3]
    return b"".join(value for field, value in fields(spec) if field == 2)


@pytest.fixture(scope="session", params=KINDS)
def vocabulary(request, tmp_path_factory):
    rule, before, merged, fallback = KINDS[request.param]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()), model_writer=model, model_type="unigram", vocab_size=700, byte_fallback=fallback,
        normalization_rule_name=rule, remove_extra_whitespaces=merged, add_dummy_prefix=before, character_coverage=0.98,
        user_defined_symbols=SYMBOLS, control_symbols=CONTROLS, hard_vocab_limit=False, minloglevel=2)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    count = processor.get_piece_size()
    pieces = [processor.id_to_piece(i) for i in range(count)]
    types = [2 if processor.is_unknown(i) else 3 if processor.is_control(i) else 6 if processor.is_byte(i) else
             4 if pieces[i] in SYMBOLS else 1 for i in range(count)]
    blob = {"model": "unigram", "vocab": pieces, "types": types, "scores": [processor.get_score(i) for i in range(count)],
            "charsmap": charsmap(model.getvalue()).hex(), "unknown": processor.unk_id(), "bos": None, "eos": processor.eos_id(), "eot": None,
            "add_bos": False, "add_space_prefix": before, "merge_spaces": merged, "add_end": processor.eos_id(), "stop": [processor.eos_id()]}
    path = tmp_path_factory.mktemp("unigram") / "tokenizer.json"
    path.write_text(json.dumps(blob))
    return path, processor, blob


def test_tokens(vocabulary, text_tool):
    path, processor, blob = vocabulary
    texts = reference.TEXTS + expressions.TEXTS + corpus()[::3] + reference.random_texts(1000, seed=13) + [
        "<turn>user  a<turn> b[tool]", "\u2581x \u2581\u2581", "   lead", "trail   ", " ", "   ", "\ufdfa\ufb01\u2460\u3000x", "caf\u00e9 cafe\u0301 CAF\u00c9"]
    texts = [text for text in texts if "\0" not in text]
    got = text_tool("encode", path, [[text.encode().hex(), False] for text in texts])
    unknown = 0
    for text, tokens in zip(texts, got, strict=True):
        assert tokens[-1] == processor.eos_id()
        assert tokens[:-1] == processor.encode(text), repr(text)
        unknown += any(processor.is_byte(token) or processor.is_unknown(token) for token in tokens)
    assert unknown > 300


def test_control_tokens(vocabulary, text_tool):
    path, processor, _ = vocabulary
    start, end = (processor.piece_to_id(name) for name in CONTROLS)
    [got] = text_tool("encode", path, [["<|start|>the cat<turn>sings<|end|>".encode().hex(), True]])
    assert got == [start, *processor.encode("the cat<turn>sings"), end, processor.eos_id()]


def test_long_runs(vocabulary, text_tool):
    path, processor, _ = vocabulary
    for text, tokens in zip(texts := [" " * 100_000 + "x", "a" * 100_000, "\u4e16" * 30_000], text_tool("encode", path, [[text.encode().hex(), False] for text in texts])):
        assert tokens[:-1] == processor.encode(text)


@pytest.mark.parametrize("change,message", [
    ({"scores": [1.0]}, "expected scores of "),
    ({"scores": "many"}, "'scores': expected a list, found a string"),
    ({"unknown": None}, "expected a token for what is not in the vocabulary, found none"),
    ({"unknown": 10_000}, "token 10000 is not in the vocabulary"),
    ({"charsmap": "0"}, "'charsmap': expected pairs of hexadecimal digits"),
    ({"charsmap": "0x"}, "'charsmap': expected pairs of hexadecimal digits"),
    ({"charsmap": "00000000"}, "'charsmap': expected its size and a table of words"),
    ({"charsmap": "08000000" + "00" * 4}, "'charsmap': expected its size and a table of words"),
    ({"charsmap": "04000000" + "00" * 4 + "61"}, "'charsmap': expected replacements that end with a zero"),
])
def test_refused(vocabulary, text_tool, tmp_path, change, message):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(vocabulary[2] | change))
    done = text_tool("encode", path, [["61", False]], check=False)
    assert done.returncode and message in done.stderr, done.stderr
