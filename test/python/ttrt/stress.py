# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses the package ttrt as no one should: from many threads, with devices that open and close at random,
arrays that are freed early, host functions that raise, forks, and ends of the interpreter at any time.

    PYTHONPATH=build/python .venv/bin/python test/python/ttrt/stress.py FOLDER [--calls=50000]

FOLDER has digits.ttcb and swish.ttcb (examples/host-ops/swish.onnx, compiled with --host-ops=com.acme.*).
Every output is compared. At the end, threads, open files and memory are what they were after the first
tenth; the script prints them. 50,000 calls take about a minute on two cores. test_stress.py runs a short
version. docs/python.md says how to run it under the address sanitizer.
"""

import argparse
import collections
import gc
import multiprocessing
import os
import random
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import ttrt


class Odd(Exception):
    """What host functions raise."""


class Worker:
    """One thread's share of the calls."""

    def __init__(self, folder, seed, shared, counts):
        self.random = random.Random(seed)
        self.folder, self.shared, self.counts = folder, shared, counts
        self.images = np.random.default_rng(1).random((16, 1, 1, 8, 8), dtype=np.float32)
        self.rows = np.random.default_rng(2).random((16, 4, 16), dtype=np.float32)
        self.kept = collections.deque(maxlen=4)  # arrays and calls that outlive their bundles
        # For each of the bundles that all threads share, and for one of this thread.
        self.mine = None

    def swish(self, x, *, beta):
        if self.random.random() < 0.1:
            raise Odd
        return (x / (1 + np.exp(-np.float32(beta) * x))).astype(np.float32)

    def bundle(self):
        if self.random.random() < 0.7:
            return self.shared
        if self.mine is None or self.random.random() < 0.05:
            if self.mine is not None and self.random.random() < 0.5:
                self.mine.close()
            self.mine = ttrt.load(
                f"{self.folder}/digits.ttcb",
                cores=self.random.choice([1, 2]),
                verify=self.random.choice(["full", "none"]),
            )
            self.counts["opened"] += 1
        return self.mine

    def check(self, outputs, index, expected):
        if not np.array_equal(outputs["logits"], expected[index]):
            raise SystemExit(f"wrong outputs for image {index}")

    def one(self, expected):
        pick = self.random.randrange
        index = pick(16)
        image, bundle = self.images[index], self.bundle()
        kind = pick(12)
        if kind < 3:
            self.check(bundle.run(image.copy()), index, expected)  # a temporary
        elif kind == 3:
            out = np.empty((1, 10), np.float32)
            bundle.run(image=image, out={"logits": out})
            self.check({"logits": out}, index, expected)
        elif kind == 4:
            call = bundle.bind({"image": image.copy()})
            for _ in range(3):
                self.check(call(), index, expected)
            self.kept.append(call)
        elif kind == 5:
            future = bundle.submit(image.copy())
            del bundle
            self.check(future.result(60), index, expected)
        elif kind == 6:
            bundle = ttrt.load(f"{self.folder}/digits.ttcb", cores=1, verify="none")
            slot, view = bundle.input_slot("image"), bundle.output_slot("logits")
            slot[...] = image
            bundle.run()
            if pick(2):
                bundle.close()
            del bundle
            self.check({"logits": view}, index, expected)
            self.kept.append((slot, view) if pick(2) else view)
            slot[...] = 0
        elif kind == 7:
            # Streams exclude each other and runs, so each has its own bundle.
            bundle = ttrt.load(f"{self.folder}/digits.ttcb", cores=1, verify="none")
            order = [pick(16) for _ in range(pick(9))]
            stream = bundle.stream((self.images[i].copy() for i in order), ahead=1 + pick(6))
            stop = pick(9)
            for at, outputs in enumerate(stream):
                self.check(outputs, order[at], expected)
                if at == stop:
                    break
            if pick(2):
                self.kept.append(stream)  # perhaps still running
        elif kind == 8:
            self.host_functions(pick)
        elif kind == 9:
            for wrong in (image[0], image.astype(np.float64), "image", None):
                try:
                    bundle.run(wrong)
                except (TypeError, ValueError):
                    continue
                raise SystemExit("an error is missing")
        elif kind == 10:
            bundle = ttrt.load(f"{self.folder}/digits.ttcb", cores=1, verify="none")
            closer = threading.Thread(target=bundle.close)
            try:
                closer.start()
                self.check(bundle.run(image), index, expected)
            except ttrt.InvalidArgumentError:
                pass  # it was closed first
            closer.join()
        else:
            repr(bundle)
            assert bundle.memory.dram_bytes > 0

    def host_functions(self, pick):
        x = self.rows[pick(16)]
        bundle = ttrt.load(f"{self.folder}/swish.ttcb", cores=1, host_functions={"com.acme.Swish": self.swish})
        for _ in range(3):
            try:
                if pick(2):
                    bundle.run(x)
                else:
                    stream = bundle.stream([x] * 5, ahead=1 + pick(4))
                    for _ in range(pick(6)):
                        next(stream, None)
                    if pick(2):
                        stream.close()
            except ttrt.FailedError as error:
                assert isinstance(error.__cause__, Odd), repr(error.__cause__)
                self.counts["raised"] += 1
                stream = None
            except ttrt.BusyError:  # the last stream is open
                stream.close()
        if pick(2):
            bundle.close()

    def work(self, calls, expected):
        for _ in range(calls):
            self.one(expected)
            self.counts["calls"] += 1
            if self.random.random() < 0.01:
                gc.collect()
        self.kept.clear()
        self.mine = None


def resources():
    """Threads, open files, resident KiB."""
    gc.collect()
    time.sleep(0.3)  # threads that end
    with open("/proc/self/status") as status:
        found = dict(line.split(":\t", 1) for line in status)
    return int(found["Threads"]), len(os.listdir("/proc/self/fd")), int(found["VmRSS"].split()[0])


def calls(folder, count, threads):
    """Random calls from all threads; returns the resources after the first tenth and at the end."""
    with ttrt.load(f"{folder}/digits.ttcb") as reference:
        images = np.random.default_rng(1).random((16, 1, 1, 8, 8), dtype=np.float32)
        expected = [reference.run(image)["logits"] for image in images]
        snapshots = []
        counts = collections.Counter()
        for part in (count // 10, count - count // 10):
            failures = []

            def guarded(worker, share):
                try:
                    worker.work(share, expected)
                except BaseException as error:
                    failures.append(error)
                    raise

            workers = [Worker(folder, part + seed, reference, counts) for seed in range(threads)]
            running = [
                threading.Thread(target=guarded, args=(worker, part // threads)) for worker in workers
            ]
            for thread in running:
                thread.start()
            for thread in running:
                thread.join()
            if failures:
                raise failures[0]
            del workers, running
            snapshots.append(resources())
    return counts, snapshots


# ------------------------------------------------------------------------------------------------
# Forks
# ------------------------------------------------------------------------------------------------


def child(bundle, call, path, image, expected, results):
    """What the worker of a DataLoader does, with a bundle of its parent's in reach."""
    try:
        for use in (
            lambda: bundle.run(image),
            call,
            lambda: bundle.bind({"image": image})(),
            lambda: next(bundle.stream([image])),
            lambda: bundle.submit(image).result(10),
        ):
            try:
                use()
            except ttrt.UnsupportedError as error:
                assert "process" in str(error), error
            else:
                raise AssertionError("the parent's device ran in a child")
        own = ttrt.load(path, cores=2)
        for _ in range(5):
            assert np.array_equal(own.run(image)["logits"], expected)
        assert np.array_equal(next(own.stream([image]))["logits"], expected)
        bundle.close()
        results.put("ok")
    except BaseException as error:  # noqa: BLE001
        results.put(repr(error))


def forks(folder, rounds):
    """Forks while other threads run, stream, and hold locks."""
    path = f"{folder}/digits.ttcb"
    image = np.full((1, 1, 8, 8), 0.5, np.float32)
    bundle, streaming = ttrt.load(path), ttrt.load(path)
    expected = bundle.run(image)["logits"]
    call = bundle.bind({"image": image})
    stop = threading.Event()

    def busy(use):
        while not stop.is_set():
            use()

    users = [
        threading.Thread(target=busy, args=(use,))
        for use in (call, lambda: bundle.run(image), lambda: list(streaming.stream([image] * 8)))
    ]
    for user in users:
        user.start()
    context = multiprocessing.get_context("fork")
    try:
        for _ in range(rounds):
            results = context.SimpleQueue()
            children = [
                context.Process(target=child, args=(bundle, call, path, image, expected, results))
                for _ in range(2)
            ]
            for process in children:
                process.start()
            said = [results.get() for _ in children]
            for process in children:
                process.join(60)
            assert said == ["ok", "ok"], said
            assert [process.exitcode for process in children] == [0, 0]
            pid = os.fork()
            if pid == 0:
                # An end of the interpreter in a child, with exit handlers and destructors.
                stop.set()
                sys.exit(3)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
            assert np.array_equal(bundle.run(image)["logits"], expected)
    finally:
        stop.set()
        for user in users:
            user.join()


# ------------------------------------------------------------------------------------------------
# The end of the interpreter
# ------------------------------------------------------------------------------------------------

COMMON = """
import atexit, gc, sys, threading, time
import numpy as np, ttrt
folder = sys.argv[1]
image = np.full((1, 1, 8, 8), 0.5, np.float32)
x = np.ones((4, 16), np.float32)
def slow(x, *, beta):
    time.sleep(0.05)
    return x
def forever(item):
    while True:
        yield item
bundle = ttrt.load(folder + "/digits.ttcb")
swish = ttrt.load(folder + "/swish.ttcb", host_functions={"com.acme.Swish": slow})
def spin(use):
    while True:
        use()
def background(use):
    threading.Thread(target=spin, args=(use,), daemon=True).start()
"""

#: Programs that end in the middle of something, and their exit codes.
ENDS = {
    "a stream with host functions": ("stream = swish.stream(forever(x), ahead=8); next(stream)", 0),
    "a stream in a daemon thread": (
        "stream = swish.stream(forever(x)); background(lambda: next(stream)); time.sleep(0.2)",
        0,
    ),
    "runs in daemon threads": (
        "for _ in range(4): background(lambda: bundle.run(image))\n"
        "background(lambda: swish.run(x))\ntime.sleep(0.2)",
        0,
    ),
    "bound calls in daemon threads": (
        "for _ in range(4): background(bundle.bind({'image': image}))\ntime.sleep(0.2)",
        0,
    ),
    "loads in daemon threads": (
        "background(lambda: ttrt.load(folder + '/digits.ttcb').run(image)); time.sleep(0.2)",
        0,
    ),
    "futures": ("futures = [swish.submit(x) for _ in range(5)]", 0),
    "an exit code": ("stream = swish.stream(forever(x)); next(stream); sys.exit(7)", 7),
    "an exception": ("stream = swish.stream(forever(x)); next(stream); raise SystemExit(9)", 9),
    "slots and calls in globals": (
        "slot = bundle.input_slot('image'); call = bundle.bind({'image': slot}); bundle.close()",
        0,
    ),
    "a run in an exit handler": ("atexit.register(lambda: bundle.run(image)); bundle.run(image)", 0),
    "a run in an earlier exit handler": ("", 0),
    "a host function that never returns an array": (
        "bad = ttrt.load(folder + '/swish.ttcb', host_functions={'com.acme.Swish': lambda x, *, beta: 1})\n"
        "stream = bad.stream(forever(x))\n"
        "try: next(stream)\nexcept ttrt.FailedError: sys.exit(5)",
        5,
    ),
    "a stream in a cycle": (
        "class Node: pass\nnode = Node(); node.node = node; node.stream = swish.stream(forever(x))\n"
        "next(node.stream); del node; gc.disable()",
        0,
    ),
}


def end(name, folder, timeout=60):
    """Runs one of ENDS; returns what is wrong, or None."""
    code, expected = ENDS[name]
    before = ""
    if name == "a run in an earlier exit handler":
        # Registered before ttrt's handler, so called after it.
        before = "import atexit\natexit.register(lambda: bundle.run(image))\n"
    program = before + textwrap.dedent(COMMON) + code + "\n"
    try:
        done = subprocess.run(
            [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return f"{name}: hangs"
    if done.returncode != expected or done.stderr:
        return f"{name}: exit {done.returncode}\n{done.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--forks", type=int, default=50, help="rounds of three children each")
    parser.add_argument("--ends", type=int, default=10, help="how often each program ends")
    arguments = parser.parse_args()

    begun = time.monotonic()
    counts, (before, after) = calls(arguments.folder, arguments.calls, arguments.threads)
    print(f"calls    {dict(counts)}, {time.monotonic() - begun:.1f} s")
    print(f"threads, files, resident KiB: {before} after a tenth, {after} at the end")
    assert after[:2] == before[:2], "threads or files are lost"
    begun = time.monotonic()
    forks(arguments.folder, arguments.forks)
    print(f"forks    {3 * arguments.forks}, {time.monotonic() - begun:.1f} s")
    begun = time.monotonic()
    for _ in range(arguments.ends):
        for name in ENDS:
            problem = end(name, arguments.folder)
            assert problem is None, problem
    print(f"ends     {len(ENDS) * arguments.ends}, {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    main()
