# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chrome's trace event format, checked strictly: what viewers rely on, and some of them silently repair.

problems(text) lists what is wrong in the JSON text of a trace. It knows the phases of the format that ttrun
writes: X, i, C, M, and B with E. Times are compared in whole nanoseconds; fractions below a half are cut off.

TracyImport(text) is what Tracy's importer of such traces makes of them.
"""
import decimal
import json

REQUIRED = {"X": {"name", "cat", "ts", "dur"}, "B": {"name", "cat", "ts"}, "E": {"ts"},
            "i": {"name", "cat", "ts", "s"},
            "C": {"name", "ts", "args"}, "M": {"name", "args"}}
OPTIONAL = {"X": {"args"}, "B": {"args"}, "E": {"name", "cat", "args"}, "i": {"args"}, "C": {"cat"}, "M": {"cat"}}
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
    """The nanoseconds of a time in microseconds; None if it is no number, or readers that round disagree with those
    that do not."""
    if isinstance(value, bool) or not isinstance(value, (int, decimal.Decimal)):
        return None
    scaled = value * 1000
    return int(scaled) if abs(scaled - int(scaled)) < 0.5 else None


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
        self.counters = {}   # process and name -> its series
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
            return self.counter(event)
        self.used.add(("thread_name", *track))
        if phase == "i":
            if event["s"] not in ("t", "p", "g"):
                self.say(f"scope {event['s']!r}")
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

    def counter(self, event):
        key = (event["pid"], event["name"])
        series = self.counters.setdefault(key, set(event["args"]))
        if not event["args"] or set(event["args"]) != series:
            self.say(f"counter {event['name']!r} has {sorted(event['args'])}, had {sorted(series)}")
        for name, value in event["args"].items():
            if isinstance(value, bool) or not isinstance(value, (int, decimal.Decimal)):
                self.say(f"counter {name!r} is {value!r}")

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
        if unnamed := self.used - self.names:
            self.say(f"without a name: {sorted(unnamed)}")


class TracyImport:
    """Begins and ends of a thread are matched by their order in time, and in the file where that is equal; ids of
    asynchronous slices are ignored. Threads are told apart by process and thread. Counters are told apart by the
    names of their values only. Messages that have "frame" in them are frames."""

    def __init__(self, text):
        # "thread": process and thread; times in nanoseconds, as a double is cut off
        self.zones = []     # (thread, name, begin, end); end None: it has none
        self.unmatched = 0  # ends without a begin
        self.wrong = []     # zones that end when another slice of the file does
        self.plots = {}     # name -> the counters of the file that it has values of
        self.frames, self.messages, self.names = [], [], {}
        edges = []
        for number, event in enumerate(json.loads(text)["traceEvents"]):
            phase, args = event["ph"], event.get("args", {})
            if phase == "C":
                for name in args:
                    self.plots.setdefault(name, set()).add((event["pid"], event["name"]))
                continue
            thread = (event["pid"], event["tid"])
            if phase == "M":
                if event["name"] == "thread_name":
                    self.names[thread] = args["name"]
                continue
            begin = int(event["ts"] * 1000.0)
            if phase == "i":
                (self.frames if "frame" in event["name"].lower() else self.messages).append(event["name"])
            elif phase in "bB":
                edges.append((begin, thread, event["name"], number))
            elif phase in "eE":
                edges.append((begin, thread, None, number))
            elif phase == "X":
                edges.append((begin, thread, event["name"], number))
                edges.append((begin + int(event["dur"] * 1000.0), thread, None, number))
        ends = {number: time for time, _, name, number in edges if name is None}
        stacks = {}
        for time, thread, name, number in sorted(edges, key=lambda edge: edge[0]):
            stack = stacks.setdefault(thread, [])
            if name is not None:
                stack.append((name, time, number))
            elif not stack:
                self.unmatched += 1
            else:
                begun, begin, first = stack.pop()
                self.zones.append((thread, begun, begin, time))
                if ends.get(first, time) != time:  # a B has its end elsewhere
                    self.wrong.append((thread, begun, begin, time, ends[first]))
        self.zones += [(thread, name, begin, None) for thread, stack in stacks.items() for name, begin, _ in stack]

    def problems(self):
        found = [f"{self.unmatched} ends without a begin"] * bool(self.unmatched)
        found += [f"{zone} has no end" for zone in self.zones if zone[3] is None]
        found += [f"{name!r} of {thread} from {begin} ends at {end}, expected {right}" for thread, name, begin, end, right in self.wrong]
        found += [f"one plot {name!r} for {sorted(counters)}" for name, counters in self.plots.items() if len(counters) > 1]
        found += [f"no name for {thread}" for thread in {zone[0] for zone in self.zones} - set(self.names)]
        if len(set(self.names.values())) < len(self.names):
            found.append(f"threads with one name: {sorted(self.names.values())}")
        return found
