# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verdict of a recording: what a device is bound by, for each schedule, from recordings of simulated devices."""
import csv
import json
import random

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from simulated_device import Bundle, Simulation, Times, events_of, write_log

SCHEDULES = ["single", "single-untraced", "overlap-input", "overlap-input-untraced", "overlap-io", "overlap-io-untraced",
             "overlap-io-signals"]
CAUSES = {"compute": "compute", "transfers in": "write", "transfers out": "read", "host": "host", "other devices": "move"}
US = 1000
# What binds the first device, its times, the inferences in flight, and the times of a second device.
SITUATIONS = {
    "compute": (Times(10 * US, 10 * US, 100 * US, 2 * US), 16, None),
    "transfer in": (Times(100 * US, 10 * US, 30 * US, 2 * US), 16, None),
    "transfer out": (Times(10 * US, 100 * US, 30 * US, 2 * US), 16, None),
    "host": (Times(10 * US, 10 * US, 30 * US, 150 * US), 16, None),
    "mesh": (Times(10 * US, 10 * US, 30 * US, 2 * US, 5 * US), 16, Times(10 * US, 10 * US, 200 * US, 2 * US, 5 * US)),
    "mixed": (Times(20 * US, 20 * US, 40 * US, 20 * US), 1, None),
}


@pytest.fixture(scope="module")
def bundles(tools, root, tmp_path_factory):
    """The digits, and a model for a mesh of two devices, with the numbers of their events."""
    folder = tmp_path_factory.mktemp("verdict")
    tools.compile(root / "examples/digits/digits.onnx", folder / "one.ttcb")
    rng = np.random.default_rng(5)
    weights = [numpy_helper.from_array(rng.standard_normal((64, 64), np.float32), f"w{i}") for i in range(2)]
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["h"]), helper.make_node("Relu", ["h"], ["r"]),
             helper.make_node("MatMul", ["r", "w1"], ["s"]), helper.make_node("Softmax", ["s"], ["y"])]
    ports = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [8, 64]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "mesh.onnx")
    tools.compile(folder / "mesh.onnx", folder / "two.ttcb", "--mesh=2", "--parallel=tensor")
    found = {}
    for name in ("one", "two"):
        bundle = Bundle(tools, folder / f"{name}.ttcb")
        found[name] = (bundle, events_of(tools, bundle, folder / name))
    return found


def simulate(bundle, schedule, times, ahead, other, inferences=64):
    """The devices of a situation. The second one is the later one at each exchange, so it waits for nothing."""
    if not other:
        return [Simulation(bundle, schedule, times, inferences, ahead)]
    second = Simulation(bundle, schedule, other, inferences, ahead)
    return [Simulation(bundle, schedule, times, inferences, ahead, second.arrivals), second]


@pytest.fixture
def verdicts(tools, bundles, tmp_path):
    def report(devices, which):
        bundle, events = bundles[which]
        write_log(tmp_path, bundle, devices, events)
        return [device["verdict"] for device in json.loads(tools.ttrun("report", tmp_path, "--json").stdout)["devices"]]

    return report


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_verdict_of_known_situations(bundles, verdicts, schedule):
    for bound, (times, ahead, other) in SITUATIONS.items():
        which = "two" if other else "one"
        first, *others = verdicts(simulate(bundles[which][0], schedule, times, ahead, other), which)
        assert first["bound"] == bound, first["text"]
        shares = [part["share"] for part in first["critical_path"].values()]
        assert first["blocks"] == 16 and sum(shares) == pytest.approx(1, abs=0.02) and min(shares) >= 0
        assert all(part["error"] < 0.02 for part in first["critical_path"].values()), first["text"]
        assert [verdict["bound"] for verdict in others] == ["compute"] * bool(other)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_shares_say_what_shortening_saves(bundles, verdicts, schedule):
    """The share of a cause is what a percent less of it saves, for any times: simulated again with less of it."""
    rng = random.Random(SCHEDULES.index(schedule))
    for number in range(6):
        times = Times(*(US * 10 ** rng.uniform(0.5, 2.5) for _ in range(4)))
        ahead = rng.choice([1, 16])
        [device] = simulate(bundles["one"][0], schedule, times, ahead, None)
        [verdict] = verdicts([device], "one")
        for cause, name in CAUSES.items():
            less = times.scaled(**{name: 0.99}, **({"overhead": 0.99} if name == "host" else {}))
            [faster] = simulate(bundles["one"][0], schedule, less, ahead, None)
            saved = 100 * (1 - faster.period() / device.period())
            assert verdict["critical_path"][cause]["share"] == pytest.approx(saved, abs=0.03), (number, cause, vars(times), ahead, verdict["text"])


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_simulations_do_what_devices_do(tools, bundles, tmp_path, schedule):
    """The same markers, in the same order, as in a recording of a device that exists."""
    bundle, events = bundles["one"]
    tools.ttrun("run", bundle.path, "--random", "--loops=20", "--cores=1", f"--schedule={schedule}", f"--profile={tmp_path}/real")
    [real] = (tmp_path / "real").iterdir()
    write_log(tmp_path / "simulated", bundle, simulate(bundle, schedule, SITUATIONS["compute"][0], 16, None, inferences=20), events)
    tools.ttrun("report", tmp_path / "simulated")

    def markers(folder):
        with (folder / "profile_log_device.csv").open() as file:
            return sorted((row["queue"], number, row["kind"], row["id"], row["value"]) for number, row in enumerate(csv.DictReader(file)))

    def sequences(folder):
        return {queue: [rest for at, _, *rest in markers(folder) if at == queue] for queue in "01"}

    assert sequences(tmp_path / "simulated") == sequences(real)
