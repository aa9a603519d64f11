# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings of devices that do not exist: a bundle's schedule, with times that are given.

simulate() enqueues a schedule as a pipeline of the runtime does, and lets its queues execute it. write_log() writes
what has happened as a profiler writes it (ttrt/format/profile_log.h). The same times always give the same bytes.
"""
import csv
import json
import struct

STREAM, COMMAND, STEP, WAIT, RECORD = 0, 2, 4, 6, 8  # markers that begin something; the next number ends it
ENQUEUE, POP = 11, 12  # calls of the library
FIRST_NS = 1_000_000
NONE = 0xFFFFFFFF


class Times:
    """Nanoseconds: of the transfers of an inference, of its programs together, of the application between two
    inferences, of moving the bytes of an exchange. `overhead` of each thing that the host does on the way."""

    def __init__(self, write, read, compute, host, move=0, overhead=400):
        self.write, self.read, self.compute, self.host, self.move, self.overhead = write, read, compute, host, move, overhead

    def scaled(self, **factors):
        names = ("write", "read", "compute", "host", "move", "overhead")
        return Times(**{name: getattr(self, name) * factors.get(name, 1) for name in names})


class Bundle:
    """What a simulation needs of a bundle, from `ttrun read --json`."""

    def __init__(self, tools, path):
        self.path = path
        text = json.loads(tools.ttrun("read", path, "--json").stdout)
        [self.entry] = text["entries"]
        self.traces = {trace["name"]: trace["commands"] for trace in text["traces"]}
        self.schedules = {}
        number = 0
        for schedule in self.entry["schedules"]:
            for part in ("prologue", "body", "epilogue"):
                for step in schedule[part]:
                    step["number"] = number
                    number += 1
            self.schedules[schedule["name"]] = schedule
        self.programs = sum(c["opcode"] == "dispatch" for c in self.traces[self.schedules["single"]["body"][1]["of"]])
        self.exchanges = sum(c["opcode"] == "exchange" for c in self.traces[self.schedules["single"]["body"][1]["of"]])
        self.hash = struct.unpack_from("<Q", path.read_bytes()[:64], 40)[0]


class Simulation:
    """`peer`: the times at which another device begins its exchanges; it must be the later one."""

    def __init__(self, bundle, schedule, times, inferences, ahead=16, peer=None):
        self.bundle, self.times, self.peer = bundle, times, peer
        self.schedule = bundle.schedules[schedule]
        self.markers = {queue: [] for queue in range(2)}  # time, kind, id, value
        self.calls = []  # time, begins, call
        self.free = [FIRST_NS] * 2  # when a queue has done all that was enqueued
        self.streams = [0] * 2
        self.recorded = {}  # event -> (queue, time) of its last record
        self.arrivals = []  # when this device begins its exchanges
        self.done = {}  # inference -> when its last output was read
        self.now = FIRST_NS
        self.there, self.first, self.part, self.at = 0, 0, None, 0
        self.popped = []
        self._run(inferences, ahead)

    # The application.

    def _run(self, inferences, ahead):
        fed = 0
        for popped in range(inferences):
            while fed < min(inferences, popped + ahead):
                self.now += self.times.host
                self._call(ENQUEUE, self._enqueue, fed)
                fed += 1
            self._call(POP, self._pop, popped)
            self.popped.append(self.now)

    def _call(self, number, work, argument):
        self.calls.append((self.now, True, number))
        work(argument)
        self.now += self.times.overhead
        self.calls.append((self.now, False, number))

    # The pipeline.

    def _enqueue(self, inference):
        self.there = inference + 1
        if self.part is None:
            self.part, self.at, self.first = "prologue", 0, inference
            self.writes = self.reads = 0
        while True:
            steps = self.schedule[self.part]
            if self.part == "body" and self.at == 0 and not self._has_input():
                return
            while self.at < len(steps):
                if steps[self.at]["kind"] == "write" and not self._has_input():
                    return
                self._push(steps[self.at])
                self.at += 1
            self.part, self.at = "body", 0

    def _has_input(self):
        return self.first + self.writes < self.there

    def _pop(self, inference):
        if inference not in self.done:
            if self.part == "prologue" or self.at:
                self._rest(self.part)
            self.at = 0
            self._rest("epilogue")
            self.part, self.at = None, 0
        self.now = max(self.now, self.done[inference])

    def _rest(self, part):
        for step in self.schedule[part][self.at:]:
            if step["kind"] in ("execute", "dispatch") and part != "epilogue":
                for command in self._commands(step):  # what no inference needs: only its events
                    if command["opcode"] in ("wait", "signal"):
                        kind = "record" if command["opcode"] == "signal" else "wait"
                        self._push({"kind": kind, "queue": step["queue"], "of": "event " + command["event"]})
            else:
                self._push(step)

    # The queues.

    def _commands(self, step):
        return self.bundle.traces[step["of"]] if step["kind"] == "execute" else [{"opcode": "dispatch"}, {"opcode": "end"}]

    def _push(self, step):
        queue, kind, of = step["queue"], step["kind"], step["of"].split()[-1]
        target = self.recorded.get(of) if kind == "wait" else None
        if kind == "wait" and (target is None or target[0] == queue):
            return
        self.now += self.times.overhead / 8
        at = max(self.free[queue] + self.times.overhead / 8, self.now + self.times.overhead)
        if kind == "record":
            self._mark(queue, at, RECORD, of)
            self.recorded[of] = (queue, at)
        elif kind == "wait":
            at = self._span(queue, at, WAIT, of, max(at, target[1] + self.times.overhead))
        elif kind in ("write", "read"):
            inference = self.first + (self.writes if kind == "write" else self.reads)
            time = getattr(self.times, kind) if inference < self.there else 0
            at = self._span(queue, at, STEP, step["number"], at + time)
            if kind == "write":
                self.writes += 1
            else:
                self.reads += 1
                if inference < self.there:
                    self.done[inference] = at + self.times.overhead
        else:
            at = self._stream(step, queue, at)
        self.free[queue] = at

    def _stream(self, step, queue, at):
        targets, signals = dict(self.recorded), {}
        self._mark(queue, at, STREAM, step["number"], self.streams[queue] % 65536)
        self.streams[queue] += 1
        for number, command in enumerate(self._commands(step)):
            end, opcode = at, command["opcode"]
            if opcode == "dispatch":
                end = at + self.times.compute / self.bundle.programs
            elif opcode == "wait" and targets.get(command["event"], (queue,))[0] != queue:
                end = max(at, targets[command["event"]][1] + self.times.overhead)
            elif opcode == "signal":
                signals[command["event"]] = (queue, at)
            elif opcode == "exchange":
                later = at
                if self.peer:
                    later = self.peer[len(self.arrivals)]
                    assert later >= at, "the other device must be the later one"
                self.arrivals.append(at)
                end = later + self.times.move / self.bundle.exchanges
            at = self._span(queue, at, COMMAND, number, end)
        self._mark(queue, at, STREAM + 1, step["number"])
        self.recorded.update(signals)
        return at

    def _span(self, queue, begin, kind, number, end):
        self._mark(queue, begin, kind, number)
        self._mark(queue, end, kind + 1, number)
        return end

    def _mark(self, queue, time, kind, number, value=0):
        self.markers[queue].append((time, kind, number, value))

    # Results.

    def period(self):
        """From one inference to the next, when the pipeline has filled."""
        half = len(self.popped) // 2
        return (self.popped[-1] - self.popped[half]) / (len(self.popped) - 1 - half)


def write_log(folder, bundle, simulations, events, version=3):
    """A recording of devices that run at the same time, the devices of a mesh in reverse order. `events`: the numbers of
    events by name. Before version 3, it is not known which device of a mesh is which."""

    def record(kind, payload):
        payload += b"\0" * (-len(payload) % 8)
        return struct.pack("<II", kind, len(payload)) + payload

    log = record(1, struct.pack("<8sIIQQQII64s", b"TTRTPRF\n", version, 0, 7, 0, FIRST_NS, 1000, 0, b"simulated"))
    samples = b"".join(struct.pack("<QQ", FIRST_NS + i * 10000, FIRST_NS + i * 10000) for i in range(249))
    log += record(5, samples)
    for number, device in enumerate(simulations):
        in_mesh = len(simulations) - 1 - number if version > 2 else 0
        log += record(2, struct.pack("<IIIIQ", number, 1, 2 | in_mesh << 8, 1, bundle.hash) + str(bundle.path).encode() + b"\0")
        for queue, markers in device.markers.items():
            ring = 2 * number + queue
            log += record(3, struct.pack("<IIII", ring, number, queue, 0))
            packed = [struct.pack("<QIHBx", round(time), events.get(name, name), value, kind) for time, kind, name, value in markers]
            log += record(6, struct.pack("<II", ring, len(packed)) + b"".join(packed))
        calls = [struct.pack("<QIIIB11x", round(time), 1 + number, call, number, 0 if begins else 1)
                 for time, begins, call in device.calls]
        log += record(7, b"".join(calls))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "profile.ttlog").write_bytes(log + record(10, b""))


def events_of(tools, bundle, folder, most=64):
    """The numbers of a bundle's events, which only recordings have, by name: those of one that has each of them."""

    class Everything:
        markers = {0: [(FIRST_NS + i, RECORD, i, 0) for i in range(most)]}
        calls = []

    write_log(folder, bundle, [Everything], {})
    tools.ttrun("report", folder)
    with (folder / "profile_log_device.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "record"]
    return {row["name"]: int(row["id"]) for row in rows if not row["name"].startswith("event ")}
