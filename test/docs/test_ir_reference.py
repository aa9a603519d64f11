# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The build's reference of the dialect has every op, attribute, type and interface, and its links lead to headings."""
import importlib.util
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEFINITION = re.compile(r"^def \w+\s*:\s*(?:Ttc_\w*Op|OpInterface)\w*<\s*\"(\w[\w.]*)\"", re.M)


@pytest.fixture(scope="module")
def page():
    return (pathlib.Path(os.environ.get("TTC_BUILD_DIR", ROOT / "build")) / "docs" / "ir-reference.md").read_text()


def test_every_definition_has_a_heading(page):
    headings = "\n".join(re.findall(r"^#+ .*", page, re.M))
    names = [name for file in sorted((ROOT / "dialects/Ttc").rglob("*.td")) for name in DEFINITION.findall(file.read_text())]
    assert len(names) > 150
    missing = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", headings)]
    assert not missing, f"no heading in ir-reference.md: {missing}"


def test_links_lead_to_headings(page):
    anchors = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)", page, re.M)}
    dangling = [link for link in re.findall(r"\]\(#([^)]*)\)", page) if link not in anchors]
    assert not dangling, f"links to headings that ir-reference.md lacks: {dangling}"


def test_every_op_on_tensors_maps_its_dimensions():
    """Else it would silently not be divided. An op that has a reason not to be says it in its .td: Ttc_WholeTensors."""
    spec = importlib.util.spec_from_file_location("ir_reference", ROOT / "scripts/ir-reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    page = reference.Page(reference.read_records())
    families = {family.split("/")[1] for family in reference.FAMILIES if family.startswith("Tensors/")}
    ops = [op for op in page.select("Op", "opDialect") if page.file_of(op) in families]
    assert len(ops) > 100
    wrong = []
    for op in ops:
        maps = {"DimensionMapOpInterface", "ElementwiseOpInterface"} & set(page.traits(op, "cppInterfaceName"))
        if len(maps) + len(page.traits(op, "whyWhole")) != 1:
            wrong.append(op["opName"])
    assert not wrong, f"expected DimensionMapOpInterface, ElementwiseOpInterface or Ttc_WholeTensors, exactly one, in {wrong}"
