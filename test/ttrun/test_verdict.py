# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verdict of a recording: what a device is bound by, for each schedule, from recordings of simulated devices."""
import csv
import json
import os
import random

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from simulated_device import Bundle, Simulation, Times, events_of, write_log

SCHEDULES = ["single", "single-untraced", "overlap-input", "overlap-input-untraced", "overlap-io", "overlap-io-untraced",
             "overlap-io-signals"]
CAUSES = {"compute": "compute", "transfers in": "write", "transfers out": "read", "host": "host", "moving between devices": "move"}
US = 1000
# What binds the first device, its times, the inferences in flight, and the times of a second device.
SITUATIONS = {
    "compute": (Times(10 * US, 10 * US, 100 * US, 2 * US), 16, None),
    "transfer in": (Times(100 * US, 10 * US, 30 * US, 2 * US), 16, None),
    "transfer out": (Times(10 * US, 100 * US, 30 * US, 2 * US), 16, None),
    "host": (Times(10 * US, 10 * US, 30 * US, 150 * US), 16, None),
    "mesh waiting": (Times(10 * US, 10 * US, 30 * US, 2 * US, 5 * US), 16, Times(10 * US, 10 * US, 200 * US, 2 * US, 5 * US)),
    "mesh moving": (Times(10 * US, 10 * US, 30 * US, 2 * US, 200 * US), 16, Times(10 * US, 10 * US, 32 * US, 2 * US, 200 * US)),
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
        # The later device waits for nothing.
        assert [verdict["bound"] for verdict in others] == [bound if bound == "mesh moving" else "compute"] * bool(other)
        assert not other or others[0]["critical_path"]["waiting for other devices"]["share"] == 0
        assert first["critical_path"]["other devices"]["share"] == 0


@pytest.mark.parametrize("imbalance", [0, 20, 100, 400])
def test_waiting_is_told_from_moving(bundles, verdicts, imbalance):
    """Two devices, one of which computes longer: the other one waits for the difference, in each iteration."""
    compute, move = 100 * US, 60 * US
    times = [Times(US, US, compute + extra * US, US, move) for extra in (0, imbalance)]
    first, second = verdicts(simulate(bundles["two"][0], "single", times[0], 16, times[1]), "two")
    period = compute + imbalance * US + move
    for verdict, waiting in ((first, imbalance * US), (second, 0)):
        path = verdict["critical_path"]
        assert path["waiting for other devices"]["share"] == pytest.approx(waiting / period, abs=0.04), verdict["text"]
        assert path["moving between devices"]["share"] == pytest.approx(move / period, abs=0.04), verdict["text"]


@pytest.mark.parametrize("are", ["threads", "processes"])
def test_a_stage_waits_for_the_one_with_more_work(tools, tmp_path, are):
    """Devices that exist: the first one has a large product, the second one a small one."""
    rng = np.random.default_rng(6)
    weights = [numpy_helper.from_array(rng.standard_normal(shape, np.float32), name)
               for name, shape in (("w0", (2048, 512)), ("w1", (512, 8)))]
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["h"]), helper.make_node("Softmax", ["h"], ["s"]),
             helper.make_node("MatMul", ["s", "w1"], ["y"])]
    ports = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [128, width]) for name, width in (("x", 2048), ("y", 8))]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "stages.onnx")
    tools.compile(tmp_path / "stages.onnx", tmp_path / "stages.ttcb", "--mesh=2", "--parallel=pipeline")
    command = ["run", tmp_path / "stages.ttcb", "--random", "--cores=1", "--loops=20"]
    found = []
    while len(found) < 8:  # other programs can keep a device from its CPU during an exchange
        record = tmp_path / f"record{len(found)}"
        if are == "threads":
            tools.ttrun(*command, f"--profile={record}")
        else:
            tools.ttrun(*command, "--processes=2", env={**os.environ, "TTRT_PROFILE": str(record)})
        devices = json.loads(tools.ttrun("report", record, "--json").stdout)["devices"]
        paths = [device["verdict"]["critical_path"] for device in devices]
        assert len(paths) == 2 and all(path["other devices"]["share"] == 0 for path in paths)
        found.append([(path["waiting for other devices"]["share"], path["moving between devices"]["share"]) for path in paths])
        if any(waiting > 2 * moving for waiting, moving in found[-1]):
            return
    pytest.fail(f"waiting and moving: {found}")


def test_devices_that_are_not_known_apart(tools, bundles, tmp_path):
    """In a recording of an earlier version, or of one of the devices, waiting is not told from moving."""
    bundle, events = bundles["two"]
    times, _, other = SITUATIONS["mesh waiting"]
    devices = simulate(bundle, "single", times, 16, other)
    for recorded, version in ((devices, 2), (devices[:1], 3)):
        write_log(tmp_path, bundle, recorded, events, version)
        verdict = json.loads(tools.ttrun("report", tmp_path, "--json").stdout)["devices"][0]["verdict"]
        assert verdict["bound"] == "mesh" and verdict["critical_path"]["other devices"]["share"] > 0.5
        assert not verdict["critical_path"]["waiting for other devices"]["share"]


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
