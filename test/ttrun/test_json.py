# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON of ttrun is valid, and docs/ttrun-json.md names every key of it."""
import json
import re
import subprocess

import pytest


@pytest.fixture(scope="module")
def sample(build_dir, tmp_path_factory):
    def write(name):
        writer = build_dir / "test/unit/ttrt-write-sample"
        if not writer.exists():
            pytest.skip(f"{writer} is not built")
        bundle = tmp_path_factory.mktemp(name) / f"{name}.ttcb"
        subprocess.run([writer, name, bundle], check=True)
        return bundle

    return write


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


@pytest.mark.parametrize("name", ["sample", "hostile", "many"])
def test_read(tools, sample, documented, name):
    found = json.loads(tools.ttrun("read", sample(name), "--json").stdout)
    missing = keys(found) - documented["ttrun read BUNDLE --json"]
    assert not missing, f"docs/ttrun-json.md does not say what these are: {sorted(missing)}"
    for key in ("target", "segments", "memory", "entries", "programs", "buffers", "trace_region", "traces"):
        assert found[key], key


def test_sections_of_read(tools, sample, documented):
    bundle = sample("sample")
    always = {"producer", "format_version", "file_bytes"}
    for option, expected in (("entries", {"entries"}), ("traces", {"trace_region", "traces"}), ("sizes", {"segments"}),
                             ("buffers", {"buffers"}), ("programs", {"programs"}), ("target", {"target"})):
        assert set(json.loads(tools.ttrun("read", bundle, "--json", f"--{option}").stdout)) == always | expected


def test_perf(tools, sample, documented):
    for options in (["--ops"], ["--programs"], ["--schedule=single"]):
        found = json.loads(tools.ttrun("perf", sample("sample"), "--json", "--loops=2", *options).stdout)
        missing = keys(found) - documented["ttrun perf BUNDLE --json"]
        assert not missing, f"docs/ttrun-json.md does not say what these are: {sorted(missing)}"
