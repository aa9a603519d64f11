# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/python.md: what it shows runs, and it names what there is."""

import re
import shutil

import pytest
import ttrt


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs/python.md").read_text()


def test_examples_run(page, digits, swish_bundle, tmp_path, monkeypatch, capsys):
    shutil.copy(digits, tmp_path / "digits.ttcb")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    names = {}
    for block in blocks:
        if "ttc." in block or "torch." in block:
            continue  # of the compiler, or of PyTorch; tested elsewhere
        exec(compile(block, "docs/python.md", "exec"), names)
    assert "image f32 (1, 1, 8, 8)" in capsys.readouterr().out
    expected = names["bundle"].run(names["image"])["logits"]
    assert (names["mine"] == expected).all()
    x = names["np"].ones((4, 16), "float32")
    with ttrt.load(swish_bundle, host_functions={"com.acme.Swish": names["swish"]}) as bundle:
        bundle.run(x)


def test_every_error_is_named(page):
    for name in ttrt.__all__:
        if name.endswith("Error") and name != "Error":
            assert f"`{name}`" in page, name
    for name, also in re.findall(r"^\| `(\w+Error)` \| (?:`(\w+)`)? ?\|", page, re.M):
        bases = {base.__name__ for base in getattr(ttrt, name).__mro__[2:]}
        if also:
            assert also in bases, name
        else:
            assert not bases & {"ValueError", "LookupError", "OSError", "MemoryError", "TypeError"}, name
