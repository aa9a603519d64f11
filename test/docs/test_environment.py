# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/environment.md lists every environment variable that libraries, tools and packages read, and no other."""
import re
import subprocess

import pytest
from blocks import ROOT, tracked

PRODUCTS = ("dialects", "include", "kernels", "lib", "python", "runtime", "tooling", "tools")
# Calls that read one, by its literal name, and those that read TMPDIR.
READS = re.compile(r"""(?:getenv|GetEnv|numberOf|numberIn|environ\.get|environ\.setdefault|environ\.pop)\(\s*["'](\w+)["']|environ\[["'](\w+)["']\]""")
TEMPORARY = re.compile(r"\b(?:temp_directory_path|system_temp_directory|gettempdir|mkdtemp|TemporaryDirectory|NamedTemporaryFile|TemporaryFile)\(")
OURS = re.compile(r"""["']((?:TTC|TTRT)_[A-Z_]+)["']""")
# Read through a loop over names.
LISTED = re.compile(r"for \(const char \*\w+ : \{((?:\"[A-Z_]+\"(?:, )?)+)\}\)")


def read_by_the_products():
    found = {}
    for path in tracked(*(f"{folder}/*.{end}" for folder in PRODUCTS for end in ("cpp", "h", "hpp", "c", "py"))):
        text = re.sub(r"^\s*(?://|#(?!include)|\*).*$", "", (ROOT / path).read_text(), flags=re.M)
        names = [a or b for a, b in READS.findall(text)] + OURS.findall(text)
        names += [name for group in LISTED.findall(text) for name in re.findall(r"[A-Z_]+", group) if "numberOf(" in text]
        names += ["TMPDIR"] * bool(TEMPORARY.search(text))
        for name in names:
            if name.isupper():
                found.setdefault(name, path)
    return found


def test_the_page_lists_them():
    page = (ROOT / "docs/environment.md").read_text()
    listed = {name for row in re.findall(r"^\| (`.*?) \|", page, re.M) for name in re.findall(r"`([A-Z_]+)`", row)}
    found = read_by_the_products()
    assert {"TTRT_PROFILE", "TTRT_PROFILE_INTERVAL", "TTC_BIN", "PMI_SIZE", "TMPDIR"} <= set(found)
    assert listed == set(found), {name: path for name, path in found.items() if name not in listed}


def test_other_pages_name_no_other():
    listed = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs/environment.md").read_text()))
    listed |= set(re.findall(r"\b((?:TTC|TTRT)_[A-Z_]+)\b", (ROOT / "CONTRIBUTING.md").read_text()))
    for path in tracked("docs/*.md", "README.md"):
        named = set(re.findall(r"\b((?:TTC|TTRT)_[A-Z_]+)=\S", (ROOT / path).read_text()))
        named -= set(re.findall(r"-D((?:TTC|TTRT)_[A-Z_]+)=", (ROOT / path).read_text()))
        assert named <= listed, f"{path}: {named - listed}"


@pytest.mark.parametrize("variable, value, expected", [
    ("TTRT_MONITOR", "yes", "ttrt: TTRT_MONITOR=yes: expected 0 or 1; this device cannot be watched\n"),
    ("TTRT_PROFILE", "/dev/null/x", "ttrt: TTRT_PROFILE: cannot make the folder /dev/null/x: Not a directory; this device is not recorded\n"),
    ("OMPI_COMM_WORLD_SIZE", "two", "ttrun run: OMPI_COMM_WORLD_SIZE: expected a number, found 'two'\n"),
    ("PMI_SIZE", "-3", "ttrun run: PMI_SIZE: expected a number, found '-3'\n"),
])
def test_a_bad_value_is_reported(tools, build_dir, tmp_path, variable, value, expected):
    writer = build_dir / "test/unit/ttrt-write-sample"
    if not writer.exists():
        pytest.skip(f"{writer} is not built")
    subprocess.run([writer, "sample", tmp_path / "x.ttcb"], check=True)
    done = tools.ttrun("run", tmp_path / "x.ttcb", "--random", check=False, env={variable: value, "XDG_RUNTIME_DIR": str(tmp_path)})
    assert done.stderr == expected and done.returncode == (0 if expected.startswith("ttrt:") else 2)
