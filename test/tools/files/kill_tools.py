# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills tools (SIGKILL) while they work: afterwards there is the old file or the complete new one, and
no other file; but a process that is killed between the two calls that replace a file leaves the old one
and the complete new one under a name of its own (FileWriter.h).

    python test/tools/files/kill_tools.py [--kills=200] [--seed=N] [--build=build]

Half of the kills come at a random moment of the run, half before a random one of the system calls that
make the file. Exit status 1, with a line for each finding, if there are any.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from writers import ROOT, Writers  # noqa: E402

OLD = b"old"


class Killer:
    def __init__(self, writers, work, seed):
        self.writers, self.work, self.random = writers, pathlib.Path(work), random.Random(seed)
        self.temporary = self.work / "tmp"  # the linker's folder is not an output
        self.temporary.mkdir(exist_ok=True)
        self.measured = {}
        self.killed = 0

    def measure(self, name):
        """The seconds and the calls of a whole run."""
        if name not in self.measured:
            log, out = self.work / "log", self.work / "measured"
            log.write_text("")
            self.writers.write_once(name)
            out.write_bytes(OLD)
            begun = time.monotonic()
            subprocess.run(self.writers.command(name, out), env=self.environment(LOG=log), check=True, capture_output=True)
            self.measured[name] = time.monotonic() - begun, log.read_text().split()
            out.unlink()
        return self.measured[name]

    def environment(self, **settings):
        return {**self.writers.shim(**settings), "TMPDIR": str(self.temporary)}

    def kill(self, name, at_call):
        """One kill; what is wrong afterwards, or nothing."""
        seconds, calls = self.measure(name)
        folder = self.work / "out"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        out = folder / "file"
        old = self.random.random() < 0.5
        if old:
            out.write_bytes(OLD)
            out.chmod(0o640)
        number = self.random.randint(1, len(calls)) if at_call else 0
        moment = seconds * self.random.random()
        process = subprocess.Popen(
            self.writers.command(name, out), env=self.environment(KILL_AT=number),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            process.wait(60 if at_call else moment)
        except subprocess.TimeoutExpired:
            # The driver's children, too.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.killed += process.returncode == -signal.SIGKILL
        where = f"{name}, {'with' if old else 'without'} an old file, killed " + (
            f"before call {number} ({calls[number - 1]})" if at_call else f"after {moment:.3f} s")
        return [f"{where}: {what}" for what in self.look(name, folder, old, calls[number - 1] if at_call else None)]

    def look(self, name, folder, old, call):
        for path in sorted(folder.iterdir()):
            data = path.read_bytes()
            if path.name == "file":
                if not (old and data == OLD) and not self.writers.is_complete(name, data):
                    yield f"found {len(data)} bytes that are neither the old file nor the new one"
            elif not (old and call in (None, "renameat") and re.fullmatch(r"\.file\.[0-9a-f]{16}\.tmp", path.name)
                      and self.writers.is_complete(name, data)):
                yield f"expected no other file, found {path.name} of {len(data)} bytes"
        if old and not (folder / "file").exists():
            yield "expected the old file or the new one, found none"

    def run(self, kills, names=None):
        names = names or self.writers.names
        findings = []
        for index in range(kills):
            findings += self.kill(names[index % len(names)], at_call=index // len(names) % 2 == 1)
        return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--build", default=ROOT / "build")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        killer = Killer(Writers(arguments.build, work), work, arguments.seed)
        findings = killer.run(arguments.kills)
    print(*findings, sep="\n", end="\n" if findings else "")
    print(f"{arguments.kills} runs, {killer.killed} killed, {len(findings)} findings, seed {arguments.seed}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
