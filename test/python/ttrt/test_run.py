# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loading and running: arrays in and out, and what is said about wrong ones."""

import array
import copy
import gc
import pickle
import re
import subprocess

import numpy as np
import pytest
import ttrt


@pytest.fixture
def bundle(digits):
    with ttrt.load(digits) as loaded:
        yield loaded


def test_describes_entries_and_ports(bundle, both):
    assert list(bundle.entries) == ["main"]
    image = bundle.inputs["image"]
    assert (image.name, image.shape, image.type, image.bytes) == ("image", (1, 1, 8, 8), "f32", 256)
    assert image.dtype == np.float32
    assert bundle.outputs["logits"].shape == (1, 10)
    assert bundle["main"].inputs is bundle.inputs
    with ttrt.load(both) as two:
        assert list(two.entries) == ["left", "right"]
        with pytest.raises(KeyError, match="no entry point 'middle'; the bundle has: 'left', 'right'"):
            two["middle"]


def test_equals_ttrun(bundle, digits, image, tools, tmp_path):
    np.save(tmp_path / "image.npy", image)
    tools.ttrun(
        "run", digits, f"--input=image={tmp_path}/image.npy", f"--output=logits={tmp_path}/logits.npy"
    )
    expected = np.load(tmp_path / "logits.npy")
    assert np.array_equal(bundle.run(image)["logits"], expected)


def test_inputs_of_every_kind(bundle, image):
    expected = bundle.run(image)["logits"]
    readonly = image.copy()
    readonly.flags.writeable = False
    flat = memoryview(image.tobytes()).cast("f", (1, 1, 8, 8))
    strided = np.zeros((2, 3, 8, 8), np.float32)[:1, :1]
    strided[...] = image
    for given in (image, readonly, memoryview(image), flat, strided):
        assert np.array_equal(bundle.run(given)["logits"], expected)
        assert np.array_equal(bundle.run(image=given)["logits"], expected)


def test_outputs_into_arrays(bundle, image):
    expected = bundle.run(image)["logits"]
    mine = np.empty((1, 10), np.float32)
    results = bundle.run(image, out={"logits": mine})
    assert results["logits"] is mine and np.array_equal(mine, expected)
    seen = memoryview(array.array("f", [0] * 10)).cast("B").cast("f", (1, 10))
    bundle.run(image, out={"logits": seen})
    assert np.array_equal(np.asarray(seen), expected)
    # Results of earlier runs are not overwritten.
    first = bundle.run(image)["logits"]
    bundle.run(image + 1)
    assert np.array_equal(first, expected)


WRONG = [
    (TypeError, lambda x: ((x.astype(np.float64),), {}), "input 'image': expected f32[1, 1, 8, 8], found f64[1, 1, 8, 8]"),
    (ValueError, lambda x: ((x[0],), {}), "input 'image': expected f32[1, 1, 8, 8], found f32[1, 8, 8]"),
    (ValueError, lambda x: ((x.swapaxes(2, 3),), {}), "expected a dense, row-major array .* strides of 64, 64, 1, 8 elements"),
    (TypeError, lambda x: ((x.tolist(),), {}), "expected an array of f32[1, 1, 8, 8], found list"),
    (TypeError, lambda x: ((None,), {}), "expected an array of f32[1, 1, 8, 8], found NoneType"),
    (TypeError, lambda x: ((), {}), "missing input 'image' f32[1, 1, 8, 8]"),
    (TypeError, lambda x: ((x, x), {}), "entry point 'main' has 1 input, found 2"),
    (TypeError, lambda x: ((x,), {"image": x}), "'image' is given twice"),
    (TypeError, lambda x: ((x,), {"mask": x}), "no input 'mask'; it has: 'image' f32[1, 1, 8, 8]"),
    (TypeError, lambda x: ((x,), {"out": {"scores": x}}), "no output 'scores'; it has: 'logits' f32[1, 10]"),
    (TypeError, lambda x: ((x,), {"out": x}), "out: expected a dictionary .* found ndarray"),
    (ValueError, lambda x: ((x,), {"out": {"logits": x}}), "output 'logits': expected f32[1, 10], found f32[1, 1, 8, 8]"),
    (ValueError, lambda x: ((x,), {"out": {"logits": np.broadcast_to(np.float32(0), (1, 10))}}), "can be written, found one that is read-only"),
]


@pytest.mark.parametrize("error,arguments,message", WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_wrong_arrays(bundle, image, error, arguments, message):
    pattern = ".*".join(map(re.escape, message.split(" .* ")))
    positional, named = arguments(image)
    with pytest.raises(error, match=pattern):
        bundle.run(*positional, **named)
    out = named.pop("out", None)
    if len(positional) == 1 and not named:
        with pytest.raises(error, match=pattern):
            bundle.bind({"image": positional[0]}, out=out)
    bundle.run(image)


def test_wrong_files(tmp_path):
    with pytest.raises(ttrt.IoError, match="No such file") as missing:
        ttrt.load(tmp_path / "none.ttcb")
    assert missing.value.status == ttrt.Status.IO_ERROR and isinstance(missing.value, OSError)
    (tmp_path / "bad.ttcb").write_bytes(b"no bundle" * 100)
    with pytest.raises(ttrt.BadBundleError, match="not a bundle"):
        ttrt.load(tmp_path / "bad.ttcb")
    with pytest.raises(ValueError, match="verify: expected one of 'full', 'structure', 'none', found 'all'"):
        ttrt.load(tmp_path / "bad.ttcb", verify="all")


def test_messages_are_those_of_the_tools(digits, tmp_path, tools):
    damaged = bytearray(digits.read_bytes())
    damaged[20_000] ^= 1
    (tmp_path / "damaged.ttcb").write_bytes(damaged)
    said = tools.ttrun("check", tmp_path / "damaged.ttcb", check=False).stderr
    with pytest.raises(ttrt.BadBundleError) as error:
        ttrt.load(tmp_path / "damaged.ttcb")
    assert str(error.value) in said
    ttrt.load(tmp_path / "damaged.ttcb", verify="structure").close()


def test_every_status_has_a_class():
    import ttrt._errors

    for status in ttrt.Status:
        error = ttrt._errors.make(int(status), "text")
        assert error.status is status and type(error) is not ttrt.Error and str(error) == "text"
        assert getattr(ttrt, type(error).__name__) is type(error)
    known = {ttrt._ttrt.status_name(int(status)) for status in ttrt.Status}
    assert len(known) == len(ttrt.Status)
    assert ttrt._ttrt.status_name(len(ttrt.Status) + 1) == ttrt._ttrt.status_name(999)  # no other
    assert type(ttrt._errors.make(99, "text")) is ttrt.Error


def test_bound_call(bundle, image):
    expected = bundle.run(image)["logits"]
    mine = np.zeros((1, 10), np.float32)
    call = bundle.bind({"image": image}, out={"logits": mine})
    assert call()["logits"] is mine and np.array_equal(mine, expected)
    other = bundle.run(image + 1)["logits"]
    image += 1
    assert call() is call.outputs and np.array_equal(mine, other)


def test_a_bound_call_keeps_its_arrays(digits, image):
    import weakref

    class Watched(np.ndarray):
        pass

    expected = ttrt.load(digits).run(image)["logits"]
    watched = image.view(Watched)
    alive = weakref.ref(watched)
    call = ttrt.load(digits).bind({"image": watched})  # of a bundle that nothing else refers to
    del watched
    gc.collect()
    assert alive() is not None
    assert np.array_equal(call()["logits"], expected)
    del call
    gc.collect()
    assert alive() is None


def test_slots(bundle, image):
    expected = bundle.run(image)["logits"]
    slot = bundle.input_slot("image")
    assert slot.shape == (1, 1, 8, 8) and slot.dtype == np.float32 and slot.flags.writeable
    slot[...] = image
    view = bundle.output_slot("logits")
    assert not view.flags.writeable
    assert np.array_equal(bundle.run()["logits"], expected)
    assert np.array_equal(bundle.run(image=ttrt.IN_SLOT)["logits"], expected)
    assert np.array_equal(view, expected)
    results = bundle.run(out={"logits": ttrt.IN_SLOT})
    assert np.array_equal(results["logits"], expected)
    assert np.shares_memory(results["logits"], view)
    call = bundle.bind(out={"logits": ttrt.IN_SLOT})
    slot += 1
    assert np.array_equal(call()["logits"], bundle.run(image + 1)["logits"])
    with pytest.raises(KeyError, match="has no input 'mask'; it has: 'image'"):
        bundle.input_slot("mask")


def test_slots_outlive_the_bundle(digits, image):
    bundle = ttrt.load(digits)
    slot, view = bundle.input_slot("image"), bundle.output_slot("logits")
    expected = bundle.run(image)["logits"]
    bundle.close()
    slot[...] = 1
    assert np.array_equal(view, expected)
    part = view[:, 3:]
    del bundle, view, slot
    gc.collect()
    assert np.array_equal(part, expected[:, 3:])


def test_closed(digits, image):
    bundle = ttrt.load(digits)
    call = bundle.bind({"image": image})
    assert not bundle.closed
    with bundle:
        pass
    bundle.close()
    assert bundle.closed and "closed" in repr(bundle)
    for use in (call, lambda: bundle.run(image), lambda: bundle.input_slot("image"), lambda: bundle.output_slot("logits")):
        with pytest.raises(ttrt.InvalidArgumentError, match="the bundle is closed"):
            use()


def test_cannot_be_pickled(bundle):
    for value in (bundle, bundle["main"], bundle.bind({"image": np.zeros((1, 1, 8, 8), np.float32)})):
        for use in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot pickle or copy a (Bundle|Entry|Call)"):
                use(value)


def test_entries_share_a_device(both, image):
    with ttrt.load(both, cores=1) as bundle:
        left = bundle["left"].run(image)["logits"]
        assert np.array_equal(bundle["right"].run(image)["logits"], left)


def test_import_does_not_need_numpy():
    """numpy alone takes longer to import than ttrt may."""
    import os
    import sys

    code = "import sys, ttrt; print('numpy' in sys.modules, 'asyncio' in sys.modules, 'concurrent' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(ttrt.__file__))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "False", "False"]
