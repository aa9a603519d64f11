# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The blocks of code in the documentation."""
import pathlib
import re
import subprocess
import textwrap
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^([ ]*)(```+|~~~+)[ ]*(.*?)[ ]*\n(.*?)^[ ]*\2[ ]*$", re.M | re.S)


class Block(NamedTuple):
    page: str
    line: int
    kind: str
    text: str

    @property
    def where(self):
        return f"{self.page}:{self.line}"


def blocks_of(page, text):
    return [Block(page, text[:m.start()].count("\n") + 1, m[3], textwrap.dedent(m[4])) for m in FENCE.finditer(text)]


def tracked(*patterns):
    done = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT, text=True,
                          capture_output=True, check=True)
    return sorted(path for path in done.stdout.split() if (ROOT / path).exists())


def all_blocks():
    """Those of every page."""
    return [block for page in tracked("*.md") for block in blocks_of(page, (ROOT / page).read_text())]


def blocks(kind, page=None):
    return [block for block in all_blocks() if block.kind == kind and page in (None, block.page)]


def pages_with(kind):
    return sorted({block.page for block in blocks(kind)})
