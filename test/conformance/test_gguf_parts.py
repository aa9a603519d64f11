# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are divided among several GGUF files: imported as one file is, and clear errors."""
import dataclasses
import re

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed: models are not written")

import gguf_file
import gguf_models
from gguf_file import I32, STRING

U16 = 2
OPTIONS = ["--context=32", "--prefill=0"]


def name_of(part, count, stem="model"):
    return f"{stem}-{part + 1:05}-of-{count:05}.gguf"


def write_parts(folder, shape, count, changed=lambda part, values, tensors: None):
    """The metadata are in the first part, as those who divide files leave them. `changed` may change a part."""
    values, tensors = gguf_models.values_of(shape), gguf_models.tensors_of(shape)
    bounds = [len(tensors) * part // count for part in range(count + 1)]
    for part in range(count):
        own = dict(values) if part == 0 else {}
        own |= {"split.no": (U16, part), "split.count": (U16, count), "split.tensors.count": (I32, len(tensors))}
        some = tensors[bounds[part]:bounds[part + 1]]
        changed(part, own, some)
        gguf_file.write(folder / name_of(part, count), own, some)


def import_file(tools, path, **how):
    return tools.run("ttc-translate", "--import-gguf", "--mlir-print-debuginfo=false", path, *OPTIONS, "-o", path.parent / "model.mlir",
                     **how)


def test_same_as_one_file(tools, tmp_path):
    write_parts(tmp_path, gguf_models.write(tmp_path / "model.gguf", layers=2), 3)
    found = []
    for name in ("model.gguf", name_of(0, 3)):
        import_file(tools, tmp_path / name)
        found.append((tmp_path / "model.mlir").read_text())
    assert found[0] == found[1]


def test_part_of_one(tools, tmp_path):
    """A model that was divided into one file."""
    shape = gguf_models.write(tmp_path / "model.gguf", layers=1)
    write_parts(tmp_path, shape, 1)
    import_file(tools, tmp_path / name_of(0, 1))


def change(part, key, value):
    def changed(now, values, tensors):
        if now == part:
            values[key] = value
    return changed


def repeat(part, values, tensors):
    if part == 1:
        tensors.append(dataclasses.replace(tensors[0], name="token_embd.weight"))


def leave_out(part, values, tensors):
    if part == 2:
        tensors.pop()


@pytest.mark.parametrize("changed,message", [
    (change(1, "split.no", (U16, 0)), "expected 1 as 'split.no' of '.*00002-of-00003.gguf', part 2 of 3, found 0"),
    (change(1, "split.no", (U16, 2)), "expected 1 as 'split.no' of '.*00002-of-00003.gguf', part 2 of 3, found 2"),
    (change(2, "split.count", (U16, 4)), "expected 3 as 'split.count' of '.*00003-of-00003.gguf', part 3 of 3, found 4"),
    (change(0, "split.no", (U16, 1)), r"expected the first of 3 files, '...-00001-of-00003.gguf', found number 2 \('split.no' is 1\)"),
    (change(0, "split.no", (U16, 3)), "expected an integer from 0 to 2 as 'split.no', found 3"),
    (change(0, "split.count", (U16, 2)), "expected a name that ends with '-00001-of-00002.gguf' for the first of 2 files"),
    (change(0, "split.tensors.count", (STRING, "x")), "expected an integer from 0 to 2147483647 as 'split.tensors.count', found a string"),
    (change(1, "llama.block_count", (I32, 7)), "00002-of-00003.gguf': expected the first file's value of 'llama.block_count', found another"),
    (repeat, "00002-of-00003.gguf': expected each tensor once, found tensor 'token_embd.weight' in an earlier file, too"),
    (leave_out, r"expected \d+ tensors in all 3 parts \('split.tensors.count'\), found \d+"),
])
def test_contradictions(changed, message, tools, tmp_path):
    write_parts(tmp_path, gguf_models.Shape(layers=1), 3, changed)
    found = import_file(tools, tmp_path / name_of(0, 3), check=False)
    assert found.returncode == 1 and re.search(message, found.stderr), found.stderr


@pytest.mark.parametrize("damage,message", [
    (lambda path: path.unlink(), "expected part 2 of 3, '.*00002-of-00003.gguf', found: No such file or directory"),
    (lambda path: path.write_bytes(b""), "00002-of-00003.gguf': expected a GGUF file, found an empty file"),
    (lambda path: path.write_bytes(path.read_bytes()[:-100]), "00002-of-00003.gguf': expected tensor '.*' of .* bytes"),
])
def test_damaged_parts(damage, message, tools, tmp_path):
    write_parts(tmp_path, gguf_models.Shape(layers=1), 3)
    damage(tmp_path / name_of(1, 3))
    found = import_file(tools, tmp_path / name_of(0, 3), check=False)
    assert found.returncode == 1 and re.search(message, found.stderr), found.stderr


def test_other_than_the_first(tools, tmp_path):
    """Also by another name."""
    write_parts(tmp_path, gguf_models.Shape(layers=1), 2)
    found = import_file(tools, tmp_path / name_of(1, 2), check=False)
    assert found.returncode == 1 and "expected the first of 2 files" in found.stderr, found.stderr
    (tmp_path / name_of(0, 2)).rename(tmp_path / "other.gguf")
    found = import_file(tools, tmp_path / "other.gguf", check=False)
    assert found.returncode == 1 and "found '" in found.stderr and "other.gguf'" in found.stderr, found.stderr
