# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every pre-tokenizer gives the pieces that PyPI's package `tokenizers` makes with the vocabulary's own expressions."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

from gate import nightly

sys.path.insert(0, str(pathlib.Path(__file__).parent / "text"))
import expressions  # noqa: E402
import reference  # noqa: E402

pre_tokenizers = pytest.importorskip("tokenizers.pre_tokenizers", reason="compares with PyPI's package tokenizers, which is missing")


@pytest.fixture(scope="session")
def split(build_dir):
    tool = build_dir / "test/unit/ttrun-text"
    if not tool.exists():
        pytest.skip(f"{tool} is not built")

    def run(name, texts):
        done = subprocess.run([tool, "split", name], input=json.dumps(texts), capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    return run


def names(root):
    """{name in a GGUF file: the pre-tokenizer that it means}"""
    header = (root / "runtime/include/ttrt/format/pre_tokenizers.h").read_text()
    return dict(re.findall(r'^    \{"([^"]+)", "([^"]+)"', header, re.MULTILINE))


@pytest.mark.parametrize("count", [150, *nightly([3000])])
@pytest.mark.parametrize("name", expressions.EXPRESSIONS)
def test_pieces(split, name, count):
    from tokenizers import Regex
    other = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(expression), "isolated") for expression in expressions.EXPRESSIONS[name]])
    texts = reference.TEXTS + expressions.TEXTS + reference.random_texts(count, seed=count + sum(name.encode()))
    for text, pieces in zip(texts, split(name, texts), strict=True):
        assert pieces == [piece for piece, _ in other.pre_tokenize_str(text)], repr(text)


# Those whose own expressions would look at the rest of a run from each of its characters.
COUNTING = ["deepseek-llm", "exaone-moe", "superbpe", "tiny_aya"]


@pytest.mark.parametrize("name", [*COUNTING, *nightly(sorted(set(expressions.EXPRESSIONS) - set(COUNTING)))])
def test_long_runs(split, name):
    """What takes many steps is still cut, and soon."""
    parts = [" ", "\n", "1", "A", "aB", "\u4e16", "\u0301", "a ", " \n"]
    [pieces] = split(name, ["x".join(part * 100_000 for part in parts)])
    assert "".join(pieces) == "x".join(part * 100_000 for part in parts)


def test_every_name_is_described(root):
    assert set(names(root).values()) == set(expressions.EXPRESSIONS)
    page = (root / "docs/generation.md").read_text()
    missing = [name for name in names(root) if f"`{name}`" not in page]
    assert not missing, f"docs/generation.md lists all names of pre-tokenizers, but not {missing}"
