# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/python.md names what there is. That its examples run is tested in test/docs."""

import inspect
import re

import pytest
import ttrt


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs/python.md").read_text()


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


@pytest.fixture(scope="module")
def reference(page):
    return re.search(r"^## Reference of `ttrt`\n(.*?)^## ", page, re.M | re.S).group(1)


def members(cls):
    """Public attributes and methods of a class of the package."""
    found = set()
    for base in cls.__mro__:
        if base.__module__.startswith("ttrt"):
            found |= {*vars(base), *getattr(base, "__annotations__", ())}
    return {name for name in found if not name.startswith("_")}


def test_the_reference_is_complete(reference):
    """It has everything that is public, and nothing else."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", reference, re.M))
    public = {name for name in ttrt.__all__ if not name.endswith("Error")} | {"Error"}
    assert public == set(rows) | {"load", "Runnable"}
    methods = {m for m in members(ttrt.Runnable) if callable(getattr(ttrt.Runnable, m))}
    for name, text in rows.items():
        thing = getattr(ttrt, name)
        if not inspect.isclass(thing):
            continue
        named = set(re.findall(r"`(\w+)(?:\(.*?\))?`", text)) - {"MemoryUse", "Status", "with", "call", "len", name}
        if issubclass(thing, ttrt.Runnable):
            named |= methods
        if name == "Stream":
            named -= {"schedule"}  # of the instance
        assert named == members(thing), name


def test_signatures_in_the_reference(reference):
    signatures = re.findall(r"`(\w+)\((.*?)\)`", re.sub(r"^\| `[A-Z].*$", "", reference, flags=re.M))
    signatures = {name: text for name, text in signatures if text and name != "help"}
    methods = {m for m in members(ttrt.Runnable) if callable(getattr(ttrt.Runnable, m))}
    assert set(signatures) - {"len"} == methods | {"load"}
    for name, text in signatures.items():
        function = getattr(ttrt, name, None) or getattr(ttrt.Runnable, name)
        found = inspect.signature(function)
        parameters = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name != "self"]
        plain = found.replace(parameters=parameters, return_annotation=found.empty)
        assert str(plain).replace("/, ", "") == f"({text})", name
