#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a mesh gains on the cores of one machine, beside one device on the same cores.

    scaling.py --build BUILD --tensor MODEL.onnx     a model whose weights two processes of one thread divide, beside one
                                                     process with two threads: the time of an inference
    scaling.py --build BUILD --data MODEL.onnx       a model whose batch (of 2) two processes of one thread divide, beside one
                                                     process with one thread and half of the batch: inferences per second

In each of --rounds rounds, both have a turn, in changing order; ratios are of one round, and the medians of all rounds are
printed. A model of --data has a batch of 1, as it was exported; scaling.py makes a copy with a batch of 2.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import machine_facts  # noqa: E402
from batches import with_batch  # noqa: E402


class Tools:
    def __init__(self, build, folder):
        self.bin, self.folder = build / "bin", folder

    def call(self, tool, *arguments):
        done = subprocess.run([self.bin / tool, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{tool} {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def compile(self, model, name, *options):
        bundle = self.folder / f"{name}.ttcb"
        self.call("ttc-translate", "--onnx-to-bundle", model, *options, "-o", bundle)
        return bundle

    def measure(self, bundle, loops, *options):
        """Milliseconds of an inference, end to end: the median."""
        printed = json.loads(self.call("ttrun", "perf", bundle, "--json", f"--loops={loops}", *options))
        return printed["end_to_end_ms"]["median"]


def compare(tools, one, mesh, rounds, loops):
    """The times of both in each round."""
    turns = [(one[0], one[1]), (mesh, ["--processes=2", "--cores=1", "--bind=cores"])]
    pairs = []
    for index in range(rounds):
        times = [0.0, 0.0]
        for turn in (0, 1) if index % 2 == 0 else (1, 0):
            times[turn] = tools.measure(turns[turn][0], loops, *turns[turn][1])
        pairs.append(times)
    return pairs


def report(name, what, pairs, ratios):
    ones, meshes = zip(*pairs)
    print(f"{name}: one device {statistics.median(ones):.2f} ms ({min(ones):.2f} to {max(ones):.2f}), two processes "
          f"{statistics.median(meshes):.2f} ms ({min(meshes):.2f} to {max(meshes):.2f}); {what} "
          f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--tensor", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--data", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--loops", type=int, default=20, help="inferences of a turn")
    given = parser.parse_args()
    if not given.tensor and not given.data:
        parser.error("expected --tensor or --data")
    print("\n".join(machine_facts(given.build)), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(given.build.resolve(), pathlib.Path(folder))
        for model in given.tensor:
            one = tools.compile(model, "one")
            mesh = tools.compile(model, "mesh", "--mesh=2", "--parallel=tensor")
            pairs = compare(tools, (one, ["--cores=2"]), mesh, given.rounds, given.loops)
            report(model.stem, "time, of one device's:", pairs, [mesh / one for one, mesh in pairs])
        for model in given.data:
            one = tools.compile(model, "one")
            mesh = tools.compile(with_batch(model, 2, tools.folder), "mesh", "--mesh=2", "--parallel=data")
            pairs = compare(tools, (one, ["--cores=1"]), mesh, given.rounds, given.loops)
            report(model.stem, "throughput, of one device's:", pairs, [2 * one / mesh for one, mesh in pairs])


if __name__ == "__main__":
    main()
