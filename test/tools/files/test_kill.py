# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tool that is killed leaves the old file or the complete new one, and no other: 24 kills over all
tools, 200 nightly."""
import os
import random
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from kill_tools import Killer  # noqa: E402
from writers import COMPILER, Writers  # noqa: E402


@pytest.mark.parametrize("kills", [24, pytest.param(200, marks=pytest.mark.nightly)])
def test_kills(kills, tools, build_dir, tmp_path):
    for tool in ("ttc-translate", "ttc-opt", "ttc", "ttc-plan", "ttrun"):
        tools.path(tool)
    if not COMPILER:
        pytest.skip("no C compiler for the shim")
    seed = random.randrange(1 << 31) if kills > 24 else 1
    killer = Killer(Writers(build_dir, tmp_path), tmp_path, seed)
    findings = killer.run(kills)
    assert not findings, f"seed {seed}: " + "\n".join(findings)
    assert killer.killed > kills // 3
