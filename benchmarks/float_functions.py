#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The largest error of each function of f32, in units in the last place, over all numbers: the table of
docs/onnx-import.md. An hour on one core; with --stride=N a N-th of it.

usage: float_functions.py [--stride=N] [--build=build]"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "test/conformance")]

from bundles import entry_of  # noqa: E402
from capi import Bundle  # noqa: E402
from float_functions import FUNCTIONS, save, sweep  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model, path = pathlib.Path(folder) / "m.onnx", pathlib.Path(folder) / "m.ttcb"
        save(model, list(FUNCTIONS))
        subprocess.run([options.build / "bin/ttc-translate", "--onnx-to-bundle", model, "-o", path], check=True)
        with Bundle(options.build / "lib/libttrt.so", path) as bundle, bundle.device(cores=1) as device:
            worst = sweep(lambda x: device.run(entry_of(bundle), {"x": x}), list(FUNCTIONS), options.stride)
    print("| op | ulp | at |\n|---|---|---|")
    for name, (error, x) in worst.items():
        print(f"| `{name}` | {error:.2f} | {x:.9g} |")


if __name__ == "__main__":
    main()
