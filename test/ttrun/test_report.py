# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun report: recordings of the sample, and the files that are made of them."""
import csv
import json
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest


@pytest.fixture(scope="module")
def bundle(build_dir, tmp_path_factory):
    writer = build_dir / "test/unit/ttrt-write-sample"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    path = tmp_path_factory.mktemp("bundle") / "sample.ttcb"
    subprocess.run([writer, "sample", path], check=True)
    return path


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
    assert device["verdict"]["bound"] in ("host", "device", "unclear")


def test_slices_nest(record):
    """What a viewer needs: slices of a row do not overlap, but for those inside of others."""
    report = record("run", f"--loops={LOOPS}", "--queues=1", "--cores=2")
    rows = {}
    for event in report.timeline:
        if event["ph"] == "X":
            rows.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    assert len(rows) >= 3  # two cores, and a thread that waits for them
    for row in rows.values():
        row.sort(key=lambda s: (s[0], -s[1]))
        around = []
        for begin, end in row:
            while around and around[-1] <= begin + 2e-3:
                around.pop()
            assert not around or end <= around[-1] + 2e-3
            around.append(end)
    names = {e["args"]["name"] for e in report.timeline if e["ph"] == "M" and e["name"] == "thread_name"}
    assert {"queue 0 core 0", "queue 0 core 1", "thread 1"} <= names
    assert {e["name"] for e in report.timeline if e["ph"] == "C"} >= {"DRAM in use"}


def test_phases_of_perf_are_signposts(record):
    report = record("perf", "--loops=5", "--warmup=2")
    posts = [(r["OP CODE"], r["ATTRIBUTES"]) for r in report.rows if r["OP TYPE"] == "signpost"]
    assert posts == [("warm-up", "2 runs"), ("measured", "5 runs")]
    assert report.rows[0]["OP CODE"] == "warm-up"
    instants = [e["name"] for e in report.timeline if e["ph"] == "i" and e["cat"] == "signpost"]
    assert instants == ["warm-up", "measured"]
    assert len(report.ops()) == 7 * COMMANDS


def test_long_blocking_runs_drop_nothing(tools, bundle, tmp_path):
    """Rings are read between runs before they are full."""
    tools.ttrun("run", bundle, "--random", "--loops=1000", "--cores=1", f"--profile={tmp_path}", "--profile-programs=20")
    [folder] = tmp_path.iterdir()
    assert Report(folder).json["dropped_markers"] == 0
    assert len(Report(folder).ops()) == 1000 * COMMANDS


def test_zones_inside_of_programs(tools, build_dir, tmp_path):
    script = tmp_path / "script.ttcb"
    subprocess.run([build_dir / "test/unit/ttrt-write-sample", "script", script], check=True)
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
    assert "expected no --profile" in error("run", bundle, "--random", "--sandbox", f"--profile={tmp_path}")


def test_pandas_opens_the_tables(record):
    pandas = pytest.importorskip("pandas")
    report = record("perf", "--loops=5", "--warmup=1")
    table = pandas.read_csv(report.csv)
    assert (table["OP TYPE"] == "device").sum() == 6 * COMMANDS
    assert table["DEVICE KERNEL DURATION [ns]"].dtype == "float64"
    assert pandas.read_csv(report.folder / "profile_log_device.csv")["time [cycles]"].dtype.kind in "iu"


def test_perfetto_counts_the_zones(record):
    processor = pytest.importorskip("perfetto.trace_processor")
    report = record("run", f"--loops={LOOPS}", "--cores=2")
    try:
        trace = processor.TraceProcessor(trace=str(report.folder / "timeline.json"))
    except Exception as error:  # its engine is a program that it downloads
        pytest.skip(f"the trace processor does not start: {error}")
    with trace:
        [row] = trace.query("select count(*) as n from slice where category = 'op'")
        assert row.n == 2 * LOOPS * COMMANDS
        [row] = trace.query("select count(*) as n from slice where dur >= 0")
        assert row.n >= report.json["zones"]


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
    for text, message in (("{", "byte 1: expected a name"), ("[1, 2", "expected ']'"), ("{}", "expected a report"),
                          ("[" * 100, "at most 64 levels"), ('{"a": nil}', "byte 6: expected a value"), ("{} x", "expected the end"),
                          ('"\\u00', "four hexadecimal digits"), ('"abc', "the end of a string")):
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
    """Of the kernel: machines without events of the CPU have them, too."""
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
