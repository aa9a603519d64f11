# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import html
import json
import os
import re
import shutil
import subprocess

import pytest


@pytest.fixture(scope="session")
def written(build_dir, tmp_path_factory):
    """Writes a sample bundle of the runtime's tests, by its name, once for all tests or to a path."""
    folder = tmp_path_factory.mktemp("samples")

    def write(name, path=None):
        writer = build_dir / "test/unit/ttrt-write-sample"
        if not writer.exists():
            pytest.skip(f"{writer} is not built")
        path = path or folder / f"{name}.ttcb"
        if not path.exists():
            subprocess.run([writer, name, path], check=True)
        return path

    return write


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Loads a page in Chromium, which tests itself (selftest.js), and returns the outcome."""
    found = shutil.which("chromium")
    if not found:
        pytest.skip("chromium is not installed (Debian package chromium): pages are NOT tested")
    profile = tmp_path_factory.mktemp("chromium")

    def load(page, size=(1400, 900)):
        # Without its sandbox, which needs rights that containers and root do not have; the pages are our own.
        command = [found, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   f"--window-size={size[0]},{size[1]}", f"--user-data-dir={profile}", "--dump-dom", f"{page.as_uri()}#selftest"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "HOME": str(profile)})
        assert done.returncode == 0, done.stderr
        outcome = re.search(r'<pre id="selftest">(.*?)</pre>', done.stdout, re.S)
        assert outcome, "the page did not come to the end of its test:\n" + done.stdout[:2000]
        return json.loads(html.unescape(outcome[1]))

    return load


@pytest.fixture(scope="session")
def text_tool(build_dir):
    tool = build_dir / "test/unit/ttrun-text"
    if not tool.exists():
        pytest.skip(f"{tool} is not built")

    def run(what, file, inputs, check=True):
        done = subprocess.run([tool, what, file], input=json.dumps(inputs), capture_output=True, text=True, timeout=300)
        if not check:
            return done
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    return run
