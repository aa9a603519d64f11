# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures (SVG) of small and large bundles and recordings, whatever their names are: Tools checks each (pictures.py). And the
checker itself."""
import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

import pictures

SVG = pictures.SVG


def shown(picture, tag="text"):
    return [element.text for element in ElementTree.parse(picture).iter(SVG + tag)]


@pytest.mark.parametrize("name", ["sample", "queues", "chain", "many", "hostile", "chat"])
def test_schedules_of_any_bundle(tools, written, tmp_path, name):
    tools.ttrun("read", written(name), f"--schedule-pictures={tmp_path / 'drawn'}")
    drawn = sorted((tmp_path / "drawn").iterdir())
    assert drawn
    for picture in drawn:
        assert picture.stat().st_size < 200_000
        assert [text for text in shown(picture, "title") if re.search("[\x00-\x1f\u202a-\u202e]", text)] == []


@pytest.mark.parametrize("slots", [1, 2, 8])
def test_events_of_many_slots_have_room(tools, root, tmp_path, slots):
    tools.compile(root / "examples/mlp/mlp.onnx", tmp_path / "mlp.ttcb", "--queues=2", f"--slots={slots}")
    tools.ttrun("read", tmp_path / "mlp.ttcb", "--schedule-pictures", tmp_path / "drawn")
    names = shown(tmp_path / "drawn/overlap-io-signals.svg")
    for slot in range(1, slots):
        assert f"main_written_slot{slot}" in names and f"main_drained_slot{slot}" in names


def test_dispatches_too_narrow_to_be_told_apart_are_one_box(tools, written, tmp_path):
    """A thousand commands in an inference: of each inference, a box that names it."""
    tools.ttrun("read", written("chain"), "--schedule-pictures", tmp_path / "drawn")
    untraced = tmp_path / "drawn/single-untraced.svg"
    if not untraced.exists():
        untraced = next(iter(sorted((tmp_path / "drawn").iterdir())))
    texts = shown(untraced)
    assert [text for text in texts if re.fullmatch(r"(run )?[0-3]", text)], texts
    assert len(shown(untraced, "rect")) < 100


@pytest.mark.parametrize("devices", [2, 8, 64])
def test_meshes(tools, root, tmp_path, devices):
    bundle = tmp_path / "mesh.ttcb"
    tools.run("ttc-translate", "--onnx-to-bundle", root / "examples/mlp/mlp.onnx", f"--mesh=x:{devices}:ring:12.5e9:700",
              "--parallel=tensor" if devices == 8 else "--parallel=pipeline" if devices == 2 else "--parallel=data", "-o", bundle)
    tools.ttrun("read", bundle, f"--mesh-picture={tmp_path / 'plan.svg'}")
    tools.ttrun("read", bundle, "--mesh-time", f"--timeline-picture={tmp_path / 'time.svg'}")
    for picture in ("plan.svg", "time.svg"):
        texts = shown(tmp_path / picture)
        assert sum(text.startswith("device ") for text in texts) == min(devices, 32)
        assert any("the first 32 of 64 devices" in text for text in texts) == (devices == 64)


@pytest.mark.parametrize("sizes, lanes", [("31..32", 1), ("31..32:2", 1), ("1..32", 3), ("1..32:1", 3), ("4..5:1", 2)])
def test_times_over_sizes(tools, written, tmp_path, sizes, lanes):
    """The variants, and four boxes for each size."""
    picture = tmp_path / "sizes.svg"
    found = tools.ttrun("perf", written("variants"), f"--dim=sequence:{sizes}", "--dim=batch:1", "--loops=10", "--json",
                        f"--picture={picture}")
    measured = len(json.loads(found.stdout)["sizes"])
    assert len(shown(picture, "rect")) == 1 + 5 + lanes + 4 * measured
    assert any(text.startswith(f"{measured} sizes, 10 runs") for text in shown(picture))


@pytest.mark.parametrize("loops, cores, iterations, options", [(1, 1, 1, []), (20, 2, 3, ["--no-trace"]), (60, 4, 50, [])])
def test_recordings(tools, root, tmp_path, loops, cores, iterations, options):
    name = "<b>&quot; " + "long_" * 40 + ".ttcb"
    tools.compile(root / "examples/digits/digits.onnx", tmp_path / name)
    tools.ttrun("run", tmp_path / name, "--random", f"--loops={loops}", f"--cores={cores}", *options, f"--profile={tmp_path}/profile")
    picture = tmp_path / "picture.svg"
    tools.ttrun("report", tmp_path / "profile", f"--picture={picture}", f"--iterations={iterations}")
    texts, titles = shown(picture), shown(picture, "title")
    assert titles[0].startswith(name) and texts[0].startswith("<b>&quot; long_")
    assert {"op", "transfer", "call, or zone of the application"} <= set(texts)
    assert {f"queue 0, core {core}" for core in range(cores)} <= set(texts)


def test_recording_of_a_mesh(tools, root, tmp_path):
    """An exchange is no op."""
    tools.compile(root / "examples/mlp/mlp.onnx", tmp_path / "mlp.ttcb", "--mesh=2", "--parallel=tensor")
    tools.ttrun("run", tmp_path / "mlp.ttcb", "--random", "--loops=20", f"--profile={tmp_path}/profile")
    picture = tmp_path / "picture.svg"
    tools.ttrun("report", tmp_path / "profile", f"--picture={picture}", "--iterations=1")
    assert {"op", "transfer, exchange"} <= set(shown(picture))
    # Boxes that are too narrow alone are drawn as one: "2 times op: gemm_add to softmax".
    boxes = re.findall(r'fill="(#\w+)"[^<]*><title>(?:\d+ times [\w, ]+: )?([^,<]+),', picture.read_text())
    exchanges = {fill for fill, name in boxes if name.startswith("exchange")}
    ops = {fill for fill, name in boxes if name.startswith(("gemm", "softmax", "add"))}
    assert len(exchanges) == len(ops) == 1 and exchanges != ops, boxes


GOOD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100" font-size="11">
<title>a picture</title><rect width="100%" height="100%" fill="#fff"/>
<g class="axis"><text x="50" y="10" text-anchor="middle">0 us</text><text x="150" y="10" text-anchor="middle">5 us</text>
<text x="250" y="10" text-anchor="middle">10 us</text></g>
<rect x="50" y="20" width="100" height="20" fill="#134885"><title>gemm_1024</title></rect>
<text x="60" y="34" fill="#fff">gemm_…</text><text x="200" y="34" fill="#000">beside</text>
<g class="legend"><rect x="50" y="60" width="12" height="12" fill="#134885"/><text x="70" y="70">op</text></g></svg>"""


@pytest.mark.parametrize("code, broken, problem", [
    ("", "", None),
    ("<title>a picture</title>", "", "no title"),
    ('class="legend"', 'class="other"', "0 legends"),
    ('height="20" fill="#134885"', 'height="20" fill="#efa93f"', "legend does not say what #efa93f is"),
    ('height="20" fill="#134885"', 'height="20" fill="#8080ff"', "contrast of 3.26"),
    ('x="250" y="10"', 'x="290" y="10"', "is not inside of the picture"),
    ('x="250" y="10"', 'x="230" y="10"', "'10 us' is not where it says"),
    ("5 us", "6 us", "an axis has the step 6"),
    ("10 us", "ten us", "an axis has the labels"),
    ('x="200" y="34"', 'x="85" y="34"', "is on 'gemm_…'"),
    ("gemm_…", "gemm_10…", "breaks a number"),
    ("<title>gemm_1024</title>", "", "nothing says what"),
    ("gemm_…", "gemm_1024, of a long name", "wider than its box"),
    ('width="100" height="20"', 'width="-1" height="20"', "-1.0 wide"),
    ('<rect x="50" y="60"', '<rect x="30" y="60" width="12" height="12" fill="#124784"/><rect x="50" y="60"', "look the same in print"),
])
def test_the_checker_finds_faults(code, broken, problem):
    found = pictures.problems(GOOD.replace(code, broken, 1) if code else GOOD)
    assert any(problem in one for one in found) if problem else found == []


def test_every_measure_is_of_a_wide_font(tools, root, tmp_path):
    """What Svg.cpp takes for the width of a text is no less than what the checker does: names that just have room are inside."""
    recorded = tmp_path / "profile"
    tools.compile(root / "examples/mlp/mlp.onnx", tmp_path / "mlp.ttcb")
    tools.ttrun("run", tmp_path / "mlp.ttcb", "--random", "--loops=5", "--cores=1", f"--profile={recorded}")
    for iterations in range(1, 5):
        tools.ttrun("report", recorded, f"--picture={tmp_path / 'picture.svg'}", f"--iterations={iterations}")
    assert json.loads((next(recorded.iterdir()) / "report.json").read_text())["run_ms"]["count"] == 5
