# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs that end early: cancel(), set_deadline() and Ctrl-C; subnormal numbers."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import ttrt

SOON = 1.5  # seconds; a run of the bundle takes several


@pytest.fixture(scope="module")
def slow(write_sample, tmp_path_factory):
    """x f32[1, 256] -> y: 250 slow commands."""
    return write_sample("slow", tmp_path_factory.mktemp("slow") / "slow.ttcb")


@pytest.fixture
def bundle(slow):
    with ttrt.load(slow, cores=1) as loaded:
        yield loaded


X = np.ones((1, 256), np.float32)


def cancel_soon(bundle):
    def cancel():
        time.sleep(0.05)
        bundle.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    return thread


def test_cancel(bundle):
    call = bundle.bind({"x": X})
    for run in (lambda: bundle.run(X), call):
        begin = time.monotonic()
        thread = cancel_soon(bundle)
        with pytest.raises(ttrt.CancelledError, match="the device was cancelled"):
            run()
        thread.join()
        assert 0.04 < time.monotonic() - begin < SOON


def test_cancel_before_the_run(bundle):
    bundle.cancel()
    with pytest.raises(ttrt.CancelledError):
        bundle.run(X)
    test_cancel(bundle)  # it begins: it is usable again


def test_deadline(bundle):
    bundle.set_deadline(0.05)
    begin = time.monotonic()
    with pytest.raises(ttrt.DeadlineExceededError) as raised:
        bundle.run(X)
    assert isinstance(raised.value, TimeoutError) and time.monotonic() - begin < SOON
    test_cancel(bundle)  # there is no deadline any more
    bundle.set_deadline(0.001)
    bundle.set_deadline(None)
    test_cancel(bundle)
    for wrong in (-1, float("nan")):
        with pytest.raises(ValueError, match="seconds: expected a number from 0 on, or None"):
            bundle.set_deadline(wrong)


def test_a_stream(bundle):
    thread = cancel_soon(bundle)
    begin = time.monotonic()
    with pytest.raises(ttrt.CancelledError):
        list(bundle.stream([X] * 10))
    thread.join()
    assert time.monotonic() - begin < SOON
    test_cancel(bundle)


def test_a_closed_bundle(bundle):
    bundle.close()
    for call in (bundle.cancel, lambda: bundle.set_deadline(1)):
        with pytest.raises(ttrt.InvalidArgumentError, match="the bundle is closed"):
            call()


SCRIPT = """
import signal, sys, threading, time
import numpy as np
import ttrt

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
bundle = ttrt.load(sys.argv[1], cores=2)
x = np.ones((1, 256), np.float32)
if sys.argv[2] == "other":
    # A handler of the script's own: the run goes on. Back to the default, Ctrl-C ends it.
    signal.signal(signal.SIGINT, lambda *_: print("handled", flush=True))
    threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
    assert (bundle.run(x)["y"] == x).all()
    signal.signal(signal.SIGINT, signal.default_int_handler)
print("begins", flush=True)
try:
    bundle.run(x) if sys.argv[2] != "stream" else list(bundle.stream([x] * 5))
except KeyboardInterrupt:
    print("interrupted", flush=True)
bundle.set_deadline(0.05)
try:
    bundle.run(x)
except ttrt.DeadlineExceededError:
    print("usable")
"""


@pytest.mark.parametrize("how", ["run", "stream", "other"])
def test_interrupt(slow, how):
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, slow, how], text=True, stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.path.dirname(os.path.dirname(ttrt.__file__))})
    lines = [process.stdout.readline()]
    while lines[-1] not in ("begins\n", ""):
        lines.append(process.stdout.readline())
    time.sleep(0.1)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert output == "interrupted\nusable\n" and time.monotonic() - begin < SOON
    assert lines == (["handled\n"] if how == "other" else []) + ["begins\n"]


def test_flush_denormals(digits):
    """Inputs that are subnormal count as zero; the mode of this thread stays."""
    image = np.full((1, 1, 8, 8), np.finfo(np.float32).tiny / 2, np.float32)
    with ttrt.load(digits) as exact, ttrt.load(digits, flush_denormals=True) as flushing:
        zero = exact.run(np.zeros_like(image))["logits"]
        assert (flushing.run(image)["logits"] == zero).all()
    assert image[0, 0, 0, 0] * np.float32(0.5) != 0
