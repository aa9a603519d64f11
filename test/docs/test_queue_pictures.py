# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of schedules in docs/queues.md are what `ttrun read --schedule-pictures` draws today.

They show the example model's schedules, with one slot and with two, and nothing that is measured. After a change
of the schedules, or of the drawing, update them with

    TTC_UPDATE_DOCS=1 TTC_BUILD_DIR=$PWD/build python -m pytest test/docs
"""
import os
import platform
import re
import subprocess
import xml.etree.ElementTree

import pytest

import pictures

# Folder of docs/images/queues -> options.
VARIANTS = {"one-slot": [], "two-slots": ["--slots=2"]}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the example is compiled for x86-64")
@pytest.mark.parametrize("variant", VARIANTS)
def test_pictures_are_up_to_date(tools, root, tmp_path, variant):
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, "--target-cpu=x86-64-v3",
                  "--queues=2", *VARIANTS[variant])
    drawn = tmp_path / "drawn"
    tools.ttrun("read", bundle, "--schedule-pictures", drawn)
    page = (root / "docs/queues.md").read_text()
    shown = set(re.findall(rf"\(images/queues/{variant}/([\w-]+\.svg)\)", page))
    assert shown, "the page shows none of these"
    folder = root / "docs/images/queues" / variant
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(shown):
        now = (drawn / name).read_bytes()
        xml.etree.ElementTree.fromstring(now)
        kept = folder / name
        if os.environ.get("TTC_UPDATE_DOCS"):
            kept.write_bytes(now)
        else:
            assert kept.exists() and kept.read_bytes() == now, (
                f"{kept} is not up to date; to update it: {__doc__.splitlines()[-2].strip()}")
    assert {p.name for p in folder.iterdir()} == shown, "pictures that the page does not show"


def test_no_picture_of_the_pages_has_faults(root):
    assert not pictures.problems_of_files(sorted((root / "docs/images").rglob("*.svg")))


def test_drawing_is_reproducible_and_names_what_it_shows(tools, root, tmp_path):
    bundle = tmp_path / "digits.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle, "--queues=2")
    for folder in ("a", "b"):
        tools.ttrun("read", bundle, "--schedule-pictures", tmp_path / folder)
    listed = set(re.findall(r"^  ([\w-]+) of main, ", tools.ttrun("read", bundle, "--schedules").stdout, re.M))
    assert {p.stem for p in (tmp_path / "a").iterdir()} == listed and "overlap-io" in listed
    for picture in (tmp_path / "a").iterdir():
        text = picture.read_text()
        assert text == (tmp_path / "b" / picture.name).read_text()
        # Every inference is written once and read once; with two queues, arrows say what waits are for.
        for kind in ("write", "read"):
            shown = re.findall(rf">{kind} (\d+)</text>", text)
            assert shown == [str(i) for i in range(len(shown))] and len(shown) >= 4, picture
        assert ("main_consumed" in text) == ("overlap" in picture.stem), picture
    done = subprocess.run([tools.path("ttrun"), "read", bundle, "--schedule-pictures", "/dev/null/x"], capture_output=True,
                          text=True)
    assert done.returncode != 0 and "cannot create folder '/dev/null/x'" in done.stderr
