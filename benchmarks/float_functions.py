#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The largest errors of each function, in units in the last place: the table of docs/onnx-import.md. For f32 over all
numbers, for f64 over 20 million random and extreme ones. An hour on one core; with --stride=N a N-th of it.

usage: float_functions.py [--stride=N] [--build=build]"""
import argparse
import faulthandler
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "test/conformance")]

from bundles import entry_of  # noqa: E402
from capi import Bundle  # noqa: E402
from float_functions import FUNCTIONS, FUNCTIONS_F64, save, sweep, sweep_f64  # noqa: E402
from onnx import TensorProto  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    singles = measure(options.build, list(FUNCTIONS), TensorProto.FLOAT, sweep, options.stride)
    doubles = measure(options.build, FUNCTIONS_F64, TensorProto.DOUBLE, sweep_f64, max(300 // options.stride, 1))
    print("| op | f32 | at | f64 | at |\n|---|---|---|---|---|")
    for name, (error, x) in singles.items():
        double = "{:.2f} | {:.17g}".format(*doubles[name]) if name in doubles else " | "
        print(f"| `{name}` | {error:.2f} | {x:.9g} | {double} |")


def measure(build, names, element, sweep_over, count):
    with tempfile.TemporaryDirectory() as folder:
        model, path = pathlib.Path(folder) / "m.onnx", pathlib.Path(folder) / "m.ttcb"
        save(model, names, element)
        subprocess.run([build / "bin/ttc-translate", "--onnx-to-bundle", model, "-o", path], check=True)
        with Bundle(build / "lib/libttrt.so", path) as bundle, bundle.device(cores=1) as device:
            faulthandler.cancel_dump_traceback_later()  # what a test's bundle is given
            return sweep_over(lambda x: device.run(entry_of(bundle), {"x": x}), names, count)


if __name__ == "__main__":
    main()
