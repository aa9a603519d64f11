#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills one rank of a running mesh at a random point, again and again, and checks what becomes of the others.

    scripts/kill-ranks.py BUNDLE RANKS [--build=build] [--times=100] [--how=processes|mpi] [--seed=N] [--limit=60]

The bundle's mesh has RANKS devices. Each time, a rank ends by SIGKILL between 0 and 400 ms after the start. All
others must end, with a message and the status of a failed run; nothing new is in /dev/shm. How long they took, and how
many took more than a second, is printed: it depends on what else the machine does. Ranks that are still there after
--limit seconds hang.

With --how=mpi, mpirun ends ranks that are still in MPI_Init() by itself, a second after the death, and Open MPI can
leave its own segments (vader_segment...) of ranks that were killed there. So the start is when all ranks have opened
the bundle, which they do after that.
"""
import argparse
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time


def children(pid):
    found = []
    for tasks in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in tasks.read_text().split()]
        except OSError:
            pass
    return found


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ranks_of(process, expected):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        ranks = children(process.pid)
        names = []
        for pid in ranks:
            try:
                names.append(pathlib.Path(f"/proc/{pid}/comm").read_text().strip())
            except OSError:
                names.append("")
        ranks = [pid for pid, name in zip(ranks, names) if name == "ttrun"]
        if len(ranks) == expected:
            return ranks
        if process.poll() is not None:
            break
        time.sleep(0.001)
    sys.exit(f"the ranks have not started:\n{process.communicate()[0]}")


def wait_for_bundle(pids, bundle):
    name = str(pathlib.Path(bundle).resolve())
    deadline = time.monotonic() + 20
    while not all(name in pathlib.Path(f"/proc/{pid}/maps").read_text() for pid in pids):
        if time.monotonic() > deadline:
            sys.exit(f"the ranks have not opened {name}")
        time.sleep(0.001)


def kill_one(command, environment, ranks, delay, victim, bundle, limit):
    """Waits until all ranks have opened `bundle`, if it is given. Returns the seconds until all others have ended, the
    exit status, and what was printed."""
    process = subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    pids = ranks_of(process, ranks)
    if bundle:
        wait_for_bundle(pids, bundle)
    time.sleep(delay)
    if process.poll() is not None:
        sys.exit(f"the mesh has ended by itself:\n{process.communicate()[0]}")
    begin = time.monotonic()
    os.kill(pids[victim], signal.SIGKILL)
    others = [pid for i, pid in enumerate(pids) if i != victim]
    while any(map(is_alive, others)) and time.monotonic() - begin < limit:
        time.sleep(0.002)
    took = time.monotonic() - begin
    if hung := [pid for pid in others if is_alive(pid)]:
        for pid in [*hung, process.pid]:
            os.kill(pid, signal.SIGKILL)
        output, _ = process.communicate(timeout=30)
        sys.exit(f"rank {victim} killed after {delay:.3f} s: {len(hung)} of the others are there {limit:g} s later:\n{output}")
    output, _ = process.communicate(timeout=30)
    return took, process.returncode, output


def leftovers(known):
    """What is in /dev/shm and belongs to no process: other programs of the machine use it, too."""
    new = set(os.listdir("/dev/shm")) - known
    for maps in pathlib.Path("/proc").glob("[0-9]*/maps") if new else []:
        try:
            text = maps.read_text()
        except OSError:
            continue
        new = {name for name in new if f"/dev/shm/{name}" not in text}
    return {name for name in new if os.path.exists(f"/dev/shm/{name}")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle")
    parser.add_argument("ranks", type=int)
    parser.add_argument("--build", default="build")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--how", choices=["processes", "mpi"], default="processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60)
    given = parser.parse_args()
    ttrun = pathlib.Path(given.build) / "bin/ttrun"
    run = [str(ttrun), "run", given.bundle, "--random", "--loops=1000000000000"]
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if given.how == "mpi":
        command = ["mpirun", "--oversubscribe", "-n", str(given.ranks), *run]
    else:
        command = [*run, f"--processes={given.ranks}"]
    before = set(os.listdir("/dev/shm"))
    chance = random.Random(given.seed)
    times, silent, odd, left = [], 0, 0, set()
    for i in range(given.times):
        victim, delay = chance.randrange(given.ranks), chance.random() * 0.4
        took, status, output = kill_one(command, environment, given.ranks, delay, victim,
                                        given.bundle if given.how == "mpi" else None, given.limit)
        times.append(took)
        if new := leftovers(before | left):
            left |= new
            print(f"{i}: rank {victim} killed after {delay:.3f} s: left {sorted(new)}:\n{output}")
        named = re.search(rf"(device|rank) {victim}\b|another one has ended", output)
        if not named:
            silent += 1
            print(f"{i}: rank {victim} killed after {delay:.3f} s: no message names it:\n{output}")
        # ttrun's own for a run that failed; mpirun's is that of a rank, or 128 and the signal that ended it.
        if status not in ((1,) if given.how == "processes" else (1, 128 + signal.SIGKILL, 128 + signal.SIGTERM)):
            odd += 1
            print(f"{i}: rank {victim} killed after {delay:.3f} s: exit status {status}:\n{output}")
    times.sort()
    print(f"{given.times} kills: the others ended after {times[len(times) // 2]:.3f} s (median), "
          f"{times[-1]:.3f} s at most, {sum(took > 1 for took in times)} after more than a second; {silent} without a message, "
          f"{odd} with another exit status, left in /dev/shm: {sorted(left) or 'nothing'}")
    return 1 if silent or odd or left else 0


if __name__ == "__main__":
    sys.exit(main())
