# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/memory.md shows what the commands in it print today.

Every block marked ```console is run, in order and in one folder: lines that begin with "$ " are commands,
the others are their output. After a change of the plan, write the page anew with

    TTC_UPDATE_DOCS=1 TTC_BUILD_DIR=$PWD/build python -m pytest test/docs
"""
import os
import platform
import re
import subprocess

import pytest

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the page's example is compiled for x86-64")
def test_page_shows_what_its_commands_print(tools, root, tmp_path):
    for tool in ("ttrun", "ttc-translate"):
        path = tools.path(tool)
    page = root / "docs/memory.md"
    text = page.read_text()
    (tmp_path / "examples").symlink_to(root / "examples")
    environment = {**os.environ, "PATH": f"{path.parent}:{os.environ['PATH']}"}

    def run(block):
        shown = ""
        commands = [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]
        assert commands, f"a block without a command: {block[0]}"
        for command in commands:
            done = subprocess.run(["bash", "-c", f"set -eo pipefail; {command}"], cwd=tmp_path, env=environment,
                                  capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"{command}\n{done.stderr}"
            shown += f"$ {command}\n{done.stdout}"
        return f"```console\n{shown}```"

    now = BLOCK.sub(run, text)
    if os.environ.get("TTC_UPDATE_DOCS"):
        page.write_text(now)
    else:
        assert now == text, f"docs/memory.md is not up to date; to write it anew: {__doc__.splitlines()[-2].strip()}"
    assert max(map(len, now.splitlines())) <= 130
