# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call from Python costs: ttrt beside ONNX Runtime, on one core, with arrays that are reused.

    PYTHONPATH=build/python .venv/bin/python benchmarks/python_call.py [--rounds=200]

The models take a few microseconds, so the call counts. Rounds are short, and each measures everything
once, one after the other. Medians of the rounds are printed and, for ttrt, the median of what a bound
call takes longer than the C function, which the extension calls in a loop of its own.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np
import onnxruntime
import ttrt

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = {"digits": ROOT / "examples/digits/digits.onnx", "MLP": ROOT / "examples/mlp/mlp.onnx"}
COLUMNS = {
    "C": "ttrt_run() in C",
    "bound": "ttrt, bound call",
    "run": "ttrt, run(x)",
    "binding": "ONNX Runtime, IO binding",
    "session": "ONNX Runtime, run()",
}


def seconds(function, loops):
    begin = time.perf_counter()
    for _ in range(loops):
        function()
    return (time.perf_counter() - begin) / loops


def measure(model, bundle_path, rounds, loops):
    bundle = ttrt.load(bundle_path, cores=1)
    (name, port), (output, result) = (next(iter(p.items())) for p in (bundle.inputs, bundle.outputs))
    array = np.random.default_rng(7).random(port.shape, dtype=np.float32)
    call = bundle.bind({name: array})

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    mine = np.empty(result.shape, np.float32)
    binding = session.io_binding()
    binding.bind_input(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
    binding.bind_output(output, "cpu", 0, np.float32, mine.shape, mine.ctypes.data)
    session.run_with_iobinding(binding)
    np.testing.assert_allclose(call()[output], mine, rtol=1e-3, atol=1e-4)

    ways = {
        "C": lambda: call._repeat(loops) / loops,
        "bound": lambda: seconds(call, loops),
        "run": lambda: seconds(lambda: bundle.run(array), loops),
        "binding": lambda: seconds(lambda: session.run_with_iobinding(binding), loops),
        "session": lambda: seconds(lambda: session.run(None, {name: array}), loops),
    }
    times = {way: [] for way in ways}
    for _ in range(rounds):
        for way, function in ways.items():
            times[way].append(function())
    bundle.close()
    times["added"] = [bound - c for bound, c in zip(times["bound"], times["C"])]
    return {way: statistics.median(values) * 1e6 for way, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--loops", type=int, default=200)
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build/bin")
    arguments = parser.parse_args()
    print("| us per call | " + " | ".join(COLUMNS.values()) + " | Python adds |")
    print("|---" * (len(COLUMNS) + 2) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, model in MODELS.items():
            bundle = pathlib.Path(folder) / f"{name}.ttcb"
            command = [arguments.tools / "ttc-translate", "--onnx-to-bundle", model, "-o", bundle]
            subprocess.run(command, check=True)
            took = measure(str(model), bundle, arguments.rounds, arguments.loops)
            cells = [f"{took[way]:.2f}" for way in COLUMNS] + [f"{took['added']:.2f}"]
            print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
