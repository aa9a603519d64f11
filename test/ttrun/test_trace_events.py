# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checkers of Chrome traces, and what Tracy makes of those of perf."""
import json

import pytest
import trace_events


def event(phase, **fields):
    return {"ph": phase, "pid": 1, "tid": 1, "name": "a", "cat": "b", **fields}


def slice_of(begin, duration, **fields):
    """In microseconds."""
    return event("X", ts=begin, dur=duration, **fields)


@pytest.mark.parametrize("events, message", [
    ([], None),
    ([slice_of(1, 5), slice_of(1, 2.001), slice_of(3.001, 2.999), slice_of(6, 0)], None),
    ([slice_of(1, 5), slice_of(3.001, 3.001)], "overlaps 'a'"),
    ([slice_of(1, 5), slice_of(5, 9, tid=2)], "without a name"),
    ([slice_of(3, 1), slice_of(1, 1)], "begins before"),
    ([slice_of(1, 2), slice_of(1, 5)], "overlaps"),
    ([slice_of(1, -1)], "dur is"),
    ([slice_of("1", 1)], "ts is '1'"),
    ([slice_of(1.0001, 1)], None),
    ([slice_of(1.0006, 1)], "ts is"),
    ([slice_of(1, None)], "dur is None"),
    ([slice_of(1, 1, pid=True)], "pid is True"),
    ([slice_of(1, 1, tid="1")], "tid is '1'"),
    ([slice_of(1, 1, s="t")], "X with ['s']"),
    ([slice_of(1, 1, name="")], "name is ''"),
    ([event("B", ts=1), slice_of(2, 1), event("E", ts=4)], None),
    ([event("B", ts=1)], "a B without an E"),
    ([event("E", ts=1)], "an E without a B"),
    ([event("B", ts=1), event("E", ts=2, name="c")], "an E of 'c' in 'a'"),
    ([event("b", ts=1, id=1), event("e", ts=3, id=1)], "unknown phase"),
    ([event("i", ts=1, s="x")], "scope 'x'"),
    ([{"ph": "C", "pid": 1, "tid": 1, "name": "a", "ts": 1, "args": {"bytes": "1"}}], "counter 'bytes' is '1'"),
    ([{"ph": "C", "pid": 1, "tid": 1, "name": "a", "ts": t, "args": {n: 1}} for t, n in ((1, "x"), (2, "y"))], "had ['x']"),
    ([{"ph": "Q"}], "unknown phase"),
    ([{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": 1}}], "thread_name with"),
    ([{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "n"}}], "is there twice"),
])
def test_the_format_is_checked(events, message):
    """The checker finds what is wrong."""
    names = [{"ph": "M", "pid": 1, "tid": tid, "name": f"{what}_name", "args": {"name": "n"}}
             for what, tid in (("process", 0), ("thread", 1))]
    found = trace_events.problems(json.dumps({"traceEvents": names + events}))
    assert (not found) if message is None else any(message in problem for problem in found), found


def named(*events):
    names = [{"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": str(tid)}} for tid in (1, 2)]
    return json.dumps({"traceEvents": names + list(events)})


@pytest.mark.parametrize("events, message", [
    ([slice_of(1, 5), slice_of(2, 4), slice_of(6, 1), slice_of(6, 3, tid=2), event("B", ts=9), event("E", ts=9)], None),
    # Asynchronous slices of different ids overlap.
    ([event("b", ts=1, id=1), event("b", ts=2, id=2), event("e", ts=3, id=1), event("e", ts=5, id=2), slice_of(2, 9)], "ends at 3000, expected 11000"),
    ([slice_of(1, 5), slice_of(3, 4)], "ends at 6000, expected 7000"),
    ([slice_of(2, 3), slice_of(1, 5), slice_of(1, 9)], "ends at 6000, expected 10000"),
    # 1.003 * 1000 is less than 1003: the second slice begins before the first one has ended.
    ([slice_of(0.5, 0.503), slice_of(1.003, 1)], "ends at 1003, expected 2002"),
    ([slice_of(0.5001, 0.5031), slice_of(1.0031, 1.0001)], None),
    ([event("C", ts=1, name=name, args={"bytes": 1}) for name in ("DRAM", "L1")], "one plot 'bytes'"),
    ([slice_of(1, 1, tid=3)], "no name for (1, 3)"),
    ([event("e", ts=1)], "1 ends without a begin")])
def test_rules_of_tracys_importer(events, message):
    found = trace_events.TracyImport(named(*events)).problems()
    assert (not found) if message is None else any(message in problem for problem in found), found


def test_tracy_imports_what_perf_writes(tools, written):
    """One run of a device, and of the devices of a mesh."""
    for bundle in (written("sample"), written("mesh-parts")):
        text = tools.ttrun("perf", bundle, "--random", "--loops=2", "--timeline=-").stdout
        assert trace_events.problems(text) == [] and trace_events.TracyImport(text).problems() == []
        assert len(trace_events.TracyImport(text).zones) > 4  # the ops, and the run


@pytest.mark.parametrize("text", ["[]", "{", '{"traceEvents": [NaN]}', '{"traceEvents": [], "traceEvents": []}'])
def test_what_is_no_trace(text):
    assert trace_events.problems(text)
