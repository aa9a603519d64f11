# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loader refuses a bundle that needs a CPU feature which this machine lacks. A feature that the compiler writes and
the runtime does not know would always be lacking: bundles would be refused where they were compiled."""
import pathlib
import platform
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the features of x86-64")
def test_the_runtime_knows_all_features(tools, tmp_path):
    """LLVM says of all features that it looks for whether this machine has them."""
    empty = tmp_path / "empty.mlir"
    empty.write_text("module {}\n")
    module = tools.run("ttc-opt", str(empty), "--ttc-set-target=target=cpu").stdout
    written = re.search(r'features = "([^"]*)"', module)[1].split(",")
    assert len(written) > 100
    table = (ROOT / "runtime/lib/Bundle/Host.cpp").read_text()
    known = set(re.findall(r'^    \{"([\w.-]+)", \d', table, re.M)) | set(re.findall(r'^    \{"([\w.-]+)", 0x', table, re.M))
    assert {feature[1:] for feature in written} - known == set()
