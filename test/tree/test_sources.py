# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds for every tracked source: licence line, formatting, size, no path of one machine."""
import pathlib
import re
import shutil
import subprocess

import pytest

SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CPP = {".cpp", ".h", ".hpp", ".c"}
SOURCES = CPP | {".td", ".py", ".sh", ".cmake", ".mlir", ".test", ".fbs", ".in"}


@pytest.fixture(scope="module")
def tracked(root):
    """The tracked files that are there, as paths below the root."""
    if not shutil.which("git") or not (root / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=root, capture_output=True, check=True
    )
    names = [pathlib.Path(n) for n in listed.stdout.decode().split("\0") if n]
    return [n for n in names if (root / n).is_file()]


def is_source(path):
    return path.suffix in SOURCES or path.name == "CMakeLists.txt"


def test_every_source_names_its_licence(root, tracked):
    missing = [
        str(p)
        for p in tracked
        if is_source(p) and SPDX not in "".join((root / p).open(errors="replace").readlines(2000)[:5])
    ]
    assert not missing, f"no SPDX line in the first five lines of {missing}"


def test_cpp_is_formatted(root, tracked):
    tool = shutil.which("clang-format-22")
    if not tool:
        pytest.skip("clang-format-22 is not installed")
    files = [str(p) for p in tracked if p.suffix in CPP]
    done = subprocess.run([tool, "--dry-run", "-Werror", *files], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, "clang-format-22 -i on: " + ", ".join(
        sorted(set(re.findall(r"^([^:\n]+):\d+:\d+: error", done.stderr, re.M)))
    )


def test_no_source_is_too_long_to_read(root, tracked):
    long = {
        str(p): lines
        for p in tracked
        if p.suffix in CPP | {".td", ".py"} and (lines := len((root / p).read_text().splitlines())) > 700
    }
    assert not long, f"more than 700 lines: {long}"


def test_no_path_of_one_machine(root, tracked):
    pattern = re.compile(r"(?<![\w./-])/(work|home|Users)/\w")
    found = [
        f"{p}:{number}"
        for p in tracked
        if is_source(p) or p.suffix in {".md", ".json", ".txt"}
        for number, line in enumerate((root / p).open(errors="replace"), 1)
        if pattern.search(line)
    ]
    assert not found, found


def test_packages_are_documented(root):
    """README's table of dependencies names every Debian package that setup installs."""
    wanted = [
        line.split()[0]
        for listed in ("scripts/packages.txt", "scripts/packages-test.txt", "scripts/packages-nightly.txt", "scripts/packages-arm.txt")
        for line in (root / listed).read_text().splitlines()
        if line.strip() and not line.startswith("#")
    ]
    readme = (root / "README.md").read_text()
    missing = [package for package in wanted if f"`{package}`" not in readme]
    assert not missing, missing
