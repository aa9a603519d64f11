# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models against ONNX Runtime, by every schedule of their bundles: branches, joins, slices and
results in place are combined in ways that no hand-written test has. Nightly, there are 300 of them."""
import pytest

from bundles import np, onnx, relative_to_largest, run_bundle, run_onnxruntime, run_streamed
from gate import nightly
from random_graphs import make

SEEDS = [*range(6), 89, 114]


@pytest.mark.parametrize("seed", [*SEEDS, *nightly(sorted({*range(300)} - {*SEEDS}))])
def test_random_graph(tools, tmp_path, seed):
    model, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    onnx.save(make(seed), model)
    random = np.random.default_rng(seed)
    graph = onnx.load(model).graph
    inputs = {value.name: random.standard_normal([d.dim_value for d in value.type.tensor_type.shape.dim])
              .astype(np.float32) for value in graph.input}
    expected = run_onnxruntime(model, inputs)
    tools.compile(model, bundle, "--queues=2")
    found = run_bundle(tools, bundle, inputs, expected, 1e-3, relative_to_largest(expected, 1e-4))
    # These are the outputs of every schedule, bit for bit, again and again.
    run_streamed(tools, bundle, inputs, found)
