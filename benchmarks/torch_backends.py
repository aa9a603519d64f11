#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure torch.compile(): the backends ttc, inductor and openvino, and PyTorch without any, alternately.

Each backend has a process of its own on the same cores, as in models.py. A round gives each its turn, in
rotating order; ratios are taken within each round and the median over the rounds is printed. "x" is the
backend's time over ttc's: above 1, ttc is faster. "error" is the largest difference from PyTorch's outputs
without a backend, relative to the largest output.

Needs a Python with torch, torchvision and transformers (scripts/test-torch.sh makes one), for inductor a C++
compiler, for openvino the package openvino. Backends that fail are named and left out. Compiling takes longer
than measuring: ttc and inductor keep what they compile, so --compile-only prepares a run that only measures.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import common
import torch_models

BACKENDS = ["ttc", "eager", "inductor", "openvino"]


class Worker:
    """A backend with a model in a process of its own (torch_worker.py), asked over pipes."""

    def __init__(self, backend, model, cores, log):
        self.name = backend
        self.process = subprocess.Popen(
            [sys.executable, str(common.HERE / "torch_worker.py"), backend, model, str(len(cores))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
            preexec_fn=common.pinned(cores))
        self.facts = None

    def wait(self):
        """The facts; None if the process ended."""
        if self.facts is None:
            self.facts = self._answer()
        return self.facts

    def _answer(self):
        for line in self.process.stdout:
            if line.startswith("{"):  # the backends print, too
                return json.loads(line)
        self.process.wait()
        return None

    def ask(self, **question):
        print(json.dumps(question), file=self.process.stdin, flush=True)
        return self._answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def workers(name, backends, cores, log):
    """Those that work, started one after the other: each may compile."""
    started = []
    for backend in backends:
        worker = Worker(backend, name, cores, log)
        if worker.wait() is None:
            log.seek(0)
            last = (log.read().strip() or "no message").splitlines()[-1]
            print(f"  {backend} failed with {name}: {last[:150]}", flush=True)
        else:
            started.append(worker)
    return started


def error_of(worker, reference, folder):
    import numpy as np

    worst = 0.0
    for ours, theirs in zip(worker.ask(save=folder)["files"], reference.ask(save=folder)["files"], strict=True):
        a, b = np.load(ours).astype(np.float64), np.load(theirs).astype(np.float64)
        worst = max(worst, float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)))
    return worst


def measure(name, options, cores):
    with tempfile.TemporaryFile("w+") as log, tempfile.TemporaryDirectory() as folder:
        running = workers(name, options.backends, cores, log)
        by_name = {worker.name: worker for worker in running}
        try:
            facts = {worker.name: worker.facts for worker in running}
            if options.compile_only or "ttc" not in by_name:
                return {"facts": facts}
            reference = by_name.get("eager")
            errors = {w.name: error_of(w, reference, folder) for w in running if reference and w is not reference}
            rounds = {worker.name: [] for worker in running}
            # As many calls as ttc makes in its share of a round, at least three.
            one = statistics.median(by_name["ttc"].ask(loops=5)["ms"])
            loops = max(3, int(options.seconds * 1e3 / options.rounds / len(running) / one))
            for index in range(options.rounds):
                for worker in running[index % len(running):] + running[:index % len(running)]:
                    # A slower backend makes fewer calls in the same time.
                    last = rounds[worker.name][-1] if rounds[worker.name] else one
                    calls = max(3, min(loops, int(loops * one / last)))
                    rounds[worker.name].append(statistics.median(worker.ask(loops=calls)["ms"]))
            return {"facts": facts, "rounds": rounds, "errors": errors}
        finally:
            for worker in running:
                worker.close()


def ratio(rounds, backend):
    return statistics.median(theirs / ours for theirs, ours in zip(rounds[backend], rounds["ttc"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(torch_models.MODELS))
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="threads, and cores (default: 1)")
    parser.add_argument("--backends", nargs="+", default=BACKENDS, help="also freezing: inductor with frozen weights")
    parser.add_argument("--seconds", type=float, default=4, help="for each model, all backends together (default: 4)")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each backend (default: 6)")
    parser.add_argument("--compile-only", action="store_true", help="fill the backends' caches, measure nothing")
    parser.add_argument("--json", type=pathlib.Path, help="add the results to this file, and print the table of all in it")
    options = parser.parse_args()
    names = options.models or torch_models.TABLE
    if unknown := [n for n in names if n not in torch_models.MODELS]:
        parser.error(f"expected models of {', '.join(torch_models.MODELS)}; found {', '.join(unknown)}")
    if "ttc" not in options.backends:
        parser.error("--backends: ttc is what the others are compared with")
    results = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    for threads in options.threads:
        cores = common.cores_to_use(threads)
        for name in names:
            found = measure(name, options, cores)
            facts = found["facts"]
            firsts = ", ".join(f"{b} {f['first_s']:.1f} s" for b, f in facts.items())
            print(f"{name}, {threads} thread{'s' if threads > 1 else ''}: first call {firsts}", flush=True)
            for reason in facts.get("ttc", {}).get("not_taken", []):
                print(f"  ttc did not take {reason}")
            if "rounds" in found:
                results[f"{name}/{threads}"] = found
                if options.json:
                    options.json.write_text(json.dumps(results))
    if not options.compile_only:
        table(results, options.backends)


def table(results, backends):
    for threads in sorted({int(key.split("/")[1]) for key in results}):
        shown = {k.split("/")[0]: v for k, v in results.items() if k.endswith(f"/{threads}")}
        others = [b for b in backends if b != "ttc" and any(b in v["rounds"] for v in shown.values())]
        print(f"\n{threads} thread{'s' if threads > 1 else ''}; PyTorch {common.version('torch')}")
        print("| model | ttc ms | " + " | ".join(f"{b} x" for b in others) + " | error |")
        print("|---|---|" + "---|" * (len(others) + 1))
        ratios = {b: [] for b in others}
        for name, found in shown.items():
            row = []
            for backend in others:
                if backend in found["rounds"]:
                    ratios[backend].append(ratio(found["rounds"], backend))
                    row.append(f"{ratios[backend][-1]:.2f}")
                else:
                    row.append("-")
            ours = statistics.median(found["rounds"]["ttc"])
            print(f"| {name} | {ours:.2f} | {' | '.join(row)} | {found['errors'].get('ttc', float('nan')):.0e} |")
        means = [f"*{statistics.geometric_mean(ratios[b]):.2f}*" for b in others]
        print(f"| *geometric mean of {len(shown)}* | | {' | '.join(means)} | |")


if __name__ == "__main__":
    main()
