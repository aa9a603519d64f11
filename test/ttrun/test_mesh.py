# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun on bundles of a mesh: threads, processes, mpirun; what read, check and perf show."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.fixture
def run(tools, build_dir):
    """run(how, bundle, ...): ttrun run in one of three ways."""

    def start(how, path, *options, ranks=2, check=True, cwd=None, environment=None):
        command = [str(tools.path("ttrun")), "run", str(path), *map(str, options)]
        if how == "processes":
            command.append(f"--processes={ranks}")
        if how == "threads":
            command.append(f"--devices={ranks}")
        if how == "mpi":
            if not shutil.which("mpirun"):
                pytest.skip("no mpirun: install openmpi-bin")
            if not (build_dir / "lib/libttrt-mpi.so").exists():
                pytest.skip("libttrt-mpi is not built: install libopenmpi-dev")
            command = ["mpirun", "--oversubscribe", "-n", str(ranks), *command]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd,
                              env=os.environ | MPI | (environment or {}))
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return start


ways = pytest.mark.parametrize("how", ["threads", "processes", "mpi"])


@ways
def test_divided_inputs_and_outputs(run, written, tmp_path, how):
    """y = x + the sum of x's rows, with a row for each device."""
    x = np.random.default_rng(1).standard_normal((2, 256)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "want.npy", x + x.sum(0))
    run(how, written("mesh-parts"), "--input=x.npy", "--expect=want.npy", "--output=y.npy", "--loops=50",
        cwd=tmp_path)
    done = run(how, written("mesh-parts"), "--input=x.npy", "--output=y.npy", cwd=tmp_path)
    assert done.stdout == ""
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), x + (x[0] + x[1]))


@ways
def test_outputs_that_differ(run, written, tmp_path, how):
    np.save(tmp_path / "x.npy", np.ones((2, 256), np.float32))
    done = run(how, written("mesh-parts"), "--input=x.npy", "--expect=x.npy", cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert done.stdout.count("DIFFERS") == 1, "only rank 0 prints"


@pytest.mark.parametrize("how", ["processes", "mpi"])
def test_outputs_that_differ_are_written(run, written, tmp_path, how):
    """Rank 0 has all the time that it needs, although the others are done."""
    np.save(tmp_path / "x.npy", np.ones((2, 256), np.float32))
    done = run(how, written("mesh-parts"), "--input=x.npy", "--expect=x.npy", "--output=y.npy", "--json", cwd=tmp_path,
               check=False)
    assert done.returncode == 1 and not json.loads(done.stdout)["equal"]
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.full((2, 256), 3, np.float32))


@pytest.mark.parametrize("binding, hidden", [("none", False), ("none", True), ("core", True)])
def test_ranks_share_cpus(tools, written, binding, hidden):
    """By what the ranks of one machine may use, whatever the launcher says of them."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU: ranks cannot share it")
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun: install openmpi-bin")
    program = ["env", *(["-u", "OMPI_COMM_WORLD_LOCAL_SIZE"] if hidden else []), str(tools.path("ttrun"))]
    done = subprocess.run(["mpirun", "-n", "2", "--bind-to", binding, *program, "run", str(written("mesh-parts")), "--random",
                           "--json"], capture_output=True, text=True, timeout=120, env=os.environ | MPI)
    assert done.returncode == 0, done.stderr
    share = 1 if binding == "core" else len(os.sched_getaffinity(0)) // 2
    assert json.loads(done.stdout)["cores"] == share


@ways
def test_constants_of_each_device(run, written, how):
    """The same outputs however the devices of a 2 x 2 mesh are connected."""
    printed = run(how, written("mesh"), "--random=3", ranks=4).stdout
    assert printed == run("default", written("mesh"), "--random=3").stdout
    assert printed.startswith("y f32[1, 256]: ")


@ways
def test_two_queues(run, written, how):
    printed = run(how, written("mesh-queues"), "--random", "--queues=2", "--loops=100").stdout
    assert printed == run("default", written("mesh-queues"), "--random").stdout


@pytest.mark.parametrize("how, message", [
    ("threads", "--devices=3: expected 2, the devices of the mesh that {} is compiled for"),
    ("processes", "--processes=3: expected 2, the devices of the mesh that {} is compiled for"),
    ("mpi", "rank 1: {}: the bundle is compiled for a mesh of 2 devices; the transport is of device 1 of 3")])
def test_other_number_of_devices(run, written, how, message):
    done = run(how, written("mesh-parts"), "--random", ranks=3, check=False)
    assert done.returncode == 2
    assert message.format(written("mesh-parts")) in done.stderr


def test_bundle_for_one_device(run, written):
    done = run("processes", written("sample"), "--random", check=False)
    assert done.returncode == 2 and "expected a bundle compiled for a mesh, found" in done.stderr


@pytest.mark.parametrize("option, message", [
    ("--sandbox", "a sandbox has one device: expected no --sandbox with a mesh"),
    ("--schedule=auto", "--schedule=auto measures one device"),
    ("--save-state=s", "each device of a mesh has its own states: expected no --save-state")])
def test_options_of_one_device(run, written, tmp_path, option, message):
    done = run("threads", written("mesh-parts"), "--random", option, check=False, cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr


@pytest.mark.parametrize("command", [["run", "--loops=20"], ["run", "--loops=20", "--queues=1"], ["perf", "--loops=20"]],
                         ids=["blocking", "pipeline", "perf"])
def test_a_recording_of_all_devices(tools, written, tmp_path, command):
    """Exchanges are no ops, in the times and in the tables; each device has a verdict."""
    command, *options = command
    tools.ttrun(command, written("mesh-parts"), "--random", "--cores=1", f"--profile={tmp_path}", *options)
    [folder] = tmp_path.iterdir()
    report = json.loads((folder / "report.json").read_text())
    assert len(report["devices"]) == 2 and report["dropped_markers"] == report["unmatched_begins"] == 0
    exchanges = [op for op in report["ops"] if op["type"] == "exchange"]
    assert exchanges and not {op["name"] for op in exchanges} & {program["name"] for program in report["programs"]}
    assert all(op["share_ms"] == 0 for op in exchanges)
    for device in report["devices"]:
        assert device["uses_ms"]["exchanges"] > 0
        assert sum(device["uses_ms"].values()) == pytest.approx(device["span_ms"], rel=1e-6)
        path = device["verdict"]["critical_path"]
        assert path["moving between devices"]["share"] > 0 and path["other devices"]["share"] == 0
        assert path["waiting for other devices"]["share"] >= 0


def test_a_recording_is_of_one_process(run, written, tmp_path):
    done = run("processes", written("mesh-parts"), "--random", f"--profile={tmp_path}", check=False)
    assert done.returncode == 2 and "a recording is of one process: expected no --profile with --processes" in done.stderr
    assert "TTRT_PROFILE=FOLDER records each of them, and ttrun report FOLDER joins the recordings" in " ".join(done.stderr.split())


@pytest.mark.parametrize("how", ["processes", "mpi"])
def test_recordings_of_processes_are_joined(run, tools, written, tmp_path, how):
    """Each process records its device. The begins in all recordings tell waiting from moving, and the report is one of
    all devices; a recording alone has neither."""
    environment = {"TTRT_PROFILE": str(tmp_path), "TTRT_PROFILE_PROGRAMS": "10000"}
    run(how, written("mesh-parts"), "--random", "--loops=3", environment=environment)  # of an earlier run
    earlier = set(tmp_path.iterdir())
    run(how, written("mesh-parts"), "--random", "--loops=40", environment=environment)
    folders = set(tmp_path.iterdir()) - earlier
    assert len(earlier) == len(folders) == 2
    report = json.loads(tools.ttrun("report", tmp_path, "--json").stdout)
    assert report == json.loads((tmp_path / "report.json").read_text()) and report["report"] == str(tmp_path)
    assert len(report["devices"]) == 2 and report["dropped_markers"] == report["unmatched_begins"] == 0
    for device in report["devices"]:
        path = device["verdict"]["critical_path"]
        assert path["moving between devices"]["share"] > 0 and path["other devices"]["share"] == 0
        assert sum(device["uses_ms"].values()) == pytest.approx(device["span_ms"], rel=1e-6)
    assert report["run_ms"]["count"] == 80
    tools.ttrun("perf", "--compare", tmp_path, tmp_path)
    for folder in folders:
        [device] = json.loads(tools.ttrun("report", folder, "--json").stdout)["devices"]
        path = device["verdict"]["critical_path"]
        assert path["other devices"]["share"] > 0 and path["moving between devices"]["share"] == 0


@pytest.mark.parametrize("how", ["processes", "mpi"])
def test_a_rank_without_inputs_ends_all(run, written, how):
    done = run(how, written("mesh-parts"), check=False)
    assert done.returncode != 0
    # The message of the first rank to find out.
    assert ": missing input: x f32[2, 256]" in done.stderr


def test_library_of_mpi_is_missing(run, written):
    done = run("mpi", written("mesh-parts"), "--random", check=False,
               environment={"TTRT_MPI_LIBRARY": "/nowhere/libttrt-mpi.so"})
    assert done.returncode == 2
    assert "a mesh over MPI needs libttrt-mpi: /nowhere/libttrt-mpi.so: cannot open shared object file" in done.stderr


@pytest.mark.parametrize("how, name, ranks", [
    ("processes", "mesh-parts", 2), ("processes", "mesh", 4), ("mpi", "mesh-parts", 2)])
def test_killed_ranks(root, build_dir, written, how, name, ranks):
    if how == "mpi" and not (shutil.which("mpirun") and (build_dir / "lib/libttrt-mpi.so").exists()):
        pytest.skip("no MPI: install libopenmpi-dev and openmpi-bin")
    done = subprocess.run(
        [sys.executable, root / "scripts/kill-ranks.py", written(name), str(ranks), f"--build={build_dir}",
         "--times=3", f"--how={how}"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("options, message", [
    (["--random=1"], "input 'x'"),
    (["--random", "--loops=3"], "--loops"),
    (["--random", "--queues=1"], "--schedule and --queues"),
    (["--random", "--flush-denormals"], "--flush-denormals")])
def test_ranks_of_mpi_that_differ_are_refused(tools, build_dir, written, options, message):
    """They would compute a mixture."""
    if not (shutil.which("mpirun") and (build_dir / "lib/libttrt-mpi.so").exists()):
        pytest.skip("no MPI: install libopenmpi-dev and openmpi-bin")
    one = [tools.path("ttrun"), "run", written("mesh-parts")]
    done = subprocess.run(["mpirun", "--oversubscribe", "-n", "1", *one, "--random", ":", "-n", "1", *one, *options],
                          capture_output=True, text=True, timeout=120, env=os.environ | MPI)
    assert done.returncode != 0 and done.stdout == ""
    expected = f"device 1 of the mesh has other data than device 0: {message}; expected the same on all devices"
    assert expected in done.stderr, done.stderr


@pytest.mark.parametrize("how", ["processes", "mpi"])
def test_a_stopped_rank_is_waited_for_as_long_as_allowed(tools, build_dir, written, tmp_path, how):
    command = [tools.path("ttrun"), "run", written("mesh-parts"), "--random", "--loops=1000000000000", "--wait-limit=2"]
    watched = {"TTRT_MONITOR": "1", "XDG_RUNTIME_DIR": str(tmp_path)}
    if how == "mpi":
        if not (shutil.which("mpirun") and (build_dir / "lib/libttrt-mpi.so").exists()):
            pytest.skip("no MPI: install libopenmpi-dev and openmpi-bin")
        command = ["mpirun", "--oversubscribe", "-n", "2", *command]
    else:
        command.append("--processes=2")
    process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | MPI | watched)

    def ranks():
        """The children that run ttrun, in the order of their ranks."""
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return [int(pid) for pid in children if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "ttrun"]

    def running():
        """The processes whose device has completed an inference."""
        monitor = tools.ttrun("monitor", "--once", "--json", env=os.environ | watched)
        return {device["pid"] for device in json.loads(monitor.stdout)["devices"] if device["iterations"]}

    while len(ranks()) < 2 or not running().issuperset(ranks()):
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.05)
    stopped = ranks()[1]
    os.kill(stopped, signal.SIGSTOP)
    begin = time.monotonic()
    output, _ = process.communicate(timeout=60)
    assert 1.9 < time.monotonic() - begin < 30
    assert process.returncode != 0
    waited = "device 0 of the mesh has waited for device 1"
    assert waited in output and "for longer than its limit of 2000 ms" in output, output
    assert not pathlib.Path(f"/proc/{stopped}/exe").exists(), "the stopped rank is left"


@pytest.mark.parametrize("options", [["--devices=2"], ["--processes=2"], ["--devices=2", "--queues=1"]])
def test_deadline(tools, written, options):
    begin = time.monotonic()
    done = tools.ttrun("run", written("mesh-parts"), "--random", "--loops=1000000000000", "--deadline=0.5", *options,
                       check=False)
    assert done.returncode == 1 and "deadline" in done.stderr, done.stderr
    assert 0.4 < time.monotonic() - begin < 30


def test_interrupted(tools, written):
    """Ctrl-C or SIGTERM ends all ranks without words."""
    process = subprocess.Popen(
        [tools.path("ttrun"), "run", written("mesh-parts"), "--random", "--loops=1000000000000", "--processes=2"],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    time.sleep(0.3)
    begin = time.monotonic()
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=20)
    assert time.monotonic() - begin < 30, "the ranks do not end"
    assert process.returncode == 128 + signal.SIGTERM and output == ""


def test_read_and_check(tools, written):
    path = written("mesh")
    printed = tools.ttrun("read", path, "--mesh", "--traces").stdout
    assert "mesh of 4 devices (x: 2, y: 2), 3 collectives, 3 exchanges" in printed
    assert "sum_over_y  all_reduce direct sum, f32 of 1024 to 1024 bytes, 1 exchange" in printed
    assert "groups {0, 1}, {2, 3}; a device receives 1024 bytes" in printed
    assert "device 2 at (1, 0): constants 0 B in common, 1.0 KiB (1024) of its own (shard 2)" in printed
    assert "exchange scatter\n" in printed
    assert "divided in dimension 0 by x" in tools.ttrun("read", written("mesh-parts"), "--entries").stdout
    assert "has     a mesh of 4 devices" in tools.ttrun("check", path).stdout
    given = json.loads(tools.ttrun("read", path, "--json").stdout)
    assert given["mesh"]["devices"] == 4
    assert [axis["name"] for axis in given["mesh"]["axes"]] == ["x", "y"]
    assert given["mesh"]["holds"][3] == {"device": 3, "coordinates": [1, 1], "common_constants": 0,
                                         "own_constants": 1024, "shard": 3}
    assert [c["kind"] for c in given["collectives"]] == ["all_reduce", "reduce_scatter", "all_gather"]
    parts = json.loads(tools.ttrun("read", written("mesh-parts"), "--json").stdout)
    assert parts["entries"][0]["inputs"][0]["sharding"] == [["x"], []]
    assert "mesh" not in json.loads(tools.ttrun("read", written("sample"), "--json").stdout)


@pytest.mark.parametrize("options", [["--devices=2"], ["--processes=2", "--bind=cores"]])
def test_perf(tools, written, tmp_path, options):
    given = json.loads(tools.ttrun("perf", written("mesh-parts"), "--json", "--loops=50",
                                   f"--timeline={tmp_path / 't.json'}", *options).stdout)
    assert len(given["devices"]) == 2
    for device in given["devices"]:
        parts = device["computing_us"] + device["moving_us"] + device["waiting_us"]
        assert 0 < device["total_us"] and parts >= 0.99 * device["total_us"] - 1
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    names = {(e["pid"], e["args"]["name"]) for e in events if e["name"] == "process_name"}
    assert names == {(1, "device 0"), (2, "device 1")}
    # On one clock: no device leaves the exchange before the other one has begun it.
    exchanges = [e for e in events if e.get("cat") == "exchange"]
    assert sorted(e["pid"] for e in exchanges) == [1, 2]
    latest = max(e["ts"] for e in exchanges)
    assert all(e["ts"] + e["dur"] >= latest for e in exchanges)
    text = tools.ttrun("perf", written("mesh-parts"), "--loops=5", *options).stdout
    assert "device   us per run    computing       moving      waiting" in text
