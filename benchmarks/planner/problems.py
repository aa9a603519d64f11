#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plan hard problems and large ones: arena size, lower bound, nodes searched and time of each.

  benchmarks/planner/problems.py [PROBLEM.csv ...]

Without arguments: minimalloc's public problems (../shared/data/minimalloc; CAPACITY is the second part
of their names) and networks of 20,000 buffers from generate.py. Every plan is checked by
ttc-plan-check.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import generate

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--buffers", type=int, default=20000)
    args = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        problems = args.problems
        if not problems:
            problems = sorted((args.shared / "data/minimalloc").glob("[A-Z].*.csv"))
            if not problems:
                print(f"SKIPPED minimalloc's problems: none at {args.shared}/data/minimalloc")
            for seed in range(3):
                path = folder / f"network{seed}.csv"
                rows = "".join(",".join(map(str, row)) + "\n"
                               for row in generate.generate(args.buffers, seed))
                path.write_text("id,lower,upper,size\n" + rows)
                problems.append(path)
        print(f"{'problem':<24}{'buffers':>8}{'arena':>12}{'bound':>12}{'ratio':>8}{'nodes':>10}"
              f"{'seconds':>9}")
        for problem in problems:
            plan = folder / "plan.csv"
            capacity = re.search(r"\.(\d+)\.csv$", problem.name)
            command = [args.build / "bin/ttc-plan", problem, "-o", plan, f"--timeout={args.timeout}"]
            if capacity:
                command.append(f"--capacity={capacity.group(1)}")
            done = subprocess.run(command, capture_output=True, text=True)
            facts = re.search(r"buffers (\d+), arena size (\d+), lower bound (\d+), nodes (\d+), (\S+) s",
                              done.stderr)
            if not facts:
                sys.exit(f"{problem}: {done.stderr}")
            buffers, arena, bound, nodes, seconds = facts.groups()
            check = subprocess.run([args.build / "bin/ttc-plan-check", plan, f"--problem={problem}"],
                                   capture_output=True, text=True)
            verdict = "" if done.returncode == 0 else "  above the capacity"
            verdict += "" if check.returncode == 0 else "  WRONG: " + check.stderr
            bad += bool(verdict)
            print(f"{problem.stem:<24}{buffers:>8}{arena:>12}{bound:>12}"
                  f"{int(arena) / max(1, int(bound)):>8.4f}{nodes:>10}{float(seconds):>9.2f}{verdict}",
                  flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
