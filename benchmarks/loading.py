#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loading and verifying a bundle against creating a session in ONNX Runtime.

Both alternate, each time in a new process on the same core; medians. A model is an .onnx file, or a case
of scaling.py with a size, such as steps:1600.
"""
import argparse
import pathlib
import sys
import tempfile

import numpy as np
import onnx

import common
import models
import scaling


def measure(ttc, bundle, model, inputs, rounds):
    """Median milliseconds of ttc, and of ONNX Runtime with the .npz file of the model's inputs."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(ttc.perf(bundle, 1)["load_ms"])
        peer = common.Peer("onnxruntime", model, ttc.cores, inputs)
        theirs.append(peer.ready_ms())
        peer.close()
    return common.median(ours), common.median(theirs)


def prepare_and_measure(name, build, rounds, folder):
    path, bundle, inputs = folder / "model.onnx", folder / "model.ttcb", folder / "inputs.npz"
    case, _, size = name.partition(":")
    onnx.save(scaling.CASES[case][0](int(size)) if size else onnx.load(name), path)
    np.savez(inputs, **models.random_inputs(path))
    ttc = common.Ttc(build, common.cores_to_use(1))
    ttc.compile(path, bundle, common.cores_to_use(2))
    return measure(ttc, bundle, path, inputs, rounds)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    arguments = parser.parse_args()
    print(*common.machine_facts(arguments.build), sep="\n")
    print("\n| model | ttc, ms | ONNX Runtime, ms | share |")
    print("|---|---|---|---|")
    shares = []
    for name in arguments.models:
        with tempfile.TemporaryDirectory(prefix="ttc-benchmark-") as folder:
            try:
                ours, theirs = prepare_and_measure(name, arguments.build, arguments.rounds, pathlib.Path(folder))
            except RuntimeError as error:
                print(f"SKIPPED {name}: {str(error)[-300:]}")
                continue
        shares.append(ours / theirs)
        print(f"| {pathlib.Path(name).stem} | {ours:.2f} | {theirs:.2f} | {shares[-1]:.1%} |", flush=True)
    if shares:
        print(f"\n{len(shares)} models: {min(shares):.1%} to {max(shares):.1%}, "
              f"median {common.median(shares):.1%}")
    return not shares


if __name__ == "__main__":
    sys.exit(main())
