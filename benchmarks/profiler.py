#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure what recording costs: bundles run plain and with --profile, alternately.

Each round runs a bundle plainly and while it is recorded, in turns; the ratio of the medians is taken
within each round, and the median over the rounds is printed. With --before, the plain run of another
build's ttrun (one without a profiler, or an older one) takes part: what the profiler costs that is off.
With --counters, a run that is recorded with these counters takes part.

  benchmarks/profiler.py digits.ttcb resnet50.ttcb
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import common


def median_ms(ttrun, bundle, cores, loops, folder=None, counters=None):
    command = [ttrun, "perf", bundle, "--json", f"--cores={len(cores)}", f"--loops={loops}"]
    if folder:
        command += [f"--profile={folder}", "--profile-programs=1000000"]
    if counters:
        command.append(f"--profile-counters={counters}")
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=common.pinned(cores))
    if done.returncode:
        sys.exit(done.stderr)
    if folder:
        shutil.rmtree(folder)
    return json.loads(done.stdout)["device_ms"]["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundles", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    parser.add_argument("--before", type=pathlib.Path, help="another ttrun, which runs plainly")
    parser.add_argument("--counters", metavar="LIST", help="also record with --profile-counters=LIST")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run")
    arguments = parser.parse_args()
    cores = common.cores_to_use(arguments.cores)
    print("\n".join(common.machine_facts(arguments.build)))
    ttrun = arguments.build / "bin/ttrun"
    print(f"{'bundle':<24} {'median ms':>10} {'recorded/plain':>15} {'counted/plain':>14} {'plain/before':>13}")
    for bundle in arguments.bundles:
        once = median_ms(ttrun, bundle, cores, 10)
        loops = max(10, int(arguments.seconds * 1e3 / once))
        plain, recorded, counted, off = [], [], [], []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(arguments.rounds):
                if arguments.before:
                    before = median_ms(arguments.before, bundle, cores, loops)
                plain.append(median_ms(ttrun, bundle, cores, loops))
                recorded.append(median_ms(ttrun, bundle, cores, loops, f"{folder}/profile") / plain[-1])
                if arguments.counters:
                    counted.append(median_ms(ttrun, bundle, cores, loops, f"{folder}/profile", arguments.counters) / plain[-1])
                if arguments.before:
                    off.append(plain[-1] / before)
        print(f"{bundle.stem:<24} {statistics.median(plain):>10.4f} {statistics.median(recorded):>15.4f} "
              f"{f'{statistics.median(counted):.4f}' if counted else '-':>14} "
              f"{f'{statistics.median(off):.4f}' if off else '-':>13}")


if __name__ == "__main__":
    main()
