# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libttrt-mpi under mpirun: the moves of collectives, and what becomes of ranks that fail."""
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from gate import nightly

RANKS = "test/unit/ttrt-mpi-ranks"


class Mpi:
    def __init__(self, program):
        self.program = program

    def start(self, ranks, *arguments):
        environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.Popen(
            ["timeout", "300", "mpirun", "--oversubscribe", "-n", str(ranks), str(self.program), *map(str, arguments)], text=True,
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, ranks, mode):
        process = self.start(ranks, mode)
        output, _ = process.communicate()
        return process.returncode, output


@pytest.fixture(scope="module")
def mpi(build_dir):
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun: install openmpi-bin")
    program = build_dir / RANKS
    if not program.exists():
        pytest.skip(f"{program} is not built: install libopenmpi-dev")
    return Mpi(program)


def lines_of(output, ranks):
    """What each rank has printed last."""
    last = {}
    for rank, text in re.findall(r"^rank (\d+): (.*)$", output, re.MULTILINE):
        last[int(rank)] = text
    return [last.get(rank) for rank in range(ranks)]


@pytest.mark.parametrize("ranks", [3, *nightly([2, 4])])
def test_moves(mpi, ranks):
    """Bits as those of a simulation in one thread: kinds, algorithms, sizes, groups, types."""
    status, output = mpi.run(ranks, "moves")
    assert status == 0, output
    assert all(re.fullmatch(r"\d+ cases agree", line) for line in lines_of(output, ranks)), output


@pytest.mark.parametrize("ranks", [3, *nightly([2, 4])])
def test_stages(mpi, ranks):
    """Ranks of different stages: exchanges of some of them, sends, receives and offers, with delays."""
    status, output = mpi.run(ranks, "stages")
    assert status == 0 and lines_of(output, ranks) == ["agrees"] * ranks, output


def test_gather(mpi):
    status, output = mpi.run(3, "gather")
    assert status == 0 and lines_of(output, 3) == ["gathered"] * 3, output


def test_ranks_that_leave_after_a_gather(mpi):
    status, output = mpi.run(3, "leave")
    assert status == 0 and lines_of(output, 3) == ["gathered"] * 3, output


def test_a_transport_has_one_device(mpi):
    status, output = mpi.run(3, "busy")
    assert status == 0, output
    assert lines_of(output, 3) == ["continues", "another device uses the transport", "continues"], output


@pytest.mark.parametrize("mode, message", [
    ("bundles", "device 1 of the mesh has another bundle than device 0"),
    ("devices", "the bundle of device 1 is compiled for a mesh of 4 devices; found 3 ranks")])
def test_ranks_with_other_bundles_are_refused(mpi, mode, message):
    status, output = mpi.run(3, mode)
    assert status == 0 and lines_of(output, 3) == [message] * 3, output


@pytest.mark.parametrize("mode, message", [
    ("fail", "device 1 of the mesh has failed: it was asked to"),
    ("fail-thread", "device 1 of the mesh has failed: a thread was asked to"),
    ("close", "device 1 of the mesh has closed")])
def test_a_rank_that_fails_ends_the_others(mpi, mode, message, tmp_path):
    """Ranks that have seen the failure stay until all have: when one ends, mpirun may end those that have said nothing."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    process, output = mpi.start(4, mode, fifo), ""
    while [lines_of(output, 4)[rank] for rank in (0, 2, 3)] != [message] * 3:
        line = process.stdout.readline()
        assert line, output
        output += line
    writer = os.open(fifo, os.O_RDWR)  # which does not wait for a reader
    output += process.communicate()[0]
    os.close(writer)
    # A rank that closes waits half a second at most for the others to come, however busy the machine is.
    assert process.returncode == 0 or mode == "close", output


@pytest.mark.parametrize("mode", ["run", "pass"])
def test_a_killed_rank_ends_the_others(mpi, mode):
    process = mpi.start(4, mode)
    ranks = {}
    while len(ranks) < 4:
        rank, pid = re.fullmatch(r"rank (\d+): process (\d+)\n", process.stdout.readline()).groups()
        ranks[int(rank)] = int(pid)
    time.sleep(0.3)
    killed = time.monotonic()
    os.kill(ranks[2], signal.SIGKILL)
    while any(os.path.exists(f"/proc/{pid}") for pid in ranks.values()):
        # How long it takes, scripts/kill-ranks.py measures.
        assert time.monotonic() - killed < 30, "a rank waits for one that has ended"
        time.sleep(0.01)
    output, _ = process.communicate(timeout=20)
    assert process.returncode != 0
    # Every rank says so, or mpirun does in its place.
    assert "device 2 of the mesh has ended" in output or "rank 2" in output, output


def test_a_stopped_rank_is_named(mpi):
    """The others end when they have waited for as long as they may."""
    process = mpi.start(3, "limit")
    ranks = {}
    while len(ranks) < 3:
        rank, pid = re.fullmatch(r"rank (\d+): process (\d+)\n", process.stdout.readline()).groups()
        ranks[int(rank)] = int(pid)
    time.sleep(0.3)
    os.kill(ranks[2], signal.SIGSTOP)
    output = ""
    while "for longer than its limit of 1000 ms" not in output:
        line = process.stdout.readline()
        assert line, output
        output += line
    os.kill(ranks[2], signal.SIGCONT)
    output += process.communicate(timeout=20)[0]
    # The first to give up may be one that waits for another which waits for device 2.
    assert re.search(r"has waited for (device 2 \(its process|\S.* \(the process of device 2) is stopped\) for longer", output)
