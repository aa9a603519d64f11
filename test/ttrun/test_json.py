# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON of ttrun is valid, and docs/ttrun-json.md names every key of it."""
import json
import re

import pytest


@pytest.fixture(scope="module")
def documented(root):
    """What stands between backquotes, by section of the page."""
    page = (root / "docs/ttrun-json.md").read_text()
    sections = re.split(r"^## ", page, flags=re.M)[1:]
    return {s.split("`")[1]: set(re.findall(r"`(\w+)`", s)) for s in sections}


def keys(value):
    if isinstance(value, dict):
        return set(value) | {k for v in value.values() for k in keys(v)}
    return {k for v in value for k in keys(v)} if isinstance(value, list) else set()


@pytest.mark.parametrize("name", ["sample", "hostile", "many", "host", "variants"])
def test_read(tools, written, documented, name):
    found = json.loads(tools.ttrun("read", written(name), "--json").stdout)
    missing = keys(found) - documented["ttrun read BUNDLE --json"]
    assert not missing, f"docs/ttrun-json.md does not say what these are: {sorted(missing)}"
    for key in ("target", "segments", "memory", "entries", "programs", "buffers", "trace_region", "traces"):
        assert found[key], key


def test_sections_of_read(tools, written, documented):
    bundle = written("sample")
    always = {"producer", "format_version", "file_bytes"}
    for option, expected in (("entries", {"entries", "states"}), ("traces", {"trace_region", "traces"}), ("sizes", {"segments"}),
                             ("buffers", {"buffers"}), ("programs", {"programs"}), ("target", {"target"}),
                             ("metadata", {"metadata"})):
        assert set(json.loads(tools.ttrun("read", bundle, "--json", f"--{option}").stdout)) == always | expected


def test_host_functions(tools, written, documented):
    found, = json.loads(tools.ttrun("check", written("host"), "--json").stdout)["bundles"]
    assert not keys(found) - documented["ttrun check BUNDLE... --json"]
    call, = found["host_functions"]
    assert call == {"name": "com.acme.Scale", "version": 3, "operands": ["f32[4, 64]", "none", "f32[4, 64]"],
                    "results": ["f32[4, 64]"],
                    "attributes": ["axes = [2, 3]", "axis = -1", "factor = 3", "factors = [0.5]", 'mode = "linear"',
                                   'modes = ["a", "", "ccc"]', "none = []", "table = i16[1, 3]"]}


def test_perf(tools, written, documented):
    for options in (["--ops"], ["--programs"], ["--schedule=single"]):
        found = json.loads(tools.ttrun("perf", written("sample"), "--json", "--loops=2", *options).stdout)
        missing = keys(found) - documented["ttrun perf BUNDLE --json"]
        assert not missing, f"docs/ttrun-json.md does not say what these are: {sorted(missing)}"


def test_run(tools, written, documented, tmp_path):
    bundle = written("sample")
    wanted, other = tmp_path / "y.npy", tmp_path / "other.npy"
    tools.ttrun("run", bundle, "--random=3", f"--output={wanted}")
    tools.ttrun("run", bundle, "--random=4", f"--output={other}")
    plain = json.loads(tools.ttrun("run", bundle, "--random=3", "--json").stdout)
    assert plain["equal"] and plain["entry"] == "main" and plain["loops"] == 1 and "schedule" not in plain
    output, = plain["outputs"]
    assert (output["name"], output["dtype"], output["shape"]) == ("y", "f32", [1, 256])
    assert output["min"] <= output["mean"] <= output["max"] and len(output["first"]) == 6
    assert output["files"] == output["comparisons"] == []

    # Outputs are written as without --json, and compared.
    copy = tmp_path / "copy.npy"
    done = tools.ttrun("run", bundle, "--random=3", "--json", "--loops=5", "--schedule=single", f"--output={copy}",
                       f"--expect=y={wanted}")
    found = json.loads(done.stdout)
    assert copy.read_bytes() == wanted.read_bytes()
    assert found["schedule"] == "single" and found["outputs"][0]["files"] == [str(copy)]
    comparison, = found["outputs"][0]["comparisons"]
    assert comparison["equal"] and comparison["loop"] == 5 and comparison["differing"] == 0 and comparison["elements"] == 256
    done = tools.ttrun("run", bundle, "--random=3", "--json", "--loops=5", f"--expect={other}", "--rtol=0.5", check=False)
    bad = json.loads(done.stdout)
    assert done.returncode == 1 and not bad["equal"]
    comparison, = bad["outputs"][0]["comparisons"]
    assert not comparison["equal"] and comparison["loop"] == 1 and 0 < comparison["differing"] <= 256
    assert comparison["rtol"] == 0.5 and comparison["worst"][0] == 0 and comparison["got"] != comparison["expected"]
    for value in (plain, found, bad):
        missing = keys(value) - documented["ttrun run BUNDLE --json"]
        assert not missing, f"docs/ttrun-json.md does not say what these are: {sorted(missing)}"
    done = tools.ttrun("run", bundle, "--random", "--json", "--output=-", check=False)
    assert done.returncode == 2 and not done.stdout


def test_check(tools, written, documented, tmp_path):
    good, bad = written("sample"), tmp_path / "bad.ttcb"
    bad.write_bytes(good.read_bytes()[:10000])
    done = tools.ttrun("check", good, bad, tmp_path / "none.ttcb", "--json", check=False)
    assert done.returncode == 1 and not done.stderr
    found = json.loads(done.stdout)
    missing = keys(found) - documented["ttrun check BUNDLE... --json"]
    assert not missing, f"docs/ttrun-json.md does not say what these are: {sorted(missing)}"
    first, second, third = found["bundles"]
    assert (first["file"], first["good"], first["runs_here"], first["status"]) == (str(good), True, True, "ok")
    assert first["proof"]["schedules"] == 1 and first["proof"]["commands"] == 8 and first["message"] == ""
    assert not second["good"] and second["status"] == "bad bundle" and "truncated" in second["message"]
    assert third["status"] == "I/O error" and "proof" not in third
    assert "execution" not in first
    found = json.loads(tools.ttrun("check", good, "--json", "--verify=none").stdout)
    assert "proof" not in found["bundles"][0]

    # A bad bundle is not executed.
    done = tools.ttrun("check", good, bad, written("short-grid"), "--json", "--execute", check=False)
    assert done.returncode == 1 and not done.stderr
    found = json.loads(done.stdout)
    missing = keys(found) - documented["ttrun check BUNDLE... --json"]
    assert not missing, f"docs/ttrun-json.md does not say what these are: {sorted(missing)}"
    first, second, third = found["bundles"]
    executed = first["execution"]
    assert first["good"] and (executed["programs"], executed["workgroups"], executed["alone"]) == (2, 32, 32)
    assert executed["problems"] == executed["skipped"] == [] and executed["ms"] > 0
    assert "execution" not in second
    problem, = third["execution"]["problems"]
    assert not third["good"] and third["status"] == "bad bundle" and problem["message"] in third["message"]
    assert (problem["program"], problem["symbol"]) == (0, "test_add") and "64 of 1024 bytes unwritten" in problem["message"]


def test_a_good_bundle_that_cannot_run_here(tools, written, tmp_path):
    """It is good, but with --fit the exit status is 1."""
    bundle = written("foreign")
    found, = json.loads(tools.ttrun("check", bundle, "--json").stdout)["bundles"]
    assert found["good"] and not found["runs_here"] and found["status"] == "unsupported" and found["message"]
    assert tools.ttrun("check", bundle, "--json", "--fit", check=False).returncode == 1
