# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where tensors lie makes no difference to the numbers: bundles for chips, with tensors in L1 or in
DRAM and both patterns of inputs, give the bits of the bundle for this machine's CPU."""
import json

import pytest

from bundles import assert_same_bits, graph_outputs, load_tensor, np, onnx, run_bundle, run_streamed
from gate import nightly, pairs
from test_elided_copies import GRAPHS, Graph
from test_light_models import image_of

CHIPS = ["wormhole_n150", "wormhole_n300", "blackhole_p150"]
PLACES = [["--memory=dram"], ["--input-memory=dram"], ["--input-memory=dram-sharded"], ["--input-memory=l1"], ["--input-memory=auto"],
          ["--input-memory=l1", "--queues=1"]]


def assert_bits(tools, bundle, inputs, expected):
    assert_same_bits(run_bundle(tools, bundle, inputs, {}, 0, 0), expected, "other places")


def buffers_of(tools, bundle):
    return json.loads(tools.ttrun("read", bundle, "--json", "--buffers").stdout)["buffers"]


def spaces(buffers, kind):
    return [buffer["space"] for buffer in buffers if buffer["kind"] == kind]


@pytest.fixture(scope="module")
def digits(tools, root, tmp_path_factory):
    """The model, an input, and the CPU's bits."""
    folder = tmp_path_factory.mktemp("digits")
    model = root / "examples/digits/digits.onnx"
    image = {"image": np.random.default_rng(3).standard_normal((1, 1, 8, 8)).astype(np.float32)}
    tools.compile(model, folder / "cpu.ttcb")
    assert set(spaces(buffers_of(tools, folder / "cpu.ttcb"), "activation")) == {"dram"}
    return model, image, run_bundle(tools, folder / "cpu.ttcb", image, {}, 0, 0)


@pytest.mark.parametrize("options,chip", pairs(PLACES, CHIPS), ids=lambda value: "".join(value))
def test_same_bits(options, chip, digits, tools, tmp_path):
    model, image, expected = digits
    bundle = tmp_path / "digits.ttcb"
    tools.compile(model, bundle, f"--target={chip}", *options)
    buffers = buffers_of(tools, bundle)
    in_l1 = "dram" if "--memory=dram" in options else "l1"
    assert set(spaces(buffers, "activation")) == {in_l1}
    image_slot = next(buffer for buffer in buffers if buffer["name"] == "image")
    assert image_slot["space"] == ("dram" if {"--memory=dram", "--input-memory=dram",
                                              "--input-memory=dram-sharded"} & {*options} else "l1")
    assert image_slot["shards"] == (8 if "--input-memory=dram-sharded" in options else 0)
    # Where nothing writes ahead, the slot's bytes are free again when its last reader is done.
    assert (image_slot["end"] == 0) == ("--queues=1" not in options)
    assert_bits(tools, bundle, image, expected)


SCHEDULES = ["overlap-input", "overlap-io", "overlap-io-signals"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_streamed(schedule, digits, tools, tmp_path):
    model, image, expected = digits
    bundle = tmp_path / "digits.ttcb"
    tools.compile(model, bundle, "--target=wormhole_n150", "--input-memory=l1")
    run_streamed(tools, bundle, image, expected, [schedule], 20)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_streamed_where_bytes_are_used_again(schedule, tools, tmp_path):
    """The slot and the scratch of a later command do not fit side by side: they share bytes, and the
    next write waits for the command."""
    graph = Graph()
    model, bundle = tmp_path / "model.onnx", tmp_path / "model.ttcb"
    graph.save(model, [1, 16, 8, 8], graph.op("Tanh", graph.conv(graph.op("Neg", "x"), 16, 64)))
    tools.compile(model, bundle, f"--target={chip_file(tmp_path, 8192, cores=1)}",
                  "--input-memory=l1")
    read = json.loads(tools.ttrun("read", bundle, "--json", "--buffers", "--programs").stdout)
    slot = next(buffer for buffer in read["buffers"] if buffer["name"] == "x")
    scratch = max(program["scratch_bytes"] for program in read["programs"])
    assert slot["space"] == "l1" and slot["end"] != 0 and slot["offset"] < scratch
    inputs = {"x": np.random.default_rng(1).standard_normal((1, 16, 8, 8)).astype(np.float32)}
    # The chip's L1 does not hold the scratch of Winograd's convolutions.
    tools.compile(model, tmp_path / "cpu.ttcb", "--winograd=false")
    expected = run_bundle(tools, tmp_path / "cpu.ttcb", inputs, {}, 0, 0)
    run_streamed(tools, bundle, inputs, expected, [schedule], 20)


def chip_file(folder, l1_bytes, cores=2):
    path = folder / "chip.json"
    path.write_text(json.dumps({
        "name": "chip", "grid_rows": 1, "grid_cols": cores, "l1_bytes": l1_bytes, "dram_banks": 2,
        "dram_bank_bytes": 1 << 26, "interleaved_l1": True}))
    return path


@pytest.mark.parametrize("build,l1_bytes", pairs([build for build in GRAPHS if build.__name__ != "join_of_outer"], [8192, 16384]),
                         ids=lambda value: getattr(value, "__name__", None))
def test_what_fits(build, l1_bytes, tools, tmp_path):
    """Little L1: some tensors lie there and some do not, parts and results in place among them."""
    graph = Graph()
    model = tmp_path / "model.onnx"
    graph.save(model, [1, 4, 8, 8], build(graph))
    inputs = {"x": np.random.default_rng(1).standard_normal((1, 4, 8, 8)).astype(np.float32)}
    # The chip's L1 does not hold the scratch of Winograd's convolutions.
    tools.compile(model, tmp_path / "cpu.ttcb", "--winograd=false")
    expected = run_bundle(tools, tmp_path / "cpu.ttcb", inputs, {}, 0, 0)
    bundle = tmp_path / "chip.ttcb"
    tools.compile(model, bundle, f"--target={chip_file(tmp_path, l1_bytes)}")
    assert_bits(tools, bundle, inputs, expected)


def test_more_l1_means_less_dram(digits, tools, tmp_path):
    model, image, _ = digits
    # L1 does not hold the scratch of Winograd's convolutions.
    tools.compile(model, tmp_path / "cpu.ttcb", "--winograd=false")
    expected = run_bundle(tools, tmp_path / "cpu.ttcb", image, {}, 0, 0)
    counts = []
    for l1_bytes in (8192, 12288, 16384, 32768):
        bundle = tmp_path / f"{l1_bytes}.ttcb"
        tools.compile(model, bundle, f"--target={chip_file(tmp_path, l1_bytes)}")
        counts.append(spaces(buffers_of(tools, bundle), "activation").count("l1"))
        assert_bits(tools, bundle, image, expected)
    assert counts == sorted(counts) and counts[0] < counts[-1]


def test_input_that_does_not_fit(digits, tools, shared, tmp_path):
    model = shared / "data" / "light" / "light_squeezenet.onnx"
    done = tools.compile(model, tmp_path / "model.ttcb", f"--target={chip_file(tmp_path, 131072)}",
                         "--input-memory=l1", check=False)
    assert done.returncode != 0
    assert "bytes of L1 on each core for 1 tensors and the scratch of programs, but chip has " \
           "131072" in done.stderr, done.stderr
    assert "alive at the peak: @data_0, slot of 301056 bytes" in done.stderr


@pytest.mark.parametrize("chip", [CHIPS[0], *nightly(CHIPS[1:])])
def test_real_model(chip, tools, shared, tmp_path):
    path = shared / "data" / "light" / "light_squeezenet.onnx"
    model = onnx.load(path)
    expected = load_tensor(path.with_name("light_squeezenet_output_0.pb"))
    bundle = tmp_path / "model.ttcb"
    tools.compile(path, bundle, f"--target={chip}")
    assert set(spaces(buffers_of(tools, bundle), "activation")) == {"l1"}
    run_bundle(tools, bundle, image_of(model), {graph_outputs(model)[0]: expected},
               rtol=1e-3, atol=1e-5)
