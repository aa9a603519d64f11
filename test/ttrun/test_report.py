# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun report: recordings of the sample, and the files that are made of them."""
import csv
import decimal
import json
import os
import resource
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest

import trace_events


@pytest.fixture(scope="module")
def bundle(written):
    return written("sample")


class Report:
    def __init__(self, folder):
        self.folder = folder
        self.csv = folder / f"ops_perf_results_{folder.name}.csv"
        self.rows = list(csv.DictReader(self.csv.open()))
        self.markers = list(csv.DictReader((folder / "profile_log_device.csv").open()))
        self.timeline = json.loads((folder / "timeline.json").read_text())["traceEvents"]
        self.json = json.loads((folder / "report.json").read_text())

    def slices(self, category):
        return [e for e in self.timeline if e["ph"] == "X" and e["cat"] == category]

    def ops(self):
        return [r for r in self.rows if r["OP TYPE"] == "device"]


@pytest.fixture
def record(tools, bundle, tmp_path):
    def run(command, *options):
        folder = tmp_path / "profile"
        tools.ttrun(command, bundle, "--random", f"--profile={folder}", "--profile-programs=100000", *options)
        [recording] = folder.iterdir()
        return Report(recording)

    return run


LOOPS, COMMANDS = 12, 4


@pytest.mark.parametrize("options", [[], ["--queues=1"], ["--no-trace"]], ids=["blocking", "pipeline", "dispatched"])
def test_every_command_of_every_run_is_there(record, options):
    report = record("run", f"--loops={LOOPS}", "--cores=2", *options)
    names = [op["PROGRAM"] for op in report.ops()]
    assert names == ["test_add", "test_reverse"] * (LOOPS * COMMANDS // 2)
    assert [op["GLOBAL CALL COUNT"] for op in report.rows] == [str(i + 1) for i in range(len(report.rows))]
    for op in report.ops():
        assert (op["CORE COUNT"], op["GRID"], op["DEVICE ID"]) == ("2", "16", "0")
        least, most = (float(op[f"DEVICE KERNEL DURATION PER CORE {w} [ns]"]) for w in ("MIN", "MAX"))
        assert 0 <= least <= most <= float(op["DEVICE FW DURATION [ns]"]) + 1
        assert op["SOURCE"] and int(op["DRAM READ [bytes]"]) > 0 and int(op["DRAM BEFORE [bytes]"]) > 0
    # Two cores execute each command.
    assert len(report.slices("op")) == 2 * len(names)
    assert sum(m["kind"] == "command-begin" for m in report.markers) == sum(m["kind"] == "command-end" for m in report.markers)
    assert report.json["dropped_markers"] == report.json["unmatched_begins"] == report.json["unmatched_ends"] == 0
    sessions = [op["METAL TRACE REPLAY SESSION ID"] for op in report.ops()]
    if "--no-trace" in options:
        assert set(sessions) == {""}
    else:
        assert sessions == [str(i // COMMANDS + 1) for i in range(len(sessions))]


def test_times_add_up(record):
    report = record("run", f"--loops={LOOPS}", "--cores=2")
    [device] = report.json["devices"]
    assert sum(device["uses_ms"].values()) == pytest.approx(device["span_ms"], rel=1e-6)
    assert sum(op["share_ms"] for op in report.json["ops"]) == pytest.approx(device["uses_ms"]["ops"], rel=1e-6)
    shares = sum(float(op["DEVICE TIME SHARE [ns]"]) for op in report.ops()) * 1e-6
    assert shares == pytest.approx(device["uses_ms"]["ops"], rel=1e-2)
    assert report.json["run_ms"]["count"] == LOOPS
    assert sum(op["time_us"]["count"] for op in report.json["ops"] if op["type"] == "device") == LOOPS * COMMANDS
    assert report.json["clock"]["samples"] >= 249
    path = device["verdict"]["critical_path"]
    assert sum(part["share"] for part in path.values()) == pytest.approx(1, abs=0.2)  # medians of each


@pytest.mark.parametrize("command, options", [
    ("run", ["--cores=1"]), ("run", ["--cores=2", "--queues=1"]), ("run", ["--cores=2", "--no-trace"]),
    ("perf", ["--cores=2", "--ops"]), ("run", ["--cores=1", "--profile-programs=1"])],
    ids=["blocking", "pipeline", "dispatched", "perf", "drops"])
def test_timeline_is_in_chromes_format(record, command, options):
    report = record(command, f"--loops={LOOPS}", *options)
    text = (report.folder / "timeline.json").read_text()
    assert trace_events.problems(text) == [] and trace_events.TracyImport(text).problems() == []
    assert {"device 0 queue 0 core 0", "thread 1"} <= {
        e["args"]["name"] for e in report.timeline if e["ph"] == "M" and e["name"] == "thread_name"}
    if "--profile-programs=1" not in options:
        assert {e["name"] for e in report.timeline if e["ph"] == "C"} >= {"DRAM in use"}
        assert len(report.slices("op")) >= LOOPS * COMMANDS


def test_parts_make_the_whole(record):
    """What the time was spent on adds up to the recorded time; without the application's part, to the runs. (With
    more cores, one may leave a stream after the run has returned.)"""
    report = record("perf", f"--loops={LOOPS}", "--warmup=1", "--cores=1")
    [device] = report.json["devices"]
    uses = dict(device["uses_ms"])
    assert sum(uses.values()) == pytest.approx(device["span_ms"], rel=1e-8, abs=1e-8)  # JSON has nine digits
    assert min(uses.values()) >= 0
    timeline = json.loads((report.folder / "timeline.json").read_text(), parse_float=decimal.Decimal)["traceEvents"]
    runs = [e for e in timeline if e.get("cat") == "call" and e["name"] == "run"]
    assert len(runs) == LOOPS + 1
    # The device works only inside runs, within the accuracy of comparing the clocks.
    error = 2e-6 * report.json["clock"]["residual_max_ns"] * len(runs) + 1e-8 * device["span_ms"]
    assert sum(uses.values()) - uses["application"] == pytest.approx(float(sum(e["dur"] for e in runs)) * 1e-3, abs=error)
    first, last = min(e["ts"] for e in runs), max(e["ts"] + e["dur"] for e in runs)
    assert device["span_ms"] == pytest.approx(float(last - first) * 1e-3, abs=error)


def test_verdict_says_what_a_trace_saves(tools, record, bundle):
    """Blocks of dispatched runs and of runs of the trace are measured in turns."""
    report = record("perf", "--no-trace", "--loops=64", "--warmup=2", "--cores=1")
    verdict = report.json["devices"][0]["verdict"]
    saves = verdict["trace_saves"]
    assert (saves["kind"], saves["blocks"]) == ("measured", 16)
    assert "a trace" in verdict["text"] and "16 pairs of blocks" in verdict["text"]
    assert saves["share"] < 1 and saves["error"] > 0
    assert ("unclear whether a trace saves time" in verdict["text"]) == (abs(saves["share"]) <= saves["error"])
    # Runs of the trace are not among those that were asked for.
    assert report.json["run_ms"]["count"] == 64 + 2
    assert len(report.ops()) == (2 * 64 + 2) * COMMANDS


def test_verdict_bounds_what_a_trace_saves(record):
    saves = record("run", "--no-trace", f"--loops={LOOPS}", "--cores=1").json["devices"][0]["verdict"]["trace_saves"]
    assert (saves["kind"], saves["blocks"]) == ("at most", LOOPS - 1)
    assert 0 < saves["share"] < 1


def test_gaps(tools, record):
    """Where no op is executed: between two commands, and between one run and the next."""
    report = record("run", f"--loops={LOOPS}", "--cores=1")
    out = tools.ttrun("report", report.folder, "--gaps").stdout
    head, *lines = out[out.index(" share  median us    times"):].splitlines()
    assert head.endswith("gap after one op and before the other")
    times = {tuple(line.partition("test_")[2].replace("test_", "").split(", ")): int(line.split()[2]) for line in lines}
    assert len(times) == COMMANDS
    assert sorted(times.values()) == [LOOPS - 1] + [LOOPS] * (COMMANDS - 1)
    [between] = [place for place, count in times.items() if count == LOOPS - 1]
    assert between[0].startswith("reverse (") and between[1] == "add (0)"
    few = tools.ttrun("report", report.folder, "--gaps", "--rows=1").stdout
    assert few.splitlines()[-1].endswith("% in 3 other places")
    assert "gap after" not in tools.ttrun("report", report.folder).stdout


def test_verdict_of_traces_says_nothing_of_them(record):
    verdict = record("run", f"--loops={LOOPS}", "--cores=1").json["devices"][0]["verdict"]
    assert verdict["trace_saves"]["kind"] == "unknown" and "a trace" not in verdict["text"]


def test_phases_of_perf_are_signposts(record):
    report = record("perf", "--loops=5", "--warmup=2")
    posts = [(r["OP CODE"], r["ATTRIBUTES"]) for r in report.rows if r["OP TYPE"] == "signpost"]
    assert posts == [("warm-up", "2 runs"), ("measured", "5 runs")]
    assert report.rows[0]["OP CODE"] == "warm-up"
    instants = [e["name"] for e in report.timeline if e["ph"] == "i" and e["cat"] == "signpost"]
    assert instants == ["warm-up", "measured"]
    assert len(report.ops()) == 7 * COMMANDS


@pytest.mark.parametrize("schedule", ["single", "overlap-io-signals", "overlap-io-untraced"])
def test_perf_records_only_the_schedule(tools, digits, tmp_path, schedule):
    done = tools.ttrun("perf", digits, "--cores=1", f"--schedule={schedule}", "--loops=20", "--warmup=4", "--json",
                       f"--profile={tmp_path}", "--profile-programs=10000")
    [folder] = tmp_path.iterdir()
    report, measured = Report(folder), json.loads(done.stdout)
    assert not {"device_ms", "end_to_end_ms"} & set(measured) and measured["interval_ms"]["median"] > 0
    assert {e["name"] for e in report.timeline if e.get("cat") == "call"} <= {"pipeline enqueue", "pipeline pop"}
    assert sum(op["time_us"]["count"] for op in report.json["ops"] if op["name"] == "read output logits") == 24
    failed = tools.ttrun("perf", digits, f"--schedule={schedule}", "--ops", f"--profile={tmp_path}", check=False)
    assert failed.returncode == 2 and "expected no --ops, --programs, --csv and --timeline" in failed.stderr
    failed = tools.ttrun("perf", digits, "--schedule=auto", f"--profile={tmp_path}", check=False)
    assert failed.returncode == 2 and "expected the schedule that it takes" in failed.stderr


def test_long_blocking_runs_drop_nothing(tools, bundle, tmp_path):
    """Rings are read between runs before they are full."""
    tools.ttrun("run", bundle, "--random", "--loops=1000", "--cores=1", f"--profile={tmp_path}", "--profile-programs=20")
    [folder] = tmp_path.iterdir()
    assert Report(folder).json["dropped_markers"] == 0
    assert len(Report(folder).ops()) == 1000 * COMMANDS


def test_zones_inside_of_programs(tools, written, tmp_path):
    script = written("script")
    tools.ttrun("run", script, "--random", f"--loops={LOOPS}", "--cores=2", f"--profile={tmp_path}/profile")
    [folder] = (tmp_path / "profile").iterdir()
    report = Report(folder)
    assert report.json["warnings"] == [] and report.json["dropped_in_programs"] == report.json["unmatched_begins"] == 0
    rows = {row["zone"]: row for row in report.json["program_zones"]}
    commands, grid = 2 * LOOPS, 16
    assert {name: (row["kind"], row["count"]) for name, row in rows.items()} == {
        "main": ("zone", 2 * commands), "load <b>": ("zone", grid * commands), "multiply": ("total", grid * commands),
        "bytes": ("data", grid * commands), "done": ("event", commands)}
    assert {row["program"] for row in rows.values()} == {"test_script"}
    assert rows["load <b>"]["share"] < rows["main"]["share"] <= 1
    assert rows["main"]["time_us"]["count"] == 2 * commands
    assert rows["bytes"]["value"] == {"min": 4096, "median": 4096, "max": 4096}
    text = tools.ttrun("report", folder).stdout
    assert "zone in program" in text and "multiply (sum) in test_script" in text and "done in test_script" in text
    # Slices of zones are in those of commands.
    ops = [(e["tid"], e["ts"], e["ts"] + e["dur"]) for e in report.slices("op") if e["name"] == "test_script"]
    zones = [(e["tid"], e["ts"], e["ts"] + e["dur"]) for e in report.slices("zone") if e["pid"] > 1]
    assert len(ops) == 2 * commands and len(zones) == (2 + grid) * commands
    assert all(any(op[0] == tid and op[1] <= begin + 2e-3 and end <= op[2] + 2e-3 for op in ops) for tid, begin, end in zones)
    data = [e for e in report.timeline if e["ph"] == "i" and e["name"] == "bytes"]
    assert len(data) == grid * commands and all(e["args"] == {"value": 4096} for e in data)
    assert {m["name"] for m in report.markers} >= {"main", "load <b>", "multiply", "bytes", "done"}


@pytest.mark.parametrize("cores", [1, 2])
def test_zones_of_an_instrumented_model(tools, root, tmp_path, cores):
    """From the compiler to the timeline: each command of each program has its main zone, on each core that works."""
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, "--instrument")
    tools.ttrun("run", bundle, "--random", f"--loops={LOOPS}", f"--cores={cores}", f"--profile={tmp_path}/profile")
    [folder] = (tmp_path / "profile").iterdir()
    report = Report(folder)
    assert report.json["warnings"] == [] and report.json["dropped_in_programs"] == report.json["unmatched_begins"] == 0
    text = (folder / "timeline.json").read_text()
    assert trace_events.problems(text) == [] and trace_events.TracyImport(text).problems() == []
    programs = {op["name"]: 0 for op in report.json["ops"] if op["type"] == "device"}
    kernels = ("gemm", "pool", "winograd_conv")
    for row in report.json["program_zones"]:
        main = next((kernel for kernel in kernels if row["program"].startswith(kernel)), "body")
        if row["zone"] == main:
            assert row["kind"] == "zone" and row["count"] >= LOOPS and 0 < row["share"] <= 1
            programs[row["program"]] += row["count"]
    assert programs and all(programs.values()), programs
    assert {row["zone"] for row in report.json["program_zones"]} >= {"gemm", "panels", "block", "pool"}


def test_long_pipelines_drop_nothing(tools, bundle, tmp_path):
    """They are read while they run; what they execute in between has room."""
    tools.ttrun("run", bundle, "--random", "--loops=3000", "--cores=1", "--queues=1", f"--profile={tmp_path}", "--profile-mid-run")
    [folder] = tmp_path.iterdir()
    assert Report(folder).json["dropped_markers"] == 0
    assert len(Report(folder).ops()) == 3000 * COMMANDS


def test_newest_recording_is_taken(tools, record):
    first = record("run")
    tools.ttrun("run", first.json["devices"][0]["bundle"], "--random", "--loops=2", f"--profile={first.folder.parent}")
    newest = json.loads(tools.ttrun("report", "--json", first.folder.parent).stdout)
    assert newest["report"] != str(first.folder) and newest["run_ms"]["count"] == 2
    again = json.loads(tools.ttrun("report", "--json", f"{first.folder}/").stdout)
    assert again["run_ms"]["count"] == 1
    assert [f.name for f in first.folder.glob("*.csv")].count(first.csv.name) == 1


def test_equal_logs_make_equal_reports(tools, record):
    report = record("run", f"--loops={LOOPS}")
    before = {f.name: f.read_bytes() for f in report.folder.iterdir()}
    tools.ttrun("report", report.folder)
    assert before == {f.name: f.read_bytes() for f in report.folder.iterdir()}


def test_log_of_a_killed_process(tools, bundle, tmp_path):
    """What has been read until then is there."""
    process = subprocess.Popen([tools.path("ttrun"), "run", bundle, "--random", f"--loops={2**40}", "--cores=1",
                                f"--profile={tmp_path}", "--profile-programs=100"], stdout=subprocess.DEVNULL)
    log = None
    while log is None or log.stat().st_size < 100000:
        assert process.poll() is None
        time.sleep(0.01)
        log = next(tmp_path.glob("*/profile.ttlog"), None)
    process.kill()
    process.wait()
    out = tools.ttrun("report", tmp_path).stdout
    assert "it was not closed" in out
    assert len(Report(log.parent).ops()) > 100


def test_moved_and_changed_bundles(tools, bundle, tmp_path):
    path = tmp_path / "a.ttcb"
    path.write_bytes(bundle.read_bytes())
    tools.ttrun("run", path, "--random", f"--profile={tmp_path}/profile")
    moved = path.rename(tmp_path / "b.ttcb")
    out = tools.ttrun("report", f"{tmp_path}/profile").stdout
    assert "names are unknown: cannot read" in " ".join(out.split()) and "step " in out
    assert "test_add" in tools.ttrun("report", f"{tmp_path}/profile", f"--bundle={moved}").stdout
    header = bytearray(moved.read_bytes())
    header[40] ^= 1  # the hash of the metadata
    path.write_bytes(header)
    assert "has changed since" in " ".join(tools.ttrun("report", f"{tmp_path}/profile").stdout.split())
    failed = tools.ttrun("report", f"{tmp_path}/profile", f"--bundle={path}", check=False)
    assert failed.returncode == 2 and "no device of the recording has run this bundle" in failed.stderr


def test_a_bundle_that_is_no_file(tools, bundle, tmp_path):
    """The log says where the bundle is: a pipe there must not make the report wait."""
    path = tmp_path / "a.ttcb"
    path.write_bytes(bundle.read_bytes())
    tools.ttrun("run", path, "--random", f"--profile={tmp_path}/profile")
    path.unlink()
    os.mkfifo(path)
    out = tools.ttrun("report", f"{tmp_path}/profile", timeout=60).stdout
    assert "names are unknown" in out and "is no file" in " ".join(out.split())


@pytest.mark.parametrize("name", ["profile.ttlog", "machine.json"])
def test_pipes_in_a_recording(tools, bundle, tmp_path, name):
    """A pipe that nothing writes to would block."""
    tools.ttrun("run", bundle, "--random", f"--profile={tmp_path}")
    [folder] = tmp_path.iterdir()
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    done = tools.ttrun("report", tmp_path, check=False, timeout=60)
    assert done.returncode == 2 and f"{name}: not a regular file" in " ".join(done.stderr.split())


def test_processes_that_record_to_one_folder(tools, bundle, tmp_path):
    """Each has a folder of its own, at the same second too."""
    command = [tools.path("ttrun"), "run", bundle, "--random", "--loops=20", "--cores=1", f"--profile={tmp_path}"]
    processes = [subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    reports = [Report(folder).json for folder in tmp_path.iterdir()]
    assert len({report["pid"] for report in reports}) == 4
    assert all(report["run_ms"]["count"] == 20 and report["closed"] for report in reports)


def test_wrong_usage(tools, bundle, tmp_path):
    def error(*arguments):
        failed = tools.ttrun(*arguments, check=False)
        assert failed.returncode == 2
        return failed.stderr

    assert "expected one folder, found 0" in error("report")
    assert "no recording (profile.ttlog)" in error("report", tmp_path)
    assert "expected the folder of a recording" in error("report", tmp_path / "none")
    (tmp_path / "profile.ttlog").write_bytes(b"x" * 100)
    assert "profile.ttlog: bad profile log, byte 0: expected the start of a recording" in error("report", tmp_path)
    assert "--profile-mid-run needs --profile=FOLDER" in error("run", bundle, "--random", "--profile-mid-run")
    (tmp_path / "profile.ttlog").unlink()
    (tmp_path / "profile.ttlog").mkdir()
    assert "profile.ttlog" in error("report", tmp_path)
    assert "expected no --profile" in error("run", bundle, "--random", "--sandbox", f"--profile={tmp_path}")


# Columns of words; all others are numbers.
WORDS = {"OP CODE", "OP TYPE", "ATTRIBUTES", "PROGRAM", "SOURCE"}
WORD_ENDS = ("_SHAPE", "_DATATYPE", "_MEMORY", "_BUFFER")


def test_pandas_opens_the_tables(record):
    pandas = pytest.importorskip("pandas")
    report = record("perf", "--loops=5", "--warmup=1")
    table = pandas.read_csv(report.csv)
    assert (table["OP TYPE"] == "device").sum() == 6 * COMMANDS
    for name, column in table.items():
        if column.isna().all():
            continue
        assert pandas.api.types.is_numeric_dtype(column) == (name not in WORDS and not name.endswith(WORD_ENDS)), f"{name} is {column.dtype}"
    ops = table[table["OP TYPE"] == "device"]
    for name in ("GLOBAL CALL COUNT", "DEVICE KERNEL DURATION [ns]", "DRAM READ [bytes]"):
        assert not ops[name].isna().any() and (ops[name] >= 0).all()
    summed = ops.groupby("PROGRAM")["DEVICE KERNEL DURATION [ns]"].sum()
    assert set(summed.index) == {"test_add", "test_reverse"} and (summed > 0).all()
    markers = pandas.read_csv(report.folder / "profile_log_device.csv")
    words = {name for name, column in markers.items() if not pandas.api.types.is_numeric_dtype(column)}
    assert words == {"kind", "name"}
    assert markers["time [cycles]"].dtype.kind in "iu"
    assert markers.groupby("ring")["time [cycles]"].apply(lambda times: times.is_monotonic_increasing).all()


#
# Limits, operations and traffic
#


@pytest.fixture(scope="module")
def digits(tools, root, tmp_path_factory):
    path = tmp_path_factory.mktemp("digits") / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", path)
    return path


PM = ["PM IDEAL [ns]", "PM COMPUTE [ns]", "PM BANDWIDTH [ns]", "PM FPU UTIL (%)", "DRAM BW UTIL (%)"]


def test_without_limits_columns_are_empty(tools, digits, tmp_path):
    tools.ttrun("run", digits, "--random", "--loops=3", f"--profile={tmp_path}")
    [folder] = tmp_path.iterdir()
    assert not (folder / "machine.json").exists()
    report = Report(folder)
    assert report.json["devices"][0]["limits"] == {}
    for op in report.ops():
        assert [op[name] for name in PM] == [""] * len(PM)
    assert any(int(op["FLOPS"] or 0) > 1000 for op in report.ops())
    for op in report.json["ops"] + report.json["programs"]:
        assert not {"ideal_us", "compute_us", "bandwidth_us", "of_peak", "of_bandwidth"} & set(op)
    text = tools.ttrun("report", folder).stdout
    assert "limits       unknown; --measure-peak" in text and "% of peak" not in text and "GB/s" in text


def test_limits_by_hand(tools, digits, tmp_path):
    """Each column is what operations, bytes and limits make it."""
    tools.ttrun("run", digits, "--random", "--loops=3", "--cores=1", f"--profile={tmp_path}")
    [folder] = tmp_path.iterdir()
    text = tools.ttrun("report", folder, "--peak-gflops=50", "--bandwidth-gbs=8").stdout
    assert "50.0 GFLOP/s, 8.0 GB/s, given by --peak-gflops, --bandwidth-gbs" in text
    assert "% of peak" in text and "% of bandwidth" in text and max(map(len, text.splitlines())) <= 110
    report = Report(folder)
    known = 0
    for op in report.ops():
        dram = int(op["DRAM READ [bytes]"]) + int(op["DRAM WRITTEN [bytes]"])
        duration = float(op["DEVICE KERNEL DURATION [ns]"])
        bandwidth = dram / 8
        assert float(op["PM BANDWIDTH [ns]"]) == pytest.approx(bandwidth, abs=0.51)
        assert float(op["DRAM BW UTIL (%)"]) == pytest.approx(100 * bandwidth / duration, rel=0.02, abs=0.01)
        if not op["FLOPS"]:
            assert op["PM COMPUTE [ns]"] == op["PM FPU UTIL (%)"] == ""
            continue
        known += 1
        compute = int(op["FLOPS"]) / 50
        assert float(op["PM COMPUTE [ns]"]) == pytest.approx(compute, abs=0.51)
        assert float(op["PM IDEAL [ns]"]) == pytest.approx(max(compute, bandwidth), abs=0.51)
        assert float(op["PM FPU UTIL (%)"]) == pytest.approx(100 * compute / duration, rel=0.02, abs=0.01)
    assert known >= 3
    for op in report.json["ops"]:
        if "flops" in op:
            assert op["compute_us"] == pytest.approx(op["flops"] / 50e3)
            assert op["of_peak"] == pytest.approx(op["compute_us"] / op["time_us"]["median"])
    # Without the options, and without measurements, they are unknown again.
    tools.ttrun("report", folder)
    assert Report(folder).json["devices"][0]["limits"] == {}


def test_operations_of_the_digits(tools, digits, tmp_path):
    """A convolution: 8x8 pixels of 32 channels from 3x3 pixels of 16, biases and relu."""
    programs = json.loads(tools.ttrun("read", digits, "--json", "--programs").stdout)["programs"]
    [conv] = [p for p in programs if "8x8x32" in p["symbol"]]
    assert conv["flops"] == 2 * 64 * 32 * 9 * 16 + 2 * 64 * 32


def test_limits_are_measured_once(tools, digits, tmp_path):
    tools.ttrun("perf", digits, "--loops=3", "--cores=1", f"--profile={tmp_path}")
    [folder] = tmp_path.iterdir()
    [machine] = json.loads((folder / "machine.json").read_text())["measurements"]
    assert machine["cores"] == 1
    limits = Report(folder).json["devices"][0]["limits"]
    assert limits["source"].startswith("measured on 1 core with ")
    assert limits["peak_gflops"] == pytest.approx(machine["f32_gflops"]) and machine["f32_gflops"] > 0
    assert limits["bandwidth_gbs"] == pytest.approx(max(machine["read_gbs"], machine["copy_gbs"]))
    assert all(op["PM IDEAL [ns]"] for op in Report(folder).ops() if op["FLOPS"])
    # The file is taken as it is.
    (folder / "machine.json").write_text(json.dumps({"measurements": [{**machine, "f32_gflops": 1.5}]}))
    tools.ttrun("report", folder)
    assert Report(folder).json["devices"][0]["limits"]["peak_gflops"] == pytest.approx(1.5)
    # Those of other numbers of cores say nothing.
    (folder / "machine.json").write_text(json.dumps({"measurements": [{**machine, "cores": 7}]}))
    tools.ttrun("report", folder)
    assert Report(folder).json["devices"][0]["limits"] == {}
    (folder / "machine.json").write_text("[")
    failed = tools.ttrun("report", folder, check=False)
    assert failed.returncode == 2 and "machine.json: line 1, column 2: " in failed.stderr
    tools.ttrun("report", folder, "--measure-peak")
    assert Report(folder).json["devices"][0]["limits"]["peak_gflops"] > 0


@pytest.mark.parametrize("kind", ["width", "block"])
def test_traffic_between_cores_and_memories(tools, root, tmp_path, kind):
    """The matrix adds up to the bytes of the commands, and shards are their cores' own."""
    small = tmp_path / "small.json"
    small.write_text(json.dumps({"name": "small", "grid_rows": 2, "grid_cols": 2, "l1_bytes": 262144,
                                 "dram_banks": 2, "dram_bank_bytes": 16777216}))
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, f"--target={small}", "--target-cpu=x86-64-v3",
                  f"--shard={kind}", "--memory=dram")
    tools.ttrun("run", bundle, "--random", "--loops=3", "--cores=2", f"--profile={tmp_path / 'profile'}")
    text = " ".join(tools.ttrun("report", tmp_path / "profile", "--traffic").stdout.split())
    report = Report(next((tmp_path / "profile").iterdir()))
    assert "core own L1 other L1s interleaved L1 DRAM read written" in text
    traffic = report.json["devices"][0]["traffic"]
    assert traffic["cores"] == 4
    ops = {(op["METAL TRACE ID"], op["ATTRIBUTES"]): op for op in report.ops()}.values()
    for direction, word in (("read", "READ"), ("written", "WRITTEN")):
        rows = traffic[direction]
        assert [len(row) for row in rows] == [6] * 4
        assert sum(row[5] for row in rows) == sum(int(op[f"DRAM {word} [bytes]"]) for op in ops)
        assert sum(sum(row[:5]) for row in rows) == sum(int(op[f"L1 {word} [bytes]"]) for op in ops)
        # Blocks are on two cores: the digits have no rows to divide.
        assert [rows[core][core] > 0 for core in range(4)] == [True, True, kind == "width", kind == "width"]
    assert sum(traffic["written"][core][core] for core in range(4)) > 0.5 * sum(
        sum(row[:4]) for row in traffic["written"])


def test_no_traffic_without_shards(tools, digits, tmp_path):
    tools.ttrun("run", digits, "--random", f"--profile={tmp_path}")
    assert "no tensor is sharded" in tools.ttrun("report", tmp_path, "--traffic").stdout
    assert "traffic" not in Report(next(tmp_path.iterdir())).json["devices"][0]


#
# ttrun perf --compare
#


def measurement(median, deviation=0.01, count=100, ops=()):
    def spread(m):
        return {"count": count, "median": m, "deviation": deviation * m}

    return {"run_ms": spread(median),
            "ops": [{"trace": "t", "command": i, "name": f"op_{i}", "time_us": spread(m)} for i, m in enumerate(ops)]}


@pytest.fixture
def compare(tools, tmp_path):
    def run(old, new, *options):
        for name, value in (("old", old), ("new", new)):
            (tmp_path / name).write_text(value if isinstance(value, str) else json.dumps(value))
        return tools.ttrun("perf", "--compare", tmp_path / "old", tmp_path / "new", *options, check=False)

    return run


@pytest.mark.parametrize("new, deviation, options, verdict", [
    (1.0, 0.01, [], "same"),
    (1.015, 0.001, [], "same"),  # within the tolerance
    (1.015, 0.001, ["--tolerance=1"], "slower"),
    (1.1, 0.01, [], "slower"),
    (1.1, 1.0, [], "same"),  # the samples spread too much to tell
    (0.9, 0.01, [], "faster"),
])
def test_differences_count_beyond_noise(compare, new, deviation, options, verdict):
    result = compare(measurement(1.0, deviation), measurement(new, deviation), *options)
    assert result.returncode == (verdict == "slower")
    assert result.stdout.splitlines()[-1].startswith(f"{verdict}: run ")
    parsed = json.loads(compare(measurement(1.0, deviation), measurement(new, deviation), "--json", *options).stdout)
    assert parsed["slower"] == (verdict == "slower") and parsed["totals"][0]["verdict"] == verdict


def test_ops_are_compared_one_by_one(compare):
    result = json.loads(compare(measurement(1.0, ops=[10, 20, 30]), measurement(1.0, ops=[10, 25, 15, 9]), "--json").stdout)
    assert [(op["name"], op["verdict"]) for op in result["ops"]] == [("t 2 op_2", "faster"), ("t 1 op_1", "slower"), ("t 0 op_0", "same")]
    assert result["only_new"] == ["t 3 op_3"] and not result["slower"]


def test_more_ops_need_more_evidence(compare):
    """One op in a hundred differs by two standard errors by chance."""
    few = json.loads(compare(measurement(1, ops=[100]), measurement(1, ops=[100.4]), "--json", "--tolerance=0").stdout)
    many = json.loads(compare(measurement(1, ops=[100] * 99), measurement(1, ops=[100] * 98 + [100.4]), "--json", "--tolerance=0").stdout)
    assert few["ops"][0]["verdict"] == "slower"
    assert {op["verdict"] for op in many["ops"]} == {"same"}


def test_compares_what_ttrun_writes(tools, bundle, record, tmp_path):
    report = record("run", f"--loops={LOOPS}")
    same = tools.ttrun("perf", "--compare", report.folder, report.folder)
    assert same.stdout.splitlines()[-1].startswith("same: run +0.0 %") and "test_add" in same.stdout
    perf = tmp_path / "perf.json"
    perf.write_text(tools.ttrun("perf", bundle, "--json", "--ops", "--loops=10").stdout)
    same = json.loads(tools.ttrun("perf", "--compare", perf, perf, "--json").stdout)
    assert [t["name"] for t in same["totals"]] == ["device", "end to end"] and len(same["ops"]) == COMMANDS


def test_what_cannot_be_compared(tools, compare, tmp_path):
    assert "expected two reports, OLD and NEW; found 1" in tools.ttrun("perf", "--compare", "a", check=False).stderr
    for text, message in (("{", "line 1, column 2: syntax error while parsing object key"), ("[1, 2", "expected ']'"), ("{}", "expected a report"),
                          ("[" * 100, "at most 64 levels"), ('{"a": nil}', "line 1, column 8: syntax error while parsing value"), ("{} x", "expected end of input"),
                          ('"\\u00', "followed by 4 hex digits"), ('"abc', "missing closing quote")):
        result = compare(text, measurement(1))
        assert result.returncode == 2 and message in result.stderr, result.stderr
    other = {"loops": 5, "device_ms": {"median": 1, "p90": 2}}
    assert "no measurement in common" in compare(measurement(1), other).stderr
    assert tools.ttrun("perf", "--compare", tmp_path / "old", tmp_path / "none", check=False).returncode == 2


def test_picture(tools, root, tmp_path):
    """Whole iterations, with the steps of both queues."""
    tools.compile(root / "examples/digits/digits.onnx", tmp_path / "digits.ttcb")
    tools.ttrun("run", tmp_path / "digits.ttcb", "--random", "--loops=20", "--schedule=overlap-io",
                "--cores=1", f"--profile={tmp_path}/profile")
    picture = tmp_path / "picture.svg"
    tools.ttrun("report", tmp_path / "profile", f"--picture={picture}", "--iterations=2")
    tree = ElementTree.parse(picture)
    texts = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"queue 0, core 0", "queue 1, core 0"} <= set(texts)
    titles = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(title.startswith("gemm") for title in titles) >= 2
    assert any(title.startswith("write") for title in titles)
    assert any(title.startswith("read") for title in titles)


#
# --profile-counters
#


def test_counters_are_in_every_file(tools, record):
    """Counters of the kernel: machines without events of the CPU have them, too."""
    report = record("run", f"--loops={LOOPS}", "--cores=2", "--profile-counters=task-clock,context-switches,cycles")
    assert len(report.ops()) == LOOPS * COMMANDS
    for op in report.ops():
        assert int(op["TASK CLOCK [ns]"]) > 0 and int(op["CONTEXT SWITCHES"]) >= 0 and op["COUNTED [%]"]
    assert {row["TASK CLOCK [ns]"] for row in report.rows if row["OP TYPE"] != "device"} == {""}
    assert all("task-clock" in event["args"] for event in report.slices("op"))
    cycles = next(c for c in report.json["counters"] if c["name"] == "cycles")
    for op in report.json["ops"]:
        if op["type"] == "device":
            assert op["counters"]["task-clock"]["count"] == LOOPS and ("cycles" in op["counters"]) == cycles["counted"]
    out = tools.ttrun("report", report.folder, "--counters").stdout
    assert "context-switches" in out and "task-clock" in out
    assert cycles["counted"] or "cycles: not counted: " in out


def test_wrong_counters(tools, bundle, tmp_path):
    failed = tools.ttrun("run", bundle, "--random", f"--profile={tmp_path}", "--profile-counters=cycels", check=False)
    assert failed.returncode == 2 and "--profile-counters=cycels: expected up to 16 of cycles, instructions," in failed.stderr
    failed = tools.ttrun("run", bundle, "--random", "--profile-counters=cycles", check=False)
    assert failed.returncode == 2 and "--profile-counters needs --profile=FOLDER" in failed.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("failing", [["--input=x=missing.npy"], ["--random", "--deadline=1e-9"]])
def test_what_fails_leaves_no_folder(tools, bundle, tmp_path, failing):
    for command in ("perf", "run"):
        done = tools.ttrun(command, bundle, *failing, "--profile", tmp_path / "new/deep", check=False)
        assert done.returncode != 0 and not (tmp_path / "new").exists(), done.stderr
        assert tools.ttrun(command, tmp_path / "no.ttcb", "--profile", tmp_path / "new", check=False).returncode != 0
        assert not (tmp_path / "new").exists()
    # What was there stays.
    (tmp_path / "old").mkdir()
    tools.ttrun("perf", bundle, *failing, "--profile", tmp_path / "old/deep", check=False)
    assert list(tmp_path.iterdir()) == [tmp_path / "old"] and not list((tmp_path / "old").iterdir())


@pytest.mark.parametrize("most", [1024, 65536], ids=["log", "report"])
def test_a_recording_that_cannot_be_written_leaves_no_folder(tools, bundle, tmp_path, most):
    """As on a disk that is full: the log's header or a file of the report does not fit."""
    done = tools.ttrun("perf", bundle, "--loops=100", "--profile", tmp_path / "new/deep", check=False,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    assert done.returncode == 2 and "File too large" in done.stderr, done.stderr
    assert not (tmp_path / "new").exists()
