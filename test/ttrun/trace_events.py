# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chrome's trace event format, checked strictly: what viewers rely on, and some of them silently repair.

problems(text) lists what is wrong in the JSON text of a trace. It knows the phases of the format that ttrun
writes: X, i, C, M, B with E, and b with e. Times are compared in whole nanoseconds, without rounding.
"""
import decimal
import json

REQUIRED = {"X": {"name", "cat", "ts", "dur"}, "B": {"name", "cat", "ts"}, "E": {"ts"},
            "b": {"name", "cat", "ts", "id"}, "e": {"name", "cat", "ts", "id"}, "i": {"name", "cat", "ts", "s"},
            "C": {"name", "ts", "args"}, "M": {"name", "args"}}
OPTIONAL = {"X": {"args"}, "B": {"args"}, "E": {"name", "cat", "args"}, "b": {"args"}, "e": set(),
            "i": {"args"}, "C": {"cat"}, "M": {"cat"}}
METADATA = {"process_name": {"name": str}, "thread_name": {"name": str}, "process_labels": {"labels": str},
            "process_sort_index": {"sort_index": int}, "thread_sort_index": {"sort_index": int}}
UNITS = ("ms", "ns")


def _object(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key is there twice: {sorted(keys)}")
    return dict(pairs)


def _refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def _nanoseconds(value):
    """The nanoseconds of a time in microseconds; None if it is no number, or has a fraction of a nanosecond."""
    if isinstance(value, bool) or not isinstance(value, (int, decimal.Decimal)):
        return None
    scaled = value * 1000
    return int(scaled) if scaled == int(scaled) else None


def problems(text):
    try:
        trace = json.loads(text, parse_float=decimal.Decimal, parse_constant=_refuse, object_pairs_hook=_object)
    except ValueError as error:
        return [str(error)]
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["expected an object with a list traceEvents"]
    found = []
    if trace.get("displayTimeUnit", "ms") not in UNITS:
        found.append(f"displayTimeUnit is {trace['displayTimeUnit']!r}")
    checker = _Checker(found)
    for number, event in enumerate(trace["traceEvents"]):
        checker.where = f"event {number}"
        checker.add(event)
    checker.finish()
    return found


class _Checker:
    def __init__(self, found):
        self.found, self.where = found, ""
        self.open = {}       # track -> the slices around: (end, or None of a B; name)
        self.last = {}       # track -> the begin of its last slice
        self.asynchronous = {}  # process, category and id -> (name, begin) of a b without its e so far
        self.counters = {}   # process and name -> (series, the time of the last value)
        self.names = set()   # metadata that names one thing
        self.named, self.used = set(), set()

    def say(self, message):
        self.found.append(f"{self.where}: {message}")

    def add(self, event):
        if not isinstance(event, dict) or event.get("ph") not in REQUIRED:
            return self.say(f"unknown phase in {event!r:.80}")
        phase = event["ph"]
        keys = set(event) - {"ph", "pid", "tid"}
        if missing := REQUIRED[phase] - keys:
            return self.say(f"{phase} without {sorted(missing)}")
        if more := keys - REQUIRED[phase] - OPTIONAL[phase]:
            self.say(f"{phase} with {sorted(more)}")
        for key in ("pid", "tid"):
            if type(event.get(key)) is not int or event[key] < 0:
                return self.say(f"{key} is {event.get(key)!r}")
        for key in ("name", "cat"):
            if key in event and (not isinstance(event[key], str) or not event[key]):
                self.say(f"{key} is {event[key]!r}")
        if not isinstance(event.get("args", {}), dict):
            return self.say("args is no object")
        if phase == "M":
            return self.metadata(event)
        time = _nanoseconds(event["ts"])
        if time is None:
            return self.say(f"ts is {event['ts']!r}")
        track = (event["pid"], event["tid"])
        self.used.add(("process_name", event["pid"], 0))
        if phase == "C":
            return self.counter(event, time)
        self.used.add(("thread_name", *track))
        if phase == "i":
            if event["s"] not in ("t", "p", "g"):
                self.say(f"scope {event['s']!r}")
        elif phase in "be":
            self.asynchronous_slice(event, phase, time)
        elif phase == "E":
            around = self.open.get(track, [])
            self.leave(around, time)
            if not around or around[-1][0] is not None:
                self.say("an E without a B")
            elif event.get("name", around[-1][1]) != around[-1][1]:
                self.say(f"an E of {event['name']!r} in {around[-1][1]!r}")
            else:
                around.pop()
        else:
            self.begin(event, phase, track, time)

    @staticmethod
    def leave(around, time):
        """Slices that have ended; one without a duration at this time has, too."""
        while around and around[-1][0] is not None and around[-1][0] <= time:
            around.pop()

    def begin(self, event, phase, track, time):
        end = None
        if phase == "X":
            duration = _nanoseconds(event["dur"])
            if duration is None or duration < 0:
                return self.say(f"dur is {event['dur']!r}")
            end = time + duration
        # In the order of time: sorting might put a slice before the one around it.
        if time < self.last.get(track, time):
            self.say(f"begins before the slice of its track that precedes it in the file: {event['name']!r}")
        self.last[track] = time
        around = self.open.setdefault(track, [])
        self.leave(around, time)
        closed = [outer for outer, _ in around if outer is not None]
        if end is not None and closed and end > closed[-1]:
            self.say(f"{event['name']!r} overlaps {around[-1][1]!r}, which is not around it")
        around.append((end, event["name"]))

    def asynchronous_slice(self, event, phase, time):
        """Those of one id must not overlap: viewers show them in one row."""
        key = (event["pid"], event["cat"], event["id"])
        opened = self.asynchronous.pop(key, None)
        if phase == "b":
            if opened:
                self.say(f"a b in {opened[0]!r} of the same id")
            self.asynchronous[key] = (event["name"], time)
        elif not opened:
            self.say("an e without a b")
        elif opened[0] != event["name"] or opened[1] > time:
            self.say(f"an e of {event['name']!r} at {time} for {opened[0]!r} at {opened[1]}")

    def counter(self, event, time):
        key = (event["pid"], event["name"])
        series, last = self.counters.get(key, (set(event["args"]), None))
        if not event["args"] or set(event["args"]) != series:
            self.say(f"counter {event['name']!r} has {sorted(event['args'])}, had {sorted(series)}")
        for name, value in event["args"].items():
            if isinstance(value, bool) or not isinstance(value, (int, decimal.Decimal)):
                self.say(f"counter {name!r} is {value!r}")
        self.counters[key] = (series, time)

    def metadata(self, event):
        fields = METADATA.get(event["name"])
        if fields is None:
            return self.say(f"unknown metadata {event['name']!r}")
        args = event["args"]
        if set(args) != set(fields) or any(type(args[name]) is not kind for name, kind in fields.items()):
            self.say(f"{event['name']} with {args!r}")
        thread = event["tid"] if event["name"].startswith("thread") else 0
        key = (event["name"], event["pid"], thread)
        if key in self.names:
            self.say(f"{key} is there twice")
        self.names.add(key)

    def finish(self):
        self.where = "the end"
        for track, around in self.open.items():
            if any(end is None for end, _ in around):
                self.say(f"a B without an E on {track}")
        if self.asynchronous:
            self.say(f"a b without an e: {sorted(self.asynchronous)}")
        if unnamed := self.used - self.names:
            self.say(f"without a name: {sorted(unnamed)}")
