# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queues, events and schedules: what they cost, and what they save. Tables on standard output, pictures
with --pictures FOLDER. See README.md beside `benchmarks/`.

A queue that computes and one that transfers need a CPU each. On a machine that does other work, `chrt -f 50 python
benchmarks/queues/queues.py` (as root) gives them that; without, ratios say more about the neighbours."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common  # noqa: E402
import models  # noqa: E402


def measure(args, *what):
    done = subprocess.run([args.build / "bin" / "ttrt-bench-queues", *what], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def schedules(args, title, *what):
    result = measure(args, "schedules", *what)
    print(f"\n{title}: {result['compute_us']:.0f} us of computing; microseconds per inference, and in "
          "parentheses the ratio to the ideal, median and best of seven rounds\n(single: the sum; overlap-input: max(write, compute + read); "
          "overlap-io: max(compute, write + read))\n")
    print("| compute / transfers | " + " | ".join(s["name"] for s in result["ratios"][0]["schedules"]) + " |")
    print("|---" * (1 + len(result["ratios"][0]["schedules"])) + "|")
    for row in result["ratios"]:
        cells = [f"{s['us']:.0f} ({s['to_ideal']:.2f}; {s['best_to_ideal']:.2f})" for s in row["schedules"]]
        print(f"| {row['ratio']:g} | " + " | ".join(cells) + " |")


def costs(args):
    result = measure(args, "costs")
    print("\nWhat the host pays for enqueueing (goal: below 200 ns), medians\n")
    print("| | queue is held up | queue works meanwhile |\n|---|---|---|")
    for name in ("record", "wait", "execute"):
        print(f"| {name} | {result['enqueue_ns_held'][name]:.0f} ns | {result['enqueue_ns_busy'][name]:.0f} ns |")
    print("\nFrom the last workgroup on queue 0 to a command of queue 1 that waits for it (goals: below 500 ns spinning, "
          "below 10 us parked),\nbeside what the machine itself takes from a store, or a futex's wake-up, in one thread "
          "until another one continues\n")
    print("| | p10 | median | p90 | machine: p10 | median | p90 |\n|---|---|---|---|---|---|---|")
    for name in ("spinning", "parked", "parked, no two waits alike"):
        kind = name.split(",")[0]
        ours = result[f"latency_ns_{kind}" + ("_irregular" if kind != name else "")]
        machine = result[f"machine_ns_{kind}"]
        print(f"| {name} | " + " | ".join(f"{r[p]:.0f} ns" for r in (ours, machine) for p in ("p10", "median", "p90")) + " |")
    both = result["two_traces_of_1000_us"]
    print(f"\nTwo traces of 1000 us each: {both['one_queue_us']:.0f} us on one queue, {both['two_queues_us']:.0f} us on "
          "two, whose cores are disjoint")


def traces(args):
    result = measure(args, "trace")
    print("\nWith and without the trace: microseconds per inference, and in parentheses the median gap between two commands. "
          "By the calling thread:\nthe trace replayed; each command dispatched and awaited. By a queue: the trace replayed; each "
          "command enqueued by the host.\nThe host is the limit where one of both takes 5 % longer without the trace.\n")
    print("| cores | commands | of | sum | replayed | awaited | by a queue: replayed | enqueued | the host is the limit |")
    print("|---" * 9 + "|")
    for c in result["cases"]:
        cells = " | ".join(f"{c[n + '_us']:.1f} ({c[n + '_gap_ns']:.0f} ns)"
                           for n in ("replayed", "awaited", "queue_replayed", "enqueued"))
        lost = max(c["awaited_us"] / c["replayed_us"], c["enqueued_us"] / c["queue_replayed_us"]) - 1
        print(f"| {c['cores']} | {c['commands']} | {c['command_us']:g} us | {c['commands'] * c['command_us']:.0f} | "
              f"{cells} | {f'yes, +{lost:.0%}' if lost > 0.05 else 'no'} |")


def compiled(args, name, folder):
    """A model with the compiler's own schedules; None with a message if it cannot be had."""
    path = models.model_file(name, args.models_folder, args.shared)
    if path is None:
        return None
    bundle = folder / f"{path.stem}.ttcb"
    command = [args.build / "bin/ttc-translate", "--onnx-to-bundle", "--queues=2", f"--slots={args.slots}", path, "-o", bundle]
    if not command[0].exists():
        print(f"SKIPPED {name}: {command[0]} is not built")
        return None
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"SKIPPED {name}: {done.stderr.strip()}")
        return None
    return bundle


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build",
                        help="folder of a release build with -DTTC_BUILD_BENCHMARKS=ON")
    parser.add_argument("--bundle", type=pathlib.Path, action="append", default=[],
                        help="also measure every schedule of this bundle")
    parser.add_argument("--model", action="append", default=[],
                        help="a name of a model in models.py, or an ONNX file: compiled for two queues and measured "
                        "(default: squeezenet; none: only the synthetic model)")
    parser.add_argument("--slots", type=int, default=1, help="slots of the models' inputs and outputs")
    parser.add_argument("--models-folder", type=pathlib.Path, default=common.ROOT / "build/models")
    parser.add_argument("--shared", type=pathlib.Path, default=common.ROOT.parent / "shared")
    parser.add_argument("--pictures", type=pathlib.Path, help="draw timelines into this folder")
    parser.add_argument("--only", choices=("schedules", "models", "costs", "traces", "pictures"))
    args = parser.parse_args()
    print("\n".join(common.machine_facts(args.build)))
    if args.only in (None, "schedules"):
        schedules(args, "Synthetic model, 10 commands of 100 us, 64 KiB in and out")
    if args.only in (None, "models"):
        with tempfile.TemporaryDirectory() as folder:
            bundles = args.bundle + [compiled(args, name, pathlib.Path(folder))
                                     for name in args.model or ["squeezenet"] if name != "none"]
            for bundle in filter(None, bundles):
                schedules(args, f"{bundle.stem}, {args.slots} slot(s)", str(bundle))
    if args.only in (None, "costs"):
        costs(args)
    if args.only in (None, "traces"):
        traces(args)
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
        measure(args, "timeline", str(args.pictures))


if __name__ == "__main__":
    main()
