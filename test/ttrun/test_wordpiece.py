# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""WordPiece vocabularies, as BERT has one, beside PyPI's package `tokenizers`."""
import json
import pathlib
import sys
import unicodedata

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "text"))
import expressions  # noqa: E402
import reference  # noqa: E402

tokenizers = pytest.importorskip("tokenizers", reason="compares with PyPI's package tokenizers, which is missing")

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# {name: (small letters, without accents)}
KINDS = {"uncased": (True, True), "cased": (False, False), "accents": (True, False), "capitals": (False, True)}


@pytest.fixture(scope="session", params=KINDS)
def vocabulary(request, tmp_path_factory, root):
    from tokenizers import models, normalizers, pre_tokenizers, trainers
    lowercase, strips = KINDS[request.param]
    made = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=strips, lowercase=lowercase)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pages = [path.read_text() for path in sorted(root.glob("docs/*.md"))[:4]] + reference.TEXTS + expressions.TEXTS
    made.train_from_iterator(pages, trainers.WordPieceTrainer(vocab_size=1500, special_tokens=SPECIAL, show_progress=False))
    words = sorted(made.get_vocab(), key=made.get_vocab().get)
    # As files of GGUF have it: U+2581 at the beginning of words, nothing in front of what continues one.
    written = [word if word in SPECIAL else word[2:] if word.startswith("##") else "\u2581" + word for word in words]
    blob = {"model": "wordpiece", "vocab": written, "types": [3 if word in SPECIAL else 1 for word in words], "unknown": 1, "bos": 2, "eos": None,
            "eot": None, "add_bos": True, "add_end": 3, "lowercase": lowercase, "strip_accents": strips, "stop": []}
    path = tmp_path_factory.mktemp("wordpiece") / "tokenizer.json"
    path.write_text(json.dumps(blob))
    return path, made, blob


def compare(text_tool, path, made, texts):
    for text, tokens in zip(texts, text_tool("encode", path, [[text.encode().hex(), False] for text in texts]), strict=True):
        assert tokens == [2, *made.encode(text, add_special_tokens=False).ids, 3], repr(text)


def test_tokens(vocabulary, text_tool):
    path, made, _ = vocabulary
    # `tokenizers` has classes of an older version of Unicode.
    texts = ["".join(filter(is_old, text)) for text in reference.TEXTS + expressions.TEXTS + reference.random_texts(1000, seed=17)]
    texts = [text for text in texts if not any(name in text for name in SPECIAL)]
    compare(text_tool, path, made, texts + ["a" * 100, "a" * 101, "\u0130I\u0131i", "Stra\u00dfe \u1e9e", "\ud55c\uad6d\uc5b4", "\u212b\u2126\uf900", "x\u0301\u0323y"])


OLD = unicodedata.ucd_3_2_0


def is_old(char):
    """Whether the classes of `char` were the same in Unicode 3.2."""
    return OLD.category(char) == unicodedata.category(char) and OLD.category(char) != "Cn"


def test_every_character(vocabulary, text_tool):
    """Each character between letters: which are removed, which separate words, and what becomes of the others."""
    path, made, _ = vocabulary
    chars = [chr(code) for code in range(0x20000) if not 0xd800 <= code < 0xe000 and is_old(chr(code))]
    chars = [char for i, char in enumerate(chars) if unicodedata.category(char) != "Lo" or i % 8 == 0]
    compare(text_tool, path, made, ["the " + " ".join(f"a{char}b {char}" for char in chars[i:i + 64]) for i in range(0, len(chars), 64)])


def test_control_tokens(vocabulary, text_tool):
    path, made, _ = vocabulary
    [got] = text_tool("encode", path, [["the[MASK]cat".encode().hex(), True]])
    the, cat = (made.encode(word, add_special_tokens=False).ids for word in ("the", "cat"))
    assert got == [2, *the, 4, *cat, 3]
