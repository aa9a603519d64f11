#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole calls from Python of functions of JAX: jax.jit against ttc.compile, alternating, on one core each. The functions
are those of test/python/jax/reported.py, first three with the structure of what users of JAX complain about:
frames_of_35_joints (jax-ml/jax#26021), scan_of_f64_3x3 (36799) and scan_of_60_numbers (40150).

Each row: the medians of both in microseconds, and how often as fast ttc is. A function that ttc refuses, or whose
results differ, is named with the reason. Needs a Python with jax (scripts/test-jax.sh makes one), and ttc and ttrt in
PYTHONPATH. Pin it to a core: taskset -c 1.

usage: jax_functions.py [--rounds=N] [NAME...]"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPLAINTS = ("frames_of_35_joints", "scan_of_f64_3x3", "scan_of_60_numbers")
SECONDS = 0.02  # of each measurement


def measure(name, rounds):
    """Prints a line of JSON about one function."""
    sys.path[:0] = [str(ROOT / "test/python/jax")]
    from reported import FUNCTIONS
    import jax
    import numpy as np
    import ttc
    from compare import difference

    warnings.simplefilter("ignore", ttc.CompileWarning)
    its = FUNCTIONS[name]
    args = its.args()
    rest = args[len(its.constants) :]
    begun = time.perf_counter()
    try:
        ours = ttc.compile(its.function, args, cores=1, constants=its.constants)
    except ttc.CompileError as error:
        print(json.dumps({"refused": str(error).strip().splitlines()[0]}))
        return
    compiled = time.perf_counter() - begun
    theirs = jax.jit(its.function).lower(*args).compile()
    ours_args, theirs_args = jax.tree.map(jax.numpy.asarray, (rest, args))
    want = jax.tree.leaves(jax.tree.map(np.asarray, theirs(*theirs_args)))
    got = jax.tree.leaves(jax.tree.map(np.asarray, ours(*ours_args)))
    off = max((float(difference(a, b, of_largest=True)) for a, b in zip(got, want)), default=0.0)

    def one(call, arguments, calls):
        time.sleep(0.01)  # threads of the other one may still spin
        jax.block_until_ready(call(*arguments))
        start = time.perf_counter()
        for _ in range(calls):
            result = call(*arguments)
        jax.block_until_ready(result)
        return (time.perf_counter() - start) / calls * 1e6

    calls = [max(1, int(SECONDS * 1e6 / one(call, arguments, 3))) for call, arguments in ((ours, ours_args), (theirs, theirs_args))]
    times = [[], []]
    for _ in range(rounds):
        times[0].append(one(ours, ours_args, calls[0]))
        times[1].append(one(theirs, theirs_args, calls[1]))
    ratio = statistics.median(b / a for a, b in zip(*times))
    print(json.dumps({"ttc": statistics.median(times[0]), "jax": statistics.median(times[1]), "ratio": ratio, "off": off,
                      "compile": compiled}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, default=300, help="seconds for a function, compilation included")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure, options.rounds)
    sys.path[:0] = [str(ROOT / "test/python/jax")]
    from reported import FUNCTIONS
    import jax

    print(f"jax {jax.__version__}")
    print("| function | jax.jit, µs | ttc, µs | times as fast | difference | compiled in s |\n|---|---|---|---|---|---|")
    ratios = []
    for name in options.names or [*COMPLAINTS, *(name for name in FUNCTIONS if name not in COMPLAINTS)]:
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1" if FUNCTIONS[name].x64 else "0"}
        command = [sys.executable, __file__, f"--measure={name}", f"--rounds={options.rounds}"]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=options.limit)
        except subprocess.TimeoutExpired:
            print(f"| {name} | not done in {options.limit} s | | | | |", flush=True)
            continue
        if done.returncode:
            print(f"| {name} | failed: {done.stderr.strip().splitlines()[-1][:150]} | | | | |", flush=True)
            continue
        row = json.loads(done.stdout.strip().splitlines()[-1])
        if "refused" in row:
            print(f"| {name} | refused: {row['refused'][:150]} | | | | |", flush=True)
            continue
        ratios.append(row["ratio"])
        print(f"| {name} | {row['jax']:.1f} | {row['ttc']:.1f} | **{row['ratio']:.2f}** | {row['off']:.1e} | {row['compile']:.1f} |", flush=True)
    if ratios:
        print(f"\n{len(ratios)} functions, geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
