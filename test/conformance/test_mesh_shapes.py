# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models for ranges of sizes on a mesh: devices divide a batch, of which the last ones may have nothing, or weights."""
import ctypes

import pytest

import shape_models
from bundles import np, onnx
from gate import nightly_rows
from test_shapes import DIMS, GARBAGE, compile_ranges, fill, parse


def statistics():
    """What combines the rows of a batch: each device has some of them."""
    b = shape_models.Builder(seed=3)
    mean, least = b("ReduceMean", "x", axes=[0]), b("ReduceMin", "x", axes=[0])
    centred = b("Sub", "x", mean)
    y = b("Softmax", b("MatMul", centred, b.weight(6, 5)), axis=0)
    return b.model([("x", None, "f32", ["batch", "length", 6])],
                   [("mean", mean, "f32", None), ("least", least, "f32", None), ("y", y, "f32", None)])


MODELS = {name: getattr(shape_models, name) for name in DIMS} | {"statistics": statistics}
SIZES = {"encoder": ["sequence:9,40"], "mobile": ["height:33..64", "width:16..48"], "unet": ["height:8..32:4", "width:32"],
         "audio": ["length:400..900"], "detector": ["height:32..64:8", "width:48..64:16"], "statistics": ["length:1..12"],
         "classifier": ["height:48..64", "width:64"]}


@pytest.mark.parametrize("name, parallel, devices", [
    ("encoder", "data:x,tensor:y", 4), ("mobile", "data", 4), ("statistics", "data", 4),
    *nightly_rows([("encoder", "data", 2), ("encoder", "tensor", 2), ("unet", "data", 2), ("audio", "data", 2), ("detector", "data", 4),
                   ("classifier", "tensor", 2)])])
def test_meshes(name, parallel, devices, tools, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    model, dims = MODELS[name](), ["batch:4,8", *SIZES[name]]
    mesh = "2x2" if "y" in parallel else devices
    bundle, _ = compile_ranges(tools, tmp_path, model, dims, options=[f"--mesh={mesh}", f"--parallel={parallel}"])
    session = onnxruntime.InferenceSession(model.SerializeToString())
    names = [name for name, sizes in map(parse, dims) if len(sizes) > 1]
    rng = np.random.default_rng(4)
    for batch in (1, 3, 8):
        sizes = {name: int(rng.choice(values)) for name, values in map(parse, dims)} | {"batch": batch}
        inputs = fill(model, sizes, rng)
        expected = dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))
        for key, array in inputs.items():
            np.save(tmp_path / f"{key}.npy", array)
        # As a user runs it, and the largest variant itself with anything in the padding.
        found = run(tools, tmp_path, bundle, devices, list(inputs), expected)
        check(found, expected)
        padded = {"extents": np.array([sizes[dim] for dim in names], np.int32)}
        high = {name: values[-1] for name, values in map(parse, dims)}
        for value in model.graph.input:
            shape = [dim.dim_value or high[dim.dim_param] for dim in value.type.tensor_type.shape.dim]
            array = inputs[value.name]
            padded[value.name] = np.full(shape, GARBAGE[array.dtype.kind][0], array.dtype)
            padded[value.name][tuple(map(slice, array.shape))] = array
        for key, array in padded.items():
            np.save(tmp_path / f"{key}.npy", array)
        entry = "main." + "x".join(str(high[name]) for name in names)
        check(run(tools, tmp_path, bundle, devices, list(padded), expected, f"--entry={entry}"), expected)


def run(tools, folder, bundle, devices, inputs, outputs, *options):
    tools.ttrun("run", bundle, f"--devices={devices}", *options, *[f"--input={key}={folder}/{key}.npy" for key in inputs],
                *[f"--output={key}={folder}/out_{key}.npy" for key in outputs])
    return {key: np.load(folder / f"out_{key}.npy") for key in outputs}


def check(found, expected):
    for key, wanted in expected.items():
        part = found[key][tuple(map(slice, wanted.shape))]
        assert part.shape == wanted.shape
        assert np.abs(part - wanted).max() <= 1e-5 * np.abs(wanted).max(), key


def test_pipelined_runs(tools, tmp_path):
    bundle, _ = compile_ranges(tools, tmp_path, shape_models.encoder(), ["batch:2,4", "sequence:40"],
                               options=["--mesh=2", "--parallel=data", "--slots=2"])
    rng = np.random.default_rng(5)
    ids = rng.integers(0, 300, (3, 40))
    np.save(tmp_path / "ids.npy", ids)
    inputs = [value.name for value in shape_models.encoder().graph.input]
    for key in inputs:
        np.save(tmp_path / f"{key}.npy", np.ones_like(ids) if "mask" in key else ids)
    once = run(tools, tmp_path, bundle, 2, inputs, ["last_hidden_state"])
    for options in (["--queues=2", "--loops=5"], ["--no-trace"], ["--processes=2"]):
        devices = [] if "--processes=2" in options else ["--devices=2"]
        tools.ttrun("run", bundle, *devices, *options, *[f"--input={key}={tmp_path}/{key}.npy" for key in inputs],
                    f"--output=last_hidden_state={tmp_path}/again.npy")
        assert np.load(tmp_path / "again.npy").tobytes() == once["last_hidden_state"].tobytes()


def test_what_is_wrong(tools, tmp_path):
    def refuse(dims, *options):
        return compile_ranges(tools, tmp_path, shape_models.encoder(), dims, check=False, options=options)[1].stderr

    assert "expected a batch that 2 divides, found 1 in 'main.1'" in (
        found := refuse(["batch:1..4", "sequence:8"], "--mesh=2", "--parallel=data"))
    assert "choose the buckets of batch yourself, such as --dim=batch:2,8: smaller batches run, too" in found
    assert "a model for ranges of sizes ('main') has no stages; expected one size for each --dim" in refuse(
        ["batch:2,4", "sequence:8"], "--mesh=2", "--parallel=pipeline")


def test_one_device_runs_no_shapes(tools, tmp_path):
    """It has parts of inputs. (A device that is not one: it is not looked at.)"""
    from capi import Error

    bundle, _ = compile_ranges(tools, tmp_path, shape_models.encoder(), ["batch:2,4", "sequence:8"],
                               options=["--mesh=2", "--parallel=data"])
    with tools.open(bundle):  # skips where the library does not load
        pass
    libraries = tools.path("ttrun").parent.parent / "lib"
    libttrt = ctypes.CDLL(str(libraries / "libttrt.so"), mode=ctypes.RTLD_GLOBAL)
    shapes = ctypes.CDLL(str(libraries / "libttrt_shapes.so"))
    opened, model, error, slot = ctypes.c_void_p(), ctypes.c_void_p(), Error(), (ctypes.c_size_t * 8)(64)
    libttrt.ttrt_bundle_open(str(bundle).encode(), 0, ctypes.byref(opened), ctypes.byref(error))
    assert shapes.ttrt_model_open(opened, None, ctypes.byref(model), ctypes.byref(error)) == 0, error.message
    device = ctypes.byref(ctypes.c_int())
    assert shapes.ttrt_model_input_slot(device, model, 0, 0, slot, ctypes.byref(error)) != 0
    assert b"the devices of a mesh divide" in error.message
    inputs = (ctypes.c_uint64 * 32)()
    assert shapes.ttrt_run_shaped(device, model, inputs, inputs, None, ctypes.byref(error)) != 0
    assert b"ttrt_model_pack() makes whole tensors, which ttrt_mesh_run() takes" in error.message
    shapes.ttrt_model_close(model)
    libttrt.ttrt_bundle_close(opened)
