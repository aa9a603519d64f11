# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/nightly.sh recorded: every stage that has run has passed, at most 150 commits ago. Stages that have
never run are reported as skipped."""
import json
import re
import shutil
import subprocess

import pytest

MOST_COMMITS = 150


def git(root, *arguments):
    return subprocess.run(["git", "-c", "safe.directory=*", *arguments], cwd=root, capture_output=True, text=True)


def complaints(stages, records, age):
    """What is wrong with the records; `age` gives the commits since one, or None if HEAD does not contain it."""
    found = []
    for stage in stages:
        record = records.get(stage)
        if record is None:
            continue
        if record["result"] != "passed":
            found.append(f"{stage}: expected passed, found {record['result']} at {record['commit'][:12]}")
        elif (commits := age(record["commit"])) is None:
            found.append(f"{stage}: {record['commit'][:12]} is not part of this history")
        elif commits > MOST_COMMITS:
            found.append(f"{stage}: expected at most {MOST_COMMITS} commits since its last run, found {commits}")
    return found + [f"{stage}: recorded, but not a stage of nightly.sh" for stage in records if stage not in stages]


def test_every_stage_has_passed_lately(root):
    if not shutil.which("git") or not (root / ".git").exists():
        pytest.skip("not a git checkout")
    if git(root, "rev-parse", "--is-shallow-repository").stdout.strip() == "true":
        pytest.skip("a shallow clone does not tell how old a commit is")
    records = json.loads((root / "test/nightly.json").read_text())
    if unknown := [r["commit"][:12] for r in records.values() if git(root, "cat-file", "-e", r["commit"]).returncode]:
        pytest.skip(f"this clone lacks the commits {', '.join(unknown)}, so it does not tell how old they are")
    stages = re.search(r'^known="(.+)"$', (root / "scripts/nightly.sh").read_text(), re.M)[1].split()

    def age(commit):
        if git(root, "merge-base", "--is-ancestor", commit, "HEAD").returncode:
            return None
        return int(git(root, "rev-list", "--count", f"{commit}..HEAD").stdout)

    found = complaints(stages, records, age)
    assert not found, "scripts/nightly.sh STAGE, then commit test/nightly.json:\n" + "\n".join(found)
    if missing := [stage for stage in stages if stage not in records]:
        pytest.skip(f"stages of scripts/nightly.sh that have never been recorded: {', '.join(missing)}")


def test_each_fault_of_a_record_is_found():
    good = {"commit": "c", "result": "passed"}
    assert not complaints(["a"], {"a": good}, lambda commit: MOST_COMMITS)
    assert complaints(["a"], {"a": good}, lambda commit: MOST_COMMITS + 1)
    assert complaints(["a"], {"a": good}, lambda commit: None)
    assert complaints(["a"], {"a": good | {"result": "failed"}}, lambda commit: 0)
    assert complaints(["a", "b"], {"b": good | {"result": "failed"}}, lambda commit: 0)
    assert not complaints(["a", "b"], {"a": good}, lambda commit: 0)  # b has not run
    assert complaints([], {"a": good}, lambda commit: 0)
