# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/lib/tally.py: nothing that went wrong is added up as right."""
import subprocess
import sys

import pytest

PASSED = '<testcase classname="a" name="b" time="1.5"/>'
FAILED = '<testcase classname="a" name="c" time="0.5"><failure message="m"/></testcase>'
SKIPPED = '<testcase classname="a" name="d" time="0"><skipped message="no reason"/></testcase>'


def junit(*cases):
    return f'<testsuites><testsuite name="s">{"".join(cases)}</testsuite></testsuites>'


@pytest.fixture
def tally(root, tmp_path):
    def run(files, *most):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        done = subprocess.run([sys.executable, root / "scripts/lib/tally.py", tmp_path, *most], capture_output=True, text=True)
        assert not done.stderr
        return done.returncode, done.stdout

    return run


def test_sums_over_files(tally):
    code, output = tally({"one.xml": junit(PASSED, SKIPPED), "two.xml": junit(PASSED), "stages.txt": "build 7\ntests 8\n"})
    assert code == 0
    assert output.endswith("\n2 passed, 0 failed, 1 skipped\n")
    assert "SKIPPED one: a::d (no reason)" in output
    assert "    1.5 s  one: a::b" in output
    assert "   15 s    all" in output


def test_files_and_what_the_gate_may_take(tally):
    files = {"one.xml": junit(PASSED, PASSED, SKIPPED), "stages.txt": "build 7\ntests 8\n"}
    assert "    3.0 s  one: a: 3 tests\n" in tally(files)[1]
    assert "than the gate may take" not in tally(files)[1]
    assert "    5 s    less than the gate may take\n" in tally(files, "20")[1]
    assert "    3 s    more than the gate may take\n" in tally(files, "12")[1]


@pytest.mark.parametrize("files, message", [
    ({"one.xml": junit(PASSED, FAILED)}, "FAILED  one: a::c"),
    ({"one.xml": junit(PASSED), "two.xml": ""}, "FAILED  two: the runner ended without results"),
    ({"one.xml": junit(PASSED), "two.xml": junit()}, "FAILED  two: no test found"),
    ({"one.xml": junit(SKIPPED)}, "0 passed, 0 failed"),
])
def test_failures(tally, files, message):
    code, output = tally(files)
    assert code == 1
    assert message in output


def test_cases_of_a_program_count_in_its_place(tally):
    program = '<testcase classname="p" name="p" time="2"/>'
    code, output = tally({"unit.xml": junit(program), "unit/p.xml": junit(PASSED, PASSED, SKIPPED)})
    assert code == 0
    assert output.endswith("\n2 passed, 0 failed, 1 skipped\n")


@pytest.mark.parametrize("inner, message", [
    (junit(PASSED, FAILED), "FAILED  unit: p.a::c"),
    (junit(PASSED), "FAILED  unit: p: the program failed, no case of it did"),
    ("", "FAILED  unit: p\n"),
])
def test_a_program_that_fails(tally, inner, message):
    program = '<testcase classname="p" name="p" time="2"><failure message="m"/></testcase>'
    code, output = tally({"unit.xml": junit(program), "unit/p.xml": inner})
    assert code == 1
    assert message in output
    assert ", 1 failed, " in output
