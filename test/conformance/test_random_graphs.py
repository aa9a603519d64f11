# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models against ONNX Runtime, by every schedule of their bundles: branches, joins, slices and
results in place are combined in ways that no hand-written test has. TTC_SLOW_TESTS=1 makes 300 of them."""
import json
import os

import pytest

from bundles import np, onnx, relative_to_largest, run_bundle, run_onnxruntime
from random_graphs import make

SEEDS = range(300) if os.environ.get("TTC_SLOW_TESTS") else [*range(10), 89, 114]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_graph(tools, tmp_path, seed):
    model, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    onnx.save(make(seed), model)
    random = np.random.default_rng(seed)
    graph = onnx.load(model).graph
    inputs = {value.name: random.standard_normal([d.dim_value for d in value.type.tensor_type.shape.dim])
              .astype(np.float32) for value in graph.input}
    expected = run_onnxruntime(model, inputs)
    tools.compile(model, bundle, "--queues=2")
    run_bundle(tools, bundle, inputs, expected, tmp_path, "1e-3", relative_to_largest(expected, 1e-4))

    # The outputs of the last run are those of every schedule, bit for bit, again and again.
    files = [f"--input={name}={tmp_path}/input{i}.npy" for i, name in enumerate(inputs)]
    files += [f"--expect={name}={tmp_path}/output{i}.npy" for i, name in enumerate(expected)]
    entry = json.loads(tools.ttrun("read", bundle, "--json", "--schedules").stdout)["entries"][0]
    for schedule in entry["schedules"]:
        tools.ttrun("run", bundle, *files, "--rtol=0", "--atol=0", "--loops=4", f"--schedule={schedule['name']}")
