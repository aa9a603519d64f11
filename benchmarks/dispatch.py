#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose time is mostly the cost of dispatching ops, end to end, on one core.

Each engine is called from C++ (dispatch_peer.cpp), in a process of its own: libttrt, ONNX Runtime
and OpenVINO through their C APIs, from the libraries of their wheels. libttrt copies input and
output in every call; the others read and write the caller's memory. A round gives each of them its
turn, in rotating order; ratios are taken within each round, and the median over the rounds is
printed. Where ttc is less than --goal times as fast as the faster one, the ops that take longest
are listed.

Weights are random, except for those of digits (examples/digits).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import common

LIBRARIES = {"onnxruntime": ("onnxruntime", "capi/libonnxruntime.so.*"),
             "openvino": ("openvino", "libs/libopenvino_c.so.*")}


class Graph:
    """Collects nodes, with weights scaled so that values neither grow nor vanish."""

    def __init__(self, shape, seed=0):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.weights, self.shape = [], [], shape

    def weight(self, *shape, fan_in):
        name = f"w{len(self.weights)}"
        value = self.rng.standard_normal(shape).astype(np.float32) / np.float32(np.sqrt(fan_in))
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def constant(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def op(self, kind, *inputs, results=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if results == 1 else names

    def gemm(self, x, width, results):
        return self.op("Gemm", x, self.weight(results, width, fan_in=width),
                       self.weight(results, fan_in=100), transB=1)

    def conv(self, x, channels, results, kernel, pads, strides=(1, 1), group=1):
        inputs = channels // group
        return self.op("Conv", x,
                       self.weight(results, inputs, *kernel, fan_in=inputs * kernel[0] * kernel[1]),
                       self.weight(results, fan_in=100), kernel_shape=kernel, pads=pads,
                       strides=strides, group=group)

    def save(self, result, results, path):
        self.nodes[-1].output[0] = "y"
        assert result == f"v{len(self.nodes) - 1}_0"
        info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
                for n, s in (("x", self.shape), ("y", results))]
        graph = helper.make_graph(self.nodes, path.stem, info[:1], info[1:], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, path)


def make_mlp(path):
    """64-64-64-10, batch 1."""
    graph = Graph([1, 64])
    x = graph.op("Relu", graph.gemm("x", 64, 64))
    x = graph.op("Relu", graph.gemm(x, 64, 64))
    graph.save(graph.gemm(x, 64, 10), [1, 10], path)


def make_gru(path, width=64, steps=16):
    """A GRU cell of 64 units, unrolled over 16 steps of 64 features, as PyTorch exports a loop."""
    graph = Graph([steps, width])
    parts = graph.op("Split", "x", graph.constant(np.ones(steps, np.int64)), results=steps, axis=0)
    one = graph.constant(np.float32(1))
    state = graph.constant(np.zeros((1, width), np.float32))
    weights = [(graph.weight(3 * width, width, fan_in=width), graph.weight(3 * width, fan_in=100))
               for _ in range(2)]
    for part in parts:
        gates = [graph.op("Split", graph.op("Gemm", value, *pair, transB=1), results=3, axis=1)
                 for value, pair in zip((part, state), weights)]
        (ri, zi, ni), (rh, zh, nh) = gates
        reset = graph.op("Sigmoid", graph.op("Add", ri, rh))
        update = graph.op("Sigmoid", graph.op("Add", zi, zh))
        new = graph.op("Tanh", graph.op("Add", ni, graph.op("Mul", reset, nh)))
        state = graph.op("Add", graph.op("Mul", graph.op("Sub", one, update), new),
                         graph.op("Mul", update, state))
    # The sum's operands were made in another order than it: it is the last node.
    graph.save(state, [1, width], path)


def make_ds_cnn(path, channels=64, blocks=4, classes=12):
    """Keyword spotting: DS-CNN of 64 channels on 49 frames of 10 coefficients."""
    graph = Graph([1, 1, 49, 10])
    x = graph.op("Relu", graph.conv("x", 1, channels, [10, 4], [4, 1, 5, 1], [2, 2]))
    for _ in range(blocks):
        x = graph.op("Relu", graph.conv(x, channels, channels, [3, 3], [1, 1, 1, 1],
                                        group=channels))
        x = graph.op("Relu", graph.conv(x, channels, channels, [1, 1], [0, 0, 0, 0]))
    x = graph.op("Flatten", graph.op("GlobalAveragePool", x))
    x = graph.op("Softmax", graph.gemm(x, channels, classes), axis=1)
    graph.save(x, [1, classes], path)


def copy_digits(path):
    """examples/digits, with a batch of 1."""
    onnx.save(onnx.load(common.ROOT / "examples/digits/digits.onnx"), path)


MODELS = {"mlp": make_mlp, "gru": make_gru, "digits": copy_digits, "ds_cnn": make_ds_cnn}


def library_of(name, build):
    """The path of an engine's library, or None if its package is not installed."""
    if name == "ttrt":
        return build / "lib/libttrt.so.0"
    package, pattern = LIBRARIES[name]
    if common.version(package) == "not installed":
        return None
    folder = pathlib.Path(next(iter(__import__(package).__path__)))
    return next(iter(sorted(folder.glob(pattern))), None)


def build_caller(build, folder):
    """Compiles dispatch_peer.cpp with the compiler of the build."""
    compiler = next((line.split("=")[1].strip() for line in open(build / "CMakeCache.txt")
                     if line.startswith("CMAKE_CXX_COMPILER:")), "c++")
    caller = folder / "dispatch_peer"
    subprocess.run([os.environ.get("CXX", compiler), "-std=c++20", "-O2",
                    f"-I{common.ROOT / 'runtime/include'}", common.HERE / "dispatch_peer.cpp",
                    "-o", caller, "-ldl"], check=True)
    return caller


class Caller:
    """An engine in a process of its own (dispatch_peer.cpp), asked over pipes."""

    def __init__(self, name, caller, library, model, values, shape, cores):
        self.name = name
        self.process = subprocess.Popen(
            [caller, name, library, model, values, "x".join(map(str, shape))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=common.pinned(cores))
        self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended: exit {self.process.wait()}")
        return line

    def _ask(self, question):
        print(question, file=self.process.stdin, flush=True)
        return self._answer()

    def times(self, samples, calls):
        """Nanoseconds of a call, of each sample."""
        return [float(word) for word in self._ask(f"run {samples} {calls}").split()]

    def output(self, path):
        self._ask(f"save {path}")
        return np.fromfile(path, np.float32)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(name, model, caller, arguments, scratch):
    cores = common.cores_to_use(1)
    ttc = common.Ttc(arguments.build, cores)
    bundle = scratch / f"{name}.ttcb"
    ttc.compile(model, bundle, cores)
    graph = onnx.load(model).graph
    weights = {t.name for t in graph.initializer}
    value = next(v for v in graph.input if v.name not in weights)
    shape = [max(1, d.dim_value) for d in value.type.tensor_type.shape.dim]
    values = scratch / f"{name}.f32"
    np.random.default_rng(1).standard_normal(shape).astype(np.float32).tofile(values)

    engines = []
    for engine in ("ttrt", *LIBRARIES):
        library = library_of(engine, arguments.build)
        if library:
            engines.append(Caller(engine, caller, library, bundle if engine == "ttrt" else model,
                                  values, shape, cores))
    outputs = {e.name: e.output(scratch / f"{name}.out") for e in engines}
    ours = outputs.pop("ttrt")
    # Enough calls that a sample takes as long as 1000 reads of the clock, and enough samples that a turn takes its
    # share of the time.
    calls = {e.name: max(1, round(20e3 / common.median(e.times(20, 10)))) for e in engines}
    samples = max(20, round(arguments.seconds * 1e9 / arguments.rounds / len(engines) / 20e3))
    times = {e.name: [] for e in engines}
    for turn in range(arguments.rounds):
        order = turn % len(engines)
        for engine in engines[order:] + engines[:order]:
            times[engine.name].append(common.median(engine.times(samples, calls[engine.name])))
    for engine in engines:
        engine.close()
    mine = times["ttrt"]
    result = {"model": name, "nodes": len(graph.node), "bundle_bytes": bundle.stat().st_size,
              "us": {n: common.median(t) / 1e3 for n, t in times.items()},
              "faster": {n: common.median(a / b for a, b in zip(times[n], mine)) for n in outputs},
              "error": {n: float(np.abs(o - ours).max() / np.abs(o).max())
                        for n, o in outputs.items()}}
    if outputs:
        result["best"] = min(result["faster"].values())
    profile = ttc.profile(bundle, scratch / "profile", 500)
    result["commands"] = sum(profile["commands_per_trace"])
    result["device_us"] = profile["device_ms"]["median"] * 1e3
    # What no program that multiplies as often can go below on this core.
    result["peak_gflops"] = profile["report"]["devices"][0]["limits"]["peak_gflops"]
    result["at_peak_us"] = sum(op.get("compute_us", 0) for op in profile["report"]["ops"])
    result["ops"] = sorted(
        ({"name": op["name"], "type": op["type"], "kind": op["kind"], "source": op["source"],
          "us": op["time_us"]["median"], "flops": op.get("flops", 0),
          "compute_us": op.get("compute_us", 0)}
         for op in profile["report"]["ops"]), key=lambda op: -op["us"])
    return result


def report(result, goal):
    us = result["us"]
    print(f"\n{result['model']}: {result['nodes']} nodes, {result['commands']} commands "
          f"with barriers")
    print(f"  {'engine':12} {'us':>8} {'ttc is':>16} {'error':>9}")
    print(f"  {'ttc':12} {us['ttrt']:8.2f}")
    at_peak = result["at_peak_us"]
    for name, faster in result["faster"].items():
        print(f"  {name:12} {us[name]:8.2f} {faster:9.2f} x faster {result['error'][name]:9.1e}")
    print(f"  its operations take {at_peak:.2f} us at the peak of the core "
          f"({result['peak_gflops']:.0f} GFLOP/s): {at_peak / us['ttrt']:.0%} of the time"
          + (f"; at the peak, {min(us[n] for n in result['faster']) / at_peak:.2f} x faster"
             if result["faster"] else ""))
    if result.get("best", goal) < goal:
        computed = sum(op["us"] for op in result["ops"] if op["type"] == "device")
        moved = sum(op["us"] for op in result["ops"]) - computed
        print(f"  below {goal:g} x. Recorded: {computed:.2f} us in ops, {moved:.2f} us in transfers and "
              f"host steps; between ops {max(0, result['device_us'] - computed):.2f} us. By kind:")
        rows = {}
        for op in result["ops"]:  # ops of one kind and size are one row
            row = rows.setdefault((op["kind"], op["flops"]), [0, 0, 0, op["name"], op["source"]])
            for i, value in enumerate((op["us"], op["compute_us"], 1)):
                row[i] += value
        for row in sorted(rows.values(), key=lambda row: -row[0])[:8]:
            print(f"    {row[0]:8.2f} us {row[1]:8.2f} us at the peak {row[2]:4} times  {row[3]}  "
                  f"{row[4][:50]}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(MODELS),
                        help=f"of {' '.join(MODELS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each engine (default 9)")
    parser.add_argument("--seconds", type=float, default=6, help="about this long a model")
    parser.add_argument("--goal", type=float, default=3,
                        help="list ops of models that are less times faster (default 3)")
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    parser.add_argument("--json", type=pathlib.Path, help="also write the results here")
    arguments = parser.parse_args()
    unknown = set(arguments.models) - set(MODELS)
    if unknown:
        parser.error(f"unknown models: {' '.join(sorted(unknown))}")

    print(*common.machine_facts(arguments.build), sep="\n")
    for name in LIBRARIES:
        if library_of(name, arguments.build) is None:
            print(f"SKIPPED {name}: not installed (benchmarks/requirements.txt)")
    results = []
    with tempfile.TemporaryDirectory(prefix="ttc-benchmark-") as folder:
        scratch = pathlib.Path(folder)
        caller = build_caller(arguments.build, scratch)
        for name in arguments.models:
            model = scratch / f"{name}.onnx"
            MODELS[name](model)
            results.append(measure(name, model, caller, arguments, scratch))
            report(results[-1], arguments.goal)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    below = [r["model"] for r in results if r.get("best", arguments.goal) < arguments.goal]
    print(f"\nat least {arguments.goal:g} x faster than the faster peer: {len(results) - len(below)} "
          f"of {len(results)}" + (f"; below: {', '.join(below)}" if below else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
