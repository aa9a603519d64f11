#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How compiling and loading grow with each count that a model can have.

Each case is a small model with one count that grows: nodes, readers of one tensor, parts of a Concat,
inputs, outputs, constants, states, steps of an LSTM, entry points, devices. Per size: seconds and memory
of ttc-translate, milliseconds of opening the bundle, and of proving all its schedules (`ttrun check`), each
the fastest of several times. The exponent is the slope between the two largest sizes, after the time of
the smallest possible model was subtracted: 1 is linear growth, 2 quadratic. It is left out where that
leaves too little to tell. The exit status is 1 if an exponent is above --most. Other work on the machine
disturbs the figures. A mesh needs libttrt_mesh.
"""
import argparse
import ctypes
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import common

RANDOM = np.random.default_rng(0)
TIMES = 3  # that each size is compiled and checked


def tensor(name, *shape):
    return numpy_helper.from_array((RANDOM.standard_normal(shape) / 4).astype(np.float32), name)


def info(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs, output if isinstance(output, list) else [output], **attributes)


def model(nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "scaling", inputs, outputs, list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def nodes(count):
    """a chain of products with weights of their own"""
    return model([node("MatMul", [f"x{i}", f"w{i}"], f"x{i + 1}") for i in range(count)],
                 [info("x0", 8, 8)], [info(f"x{count}", 8, 8)],
                 [tensor(f"w{i}", 8, 8) for i in range(count)])


def readers(count):
    """products that all read one tensor, then a Sum"""
    return model([node("MatMul", ["x", f"w{i}"], f"y{i}") for i in range(count)] +
                 [node("Sum", [f"y{i}" for i in range(count)], "y")],
                 [info("x", 8, 8)], [info("y", 8, 8)], [tensor(f"w{i}", 8, 8) for i in range(count)])


def parts(count):
    """products whose results are parts of one Concat"""
    return model([node("MatMul", ["x", f"w{i}"], f"y{i}") for i in range(count)] +
                 [node("Concat", [f"y{i}" for i in range(count)], "y", axis=1)],
                 [info("x", 8, 8)], [info("y", 8, 8 * count)],
                 [tensor(f"w{i}", 8, 8) for i in range(count)])


def concat(count):
    """inputs that one Concat joins"""
    return model([node("Concat", [f"x{i}" for i in range(count)], "y", axis=1)],
                 [info(f"x{i}", 2, 3) for i in range(count)], [info("y", 2, 3 * count)])


def inputs(count):
    """a Sum of inputs"""
    return model([node("Sum", [f"x{i}" for i in range(count)], "y")],
                 [info(f"x{i}", 8, 8) for i in range(count)], [info("y", 8, 8)])


def outputs(count):
    """products that all are outputs"""
    return model([node("MatMul", ["x", f"w{i}"], f"y{i}") for i in range(count)], [info("x", 8, 8)],
                 [info(f"y{i}", 8, 8) for i in range(count)],
                 [tensor(f"w{i}", 8, 8) for i in range(count)])


def constants(count):
    """a chain of additions of constants, each of another shape"""
    return model([node("Add", [f"x{i}", f"c{i}"], f"x{i + 1}") for i in range(count)], [info("x0", 8, 8)],
                 [info(f"x{count}", 8, 8)],
                 [tensor(f"c{i}", *([8, 8], [8], [1], [8, 1])[i % 4]) for i in range(count)])


def states(count):
    """running sums that stay on the device"""
    return model([node("Add", [f"old_{i}", "x"], f"new_{i}") for i in range(count)] +
                 [node("Sum", [f"new_{i}" for i in range(count)], "y")],
                 [info("x", 8)] + [info(f"old_{i}", 8) for i in range(count)],
                 [info("y", 8)] + [info(f"new_{i}", 8) for i in range(count)])


def steps(count):
    """the steps of an LSTM"""
    return model([node("LSTM", ["x", "w", "r", "b"], ["y", "h"], hidden_size=16)],
                 [info("x", count, 1, 8)], [info("y", count, 1, 1, 16), info("h", 1, 1, 16)],
                 [tensor("w", 1, 64, 8), tensor("r", 1, 64, 16), tensor("b", 1, 128)])


def devices(count):
    """two products whose weights are divided over devices, which add their parts"""
    return model([node("MatMul", ["x", "v"], "h"), node("MatMul", ["h", "w"], "y")],
                 [info("x", 8, 256)], [info("y", 8, 256)],
                 [tensor("v", 256, 256), tensor("w", 256, 256)])


# Per count: the model, the sizes, further options, and how many copies of the model there are.
CASES = {
    "nodes": (nodes, (1000, 4000, 16000), None, None),
    "readers": (readers, (500, 1000, 2000), None, None),
    "parts": (parts, (500, 1000, 2000), None, None),
    "concat": (concat, (1000, 2000, 4000), None, None),
    "inputs": (inputs, (1000, 2000, 4000), None, None),
    "outputs": (outputs, (1000, 2000, 4000), None, None),
    "constants": (constants, (500, 1000, 2000), None, None),
    "states": (states, (500, 1000, 2000), lambda count: ["--state=old_*=new_*"], None),
    "steps": (steps, (400, 800, 1600), None, None),
    "entries": (lambda count: nodes(2), (250, 1000, 4000),
                lambda count: ["--entry=" + ",".join(f"e{i}" for i in range(count))], lambda count: count),
    "devices": (devices, (16, 32, 64), lambda count: [f"--mesh={count}", "--parallel=tensor"], None),
}


class Loader:
    """Opens bundles in this process."""

    class Error(ctypes.Structure):
        _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 4096)]

    def __init__(self, build):
        self.library = ctypes.CDLL(str(build / "lib/libttrt.so"))

    def milliseconds(self, path, times=10):
        fastest = math.inf
        for _ in range(times):
            bundle, error = ctypes.c_void_p(), Loader.Error()
            started = time.perf_counter()
            if self.library.ttrt_bundle_open(str(path).encode(), 0, ctypes.byref(bundle),
                                             ctypes.byref(error)):
                raise SystemExit(f"{path}: {error.message.decode()}")
            fastest = min(fastest, time.perf_counter() - started)
            self.library.ttrt_bundle_close(bundle)
        return fastest * 1e3


def measure(build, loader, case, count, folder):
    """{"compile": seconds, "memory": MiB, "load": ms, "prove": ms}"""
    make, _, options, copies = CASES[case]
    path, bundle = folder / "model.onnx", folder / "model.ttcb"
    onnx.save(make(count), path)
    command = [build / "bin/ttc-translate", "--onnx-to-bundle", *[path] * (copies(count) if copies else 1),
               *(options(count) if options else []), "-o", bundle]
    seconds, proof = math.inf, math.inf
    for _ in range(TIMES):
        started = time.perf_counter()
        compiler = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        message = compiler.stderr.read()
        _, status, used = os.wait4(compiler.pid, 0)
        seconds = min(seconds, time.perf_counter() - started)
        if status:
            raise SystemExit(f"{case} {count}: {message.strip()[:500]}")
        checked = json.loads(
            subprocess.run([build / "bin/ttrun", "check", "--json", bundle], text=True, capture_output=True,
                           check=True).stdout)["bundles"][0]["proof"]
        proof = min(proof, checked["ms"])
    return {"compile": seconds, "memory": used.ru_maxrss / 1024, "load": loader.milliseconds(bundle),
            "prove": proof, "commands": checked["commands"]}


def exponent(sizes, times, floor):
    """Of the growth between the two largest sizes; None if the times are too short."""
    (a, b), (s, t) = sizes[-2:], (value - floor for value in times[-2:])
    return math.log(t / s) / math.log(b / a) if s > floor / 2 else None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], help="counts (default: all)")
    parser.add_argument("--sizes", help="instead of those of the case, such as 1000,4000,16000")
    parser.add_argument("--most", type=float, default=1.2, help="the largest exponent that is good")
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    arguments = parser.parse_args()
    loader = Loader(arguments.build)
    print(*common.machine_facts(arguments.build), sep="\n")
    bad = []
    with tempfile.TemporaryDirectory(prefix="ttc-benchmark-") as name:
        folder = pathlib.Path(name)
        floor = measure(arguments.build, loader, "nodes", 1, folder)
        print("\n| count | size | compile, s | MiB | load, ms | proof of all schedules, ms | commands |")
        print("|---|---|---|---|---|---|---|")
        for case in arguments.cases or CASES:
            sizes = [int(size) for size in arguments.sizes.split(",")] if arguments.sizes else \
                CASES[case][1]
            rows = []
            for size in sizes:
                row = measure(arguments.build, loader, case, size, folder)
                rows.append(row)
                print(f"| {case} | {size} | {row['compile']:.2f} | {row['memory']:.0f} | {row['load']:.2f} | "
                      f"{row['prove']:.2f} | {row['commands']} |", flush=True)
            found = {what: exponent(sizes, [row[what] for row in rows], floor[what])
                     for what in ("compile", "load", "prove")}
            text = {what: "" if value is None else f"{value:.2f}" for what, value in found.items()}
            print(f"| {case} | exponent | {text['compile']} | | {text['load']} | {text['prove']} | |",
                  flush=True)
            bad += [f"{case}: {what} {value:.2f}" for what, value in found.items()
                    if value is not None and value > arguments.most]
    if bad:
        print("\nabove " + str(arguments.most) + ": " + "; ".join(bad))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
