# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nine real CNNs: with all weights equal against recorded outputs, with random weights against
ONNX Runtime."""
import subprocess
import sys

import pytest

from bundles import graph_inputs, graph_outputs, load_tensor, np, onnx
from bundles import relative_to_largest, run_bundle, run_onnxruntime
from gate import nightly

MODELS = ["bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet",
          "squeezenet", "vgg19", "zfnet512"]
# What the others have, too: blocks that concatenate, add and shuffle.
SMALL = {"resnet50", "shufflenet", "squeezenet"}


def image_of(model):
    """The input that goes with the recorded outputs: arange(n) / n."""
    name = graph_inputs(model)[0]
    value = next(value for value in model.graph.input if value.name == name)
    shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
    count = int(np.prod(shape))
    return {name: (np.arange(count, dtype=np.float32) / count).reshape(shape).astype(np.float32)}


@pytest.mark.parametrize("name", ["bvlc_alexnet", *nightly(sorted({*MODELS} - {"bvlc_alexnet"}))])
def test_recorded_output(name, tools, shared, tmp_path):
    path = shared / "data" / "light" / f"light_{name}.onnx"
    model = onnx.load(path)
    expected = load_tensor(path.with_name(f"light_{name}_output_0.pb"))
    bundle = tmp_path / "model.ttcb"
    tools.compile(path, bundle)
    run_bundle(tools, bundle, image_of(model), {graph_outputs(model)[0]: expected},
               rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", [*sorted(SMALL), *nightly(sorted({*MODELS} - SMALL))])
def test_random_weights(name, tools, shared, tmp_path):
    pytest.importorskip("onnxruntime", reason=f"onnxruntime is not installed: {name} not compared")
    path = tmp_path / f"{name}.onnx"
    subprocess.run([sys.executable, shared / "tools" / "realize_light_models.py",
                    shared / "data" / "light" / f"light_{name}.onnx", path], check=True)
    image = image_of(onnx.load(path))
    expected = run_onnxruntime(path, image)
    bundle = tmp_path / "model.ttcb"
    tools.compile(path, bundle)
    run_bundle(tools, bundle, image, expected, rtol=0, atol=relative_to_largest(expected))
