# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vocabularies of SentencePiece, as Llama 2, Mistral and Gemma have them, beside PyPI's package `sentencepiece`."""
import io
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "text"))
import reference  # noqa: E402

sentencepiece = pytest.importorskip("sentencepiece", reason="sentencepiece is not installed: its tokens are not compared")

SYMBOLS = ["<turn>", "\u2581\u2581", "[tool]"]  # defined by the user
CONTROLS = ["<|start|>", "<|end|>"]


def corpus():
    words = [text for text in reference.TEXTS if text.strip() and "\0" not in text and "<|" not in text]
    return words * 3 + [f"the {a} {b}ing of {c}" for a in ("cat", "house", "stranger") for b in ("run", "sing", "read") for c in ("it", "them")] * 5


def trained(prefix, size=700, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()), model_writer=model, model_type="bpe", vocab_size=size, byte_fallback=True,
        normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=prefix, character_coverage=0.98,
        user_defined_symbols=SYMBOLS, control_symbols=CONTROLS, hard_vocab_limit=False, minloglevel=2, **options)
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def metadata(processor, prefix):
    """As the importer writes it for a file of GGUF."""
    count = processor.get_piece_size()
    pieces = [processor.id_to_piece(i) for i in range(count)]
    scores = [processor.get_score(i) for i in range(count)]
    order = {score: rank for rank, score in enumerate(sorted(set(scores), reverse=True))}
    types = [2 if processor.is_unknown(i) else 3 if processor.is_control(i) else 6 if processor.is_byte(i) else
             4 if pieces[i] in SYMBOLS else 1 for i in range(count)]
    return {"model": "spm", "vocab": pieces, "types": types, "ranks": [order[score] for score in scores], "bos": processor.bos_id(),
            "eos": processor.eos_id(), "eot": None, "add_bos": False, "add_space_prefix": prefix, "stop": [processor.eos_id()]}


@pytest.fixture(scope="session", params=[True, False], ids=["prefix", "plain"])
def vocabulary(request, tmp_path_factory):
    processor = trained(request.param)
    path = tmp_path_factory.mktemp("sentencepiece") / "tokenizer.json"
    path.write_text(json.dumps(metadata(processor, request.param)))
    return path, processor, request.param


def texts():
    chosen = reference.TEXTS + corpus()[::3] + reference.random_texts(1000, seed=11) + ["<turn>user  a<turn> b[tool]", "\u2581x \u2581\u2581", "   lead", "trail   "]
    # Names of control tokens in a text are text.
    return [text for text in chosen if "\0" not in text]


def test_tokens(vocabulary, text_tool):
    path, processor, _ = vocabulary
    chosen = texts()
    got = text_tool("encode", path, [[text.encode().hex(), False] for text in chosen])
    bytes_seen = 0
    for text, tokens in zip(chosen, got, strict=True):
        assert tokens == processor.encode(text), repr(text)
        bytes_seen += any(processor.is_byte(token) for token in tokens)
    assert bytes_seen > 300


def test_text_of_tokens(vocabulary, text_tool):
    """Every token's bytes; a text comes back, with the space that was put before it."""
    path, processor, prefix = vocabulary
    chosen = [text for text in texts() if "\u2581" not in text]
    tokens = text_tool("encode", path, [[text.encode().hex(), False] for text in chosen])
    for text, pieces in zip(chosen, text_tool("decode", path, tokens), strict=True):
        assert "".join(pieces) == (" " if prefix and text else "") + text, repr(text)


def test_control_tokens(vocabulary, text_tool):
    """Their names are tokens where they are asked for; a text after one begins anew."""
    path, processor, _ = vocabulary
    start, end = (processor.piece_to_id(name) for name in CONTROLS)
    (got,) = text_tool("encode", path, [["<|start|>the cat<turn>sings<|end|>".encode().hex(), True]])
    assert got == [start, *processor.encode("the cat<turn>sings"), end]


@pytest.mark.parametrize("change,message", [
    ({"model": "rwkv"}, "expected a tokenizer of model 'bpe', 'spm', 'unigram' or 'wordpiece', found 'rwkv'"),
    ({"ranks": [1]}, "expected ranks of "),
    ({"types": "no byte"}, "expected a token for each of the 256 bytes"),
    ({"vocab": "bad byte"}, "expected the name of a byte such as <0x0A>, found '<0xG0>'"),
])
def test_refused(vocabulary, text_tool, tmp_path, change, message):
    blob = json.loads(vocabulary[0].read_text())
    if change == {"types": "no byte"}:
        change = {"types": [1 if kind == 6 else kind for kind in blob["types"]]}
    elif change == {"vocab": "bad byte"}:
        change = {"vocab": ["<0xG0>" if name == "<0x41>" else name for name in blob["vocab"]]}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(blob | change))
    done = text_tool("encode", path, [["61", False]], check=False)
    assert done.returncode and message in done.stderr, done.stderr
