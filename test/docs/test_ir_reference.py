# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/ir-reference.md is what scripts/ir-reference.py makes of the dialect's definitions today. TTC_UPDATE_DOCS=1 rewrites it."""
import importlib.util
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def test_ir_reference():
    page = ROOT / "docs/ir-reference.md"
    made = subprocess.run([sys.executable, str(ROOT / "scripts/ir-reference.py")], check=True, capture_output=True, text=True).stdout
    if os.environ.get("TTC_UPDATE_DOCS"):
        page.write_text(made)
    assert page.read_text() == made, "TTC_UPDATE_DOCS=1 pytest test/docs/test_ir_reference.py rewrites the page"


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
