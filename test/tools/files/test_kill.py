# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tool that is killed leaves the old file or the complete new one, and no other: 24 kills over all
tools, 200 with TTC_SLOW_TESTS=1."""
import os
import random
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from kill_tools import Killer  # noqa: E402
from writers import COMPILER, Writers  # noqa: E402


def test_kills(tools, build_dir, tmp_path):
    for tool in ("ttc-translate", "ttc-opt", "ttc", "ttc-plan", "ttrun"):
        tools.path(tool)
    if not COMPILER:
        pytest.skip("no C compiler for the shim")
    seed = random.randrange(1 << 31)
    killer = Killer(Writers(build_dir, tmp_path), tmp_path, seed)
    kills = 200 if os.environ.get("TTC_SLOW_TESTS") else 24
    findings = killer.run(kills)
    assert not findings, f"seed {seed}: " + "\n".join(findings)
    assert killer.killed > kills // 3
