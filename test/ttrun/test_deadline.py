# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun --deadline: runs that are not complete in time end with an error."""
import time

import pytest


@pytest.mark.parametrize("options", [[], ["--no-trace"], ["--queues=1"], ["--cores=2", "--queues=1", "--no-trace"]])
def test_a_run_that_takes_too_long(tools, written, options):
    """One inference takes seconds: it ends in the middle."""
    begin = time.monotonic()
    done = tools.ttrun("run", written("slow"), "--random", "--deadline=0.2", *options, check=False)
    assert done.returncode == 1
    assert "slow.ttcb: deadline exceeded: " in done.stderr and "the deadline of the device has passed" in done.stderr
    assert time.monotonic() - begin < 2


def test_a_run_in_time(tools, written):
    printed = tools.ttrun("run", written("sample"), "--random").stdout
    assert tools.ttrun("run", written("sample"), "--random", "--deadline=1e30").stdout == printed


def test_generating(tools, written):
    done = tools.ttrun("generate", written("generate"), "--prompt-ids=1,2", "--tokens=4", "--deadline=1e-9", check=False)
    assert done.returncode == 1 and "deadline" in done.stderr


@pytest.mark.parametrize("options, message", [
    (["--deadline=-1"], "--deadline=-1: expected a number that is not negative"),
    (["--deadline=0"], "--deadline=0: expected a positive number"),
    (["--deadline=1", "--sandbox"], "--sandbox has the device in another process: expected no --deadline")])
def test_wrong_use(tools, written, options, message):
    done = tools.ttrun("run", written("sample"), "--random", *options, check=False)
    assert done.returncode == 2 and message in done.stderr
