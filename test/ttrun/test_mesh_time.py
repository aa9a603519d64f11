# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun read --mesh-time: what can be said of the step times of a mesh without measuring. benchmarks/mesh/mesh-time.py compares
predictions with measured times."""
import json
import subprocess

import pytest

LATENCY, BANDWIDTH = 1_000_000, 1e6  # links so slow that commands take no time beside them: 1 ms, 1 MB/s


@pytest.fixture(scope="module")
def bundles(tools, root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")

    def make(mesh, parallel, *options):
        path = folder / f"{mesh}-{parallel}{''.join(options)}.ttcb".replace(":", "_")
        if not path.exists():
            tools.run("ttc-translate", "--onnx-to-bundle", root / "examples/mlp/mlp.onnx", f"--mesh={mesh}",
                      f"--parallel={parallel}", "--algorithm=direct", *options, "-o", path)
        return path
    return make


def predict(tools, bundle, *options):
    return json.loads(tools.ttrun("read", bundle, "--mesh-time", "--json", *options).stdout)


def collectives(tools, bundle):
    return json.loads(tools.ttrun("read", bundle, "--mesh", "--json").stdout)["collectives"]


def find(report):
    """The prediction of the only entry point, wherever it is."""
    if isinstance(report, dict):
        if "step_us" in report:
            return report
        report = list(report.values())
    if isinstance(report, list):
        for part in report:
            if (found := find(part)) is not None:
                return found
    return None


def test_slow_links_decide(tools, bundles):
    """One all_reduce in one round or two on two devices: each takes the latency and the bytes of its messages."""
    bundle = bundles("2", "tensor")
    [one] = [c for c in collectives(tools, bundle) if c["exchanges"]]
    slow = find(predict(tools, bundle, f"--links=x:2:all:{BANDWIDTH:.0f}:{LATENCY}"))
    fast = find(predict(tools, bundle))
    rounds = 1 if one["operand_bytes"][0] <= 8192 else 2
    assert slow["messages"] == 2 * rounds  # a step has one exchange
    expected = rounds * LATENCY * 1e-3 + one["received_bytes"] / BANDWIDTH * 1e6
    assert slow["step_us"] - fast["step_us"] == pytest.approx(expected, rel=0.01)
    # Twice the latency is that much more.
    slower = find(predict(tools, bundle, f"--links=x:2:all:{BANDWIDTH:.0f}:{2 * LATENCY}"))
    assert slower["step_us"] - slow["step_us"] == pytest.approx(rounds * LATENCY * 1e-3, rel=0.01)


def test_batches_need_no_links(tools, bundles):
    """Where nothing is exchanged, links make no difference, and devices compute all the time."""
    bundle = bundles("4", "data")
    assert not collectives(tools, bundle)
    fast, slow = find(predict(tools, bundle)), find(predict(tools, bundle, f"--links=x:4:ring:1000:{LATENCY}"))
    assert fast["step_us"] == slow["step_us"] and fast["efficiency"] == pytest.approx(1)


def test_stages_with_micro_batches(tools, bundles):
    """A stage sends a micro-batch while the next one receives the one before: small messages wait for no receiver, and the
    link is what limits the steps."""
    bundle = bundles("2", "pipeline", "--micro-batches=2")
    [one] = [c for c in collectives(tools, bundle) if c["exchanges"]]
    slow = find(predict(tools, bundle, f"--links=x:2:all:{BANDWIDTH:.0f}:{LATENCY}"))
    assert one["operand_bytes"][0] <= 8192 and slow["messages"] == 2
    message = LATENCY * 1e-3 + one["operand_bytes"][0] / BANDWIDTH * 1e6
    assert slow["interval_us"] == pytest.approx(2 * message, rel=0.01)
    assert slow["devices"][0]["moving_us"] < 0.01 * message


@pytest.mark.parametrize("devices", ["--devices=2", "--processes=2"])
def test_intervals_of_stages(tools, bundles, devices):
    """The first rank has no outputs: it reports what the last stage has measured."""
    bundle = bundles("2", "pipeline", "--micro-batches=2")
    report = json.loads(tools.ttrun("perf", bundle, devices, "--schedule=single", "--cores=1", "--json", "--loops=20").stdout)
    assert report["schedule"] == "single" and len(report["commands_per_trace"]) == 2
    assert 0 < report["interval_ms"]["min"] <= report["interval_ms"]["p99"]
    assert report["per_second"] <= 1001 / report["interval_ms"]["min"]


def test_a_faster_device_takes_less(tools, bundles):
    bundle = bundles("2", "tensor")
    times = [find(predict(tools, bundle, f"--gigaflops={n}", "--gigabytes-per-second=1000"))["step_us"] for n in (1, 10, 100)]
    assert times[0] > times[1] > times[2]


def test_measured_commands(tools, bundles, tmp_path):
    bundle = bundles("2", "tensor")
    times = tmp_path / "times.json"
    times.write_text(tools.ttrun("perf", bundle, "--alone", "--ops", "--json", "--loops=3").stdout)
    report = tools.ttrun("read", bundle, "--mesh-time", f"--command-times={times}").stdout
    assert "estimated" not in report and "step" in report


@pytest.mark.parametrize("options,message", [
    (["--links=x:3"], "3"), (["--links=x:2:star"], "star"), (["--links=/nowhere.json"], "/nowhere.json"),
    (["--command-times=/nowhere.json"], "/nowhere.json"), (["--gigaflops=0"], "gigaflops")])
def test_bad_options(tools, bundles, options, message):
    done = subprocess.run([tools.path("ttrun"), "read", bundles("2", "tensor"), "--mesh-time", *options], capture_output=True, text=True)
    assert done.returncode != 0 and message in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_needs_a_mesh(tools, root, tmp_path):
    tools.compile(root / "examples/mlp/mlp.onnx", tmp_path / "one.ttcb")
    done = subprocess.run([tools.path("ttrun"), "read", tmp_path / "one.ttcb", "--mesh-time"], capture_output=True, text=True)
    assert done.returncode != 0 and "mesh" in done.stderr
