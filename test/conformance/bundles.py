# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models, runs their bundles and compares: what the conformance tests share."""
import pathlib

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed")
onnx = pytest.importorskip("onnx", reason="the Python package onnx is not installed")
from onnx import numpy_helper  # noqa: E402


def load_tensor(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(pathlib.Path(path).read_bytes())
    return numpy_helper.to_array(tensor)


def graph_inputs(model):
    """Names of the inputs that are not initializers, in order."""
    weights = {tensor.name for tensor in model.graph.initializer}
    return [value.name for value in model.graph.input if value.name not in weights]


def graph_outputs(model):
    return [value.name for value in model.graph.output]


# However a bundle is run, its bits are the same: on any number of cores, replayed or dispatched one
# command at a time.
WAYS = [["--cores=1"], ["--cores=2"], ["--cores=4"], ["--cores=1", "--no-trace"],
        ["--cores=4", "--no-trace"]]


def run_bundle(tools, bundle, inputs, expected, folder, rtol, atol, *options):
    """Runs a bundle on {name: array} in all WAYS; fails if the outputs differ from {name: array} by
    more than the tolerances, or from each other by a bit."""
    folder = pathlib.Path(folder)
    given, wanted = [], []
    for kind, arrays, args in (("input", inputs, given), ("expect", expected, wanted)):
        for index, (name, array) in enumerate(arrays.items()):
            path = folder / f"{kind}{index}.npy"
            np.save(path, np.ascontiguousarray(array))
            args += [f"--{kind}", f"{name}={path}"]
    first = None
    for way in WAYS:
        files = {name: folder / f"output{index}.npy" for index, name in enumerate(expected)}
        saved = [f"--output={name}={path}" for name, path in files.items()]
        compared = [*wanted, "--rtol", rtol, "--atol", atol] if first is None else []
        tools.ttrun("run", bundle, *given, *compared, *saved, *way, *options)
        bits = {name: path.read_bytes() for name, path in files.items()}
        first = first or bits
        for name in expected:
            assert bits[name] == first[name], f"output {name} has other bits with {' '.join(way)}"


def run_onnxruntime(model, inputs):
    """Outputs of a model by name; skips where ONNX Runtime is missing."""
    ort = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: not compared")
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))


def relative_to_largest(expected, tolerance=1e-3):
    """The absolute tolerance that is `tolerance` of the largest output."""
    return tolerance * max(float(np.max(np.abs(array))) for array in expected.values())
