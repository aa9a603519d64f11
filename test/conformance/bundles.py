# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models, runs their bundles and compares: what the conformance tests share."""
import pathlib

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed")
onnx = pytest.importorskip("onnx", reason="the Python package onnx is not installed")
from onnx import numpy_helper  # noqa: E402

from capi import transfers  # noqa: E402


def share(values, part, parts):
    """One of equal parts of a list."""
    return values[len(values) * part // parts:len(values) * (part + 1) // parts]


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


# However a bundle is run, its bits are the same: (cores, whether traces are replayed, or their commands dispatched
# one at a time).
WAYS = [(1, True), (1, False), (2, True), (4, True), (4, False)]


def entry_of(bundle, name=None):
    return bundle.entries[name or next(iter(bundle.entries))]


def run_once(tools, bundle, inputs, cores=2, trace=True, entry=None):
    """The outputs of one run: {name: array}, bf16 as its bits."""
    with tools.open(bundle) as opened:
        entry = entry_of(opened, entry)
        try:
            device = opened.device(cores=cores)
        except RuntimeError as error:
            if "needs features that this one" in str(error):
                pytest.skip(f"this machine cannot run the bundle: {error}")
            raise
        with device:
            return device.run(entry, inputs, trace)


def assert_same_bits(found, first, how):
    for name, array in first.items():
        assert found[name].tobytes() == array.tobytes(), f"output {name} has other bits with {how}"


def run_bundle(tools, bundle, inputs, expected, rtol, atol):
    """Runs a bundle on {name: array} in all WAYS and returns its outputs, bf16 as its bits; fails if they differ from
    {name: array} by more than the tolerances, or from each other by a bit."""
    first = None
    with tools.open(bundle) as opened:
        entry = entry_of(opened)
        for cores in sorted({cores for cores, _ in WAYS}):
            with opened.device(cores=cores) as device:
                for trace in [trace for number, trace in WAYS if number == cores]:
                    found = device.run(entry, inputs, trace)
                    first = first or found
                    assert_same_bits(found, first, f"{cores} cores" + ("" if trace else ", no trace"))
        for name, wanted in expected.items():
            assert_close(name, *map(entry.outputs[name].values, (first[name], wanted)), rtol, atol)
    return first


def run_streamed(tools, bundle, inputs, expected, schedules=None, inferences=4):
    """Streams equal inputs through schedules (None: all), and compares the outputs' bits."""
    with tools.open(bundle) as opened, opened.device(cores=2, queues=2) as device:
        entry = entry_of(opened)
        given = [port.fit(inputs[name]) for name, port in entry.inputs.items()]
        wanted = [port.fit(expected[name]).tobytes() for name, port in entry.outputs.items()]
        for schedule in schedules or entry.schedules:
            with device.pipeline(entry, schedule=schedule.encode(), outputs=inferences) as pipeline:
                for _ in range(inferences):
                    pipeline.enqueue(transfers(given))
                for _ in range(inferences):
                    assert pipeline.pop() == wanted, f"other bits with {schedule}"


def assert_close(name, found, wanted, rtol, atol):
    if rtol or atol:
        np.testing.assert_allclose(found, wanted, rtol, atol, err_msg=name)
    else:  # Not by way of f64, which does not hold all integers.
        np.testing.assert_array_equal(found, wanted, name)


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
