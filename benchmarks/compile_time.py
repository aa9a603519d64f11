#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How compile time, memory and the proof grow with the model: chains of 8x8 matrix products.

Each node has weights of its own. Per length: seconds and memory of ttc-translate, and the time that
`ttrun check` takes for the proof, per command of the bundle: schedules have streams of their own.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import common


def chain(length, path):
    random = np.random.default_rng(0)
    weights = [numpy_helper.from_array((random.standard_normal((8, 8)) / 3).astype(np.float32),
                                       f"w{i}") for i in range(length)]
    nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"x{i + 1}"], name=f"MatMul_{i}")
             for i in range(length)]
    square = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [8, 8])
              for name in ("x0", f"x{length}")]
    graph = helper.make_graph(nodes, "chain", square[:1], square[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def measure(build, length, folder):
    """(seconds, MiB, commands, milliseconds of the proof)"""
    model, bundle = folder / f"{length}.onnx", folder / f"{length}.ttcb"
    chain(length, model)
    started = time.perf_counter()
    compiler = subprocess.Popen([build / "bin/ttc-translate", "--onnx-to-bundle", model, "-o", bundle])
    _, status, used = os.wait4(compiler.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit(f"ttc-translate failed for {length} nodes")
    checked = subprocess.run([build / "bin/ttrun", "check", bundle], capture_output=True, text=True,
                             check=True).stdout
    found = re.search(r"(\d+) commands;.*?([\d.]+) ms$", checked, re.DOTALL | re.MULTILINE)
    return seconds, used.ru_maxrss / 1024, int(found[1]), float(found[2])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lengths", type=int, nargs="*", default=[1000, 4000, 16000, 100000])
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    arguments = parser.parse_args()
    print(*common.machine_facts(arguments.build), sep="\n")
    print("\n| nodes | compile, s | ms a node | MiB | commands | proof, ms | us a command |")
    print("|---|---|---|---|---|---|---|")
    for length in arguments.lengths:
        with tempfile.TemporaryDirectory(prefix="ttc-benchmark-") as folder:
            seconds, memory, commands, proof = measure(arguments.build, length, pathlib.Path(folder))
        print(f"| {length} | {seconds:.2f} | {seconds / length * 1e3:.3f} | {memory:.0f} | {commands} | "
              f"{proof:.0f} | {proof / commands * 1e3:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
