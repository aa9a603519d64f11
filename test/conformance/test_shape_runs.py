# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with variants in every way to run them: schedules, rings of slots, host ops, states, several models in one
bundle. Whatever lies beyond the extents, the valid part of a result has the same bits."""
import ctypes
import random

import numpy as np
import pytest

import shape_models
from bundles import onnx
from capi import transfers

helper, TensorProto = onnx.helper, onnx.TensorProto
ALL = ["single", "overlap-io-signals", "overlap-io", "overlap-input", "single-untraced",
       "overlap-io-untraced", "overlap-input-untraced"]
GARBAGE = {"f": [np.nan, np.inf, 3e38], "i": [-2**31, 2**31 - 1, 0]}


def build(tools, folder, model, *options, check=True):
    """The bundle, and the finished process."""
    path, bundle = folder / "model.onnx", folder / "model.ttcb"
    onnx.save(model, path)
    return bundle, tools.run("ttc-translate", "--onnx-to-bundle", str(path), *options, "-o", str(bundle), check=check)


def refuse(tools, folder, model, *options):
    """What the compiler says."""
    bundle, done = build(tools, folder, model, *options, check=False)
    assert done.returncode == 1 and not bundle.exists(), done.stderr
    return done.stderr


def pack(entry, inputs, extents, fill):
    """Whole tensors with `inputs` in their corners: fill(dtype) is what lies beyond."""
    whole = {"extents": np.array(extents, np.int32)}
    for name, array in inputs.items():
        whole[name] = np.full(entry.inputs[name].shape, fill(array.dtype), array.dtype)
        whole[name][tuple(map(slice, array.shape))] = array
    return {name: whole[name] for name in entry.inputs}


def corners(entry, arrays, shapes):
    return {name: np.array(array[tuple(map(slice, shapes[name]))]).tobytes() for name, array in zip(entry.outputs, arrays)}


def stream(device, entry, schedule, given, wanted, shapes, seed):
    """Inferences of different extents through one pipeline, of which more or fewer are in flight."""
    number, fed = random.Random(seed), 0
    arrays = [list(each.values()) for each in given]
    inputs = [transfers(each) for each in arrays]
    with device.pipeline(entry, schedule=schedule.encode(), outputs=8) as pipeline:
        for popped in range(len(given)):
            while fed < min(len(given), popped + number.randint(1, 8)):
                pipeline.enqueue(inputs[fed])
                fed += 1
            found = [np.frombuffer(data, port.dtype).reshape(port.shape)
                     for data, port in zip(pipeline.pop(), entry.outputs.values())]
            assert corners(entry, found, shapes[popped]) == wanted[popped], f"{entry.name}, {schedule}: inference {popped}"


@pytest.mark.parametrize("slots", [1, 3])
def test_every_schedule(tools, tmp_path, slots):
    """Inferences of different sizes follow each other; each has other garbage beyond."""
    model = shape_models.encoder(layers=1, width=32, heads=2, vocabulary=50, longest=16)
    bundle, _ = build(tools, tmp_path, model, "--dim=batch:2..3", "--dim=sequence:4,11", f"--slots={slots}")
    rng = np.random.default_rng(slots)
    with tools.open(bundle) as opened:
        assert list(opened.entries) == ["main.3x4", "main.3x11"]
        for number, entry in enumerate(opened.entries.values()):
            high = entry.inputs["input_ids"].shape
            given, wanted, shapes = [], [], []
            with opened.device(cores=2, queues=2) as device:
                for _ in range(16):
                    sizes = [int(rng.integers(2, 4)), int(rng.integers(1, high[1] + 1))]
                    inputs = {"input_ids": rng.integers(0, 50, sizes), "attention_mask": rng.integers(0, 2, sizes)}
                    inputs["attention_mask"][:, 0] = 1
                    shapes.append({"last_hidden_state": (*sizes, 32), "embedding": (sizes[0], 32)})
                    found = device.run(entry, pack(entry, inputs, sizes, lambda _: 0))
                    wanted.append(corners(entry, found.values(), shapes[-1]))
                    given.append(pack(entry, inputs, sizes, lambda dtype: rng.choice(GARBAGE[dtype.kind])))
                for each, bits, shape in zip(given, wanted, shapes):
                    assert corners(entry, device.run(entry, each, trace=False).values(), shape) == bits
                assert list(entry.schedules) == ALL
                for schedule in entry.schedules:
                    stream(device, entry, schedule, given, wanted, shapes, number)


def tensor(name, *shape, type=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, type, shape)


def make(inputs, nodes, outputs, values=(), opset=17, **constants):
    """Nodes are (op, inputs, output, attributes)."""
    made = [helper.make_node(op, ins, [out], **attributes) for op, ins, out, attributes in nodes]
    initializers = [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph(made, "runs", inputs, outputs, initializers, value_info=values)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.acme", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def swish(x, beta):
    return x / (1 + np.exp(-beta * x))


def with_swish(of, shape):
    return make(
        [tensor("x", 2, "n", 6)],
        [("Tanh", ["x"], "t", {}), ("ReduceMean", ["t"], "m", {"axes": [1]}),
         ("Swish", [of], "s", {"domain": "com.acme", "beta": 2.0, "name": "gate"}), ("Mul", ["t", "s"], "y", {})],
        [tensor("y", 2, "n", 6)], [tensor("s", *shape)])


def test_host_ops(tools, build_dir, tmp_path):
    """What a function of the application gets has one size in all runs."""
    bundle, _ = build(tools, tmp_path, with_swish("m", [2, 1, 6]), "--dim=n:4,12", "--host-ops=com.acme.*", "--slots=2")
    if "-fsanitize" in (build_dir / "CMakeCache.txt").read_text():
        return
    hosts = ctypes.CDLL(str(build_dir / "test/unit/libacme.so"))
    hosts.ttrt_host_library.restype = ctypes.c_void_p
    rng = np.random.default_rng(1)
    with tools.open(bundle) as opened, opened.device(cores=2, queues=2, host_functions=hosts.ttrt_host_library()) as device:
        for entry in opened.entries.values():
            given, wanted, shapes = [], [], []
            for _ in range(12):
                x = rng.standard_normal((2, int(rng.integers(1, entry.inputs["x"].shape[1] + 1)), 6), np.float32)
                given.append(pack(entry, {"x": x}, x.shape[1:2], lambda _: np.nan))
                shapes.append({"y": x.shape})
                found = device.run(entry, given[-1])
                wanted.append(corners(entry, found.values(), shapes[-1]))
                t = np.tanh(x)
                y = t * swish(t.mean(1, keepdims=True), 2.0)
                np.testing.assert_allclose(found["y"][:, : x.shape[1]], y, rtol=1e-5, atol=1e-6)
            for schedule in entry.schedules:
                stream(device, entry, schedule, given, wanted, shapes, 3)


def test_host_ops_on_what_has_a_size_in_each_run(tools, tmp_path):
    said = refuse(tools, tmp_path, with_swish("t", [2, "n", 6]), "--dim=n:4,12", "--host-ops=com.acme.*")
    assert "gate" in said and "dimension 1 of operand 0 has a size of its own in each run (n)" in said
    assert "a function of the application gets whole tensors" in said
    # With one size, the shape that the model declares is that.
    build(tools, tmp_path, with_swish("t", [2, "n", 6]), "--dim=n:12", "--host-ops=com.acme.*")
    assert "f32[2, 12, 6] -> f32[2, 12, 6]" in tools.ttrun("check", tmp_path / "model.ttcb").stdout


SUMS = make(
    [tensor("old", 1, 6), tensor("x", "n", 6)],
    [("ReduceSum", ["x", "axes"], "s", {}), ("Add", ["s", "old"], "new", {}), ("Add", ["x", "new"], "y", {})],
    [tensor("new", 1, 6), tensor("y", "n", 6)], axes=np.int64([0]))


def test_states_of_one_size(tools, tmp_path):
    """All variants have one state, in every schedule."""
    bundle, _ = build(tools, tmp_path, SUMS, "--dim=n:3,5,9", "--state=old=new")
    rng = np.random.default_rng(2)
    with tools.open(bundle) as opened:
        assert list(opened.states) == ["old"] and len(opened.entries) == 3
        for schedule in next(iter(opened.entries.values())).schedules:
            total = np.zeros((1, 6), np.float64)
            with opened.device(cores=2, queues=2) as device:
                for entry in [*opened.entries.values()] * 2:
                    given, wanted = [], []
                    for _ in range(5):
                        x = rng.standard_normal((int(rng.integers(1, entry.inputs["x"].shape[0] + 1)), 6), np.float32)
                        given.append(pack(entry, {"x": x}, x.shape[:1], lambda _: np.nan))
                        total += x.sum(0)
                        wanted.append(x + total)
                    inputs = [transfers(list(each.values())) for each in given]
                    with device.pipeline(entry, schedule=schedule.encode(), outputs=8) as pipeline:
                        for each in inputs:
                            pipeline.enqueue(each)
                        for each in wanted:
                            found = np.frombuffer(pipeline.pop()[0], np.float32).reshape(-1, 6)
                            np.testing.assert_allclose(found[: len(each)], each, rtol=1e-4, atol=1e-5, err_msg=schedule)
                    np.testing.assert_allclose(device.read("old"), total, rtol=1e-4, atol=1e-5)


HEADS, CONTEXT, SIZE = 2, 24, 8


def step(rows):
    """An attention over a cache of fixed size, which it updates."""
    of_rows, cache = [1, HEADS, rows, SIZE], [1, HEADS, CONTEXT, SIZE]
    return make(
        [*[tensor(name, *of_rows) for name in "qkv"], tensor("first", 1, type=TensorProto.INT64),
         tensor("past_key", *cache), tensor("past_value", *cache)],
        [("TensorScatter", ["past_key", "k", "first"], "present_key", {"axis": 2}),
         ("TensorScatter", ["past_value", "v", "first"], "present_value", {"axis": 2}),
         ("Shape", ["k"], "rows", {"start": 2, "end": 3}), ("Add", ["first", "rows"], "length", {}),
         ("Attention", ["q", "present_key", "present_value", "", "", "", "length"], "y", {"is_causal": 1})],
        [tensor("y", *of_rows), tensor("present_key", *cache), tensor("present_value", *cache)], opset=24)


def test_caches_that_rows_are_added_to(tools, tmp_path):
    """Prompts of any length, by variants, and steps of one row, by another entry point, share the caches."""
    from onnx.reference import ReferenceEvaluator

    onnx.save(step(1), tmp_path / "decode.onnx")
    bundle, _ = build(tools, tmp_path, step("n"), tmp_path / "decode.onnx", "--entry=prefill,decode", "--dim=prefill/n:3,7",
                      "--state=past_*=present_*")
    reference = ReferenceEvaluator(step("n"))
    rng, caches, position = np.random.default_rng(3), [np.zeros((1, HEADS, CONTEXT, SIZE), np.float32)] * 2, 0
    with tools.open(bundle) as opened, opened.device(cores=2) as device:
        assert list(opened.entries) == ["prefill.3", "prefill.7", "decode"] and len(opened.states) == 2
        for name, rows in [("prefill.7", 5), ("decode", 1), ("prefill.3", 2), ("prefill.7", 3), ("decode", 1), ("prefill.3", 3),
                           ("prefill.7", 7), ("decode", 1)]:
            entry = opened.entries[name]
            given = {each: rng.standard_normal((1, HEADS, rows, SIZE), np.float32) for each in "qkv"}
            first = np.array([position], np.int64)
            y, *caches = reference.run(None, {**given, "first": first, "past_key": caches[0], "past_value": caches[1]})
            found = device.run(entry, pack(entry, {**given, "first": first}, [rows], lambda _: np.nan))["y"]
            np.testing.assert_allclose(found[:, :, :rows], y, rtol=1e-4, atol=1e-5, err_msg=f"{name} at {position}")
            for state, cache in zip(("past_key", "past_value"), caches):
                np.testing.assert_array_equal(device.read(state), cache)
            position += rows


def test_states_that_have_a_size_in_each_run(tools, tmp_path):
    grows = make([tensor("old", "n", 6), tensor("x", "n", 6)], [("Add", ["old", "x"], "new", {}), ("Relu", ["new"], "y", {})],
                 [tensor("new", "n", 6), tensor("y", "n", 6)])
    for dim in ("n:3,5,9", "n:7..9"): # of several variants, and of one
        said = refuse(tools, tmp_path, grows, f"--dim={dim}", "--state=old=new")
        assert "expected a state of one size in all runs, found 'old', whose size depends on n" in said
        assert "give n one size, such as --dim=n:9" in said
    # The new value is as large as the state in the one variant, but not in every run.
    last = make([tensor("old", 9, 6), tensor("x", "n", 6)], [("Relu", ["x"], "new", {}), ("ReduceMax", ["old"], "y", {})],
                [tensor("new", "n", 6), tensor("y", 1, 1)])
    said = refuse(tools, tmp_path, last, "--dim=n:7..9", "--state=old=new")
    assert "expected a state of one size in all runs, found @old: dimension 0 of its new value" in said


def test_several_models_with_ranges(tools, tmp_path):
    """Each has its own dimensions, also of the same name; variants of all run in any order."""
    weights = np.random.default_rng(5).standard_normal((6, 6), np.float32)
    one = make([tensor("x", "n", 6)], [("MatMul", ["x", "w"], "y", {})], [tensor("y", "n", 6)], w=weights)
    two = make([tensor("x", "m", 6), tensor("z", "n", 6)],
               [("MatMul", ["x", "w"], "u", {}), ("MatMul", ["z", "w"], "v", {}), ("ReduceSum", ["v", "axes"], "s", {}),
                ("Add", ["u", "s"], "y", {})],
               [tensor("y", "m", 6)], w=weights, axes=np.int64([0]))
    onnx.save(two, tmp_path / "two.onnx")
    said = refuse(tools, tmp_path, one, tmp_path / "two.onnx", "--entry=one,two", "--dim=n:2,9", "--dim=m:1..4")
    assert "--dim names 'm', but the named dimensions of the graph's inputs are: n; of several models, one alone has 'entry/name'" in said
    bundle, _ = build(tools, tmp_path, one, tmp_path / "two.onnx", "--entry=one,two", "--dim=one/n:2,9", "--dim=two/m:1..4",
                      "--dim=two/n:3,5")
    rng = np.random.default_rng(6)
    with tools.open(bundle) as opened, opened.device(cores=2) as device:
        names = list(opened.entries)
        assert [name for name in names if name.startswith("one")] == ["one.2", "one.9"]
        assert {name.split(".")[0] for name in names} == {"one", "two"}
        for name in rng.permutation(names * 4):
            entry, model = opened.entries[name], name.split(".")[0]
            sizes = [int(rng.integers(1, int(most) + 1)) for most in name.split(".")[1].split("x")]
            if model == "one":
                given = {"x": rng.standard_normal((sizes[0], 6), np.float32)}
                wanted = given["x"] @ weights
            else:
                given = {key: rng.standard_normal((size, 6), np.float32) for key, size in zip("xz", sizes)}
                wanted = given["x"] @ weights + (given["z"] @ weights).sum(0)
            found = device.run(entry, pack(entry, given, sizes, lambda _: np.nan))["y"]
            np.testing.assert_allclose(found[: sizes[0]], wanted, rtol=1e-4, atol=1e-4, err_msg=name)

