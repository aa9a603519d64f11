# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/ir-reference.md is what scripts/ir-reference.py makes of the dialect's definitions today. TTC_UPDATE_DOCS=1 rewrites it."""
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
