# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.compile(model, dims=...) for ranges, and models with variants: inputs of any shape, against ONNX Runtime."""
import asyncio
import importlib.util
import pathlib
import sys
import threading

import numpy as np
import onnx
import pytest
import ttc
import ttrt
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
spec = importlib.util.spec_from_file_location("models_of_many_shapes", ROOT / "test/conformance/shape_models.py")
models = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)

ENCODER = {"layers": 1, "width": 32, "heads": 2, "vocabulary": 50, "longest": 64}


@pytest.fixture(scope="module")
def encoder():
    """Variants for 1, 2 or 3 texts of up to 40 tokens, chosen by the compiler."""
    with ttc.compile(models.encoder(**ENCODER), dims={"batch": (1, 3), "sequence": (1, 40)}, cores=1) as bundle:
        yield bundle


@pytest.fixture(scope="module")
def reference():
    onnxruntime = pytest.importorskip("onnxruntime")
    return onnxruntime.InferenceSession(models.encoder(**ENCODER).SerializeToString(), providers=["CPUExecutionProvider"])


def texts(batch, sequence, seed=0):
    random = np.random.default_rng([batch, sequence, seed])
    lengths = random.integers(1, sequence + 1, (batch, 1))
    return {
        "input_ids": random.integers(0, 50, (batch, sequence)),
        "attention_mask": (np.arange(sequence) < lengths).astype(np.int64),
    }


def close(found, wanted):
    assert list(found) == list(wanted)
    for name, array in wanted.items():
        assert found[name].shape == array.shape and found[name].dtype == array.dtype
        assert np.abs(found[name] - array).max() <= 1e-5 * np.abs(array).max(), name


def expected(session, inputs):
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))


def test_what_a_bundle_says(encoder):
    assert encoder.dims == {"batch": ttrt.Dim(1, 3, 1), "sequence": ttrt.Dim(1, 40, 1)}
    assert 40 in encoder.dims["sequence"] and 41 not in encoder.dims["sequence"] and "a" not in encoder.dims["batch"]
    assert list(encoder) == ["main"] == list(encoder.models) and len(encoder) == 1
    model = encoder["main"]
    assert isinstance(model, ttrt.Model) and model.dims == encoder.dims and "main" in encoder
    assert {name: port.shape for name, port in encoder.inputs.items()} == {
        "input_ids": ("batch", "sequence"), "attention_mask": ("batch", "sequence")}  # fmt: skip
    assert [port.shape for port in model.outputs.values()] == [("batch", "sequence", 32), ("batch", 32)]
    assert encoder.inputs["input_ids"].bytes == 3 * 40 * 8 and encoder.inputs["input_ids"].dtype == np.int64
    assert "i64[batch, sequence], at most 960 bytes" in repr(encoder.inputs["input_ids"])
    assert repr(model).startswith("<ttrt.Model 'main' (input_ids: i64[batch, sequence], ")
    variants = model.variants
    assert len(variants) > 1 and variants[-1].high == {"batch": 3, "sequence": 40}
    for variant in variants:
        name = "main." + "x".join(map(str, variant.high.values()))
        assert variant.name == name and name in encoder and encoder.entries[name] is encoder[name]
        assert variant.memory >= sum(p.bytes for p in (*encoder[name].inputs.values(), *encoder[name].outputs.values()))
        assert encoder[name].dims == {} and encoder[name].variants == ()
    assert len(encoder.entries) == len(variants)
    assert encoder.schedules == encoder[variants[0].name].schedules and "overlap-io" in encoder.schedules
    with pytest.raises(KeyError, match="no entry point 'other'"):
        encoder["other"]


def test_every_length(encoder, reference):
    """In an order in which neighbours run in other variants, so that what an earlier run leaves is beyond the extents."""
    sizes = [(batch, sequence) for batch in (1, 2, 3) for sequence in range(1, 41)]
    for batch, sequence in np.random.default_rng(3).permutation(sizes).tolist():
        inputs = texts(batch, sequence)
        close(encoder.run(**inputs), expected(reference, inputs))


def test_every_way_to_run(encoder, reference):
    inputs = texts(2, 17)
    wanted = expected(reference, inputs)
    close(encoder.run(*inputs.values()), wanted)
    close(encoder["main"].run(inputs["input_ids"], attention_mask=inputs["attention_mask"]), wanted)
    close(encoder.submit(**inputs).result(), wanted)
    close(asyncio.run(encoder.run_async(**inputs)), wanted)
    hidden = np.full((2, 17, 32), np.nan, np.float32)
    found = encoder.run(**inputs, out={"last_hidden_state": hidden, "embedding": ttrt.IN_SLOT})
    assert found["last_hidden_state"] is hidden and not found["embedding"].flags.writeable
    close(found, wanted)
    slot = encoder.run(**inputs, out={"last_hidden_state": ttrt.IN_SLOT})["last_hidden_state"]
    assert slot.shape == (2, 17, 32) and not slot.flags.c_contiguous
    close({"last_hidden_state": slot}, {"last_hidden_state": wanted["last_hidden_state"]})


def test_bound_calls(encoder, reference):
    inputs = texts(3, 9)
    call = encoder.bind(inputs, out={"embedding": np.empty((3, 32), np.float32)})
    other = encoder.bind(texts(1, 40))
    assert isinstance(call, ttrt.Call)
    for seed in range(4):
        for name, array in texts(3, 9, seed).items():
            inputs[name][...] = array
        other()
        close(call(), expected(reference, inputs))
        assert call() is call.outputs


def test_streams(encoder, reference):
    batches = [texts(1 + i % 3, 1 + 7 * i % 40, i) for i in range(20)]
    out = [{"embedding": np.empty((1 + i % 3, 32), np.float32)} for i in range(20)]
    for given in (batches, [tuple(batch.values()) for batch in batches]):
        with encoder.stream(given, ahead=3, out=out) as stream:
            for batch, outputs, mine in zip(batches, stream, out, strict=True):
                assert outputs["embedding"] is mine["embedding"]
                close(outputs, expected(reference, batch))
                close(encoder.run(**texts(2, 2)), expected(reference, texts(2, 2)))
    with pytest.raises(ValueError, match="sequence"):
        list(encoder.stream([texts(1, 3), texts(1, 41)]))
    with pytest.raises(ttrt.NotFoundError, match="no schedule 'double'"):
        encoder.stream(batches, "double")
    stream = encoder.stream(batches)
    next(stream)
    stream.close()
    assert list(stream) == []


@pytest.mark.parametrize("dims", [None, {}, {"batch": 2}, {"sequence": 17, "batch": 1}])
def test_streams_through_one_variant(encoder, reference, dims):
    """By each schedule, inferences of different sizes, up to those of the variant."""
    batch, sequence = (dims or {}).get("batch", 3), (dims or {}).get("sequence", 40)
    batches = [texts(1 + i % batch, 1 + 7 * i % sequence, i) for i in range(12)]
    out = [{"embedding": np.empty((1 + i % batch, 32), np.float32)} for i in range(12)]
    wanted = [expected(reference, each) for each in batches]
    for schedule in encoder.schedules if dims is None else ["auto"]:
        with encoder.stream(batches, schedule, ahead=5, out=out, dims=dims) as stream:
            assert schedule in ("auto", stream.schedule)
            for outputs, want, mine in zip(stream, wanted, out, strict=True):
                assert outputs["embedding"] is mine["embedding"]
                close(outputs, want)
                if want is not wanted[-1]:
                    with pytest.raises(ttrt.BusyError):
                        encoder.run(**batches[0])


def test_streams_of_what_does_not_fit(encoder, reference):
    held = [variant for variant in encoder.variants if variant.high["sequence"] < 40][-1].high
    with encoder.stream([texts(1, 1), texts(1, 40)], "single", dims=held) as stream:
        with pytest.raises(ValueError, match=rf"'main.{held['batch']}x{held['sequence']}' of model 'main' does not hold "
                                             rf"batch = 1, sequence = 40; it has batch 1..{held['batch']}, sequence 1.."):  # fmt: skip
            list(stream)
    with pytest.raises(ValueError, match=r"holds batch = 1, sequence = 41; it has batch 1\.\.3, sequence 1\.\.40 in "):
        list(encoder.stream([texts(1, 41)], "single"))
    with pytest.raises(ValueError, match="holds batch = 4, sequence = 40"):
        encoder.stream([texts(1, 1)], dims={"batch": 4})
    with pytest.raises(ValueError, match=r"dims: model 'main' has \['batch', 'sequence'\], found 'length'"):
        encoder.stream([texts(1, 1)], dims={"length": 4})
    with pytest.raises(ValueError, match="dims: entry point 'main.3x40' has none"):
        encoder["main.3x40"].stream([], dims={"batch": 3})
    with pytest.raises(ValueError, match="expected arrays, found IN_SLOT"):
        list(encoder.stream([texts(1, 1)], "single", out=[{"embedding": ttrt.IN_SLOT}]))
    close(encoder.run(**texts(2, 7)), expected(reference, texts(2, 7)))


def test_threads(encoder, reference):
    sizes = [(1, 40), (3, 3), (2, 17), (3, 40)]
    wanted = [expected(reference, texts(*size)) for size in sizes]
    failed = []

    def work(index):
        try:
            for _ in range(30):
                close(encoder.run(**texts(*sizes[index])), wanted[index])
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(sizes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_perf(encoder):
    assert encoder.perf(loops=2, warmup=0).loops == 2
    assert encoder.perf(loops=2, warmup=0, dims={"sequence": 5}).median > 0
    assert encoder.perf(*texts(1, 1).values(), loops=1, warmup=0).median > 0
    with pytest.raises(ValueError, match=r"dims: model 'main' has \['batch', 'sequence'\], found 'length'"):
        encoder.perf(dims={"length": 5})
    with pytest.raises(ValueError, match="batch = 3, sequence = 41"):
        encoder.perf(dims={"sequence": 41})
    with pytest.raises(ValueError, match="dims: entry point 'main.3x40' has none"):
        encoder["main.3x40"].perf(dims={"sequence": 4})


def test_variants_are_entry_points(encoder, reference):
    """With whole tensors, and the extents as one more input. What is beyond the extents does not matter."""
    inputs = texts(2, 17)
    whole = {name: np.full((3, 40), 49, np.int64) for name in inputs}
    for name, array in inputs.items():
        whole[name][:2, :17] = array
    entry = encoder["main.3x40"]
    assert list(entry.inputs) == [*inputs, "extents"] and entry.inputs["extents"].type == "i32"
    found = entry.run(**whole, extents=np.array([2, 17], np.int32))
    assert found["last_hidden_state"].shape == (3, 40, 32)
    corner = {"last_hidden_state": found["last_hidden_state"][:2, :17], "embedding": found["embedding"][:2]}
    close(corner, expected(reference, inputs))


def test_a_bound_call_of_a_variant(encoder, reference):
    """Whole arrays, of which each call uses the corner that its extents say."""
    entry = encoder["main.3x40"]
    arrays = {name: np.full(port.shape, 49, port.dtype) for name, port in entry.inputs.items()}
    arrays["extents"][...] = 3, 40
    call = entry.bind(arrays)
    for sizes in ((2, 17), (3, 40), (1, 1), (3, 5)):
        inputs = texts(*sizes)
        for name, array in inputs.items():
            arrays[name][: sizes[0], : sizes[1]] = array
        arrays["extents"][...] = sizes
        found = call()
        corner = {"last_hidden_state": found["last_hidden_state"][: sizes[0], : sizes[1]], "embedding": found["embedding"][: sizes[0]]}
        close(corner, expected(reference, inputs))
    for sizes, wrong in (((2, 41), "'sequence' is 41; expected a multiple of 1 from 1 to 40"), ((0, 4), "'batch' is 0")):
        arrays["extents"][...] = sizes
        with pytest.raises(ttrt.InvalidArgumentError, match=f"input 'extents' of entry point 'main.3x40': {wrong}"):
            call()


def test_slots_of_variants(encoder, reference):
    """They have the same bytes: what another variant has overwritten, or another slot, is not used."""
    small, large = encoder[encoder.variants[0].name], encoder["main.3x40"]
    inputs = texts(3, 40)
    rest = {"attention_mask": inputs["attention_mask"], "extents": np.array([3, 40], np.int32)}
    given = {name: np.ones(port.shape, port.dtype) for name, port in small.inputs.items()}

    def fill():
        large.input_slot("input_ids")[...] = inputs["input_ids"]

    for overwrite in (lambda: small.run(**given), lambda: small.input_slot("input_ids"), lambda: encoder.run(**texts(1, 1))):
        fill()
        overwrite()
        with pytest.raises(ttrt.OverwrittenError, match="input 'input_ids' of entry point 'main.3x40'"):
            large.run(input_ids=ttrt.IN_SLOT, **rest)
        fill()
        for _ in range(2):
            close(large.run(input_ids=ttrt.IN_SLOT, **rest), expected(reference, inputs))


WRONG = [
    ({"input_ids": (1, 41), "attention_mask": (1, 41)}, ValueError, r"batch = 1, sequence = 41.*main\.3x40 \(batch 1\.\.3, sequence 1\.\.40\)"),
    ({"input_ids": (4, 1), "attention_mask": (4, 1)}, ValueError, "batch = 4, sequence = 1"),
    ({"input_ids": (2, 5), "attention_mask": (2, 6)}, ValueError, "'attention_mask': axis 1 has size 6; expected sequence = 5"),
    ({"input_ids": (2, 5), "attention_mask": (1, 5)}, ValueError, "'attention_mask': axis 0 has size 1; expected batch = 2"),
    ({"input_ids": (0, 5), "attention_mask": (0, 5)}, ValueError, "batch = 0"),
    ({"input_ids": (5,), "attention_mask": (1, 5)}, ValueError, r"input 'input_ids': expected i64\[batch, sequence\], found i64\[5\]"),
    ({"input_ids": (1, 5)}, TypeError, r"missing input 'attention_mask' i64\[batch, sequence\] of model 'main'$"),
    ({"input_ids": (1, 5), "attention_mask": (1, 5), "extents": (2,)}, TypeError, "model 'main' has no input 'extents'"),
]  # fmt: skip


@pytest.mark.parametrize("shapes, error, message", WRONG)
def test_what_does_not_fit(encoder, shapes, error, message):
    inputs = {name: np.ones(shape, np.int64) for name, shape in shapes.items()}
    for run in (lambda: encoder.run(**inputs), lambda: encoder.bind(inputs), lambda: encoder.submit(**inputs)):
        with pytest.raises(error, match=message):
            run()


def test_arrays_that_do_not_fit(encoder):
    inputs = texts(2, 8)
    with pytest.raises(TypeError, match=r"expected i64\[batch, sequence\], found i32\[2, 8\]"):
        encoder.run(inputs["input_ids"].astype(np.int32), inputs["attention_mask"])
    with pytest.raises(ValueError, match="expected a dense, row-major array"):
        encoder.run(np.asfortranarray(inputs["input_ids"]), inputs["attention_mask"])
    with pytest.raises(TypeError, match="found IN_SLOT; only the variants"):
        encoder.run(ttrt.IN_SLOT, inputs["attention_mask"])
    for shape in ((2, 8, 31), (2, 9, 32), (3, 40, 32)):
        with pytest.raises(ValueError, match=r"output 'last_hidden_state': expected f32\[2, 8, 32\], found "):
            encoder.run(**inputs, out={"last_hidden_state": np.empty(shape, np.float32)})
    for slot, kind in ((encoder.input_slot, "input"), (encoder.output_slot, "output")):
        with pytest.raises(KeyError, match=f"model 'main' has no {kind} 'x'"):
            slot("x")
        with pytest.raises(ttrt.UnsupportedError, match="model 'main' has slots in each of its variants"):
            slot({"input": "input_ids", "output": "embedding"}[kind])


class Dlpack:
    """What has DLPack and nothing else, as tensors of other libraries."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_arrays_of_others(encoder, reference):
    inputs = texts(1, 33)
    close(encoder.run(*map(Dlpack, inputs.values())), expected(reference, inputs))
    close(encoder.run(*map(memoryview, inputs.values())), expected(reference, inputs))


def test_images():
    """Steps of ranges, sizes of a list, sizes of outputs that are expressions, and a number."""
    onnxruntime = pytest.importorskip("onnxruntime")
    model = models.detector()
    sizes = {"batch": 1, "height": range(32, 65, 16), "width": [32, 64]}
    bundle = ttc.compile(model, dims=sizes, cores=1)
    assert bundle.dims["height"] == ttrt.Dim(32, 64, 16) and bundle.dims["width"].high == 64 and "batch" not in bundle.dims
    assert bundle.inputs["image"].shape == (1, 3, "height", "width")
    assert bundle.outputs["boxes"].shape[:2] == (1, 8) and all(isinstance(s, str) for s in bundle.outputs["boxes"].shape[2:])
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    width = bundle.dims["width"]
    for h in (64, 32, 48):
        for w in (32, 64, *range(width.low, 65, width.step)):
            image = np.random.default_rng([h, w]).standard_normal((1, 3, h, w), np.float32)
            close(bundle.run(image), expected(session, {"image": image}))
    for shape in ((1, 3, 40, 32), (1, 3, 72, 64), (2, 3, 32, 32), (1, 4, 32, 32)):
        with pytest.raises(ValueError, match="height = |expected f32|image"):
            bundle.run(np.zeros(shape, np.float32))


def relu():
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", "columns"]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", ports[:1], ports[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("sizes, dim", [
    ((2, 9), ttrt.Dim(2, 9, 1)), (range(2, 9, 2), ttrt.Dim(2, 8, 2)), (range(8, 1, -2), ttrt.Dim(2, 8, 2)),
    (range(1, 6), ttrt.Dim(1, 5, 1)), ((4, 4), None), ([4], None), (range(4, 5), None), (np.int64(4), None),
])  # fmt: skip
def test_sizes(sizes, dim):
    bundle = ttc.compile(relu(), dims={"rows": sizes, "columns": 3}, cores=1)
    assert bundle.dims.get("rows") == dim
    for rows in [4] if dim is None else range(dim.low, dim.high + 1, dim.step):
        x = np.random.default_rng(rows).standard_normal((rows, 3), np.float32)
        np.testing.assert_array_equal(bundle.run(x)["y"], np.maximum(x, 0))


@pytest.mark.parametrize("sizes, error, message", [
    (-1, ValueError, "expected a size that is not negative for 'rows', found -1"),
    (1 << 31, ValueError, "found 2147483648"),
    (1.5, ValueError, r"expected a size, \(low, high\), a range or a list of sizes for 'rows', found 1.5"),
    ("1..4", ValueError, "found '1..4'"),
    ((1, 2, 3), ValueError, r"expected \(low, high\) for 'rows', found \(1, 2, 3\); a list has the sizes"),
    ((4, 1), ValueError, r"found \(4, 1\)"),
    ((0, 4), ValueError, "expected sizes from 1 to 2147483647 for 'rows', found 0"),
    ([1, "a"], ValueError, "found 'a'"),
    ([], ValueError, r"expected at least one size for 'rows', found \[\]"),
    (range(4, 4), ValueError, r"expected at least one size for 'rows', found range\(4, 4\)"),
    (range(10, 100, 32), ValueError, r"expected multiples of the step 32 for 'rows', found range\(10, 100, 32\)"),
])  # fmt: skip
def test_sizes_that_are_wrong(sizes, error, message, tmp_path):
    for compile in (ttc.compile, lambda model, **options: ttc.build(model, tmp_path / "b.ttcb", **options)):
        with pytest.raises(error, match="^dims: .*" + message):
            compile(relu(), dims={"rows": sizes, "columns": 3})


def test_what_the_compiler_says():
    with pytest.raises(ttc.CompileError, match=r"dims={\"columns\": 1}"):
        ttc.compile(relu(), dims={"rows": (1, 4)})
    with pytest.raises(ttc.CompileError, match="dims names 'lines'"):
        ttc.compile(relu(), dims={"lines": (1, 4), "rows": 1, "columns": 1})


def test_several_models(tmp_path):
    """Variants beside another model, which has the same name for another dimension."""
    path = ttc.build({"one": relu(), "two": relu()}, tmp_path / "b.ttcb", dims={"one/rows": (1, 4), "two/rows": 2, "columns": 3})
    with ttrt.load(path) as bundle:
        assert list(bundle) == ["one", "two"] == list(bundle.models) and bundle["two"].dims == {}
        assert bundle["one"].dims == bundle.dims == {"rows": ttrt.Dim(1, 4, 1)} and "two" in bundle.entries
        for rows in (1, 3, 4):
            x = np.random.default_rng(rows).standard_normal((rows, 3), np.float32)
            np.testing.assert_array_equal(bundle["one"].run(x)["y"], np.maximum(x, 0))
        x = np.ones((2, 3), np.float32)
        np.testing.assert_array_equal(bundle["two"].run(x)["y"], x)
    for run in (lambda: bundle.run(x), lambda: bundle.bind({"x": x}), lambda: bundle.submit(x)):
        with pytest.raises(ttrt.InvalidArgumentError, match="the bundle is closed"):
            run()


def test_first_look(python, tmp_path):
    onnx.save(relu(), tmp_path / "relu.onnx")
    said = python("-m", "ttc", tmp_path / "relu.onnx", "--dim=rows:1..4", "--dim=columns:3").stdout
    assert "\nmain\n" in said and "x: f32[rows, 3]" in said and "time" in said and "extents" not in said


def test_nothing_is_lost(encoder):
    """References to arrays, and memory."""
    inputs = texts(2, 17)
    out = {"embedding": np.empty((2, 32), np.float32)}
    counts = [sys.getrefcount(array) for array in (*inputs.values(), *out.values())]
    for _ in range(50):
        encoder.run(**inputs, out=out)
        encoder.bind(inputs, out=out)()
        with pytest.raises(ValueError):
            encoder.run(inputs["input_ids"], texts(1, 17)["attention_mask"], out=out)
    del _
    assert [sys.getrefcount(array) for array in (*inputs.values(), *out.values())] == counts


def test_sizes_from_requests(reference, tmp_path, caplog):
    """A file, columns, and a table choose the same variants."""
    model = models.encoder(**ENCODER)
    requests = {"batch": [1, 1, 2], "sequence": np.array([5, 40, 40]), "count": [8, 1, 1]}
    file = tmp_path / "requests.csv"
    rows = [",".join(map(str, row)) for row in zip(*requests.values())]
    file.write_text("\n".join(["batch,sequence,count", *rows]))
    found = []
    for given in (file, requests):
        with caplog.at_level("INFO", "ttc"), ttc.compile(model, dims_from=given, cores=1) as bundle:
            found.append([variant.high for variant in bundle.variants])
            for inputs in (texts(1, 5), texts(2, 40), texts(2, 3), texts(1, 33)):
                close(bundle.run(**inputs), expected(reference, inputs))
    assert found[0] == found[1] and {"batch": 2, "sequence": 40} in map(dict, found[0])
    assert "times that of exact shapes, for the requests of requests.csv" in caplog.text
    path = ttc.build(model, tmp_path / "one.ttcb", dims_from=str(file), options=["--variant-limit=1"])
    with ttrt.load(path) as bundle:
        assert len(bundle.variants) == 1


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (3, "dims_from: expected a file or {name: sizes}, found int"),
        ({"batch": [1.5]}, "dims_from: expected whole numbers for 'batch', found 1.5"),
        ({"batch": [1], "sequence": [2, 3]}, "found sizes {'batch': 1, 'sequence': 2}"),
        ({}, "expected columns with a size for each request"),
        ({"batch": [1], "sequence": [0]}, "<dims_from>: line 2: 'sequence': expected a whole number from 1, found '0'"),
        ({"batch": [1], "length": [2]}, "dims_from names 'length', but the named dimensions of the graph's inputs are:"),
    ],
)
def test_wrong_requests(given, wrong):
    with pytest.raises((TypeError, ValueError, ttc.CompileError)) as error:
        ttc.compile(models.encoder(**ENCODER), dims_from=given, dims={"sequence": 8} if given == {"batch": [1.5]} else None)
    assert wrong in str(error.value)


def open_model(shape, other):
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes) for name, sizes in (("x", shape), ("z", other))]
    node = helper.make_node("Mul", ["x", "z"], ["y"])
    graph = helper.make_graph([node], "open", values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def test_dimensions_without_names():
    with ttc.compile(open_model([None, 3], [None, 3]), dims={"x.0=z.0": (1, 40)}, cores=1) as bundle:
        assert bundle.dims == {"x.0": ttrt.Dim(1, 40, 1)} and bundle.inputs["z"].shape == ("x.0", 3)
        for size in (1, 7, 40):
            x = np.arange(3 * size, dtype=np.float32).reshape(size, 3)
            assert np.array_equal(bundle.run(x=x, z=x + 1)["y"], x * (x + 1))
    # A name that the model itself has is not given again.
    with pytest.raises(ttc.CompileError, match=r"'x' has dynamic shape \[\?, x.0\]"):
        ttc.compile(open_model([None, "x.0"], [1]), dims={"x.0": 3})


def test_a_module_of_tosa(tmp_path):
    path = tmp_path / "module.mlir"
    path.write_text(
        "func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {\n"
        "  %0 = tosa.tanh %x : (tensor<?x3xf32>) -> tensor<?x3xf32>\n  return %0 : tensor<?x3xf32>\n}\n"
    )
    bundle = ttc.compile(path, dims={"input0.0": (1, 8)})
    for size in (1, 5, 8):
        x = np.linspace(-3, 3, 3 * size, dtype=np.float32).reshape(size, 3)
        np.testing.assert_allclose(bundle.run(x)["output0"], np.tanh(x), rtol=1e-5, atol=1e-6)
    with pytest.raises(ttc.CompileError, match=r'note: this sets them: ttc\.compile\(model, dims=\{"input0.0": 1\}\)'):
        ttc.compile(path)
