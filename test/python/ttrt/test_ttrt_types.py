# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Type stubs: mypy --strict on the package, and on a program that uses it."""

import os
import pathlib
import subprocess
import sys

import pytest
import ttrt

HERE = pathlib.Path(__file__).parent


def mypy(tmp_path, *arguments):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", *map(str, arguments)]
    environment = {**os.environ, "MYPYPATH": str(pathlib.Path(ttrt.__file__).parents[1])}
    return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)


def test_strict(tmp_path):
    done = mypy(tmp_path, HERE / "typed_sample.py")
    assert done.returncode == 0, done.stdout + done.stderr
    done = mypy(tmp_path, "-p", "ttrt")
    assert done.returncode == 0, done.stdout + done.stderr


WRONG = {
    "bundle.run(out=3)": "arg-type",
    "bundle.stream(3)": "arg-type",
    "ttrt.load('a', verify='all')": "arg-type",
    "x: str = bundle.run()": "assignment",
    "bundle.memory.rom": "attr-defined",
    "bundle.input_slot(0)": "arg-type",
}


def test_mistakes_are_found(tmp_path):
    """A sample without types would pass as well."""
    (tmp_path / "wrong.py").write_text("import ttrt\nbundle = ttrt.load('a')\n" + "\n".join(WRONG))
    said = mypy(tmp_path, "wrong.py").stdout
    for line, kind in enumerate(WRONG.values(), 3):
        assert any(f"wrong.py:{line}: error" in s and f"[{kind}]" in s for s in said.splitlines()), said


def test_the_stub_is_complete():
    """What the extension has, the stub has, and the other way round."""
    import ast

    from ttrt import _ttrt

    stub = ast.parse((pathlib.Path(ttrt.__file__).parent / "_ttrt.pyi").read_text())
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            declared = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            found = {n for n in vars(getattr(_ttrt, node.name)) if n in declared or not n.startswith("__")}
            assert declared == found, node.name
    functions = {n.name for n in stub.body if isinstance(n, ast.FunctionDef)}
    classes = {n.name for n in stub.body if isinstance(n, ast.ClassDef)}
    assert functions | classes | {"IN_SLOT"} == {n for n in dir(_ttrt) if not n.startswith("_")}
