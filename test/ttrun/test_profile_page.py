# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""report.html: the page tests itself in headless Chromium (Profile/Page/selftest.js)."""
import ctypes
import json
import os
import re
import struct

import numpy as np
import pytest

from gate import nightly


@pytest.fixture(scope="module")
def recording(tools, root, tmp_path_factory):
    """The folder of a recording of the digits, with two queues."""
    folder = tmp_path_factory.mktemp("recording")
    bundle = folder / "digits <b>&amp;.ttcb"
    tools.compile(root / "examples/digits/digits.onnx", bundle)
    tools.ttrun("run", bundle, "--random", "--loops=20", "--schedule=overlap-io", "--cores=2",
                env={**os.environ, "TTRT_PROFILE": str(folder / "profile")})
    tools.ttrun("report", folder / "profile", "--peak-gflops=100", "--bandwidth-gbs=10")
    return next((folder / "profile").iterdir())


@pytest.fixture(scope="module")
def sharded(tools, root, tmp_path_factory):
    """The page of a recording with tensors sharded over the L1s of four cores, without limits."""
    folder = tmp_path_factory.mktemp("sharded")
    (folder / "small.json").write_text(json.dumps(
        {"name": "small", "grid_rows": 2, "grid_cols": 2, "l1_bytes": 262144, "dram_banks": 2, "dram_bank_bytes": 16777216}))
    tools.compile(root / "examples/digits/digits.onnx", folder / "digits.ttcb", f"--target={folder / 'small.json'}",
                  "--target-cpu=x86-64-v3", "--shard=width", "--memory=dram")
    tools.ttrun("run", folder / "digits.ttcb", "--random", "--loops=5", f"--profile={folder / 'profile'}")
    return next((folder / "profile").iterdir())


@pytest.fixture(scope="module")
def meshed(tools, root, tmp_path_factory):
    """The page of a recording of two devices that exchange tensors."""
    folder = tmp_path_factory.mktemp("meshed")
    tools.compile(root / "examples/mlp/mlp.onnx", folder / "mlp.ttcb", "--mesh=2", "--parallel=tensor")
    tools.ttrun("run", folder / "mlp.ttcb", "--random", "--loops=20", f"--profile={folder / 'profile'}")
    return next((folder / "profile").glob("*/report.html"))


FRAMES, SIZES = 400, [(700, 500), (2600, 1400), *nightly([(1400, 900)])]
STRANGE = "<script>harm()</script> \u202e\x1b[31m 12345678901234567890 " + "long_name_" * 30


@pytest.fixture(scope="module")
def marked(tools, root, tmp_path_factory):
    """The page of a recording with frames, signposts and messages, and of cores that do nothing."""
    folder = tmp_path_factory.mktemp("marked")
    tools.compile(root / "examples/mlp/mlp.onnx", folder / "mlp.ttcb")
    with tools.open(folder / "mlp.ttcb") as bundle:
        library, profiler = bundle.library, ctypes.c_void_p()
        bundle.call("profiler_open", str(folder).encode(), None, ctypes.byref(profiler))
        with bundle.device(cores=2, queues=2, queue1_cores=3, profiler=profiler) as device:
            entry = bundle.entries["main"]
            inputs = {name: np.zeros(port.shape, port.dtype) for name, port in entry.inputs.items()}
            for i in range(FRAMES):
                library.ttrt_frame(profiler, 0)
                if i % 5 == 0:
                    library.ttrt_signpost(profiler, f"signpost {i}".encode() if i else STRANGE.encode(), STRANGE.encode())
                if i % 41 == 2:
                    library.ttrt_message(profiler, b"a message", 0xffff00)
                device.run(entry, inputs)
        library.ttrt_profiler_close(profiler)
    tools.ttrun("report", folder, "--peak-gflops=0.1", "--bandwidth-gbs=0.1", f"--picture={folder / 'picture.svg'}")
    return next(folder.glob("*/report.html"))


def data_of(page):
    return json.loads(page.read_text().partition('id="data">')[2].partition("</script>")[0])


def test_page_tests_itself(recording, browser):
    result = browser(recording / "report.html")
    assert result["failures"] == []
    assert result["title"].startswith("ttc profile: digits <b>&amp;.ttcb")
    assert result["scripts"] == 3
    assert result["timing"]["zones"] > 500
    assert result["dots"] >= 3 and result["roofs"] == 1 and result["heats"] == 0
    [limits] = data_of(recording / "report.html")["limits"]
    assert (limits["flops"], limits["bandwidth"], limits["int8"]) == (100e9, 10e9, 0)


def test_page_of_shards_tests_itself(sharded, browser):
    """Heat maps; without limits, dots without roofs."""
    result = browser(sharded / "report.html")
    assert result["failures"] == []
    assert result["dots"] >= 1 and result["roofs"] == 0 and result["heats"] == 2
    [traffic] = data_of(sharded / "report.html")["traffic"]
    assert traffic["cores"] == 4 and sum(map(sum, traffic["read"])) > 0


@pytest.mark.parametrize("size", SIZES)
def test_page_of_many_marks_tests_itself(marked, browser, size):
    """At any size, texts are readable and not on each other, and frames hide nothing."""
    result = browser(marked, size)
    assert result["failures"] == []
    kinds = [kind for _, kind, *_ in data_of(marked)["marks"]]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"frame": FRAMES, "signpost": FRAMES // 5, "message": FRAMES // 41 + 1}
    assert result["scripts"] == 3


def test_page_with_zones_of_programs(tools, written, tmp_path, browser):
    script = written("script")
    tools.ttrun("run", script, "--random", "--loops=20", "--cores=2", f"--profile={tmp_path}/profile")
    tools.ttrun("report", tmp_path / "profile")
    result = browser(next((tmp_path / "profile").iterdir()) / "report.html")
    assert result["failures"] == []
    assert sorted(result["zones"]) == [["bytes", "data"], ["done", "event"], ["load <b>", "zone"], ["main", "zone"], ["multiply", "sum"]]


@pytest.mark.parametrize("size", SIZES)
def test_page_of_a_mesh_tests_itself(meshed, browser, size):
    """An exchange has a colour of its own, which the legend explains and which is that of the sums."""
    result = browser(meshed, size)
    assert result["failures"] == []
    data = data_of(meshed)
    zones = [row["zones"][i:i + 7] for group in data["groups"] for row in group["rows"] for i in range(0, len(row["zones"]), 7)]
    kinds = {data["strings"][name]: kind for _, _, _, name, kind, _, _ in zones}
    assert {name for name, kind in kinds.items() if kind == 7} == {name for name in kinds if name.startswith("exchange")} != set()
    assert 0 in kinds.values()
    assert meshed.read_text().count("{name: 'exchange', color: '#115e59'}") == 1


def test_needs_nothing_else(recording):
    """No address of another file, no markup out of a name."""
    text = (recording / "report.html").read_text()
    markup, begin, rest = text.partition('<script type="application/json" id="data">')
    content, end, rest = rest.partition("</script>")
    assert begin and end and json.loads(content)["title"] == "digits <b>&amp;.ttcb"
    assert not set(content) & set("<>&")
    text = markup + rest
    assert not re.search(r"https?:|\bsrc=|\bhref=|@import|url\(|@[A-Z]+@", text)
    assert "default-src 'none'" in text


@pytest.mark.parametrize("code, broken, message", [
    ("this.begin[found] <= time", "this.begin[found] < time - 1e9", "the zone at"),
    ("(shown.down ? -1 : 1);\n  });\n  const table", "1;\n  });\n  const table", "sorted by"),
    ("matching[lane.name[zone]] === 1 ||", "", "search finds"),
    ("rate: dot.op.flops / dot.op.median * 1e9", "rate: dot.op.flops / dot.op.least * 1e9", "operations per second"),
    ("made.onclick = () => selectOp(dot.index)", "made.onclick = () => selectOp(0)", "a dot selects its op"),
])
def test_a_failure_is_seen(recording, browser, tmp_path, code, broken, message):
    text = (recording / "report.html").read_text()
    assert text.count(code) == 1
    copy = tmp_path / "broken.html"
    copy.write_text(text.replace(code, broken))
    assert any(message in failure for failure in browser(copy)["failures"])


@pytest.mark.parametrize("code, broken, message", [
    ("Math.max(1, row.lanes.length) * LANE", "row.lanes.length * LANE", "is on 'queue 1"),
    ("kind === 'frame' || x < free", "x < free", "frames hide nothing"),
    ("x < free || ", "", "is on 'signpost"),
    ("inkOn(colorOf(lane, zone))", "colorOf(lane, zone)", " on #9246b9"),
    ("fitted(context, row.name, LABEL - 26), 18", "row.name, -18", "'queue 0, core 0' is cut off"),
    ("x + context.measureText(label).width <= width", "true", "is cut off"),
    ("max-width: 900px", "min-width: 1200px", "is higher than what it shows"),
    ("if (above) notes.push", "if (!above) notes.push", "the notes say"),
    ("x: right - 4, y: last", "x: right, y: ROOF.height - ROOF.bottom + 17", "'f32: "),
    ("color: var(--soft); }\n.bad", "color: #aaa; }\n.bad", "is rgb(170, 170, 170) on"),
])
def test_a_fault_of_the_drawing_is_seen(marked, browser, tmp_path, code, broken, message):
    text = marked.read_text()
    assert text.count(code) == 1
    copy = tmp_path / "broken.html"
    copy.write_text(text.replace(code, broken))
    failures = browser(copy)["failures"]
    assert any(message in failure for failure in failures), failures[:5]


def test_steps_have_no_number_of_a_command(tools, written, tmp_path, browser):
    """Transfers are in no trace."""
    tools.ttrun("run", written("sample"), "--random", "--loops=3", "--no-trace", f"--profile={tmp_path}")
    page = next(tmp_path.glob("*/report.html"))
    assert -1 in [op["command"] for op in data_of(page)["ops"]]
    result = browser(page)
    assert result["failures"] == [] and "-1" not in result["table"]


def test_many_zones(recording, browser, tools, tmp_path):
    """100,000 zones: what is drawn depends on the pixels."""
    log = (recording / "profile.ttlog").read_bytes()
    # The markers of core 0, again and again, later each time.
    at, records = 0, []
    while at < len(log):
        kind, size = struct.unpack_from("<II", log, at)
        records.append((kind, log[at + 8:at + 8 + size]))
        at += 8 + size
    times = [struct.unpack_from("<Q", body, 8 + 16 * i)[0] for kind, body in records if kind == 6
             for i in range(struct.unpack_from("<I", body, 4)[0])]
    length, begins = max(times) - min(times), sum(
        1 for kind, body in records if kind == 6 for i in range(struct.unpack_from("<I", body, 4)[0])
        if body[8 + 16 * i + 14] in (0, 2, 4, 6))
    repeats = 100_000 // begins + 1
    with open(tmp_path / "profile.ttlog", "wb") as out:
        def write(kind, body):
            out.write(struct.pack("<II", kind, len(body)) + body)
        for kind, body in records:
            if kind != 6:
                if kind != 10:
                    write(kind, body)
                continue
            for repeat in range(repeats):
                moved = bytearray(body)
                for i in range(struct.unpack_from("<I", body, 4)[0]):
                    time, = struct.unpack_from("<Q", body, 8 + 16 * i)
                    struct.pack_into("<Q", moved, 8 + 16 * i, time + repeat * length)
                write(kind, bytes(moved))
        write(10, b"")
    tools.ttrun("report", tmp_path)
    result = browser(tmp_path / "report.html")
    assert result["failures"] == []
    assert result["timing"]["zones"] > 100_000
    # At most one zone per pixel of each row.
    assert result["timing"]["visited"] < 20_000
    assert result["elements"] < 8000
