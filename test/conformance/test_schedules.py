# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every schedule that the compiler makes, with different inputs in each inference: what the pipeline
gives are the bits of blocking runs, in order. The runtime proves each bundle when it opens it."""
import json

import pytest

from bundles import onnx
from gate import nightly, pairs
from random_graphs import make
from streaming import stream

ONE_QUEUE = ["single", "single-untraced"]
ALL = ["single", "overlap-io-signals", "overlap-io", "overlap-input", "single-untraced",
       "overlap-io-untraced", "overlap-input-untraced"]

# Host steps before, between and after the traces; one of the inputs goes to the host alone, and
# one of the outputs comes from there.
HOSTED = """
ttc.program @scale(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %y = ttc.mul %x, %x : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  ttc.return %y : tensor<4x16xf32>
}
ttc.program @add(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %z = ttc.add %x, %y : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  ttc.return %z : tensor<4x16xf32>
}
func.func @main(%a: tensor<4x16xf32> {ttc.name = "a"}, %b: tensor<4x16xf32> {ttc.name = "b"})
    -> (tensor<4x16xf32> {ttc.name = "y"}, tensor<4x16xf32> {ttc.name = "z"}) {
  %h = ttc.host_dispatch @scale(%b) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %r:2 = ttc.traced -> tensor<4x16xf32>, tensor<4x16xf32> {
    %d = ttc.to_device %a : tensor<4x16xf32> to tensor<4x16xf32>
    %e = ttc.to_device %h : tensor<4x16xf32> to tensor<4x16xf32>
    %0 = ttc.dispatch @add(%d, %e) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %1 = ttc.dispatch @scale(%0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %2 = ttc.from_device %1 : tensor<4x16xf32> to tensor<4x16xf32>
    %3 = ttc.host_dispatch @add(%2, %b) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %4 = ttc.to_device %3 : tensor<4x16xf32> to tensor<4x16xf32>
    %5 = ttc.dispatch @add(%4, %d) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %6 = ttc.dispatch @add(%5, %1) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %7 = ttc.from_device %6 : tensor<4x16xf32> to tensor<4x16xf32>
    ttc.yield %3, %7 : tensor<4x16xf32>, tensor<4x16xf32>
  }
  %z = ttc.host_dispatch @scale(%r#1) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r#0, %z : tensor<4x16xf32>, tensor<4x16xf32>
}
"""


@pytest.mark.parametrize("slots", [1, 3, *nightly([2])])
def test_digits(tools, root, tmp_path, slots):
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, f"--slots={slots}")
    assert stream(tools, bundle) == [["main", name] for name in ALL]


def test_several_entry_points(tools, root, tmp_path):
    """Two models share weights and activations' bytes, each with its own slots and events."""
    bundle, model = tmp_path / "two.ttcb", root / "examples/digits/digits.onnx"
    other = tmp_path / "other.onnx"
    onnx.save(make(89), other)
    tools.compile(model, bundle, other, model, "--entry=left,middle,right", "--slots=2")
    assert stream(tools, bundle, 20) == [[entry, name] for entry in ("left", "middle", "right") for name in ALL]


@pytest.mark.parametrize("seed,slots", pairs([3, 89, 114], [1, 2]))
def test_moves_elided_and_results_in_place(tools, tmp_path, seed, slots):
    """Inputs that are parts of concatenations, outputs that are slices, tensors written over."""
    model, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    onnx.save(make(seed), model)
    tools.compile(model, bundle, f"--slots={slots}")
    assert stream(tools, bundle, 20) == [["main", name] for name in ALL]


@pytest.mark.parametrize("slots", [1, 2])
def test_host_steps_between_traces(tools, tmp_path, slots):
    """Events stand around the host's steps; slots in host memory are rings, too."""
    text, bundle = tmp_path / "hosted.mlir", tmp_path / "hosted.ttcb"
    text.write_text(HOSTED)
    tools.compile_ir(text, bundle, f"slots={slots}")
    assert stream(tools, bundle) == [["main", name] for name in ALL]
    (entry,) = json.loads(tools.ttrun("read", bundle, "--json", "--schedules").stdout)["entries"]
    for schedule in entry["schedules"]:
        steps = [step["kind"] for step in schedule["body"]]
        turn = 1 if schedule["queues"] == 1 else slots
        assert steps.count("host-dispatch") == 3 * turn, (schedule["name"], steps)


@pytest.mark.parametrize("slots", [1, 2])
def test_inputs_and_activations_in_l1(tools, root, tmp_path, slots):
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, "--target=wormhole_n150", "--input-memory=l1",
                  f"--slots={slots}")
    assert stream(tools, bundle, 20) == [["main", name] for name in ALL]
    (entry,) = json.loads(tools.ttrun("read", bundle, "--json").stdout)["entries"]
    assert len(entry["inputs"][0].get("ring", [])) == slots - 1


def test_one_queue(tools, root, tmp_path):
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, "--queues=1")
    assert stream(tools, bundle, 10) == [["main", name] for name in ONE_QUEUE]
