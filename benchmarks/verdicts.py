#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Six situations whose limit is known, recorded with each of the seven schedules: the table of docs/profiling.md.

  PYTHONPATH=build/python .venv/bin/python benchmarks/verdicts.py [--loops=100]

Each cell has the share of the critical path that the column names (of "mixed": the largest one) in a recording on this
machine. A verdict that is unclear or wrong is named; the exit status is 1 if one is wrong. Links are emulated. An application is this script: it computes between two inferences, and
in "mixed", it has one inference in flight. For the mesh, two threads with one core each, the table has the device
that waits. test/ttrun/test_verdict.py has the same table of simulated devices, which is the same everywhere.
"""
import argparse
import json
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

SCHEDULES = ["single", "single-untraced", "overlap-input", "overlap-input-untraced", "overlap-io", "overlap-io-untraced",
             "overlap-io-signals"]
MB = 1000000
# Rows, columns of the input, of the products between, and of the output; bytes per second of the link; milliseconds
# of the application; inferences in flight.
SITUATIONS = {
    "compute": (64, 256, 2048, 256, 2000 * MB, 0, 4),
    "transfer in": (2048, 256, 16, 1, 400 * MB, 0, 4),
    "transfer out": (2048, 1, 16, 256, 400 * MB, 0, 4),
    "host": (64, 256, 1024, 256, 2000 * MB, 8, 4),
    "mesh waiting": (256, 4096, 512, 16, 2000 * MB, 0, 4),
    "mixed": (1024, 256, 256, 256, 800 * MB, 1.5, 1),
}


def save_model(path, rows, columns, inner, results, has_second):
    """Two products with a softmax between them, so that there are several programs. A second input is for the last one."""
    rng = np.random.default_rng(1)
    weights = [numpy_helper.from_array(rng.standard_normal(shape, np.float32), name)
               for name, shape in (("w0", (columns, inner)), ("w1", (inner, results)))]
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["h"]), helper.make_node("Softmax", ["h"], ["s"]),
             helper.make_node("MatMul", ["s", "w1"], ["p"]), helper.make_node("Add", ["p", "z" if has_second else "p"], ["y"])]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, width])
             for name, width in (("y", results), ("x", columns), ("z", results))]
    graph = helper.make_graph(nodes, "g", ports[1:2 + has_second], ports[:1], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def compile_all(build, folder):
    target = {"name": "linked", "grid_rows": 1, "grid_cols": 1, "l1_bytes": 1 << 20, "dram_banks": 1, "dram_bank_bytes": 1 << 32}
    for name, (rows, columns, inner, results, link, *_) in SITUATIONS.items():
        model, description = folder / f"{name}.onnx", folder / f"{name}.json"
        save_model(model, rows, columns, inner, results, has_second=name == "mesh waiting")
        description.write_text(json.dumps({**target, "link_bytes_per_second": link}))
        # The first stage has the large product, so the second one waits for it. That one has an input and an output,
        # and with them all schedules.
        options = ["--mesh=2", "--parallel=pipeline"] if name == "mesh waiting" else [f"--target={description}"]
        subprocess.run([build / "bin/ttc-translate", "--onnx-to-bundle", model, *options, "-o", folder / f"{name}.ttcb"], check=True)


def apply(bundle, schedule, loops, milliseconds, ahead):
    """The application."""
    import ttrt

    def inputs():
        batch = np.random.default_rng(0).standard_normal(next(iter(loaded.inputs.values())).shape).astype(np.float32)
        for _ in range(loops):
            end = time.perf_counter() + milliseconds * 1e-3
            while time.perf_counter() < end:
                pass
            yield batch

    with ttrt.load(bundle, cores=1) as loaded:
        for _ in loaded.stream(inputs(), schedule, ahead=ahead):
            pass


def verdicts_of(build, folder, name, schedule, loops):
    *_, milliseconds, ahead = SITUATIONS[name]
    record, bundle = folder / "record" / name / schedule, folder / f"{name}.ttcb"
    if name == "mesh waiting":
        command = [build / "bin/ttrun", "perf", bundle, "--json", "--cores=1", f"--schedule={schedule}", f"--loops={loops}",
                   f"--profile={record}", "--profile-programs=100000"]
        environment = os.environ
    else:
        command = [sys.executable, __file__, "--apply", bundle, schedule, loops, milliseconds, ahead]
        environment = {**os.environ, "TTRT_PROFILE": str(record), "TTRT_PROFILE_PROGRAMS": "100000"}
    subprocess.run(list(map(str, command)), check=True, env=environment, stdout=subprocess.DEVNULL)
    report = subprocess.run([build / "bin/ttrun", "report", record, "--json"], check=True, capture_output=True, text=True)
    return [device["verdict"] for device in json.loads(report.stdout)["devices"]]


def cell(expected, verdicts):
    """That of the device which is right, if one is; whether none is wrong."""
    verdict = next((v for v in verdicts if v["bound"] == expected), verdicts[0])
    path = verdict["critical_path"]
    name = {"transfer in": "transfers in", "transfer out": "transfers out", "mesh waiting": "waiting for other devices"}.get(expected, expected)
    part = path.get(name) or max(path.values(), key=lambda cause: cause["share"])
    found = "" if verdict["bound"] == expected else f"{verdict['bound']}: "
    return f"{found}{100 * part['share']:.0f} % (± {100 * part['error']:.1f})", verdict["bound"] in (expected, "unclear")


def main():
    if sys.argv[1:2] == ["--apply"]:
        bundle, schedule, loops, milliseconds, ahead = sys.argv[2:]
        return apply(bundle, schedule, int(loops), float(milliseconds), int(ahead))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loops", type=int, default=100)
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    arguments = parser.parse_args()
    print(*common.machine_facts(arguments.build), sep="\n")
    print("\n| schedule | " + " | ".join(name if name == "mixed" else name.replace(" ", "-bound (") + (")" if " " in name else "-bound") for name in SITUATIONS) + " |")
    print("|---" * (len(SITUATIONS) + 1) + "|")
    right = True
    with tempfile.TemporaryDirectory(prefix="ttc-verdicts-") as folder:
        folder = pathlib.Path(folder)
        compile_all(arguments.build, folder)
        for schedule in SCHEDULES:
            cells = [cell(name, verdicts_of(arguments.build, folder, name, schedule, arguments.loops)) for name in SITUATIONS]
            right &= all(good for _, good in cells)
            print(f"| `{schedule}` | " + " | ".join(text for text, _ in cells) + " |", flush=True)
    return not right


if __name__ == "__main__":
    sys.exit(main())
