#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one command costs: a chain of 1000 tiny matrix products, in ttc and in ONNX Runtime.

Each node multiplies a 1x8 row by the same 8x8 rotation, so that nothing grows, shrinks or can be
folded away. The time is nearly all dispatch.
"""
import argparse
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import common


def chain(length, path):
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0].astype(np.float32)
    names = ["x", *(f"t{i}" for i in range(1, length)), "y"]
    nodes = [helper.make_node("MatMul", [names[i], "w"], [names[i + 1]], name=f"MatMul_{i}")
             for i in range(length)]
    row = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 8]) for n in ("x", "y")]
    graph = helper.make_graph(nodes, "chain", row[:1], row[1:],
                              [numpy_helper.from_array(rotation, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--loops", type=int, default=500)
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    arguments = parser.parse_args()
    print(*common.machine_facts(arguments.build), sep="\n")
    cores = common.cores_to_use(1)
    with tempfile.TemporaryDirectory(prefix="ttc-benchmark-") as folder:
        scratch = pathlib.Path(folder)
        model, bundle = scratch / "chain.onnx", scratch / "chain.ttcb"
        chain(arguments.length, model)
        np.savez(scratch / "inputs.npz", x=np.ones((1, 8), np.float32))
        ttc = common.Ttc(arguments.build, cores)
        ttc.compile(model, bundle, cores)
        peer = None
        if "onnxruntime" in common.installed_peers():
            peer = common.Peer("onnxruntime", model, cores, scratch / "inputs.npz")
        ours, theirs = [], []
        for _ in range(arguments.rounds):
            run = ttc.perf(bundle, arguments.loops)
            ours.append(run["device_ms"]["median"] * 1e6)
            if peer:
                theirs.append(common.median(peer.times(arguments.loops)) * 1e6)
        commands = sum(run["commands_per_trace"])
        print(f"\nttc: {commands} commands, {common.median(ours) / arguments.length:.1f} ns a node "
              f"({common.median(ours) / 1e3:.1f} us a run)")
        if peer:
            peer.close()
            print(f"ONNX Runtime: {common.median(theirs) / arguments.length:.1f} ns a node "
                  f"({common.median(theirs) / 1e3:.1f} us a run)")
        else:
            print("SKIPPED ONNX Runtime: not installed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
