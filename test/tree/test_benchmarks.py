# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No test runs the benchmarks, but each finds what it imports: a module that moves takes them along."""
import pathlib
import subprocess
import sys

import pytest

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
# What only some benchmarks need, and their environments have.
OPTIONAL = {"torch", "transformers", "llama_cpp", "ttrt", "ttc", "onnxruntime", "openvino"}
IMPORT = """
import importlib.util, pathlib, sys
for path in map(pathlib.Path, sys.argv[2:]):
    sys.path[0] = str(path.parent)
    spec = importlib.util.spec_from_file_location("benchmark_" + path.stem, path)
    try:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    except ModuleNotFoundError as error:
        if error.name.split(".")[0] not in sys.argv[1].split():
            print(f"{path.name}: {error}")
"""


def failures(paths):
    done = subprocess.run([sys.executable, "-c", IMPORT, " ".join(OPTIONAL), *map(str, paths)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_benchmarks_find_their_modules():
    paths = sorted(BENCHMARKS.rglob("*.py"))
    assert len(paths) > 20
    assert failures(paths) == ""


def test_a_module_that_moved_is_found(tmp_path):
    (tmp_path / "bad.py").write_text("from moved_away import something\n")
    assert failures([tmp_path / "bad.py"]) == "bad.py: No module named 'moved_away'\n"
