# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times, memory, checks, notebooks."""

import html
import inspect
import json
import re

import numpy as np
import pytest
import ttrt


def test_perf(bundle, image):
    perf = bundle.perf(loops=50)
    assert perf.loops == 50
    assert 0 < perf.p10 <= perf.median <= perf.p90 < 10 and 0 < perf.device <= perf.p90
    assert "median" in str(perf) and "50 loops" in str(perf)
    assert bundle["main"].perf(image, loops=1, warmup=0).loops == 1
    assert bundle.perf(image=image, loops=2).loops == 2
    for wrong in ({"loops": 0}, {"warmup": -1}):
        with pytest.raises(ValueError, match="expected at least 1 loop"):
            bundle.perf(**wrong)
    with pytest.raises(TypeError, match="no input 'mask'"):
        bundle.perf(mask=image)


def test_memory_is_what_ttrun_says(bundle, digits, tools):
    told = json.loads(tools.ttrun("read", "--json", digits).stdout)
    memory = bundle.memory
    for kind in ("dram", "l1", "trace"):
        use, expected = getattr(memory, kind), told["memory"][kind]
        assert (use.total, use.used, use.free, use.peak, use.largest_free) == tuple(
            expected[field] for field in ("total", "used", "free", "peak", "largest_gap")
        )
    assert memory.trace_bytes == memory.trace.total
    assert memory.trace_address == told["trace_region"]["address"]


def test_memory_map_is_that_of_ttrun(bundle, digits, tools, tmp_path):
    tools.ttrun("read", digits, "--memory-map", tmp_path / "map.html")
    page = (tmp_path / "map.html").read_text()
    assert bundle.memory_map() == page
    shown = bundle._repr_html_()
    source = re.search(r'<iframe srcdoc="([^"]*)"', shown).group(1)
    assert html.unescape(source) == page
    assert "image: f32[1, 1, 8, 8]" in html.unescape(shown)
    assert "KiB" in shown
    bundle.close()
    assert "closed" in bundle._repr_html_() and "iframe" not in bundle._repr_html_()


def test_check(bundle, digits, tools, tmp_path):
    told = json.loads(tools.ttrun("check", "--json", digits).stdout)
    found = bundle.check()
    assert found.schedules == len(bundle.schedules)
    assert str(found.commands) in json.dumps(told) and str(found.accesses) in json.dumps(told)
    copy = tmp_path / "copy.ttcb"
    copy.write_bytes(digits.read_bytes())
    loaded = ttrt.load(copy, verify="none")
    # Another file with its name does not matter, nor that there is none.
    (tmp_path / "other").write_bytes(b"nonsense")
    (tmp_path / "other").rename(copy)
    assert loaded.check() and ttrt.load(digits).check().commands == found.commands
    copy.unlink()
    assert loaded.check().commands == found.commands
    loaded.close()
    with pytest.raises(ttrt.InvalidArgumentError, match="the bundle is closed"):
        loaded.check()
    copy.write_bytes(digits.read_bytes())
    with ttrt.load(copy, verify="none") as damaged:
        with open(copy, "r+b") as file:
            file.seek(20_000)
            byte = file.read(1)[0]
            file.seek(20_000)
            file.write(bytes([byte ^ 1]))
        with pytest.raises(ttrt.BadBundleError):
            damaged.check()


def test_everything_public_is_documented():
    assert ttrt.__doc__ and ttrt.__version__
    for name in ttrt.__all__:
        thing = getattr(ttrt, name)
        if name == "IN_SLOT":
            assert repr(thing) == "ttrt.IN_SLOT"
            continue
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for attribute, value in vars(thing).items():
                if attribute.startswith("_") or not (callable(value) or isinstance(value, property)):
                    continue
                assert inspect.getdoc(value), f"{name}.{attribute}"


TYPES = [  # model type, numpy type, ttc's word
    ("FLOAT16", "float16", "f16"),
    ("BFLOAT16", "uint16", "bf16"),
    ("INT64", "int64", "i64"),
    ("UINT8", "uint8", "u8"),
    ("BOOL", "bool", "bool"),
]


@pytest.mark.parametrize("element,dtype,word", TYPES, ids=[t[2] for t in TYPES])
def test_element_types(tools, tmp_path, element, dtype, word):
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, getattr(onnx.TensorProto, element)
    x, y = (helper.make_tensor_value_info(name, kind, [2, 3]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Concat", ["x", "x"], ["z"], axis=1), helper.make_node("Slice", ["z", "from", "to", "axis"], ["y"])], "g", [x], [y], [helper.make_tensor(n, onnx.TensorProto.INT64, [1], [v]) for n, v in (("from", 3), ("to", 6), ("axis", 1))])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "m.onnx")
    tools.run("ttc-translate", "--onnx-to-bundle", tmp_path / "m.onnx", "-o", tmp_path / "m.ttcb")
    with ttrt.load(tmp_path / "m.ttcb") as bundle:
        port = bundle.inputs["x"]
        assert (port.type, port.dtype) == (word, np.dtype(dtype))
        array = np.array([[0, 1, 0], [1, 1, 0]]).astype(dtype)
        assert np.array_equal(bundle.run(array)["y"], array)
        assert bundle.run(array)["y"].dtype == port.dtype
        slot = bundle.input_slot("x")
        slot[...] = array
        assert slot.dtype == port.dtype and np.array_equal(bundle.run()["y"], array)
        assert bundle.perf(loops=2).loops == 2
        if word == "bf16":
            ml_dtypes = pytest.importorskip("ml_dtypes")
            numbers = np.array([[0.5, 1, -2], [3, 4, 5]], ml_dtypes.bfloat16)
            assert np.array_equal(bundle.run(numbers)["y"].view(ml_dtypes.bfloat16), numbers)
            out = np.zeros_like(numbers)
            bundle.run(numbers, out={"y": out})
            assert np.array_equal(out, numbers)
            with pytest.raises(TypeError, match=r"expected bf16\[2, 3\], found f16\[2, 3\]"):
                bundle.run(numbers.astype(np.float16))
