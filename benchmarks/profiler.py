#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure what recording costs, or with --check, whether recordings say the truth.

Each round runs a bundle plainly and while it is recorded, in turns; the ratio of the medians is taken
within each round, and the median over the rounds is printed. With --before, the plain run of another
build's ttrun (one without a profiler, or an older one) takes part: what the profiler costs that is off.
With --counters, a run that is recorded with these counters takes part.

--check compares two numbers in each round: the device time of an iteration that a plain run measures, and
the sum of its kernels' times that a recording has. They may differ by 2 %. It also adds up what the
recording says that the time was spent on: the parts make the whole to the nanosecond, and all of them but
the application's make the runs from end to end, within the error of the clocks (and with several cores,
0.5 %: one may leave a stream after the run has returned). The exit status is 1 if
one of these does not hold. Small models have larger gaps between their kernels; take one of milliseconds.

  benchmarks/profiler.py digits.ttcb resnet50.ttcb
  benchmarks/profiler.py --check --cores=2 resnet50.ttcb
"""
import argparse
import csv
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


def kernel_ms(folder, warmup):
    """The sum of kernel times of each execution; the median over those after the warm-up."""
    sums = {}
    [table] = folder.glob("ops_perf_results_*.csv")
    for row in csv.DictReader(table.open()):
        if row["OP TYPE"] == "device":
            execution = int(row["METAL TRACE REPLAY SESSION ID"])
            sums[execution] = sums.get(execution, 0) + float(row["DEVICE KERNEL DURATION [ns]"])
    return statistics.median(value for execution, value in sums.items() if execution > warmup) * 1e-6


def parts(folder):
    """The recorded span, what of it is not accounted for, and the same of the runs; milliseconds."""
    report = json.loads((folder / "report.json").read_text())
    [device] = report["devices"]
    runs = sum(event["dur"] for event in json.loads((folder / "timeline.json").read_text())["traceEvents"]
               if event.get("cat") == "call" and event["name"] == "run") * 1e-3
    uses = device["uses_ms"]
    inside = sum(uses.values()) - uses["application"]
    error = 2e-6 * report["clock"]["residual_max_ns"] * report["run_ms"]["count"]
    return device["span_ms"], sum(uses.values()) - device["span_ms"], runs, inside - runs, error


def check(ttrun, bundle, cores, loops, rounds):
    """One line, and whether it is as it must be."""
    warmup = 10
    command = [ttrun, "perf", bundle, "--json", f"--cores={len(cores)}", f"--loops={loops}", f"--warmup={warmup}"]
    run = lambda *more: json.loads(subprocess.run([*map(str, command), *more], check=True, capture_output=True,
                                                  text=True, preexec_fn=common.pinned(cores)).stdout)
    plain, ratios, good = [], [], True
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            plain.append(run()["device_ms"]["median"])
            run(f"--profile={folder}/profile", "--profile-programs=1000000")
            [recording] = (pathlib.Path(folder) / "profile").iterdir()
            ratios.append(kernel_ms(recording, warmup) / plain[-1])
            span, missing, runs, missing_in_runs, error = parts(recording)
            # JSON has nine digits. A core may leave a stream after the run has returned, if there are several.
            late = 5e-3 * span if len(cores) > 1 else 0
            good = good and abs(missing) <= 1e-8 * span and -error <= missing_in_runs + 1e-8 * span <= error + late + 2e-8 * span
    ratio = statistics.median(ratios)
    good = good and abs(ratio - 1) <= 0.02
    print(f"{bundle.stem:<20} {len(cores):>5} {statistics.median(plain):>10.4f} {statistics.median(plain) * ratio:>11.4f} "
          f"{100 * (ratio - 1):>+7.2f} % {span:>11.3f} {missing * 1e6:>+9.0f} {runs:>11.3f} {missing_in_runs * 1e6:>+9.0f}"
          f"  {'ok' if good else 'WRONG'}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundles", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    parser.add_argument("--before", type=pathlib.Path, help="another ttrun, which runs plainly")
    parser.add_argument("--counters", metavar="LIST", help="also record with --profile-counters=LIST")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run")
    parser.add_argument("--check", action="store_true", help="compare what recordings say with plain runs")
    parser.add_argument("--loops", type=int, default=100, help="iterations in each run of --check")
    arguments = parser.parse_args()
    cores = common.cores_to_use(arguments.cores)
    print("\n".join(common.machine_facts(arguments.build)))
    ttrun = arguments.build / "bin/ttrun"
    if arguments.check:
        print(f"{'':<26} {'plain':>10} {'recorded':>11} {'':>9} {'recorded':>11} {'parts':>9} {'its runs':>11} {'parts':>9}\n"
              f"{'bundle':<20} {'cores':>5} {'device ms':>10} {'kernels ms':>11} {'':>9} {'ms':>11} {'- all ns':>9} {'ms':>11} {'- all ns':>9}")
        return 0 if all([check(ttrun, bundle, cores, arguments.loops, arguments.rounds) for bundle in arguments.bundles]) else 1
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
    sys.exit(main())
