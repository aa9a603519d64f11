# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings: what bundles execute, and zones, frames, signposts and messages of the application."""

import gc
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading

import pytest
import ttrt

PACKAGE = pathlib.Path(ttrt.__file__).parents[1]


@pytest.fixture
def report(tools):
    def make(folder):
        return json.loads(tools.ttrun("report", folder, "--json").stdout)

    return make


def test_records_what_a_bundle_executes(digits, image, tmp_path, report):
    with ttrt.Profiler(tmp_path / "profile") as profiler:
        folder = pathlib.Path(profiler.folder)
        assert folder.parent == tmp_path / "profile"
        with ttrt.load(digits, cores=1, profiler=profiler) as bundle:
            for _ in range(7):
                bundle.run(image)
            profiler.read()
            assert profiler.dropped == 0
        assert not profiler.closed
    assert profiler.closed
    found = report(folder)
    assert found["closed"] and found["ops"][0]["time_us"]["count"] == 7


def test_zones_frames_signposts_and_messages(tmp_path):
    with ttrt.Profiler(tmp_path) as profiler:
        zone = profiler.zone("outer", color=0xFF8000)
        with zone as same:
            assert same is zone and zone.name == "outer"
            with profiler.zone("inner"):
                zone.text("three images")

        @profiler.zone("a function")
        def twice(x):
            """Doc."""
            return 2 * x

        assert twice(4) == 8 and twice.__name__ == "twice" and twice.__doc__ == "Doc."
        with pytest.raises(KeyError), profiler.zone("it raises"):
            raise KeyError
        profiler.frame("request")
        profiler.frame(zone)
        profiler.signpost("warm-up", "3 runs")
        profiler.signpost("done")
        profiler.message("half way", color=0x00FF00)
        folder = profiler.folder
    log = (pathlib.Path(folder) / "profile.ttlog").read_bytes()
    for text in (b"outer", b"inner", b"three images", b"a function", b"it raises", b"request", b"warm-up\x003 runs", b"half way"):
        assert text in log, text
    assert os.path.basename(__file__).encode() in log  # where zones stand


def test_a_log_that_cannot_begin_leaves_nothing(tmp_path):
    """As on a disk that is full: the log's header does not fit."""
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
    try:
        with pytest.raises(ttrt.Error, match="cannot write .*File too large"):
            ttrt.Profiler(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert not list(tmp_path.iterdir())


def test_zones_of_many_threads(tmp_path):
    with ttrt.Profiler(tmp_path, interval=0.001) as profiler:
        zone = profiler.zone("work")

        def work():
            for _ in range(1000):
                with zone, zone:
                    pass

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        profiler.read()


def test_more_room_drops_less(tmp_path, capfd):
    for programs, dropped in ((0, 20000 - (1 << 14)), (10000, 0)):
        with ttrt.Profiler(tmp_path, programs=programs) as profiler:
            for _ in range(20000):
                profiler.frame("frame")
            profiler.read()
            assert profiler.dropped == dropped
    assert capfd.readouterr().err.count("were dropped") == 1


def test_without_a_folder_nothing_is_recorded(digits, image, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ttrt.Profiler(None) as profiler, ttrt.load(digits, profiler=profiler) as bundle:
        with profiler.zone("zone") as zone:
            zone.text("text")
        profiler.frame("frame")
        profiler.signpost("header")
        profiler.message("text")
        profiler.read()
        bundle.run(image)
        assert profiler.folder is None and profiler.dropped == 0
    assert list(tmp_path.iterdir()) == []


def test_is_closed_after_its_bundles(digits, tmp_path):
    profiler = ttrt.Profiler(tmp_path)
    bundle = ttrt.load(digits, profiler=profiler)
    with pytest.raises(ttrt.BusyError, match="expected the bundles that it records to be closed first, found 1 open"):
        profiler.close()
    bundle.close()
    profiler.close()
    profiler.close()
    for call in (profiler.read, lambda: profiler.zone("x"), lambda: profiler.signpost("x"), lambda: profiler.folder,
                 lambda: ttrt.load(digits, profiler=profiler)):
        with pytest.raises(ttrt.InvalidArgumentError, match="^the profiler is closed$"):
            call()
    # An error in a with statement is not hidden by that of close().
    with pytest.raises(KeyError), ttrt.Profiler(tmp_path) as profiler:
        bundle = ttrt.load(digits, profiler=profiler)
        raise KeyError
    assert not profiler.closed
    # A bundle keeps its profiler.
    bundle = ttrt.load(digits, profiler=ttrt.Profiler(tmp_path))
    gc.collect()
    bundle.perf(loops=3)
    bundle.close()


@pytest.mark.parametrize("call, kind, message", [
    (lambda f: ttrt.Profiler(""), ValueError, "folder: expected the path of a folder, found ''"),
    (lambda f: ttrt.Profiler("a\0b"), ValueError, "folder: expected the path of a folder, found 'a\\\\x00b'"),
    (lambda f: ttrt.Profiler(f, programs=1 << 21), ValueError, "programs: expected a number from 0 to 1048576, found 2097152"),
    (lambda f: ttrt.Profiler(f, programs=-1), ValueError, "programs: expected a number from 0 to 1048576, found -1"),
    (lambda f: ttrt.Profiler(f, programs="9"), TypeError, "programs: expected an integer, found '9'"),
    (lambda f: ttrt.Profiler(f, interval=-1), ValueError, "interval: expected 0, or 0.001 to 1000000 seconds, found -1"),
    (lambda f: ttrt.Profiler(f, interval=1e-5), ValueError, "interval: expected 0, or 0.001 to 1000000 seconds, found 1e-05"),
    (lambda f: ttrt.Profiler(f, interval=float("nan")), ValueError, "interval: expected 0, or .* found nan"),
    (lambda f: ttrt.Profiler(f, interval="1"), TypeError, "interval: expected seconds, found '1'"),
    (lambda f: ttrt.Profiler(f, counters=[1]), TypeError, "counters: expected a str, found 1"),
    (lambda f: ttrt.Profiler(f, counters="nothing"), ttrt.InvalidArgumentError, "^counters: expected .* found 'nothing'"),
    (lambda f: ttrt.Profiler("/dev/null/x"), ttrt.IoError, "cannot make the folder /dev/null/x"),
    (lambda f: ttrt.Profiler(f).zone(3), TypeError, "name: expected a str, found 3"),
    (lambda f: ttrt.Profiler(f).zone("a\0"), ValueError, "name: .* has a null character"),
    (lambda f: ttrt.Profiler(f).zone("a", color=1 << 24), ValueError, "color: expected a number from 0 to 16777215, found 16777216"),
    (lambda f: ttrt.Profiler(f).frame(3), TypeError, "zone: expected a str, found 3"),
    (lambda f: ttrt.Profiler(f).signpost(b"x"), TypeError, "header: expected a str, found b'x'"),
    (lambda f: ttrt.Profiler(f).message(None), TypeError, "message: expected a str, found None"),
    (lambda f: ttrt.Profiler(f).zone("a").text(1), TypeError, "text: expected a str, found 1"),
    (lambda f: ttrt.load("x", profiler=f), TypeError, "profiler: expected a Profiler, found "),
])
def test_wrong_arguments(tmp_path, call, kind, message):
    with pytest.raises(kind, match=message):
        call(tmp_path)


def test_zones_are_of_functions_that_return(tmp_path):
    zone = ttrt.Profiler(None).zone("zone")

    async def later():
        pass

    def some():
        yield

    for function in (later, some):
        with pytest.raises(TypeError, match="expected a function that returns when it is complete"):
            zone(function)


def test_nothing_is_lost_at_the_end_of_the_interpreter(digits, tmp_path, tools):
    code = """
import sys
import numpy as np
import ttrt
profiler = ttrt.Profiler(sys.argv[2])
bundle = ttrt.load(sys.argv[1], cores=1, profiler=profiler)
other = ttrt.Profiler(sys.argv[2])
other.signpost("other")
for _ in range(5):
    bundle.run(np.zeros((1, 1, 8, 8), np.float32))
"""
    done = subprocess.run([sys.executable, "-c", code, str(digits), str(tmp_path)], env={**os.environ, "PYTHONPATH": str(PACKAGE)},
                          capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    first, second = sorted(tmp_path.iterdir())
    found = json.loads(tools.ttrun("report", first, "--json").stdout)
    assert found["ops"][0]["time_us"]["count"] == 5
    assert b"other" in (second / "profile.ttlog").read_bytes()


def test_a_forked_child_records_nothing(digits, tmp_path):
    code = """
import os, sys
import ttrt
profiler = ttrt.Profiler(sys.argv[2])
bundle = ttrt.load(sys.argv[1], cores=1, profiler=profiler)
if os.fork() == 0:
    with profiler.zone("in the child"):
        profiler.signpost("in the child")
    sys.exit(0)
_, status = os.wait()
bundle.perf(loops=3)
sys.exit(status)
"""
    done = subprocess.run([sys.executable, "-c", code, str(digits), str(tmp_path)], env={**os.environ, "PYTHONPATH": str(PACKAGE)},
                          capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    (folder,) = tmp_path.iterdir()
    assert (folder / "profile.ttlog").read_bytes().count(b"in the child") <= 1  # the name of the zone
