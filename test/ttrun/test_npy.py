# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun's .npy files are NumPy's, both ways."""

import pytest

np = pytest.importorskip("numpy")


@pytest.fixture(scope="module")
def sample(written):
    return written("sample")


def reference(x):
    i = np.arange(256)
    w = ((i % 7) * np.float32(0.25) - np.float32(0.5)).astype(np.float32)
    return ((x[0] + w) + w[::-1]).reshape(1, 256)


@pytest.mark.parametrize("order", ["C", "F"])
def test_input_and_output(tools, sample, tmp_path, order):
    x = np.asarray(np.random.default_rng(0).standard_normal((1, 256), dtype=np.float32), order=order)
    np.save(tmp_path / "x.npy", x)
    tools.ttrun("run", sample, f"--input=x={tmp_path}/x.npy", f"--output=y={tmp_path}/y.npy")
    y = np.load(tmp_path / "y.npy")
    assert y.dtype == np.float32 and y.shape == (1, 256)
    assert np.array_equal(y, reference(x))


def test_expect_in_double(tools, sample, tmp_path):
    x = np.arange(256, dtype=np.float32).reshape(1, 256) / 256
    np.save(tmp_path / "x.npy", x)
    want = reference(x).astype(np.float64)
    np.save(tmp_path / "y.npy", want)
    arguments = ["run", sample, f"--input={tmp_path}/x.npy", f"--expect={tmp_path}/y.npy"]
    assert "PCC 1.000000000" in tools.ttrun(*arguments).stdout
    want[0, 77] += 1
    np.save(tmp_path / "y.npy", want)
    done = tools.ttrun(*arguments, check=False)
    assert done.returncode == 1
    assert "y: DIFFERS, 1 of 256 elements" in done.stdout
    assert "worst element [0, 77]" in done.stdout


def test_wrong_types_and_shapes(tools, sample, tmp_path):
    for array, words in ((np.zeros((1, 256)), "f64[1, 256]"), (np.zeros((256,), np.float32), "f32[256]"),
                         (np.zeros((1, 256), ">f4"), "not supported")):
        np.save(tmp_path / "x.npy", array)
        done = tools.ttrun("run", sample, f"--input={tmp_path}/x.npy", check=False)
        assert done.returncode == 2 and words in done.stderr, done.stderr


def test_bfloat16_of_ml_dtypes(tools, tmp_path):
    """ml_dtypes saves bfloat16 as '<V2', which an input or an expectation of type bf16 takes."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    shape = "tensor<1x4xbf16>"
    (tmp_path / "add.mlir").write_text(f"func.func @main(%x: {shape}) -> {shape} {{\n"
                                       f"  %0 = tosa.add %x, %x : ({shape}, {shape}) -> {shape}\n  return %0 : {shape}\n}}\n")
    tools.run("ttc-opt", tmp_path / "add.mlir", "--convert-tosa-to-ttc", "--ttc-trace-pipeline", "-o", tmp_path / "plan.mlir")
    tools.run("ttc-translate", "--ttc-to-bundle", tmp_path / "plan.mlir", "-o", tmp_path / "add.ttcb")
    x = np.array([[1.5, -2, 0.25, 3]], dtype=bfloat16)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", x + x)
    assert b"'<V2'" in (tmp_path / "x.npy").read_bytes()
    done = tools.ttrun("run", tmp_path / "add.ttcb", f"--input={tmp_path}/x.npy", f"--expect={tmp_path}/y.npy", "--rtol=0",
                       f"--output={tmp_path}/got.npy")
    assert "output0: ok" in done.stdout
    got = np.load(tmp_path / "got.npy")  # as uint16, which NumPy itself supports
    assert got.dtype == np.uint16 and np.array_equal(got.view(bfloat16), x + x)


def header_file(path, header, data=bytes(1024), version=(1, 0), size=None):
    text = header.encode("latin1")
    length = (len(text) if size is None else size).to_bytes(2 if version[0] == 1 else 4, "little")
    path.write_bytes(b"\x93NUMPY" + bytes(version) + length + text + data)
    return path


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 256), }"
HOSTILE = {
    # A later value of a repeated key would count, for NumPy too, and two readers could take two files for one.
    "descr-again": ("{'descr': '<i4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 256), }", "'descr' for the second time"),
    "order-again": ("{'descr': '<f4', 'fortran_order': True, 'fortran_order': False, 'shape': (1, 256), }", "for the second time"),
    "shape-again": ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1, 256), }", "'shape' for the second time"),
    "shape-joined": ("{'descr': '<f4', 'fortran_order': False, 'shape': (), 'shape': (1, 256), }", "'shape' for the second time"),
    "zero-byte": (GOOD + "\0{'descr'", "text after the dictionary"),
    "number": ("{'descr': '<f4', 'fortran_order': False, 'shape': (256), }", "expected ',' after the only dimension"),
    "leading-zero": ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 0256), }", "without a zero"),
    "fraction": ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 256.0), }", "expected ',' or ')'"),
    "exponent": ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2e8), }", "expected ',' or ')'"),
    "hexadecimal": ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 0x100), }", "expected ',' or ')'"),
    "negative": ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -256), }", "expected a dimension"),
    "minus-zero": ("{'descr': '<f4', 'fortran_order': False, 'shape': (-0, 256), }", "expected a dimension"),
    "plus": ("{'descr': '<f4', 'fortran_order': False, 'shape': (+1, 256), }", "expected a dimension"),
    "two-commas": ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,, 256), }", "expected a dimension"),
    "wraps-to-256": ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 18446744073709551872), }", "dimension is too large"),
    "product-wraps": ("{'descr': '<f4', 'fortran_order': False, 'shape': (281474976710656, 65536, 256), }", "too large"),
    "product-of-empty": ("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 281474976710656, 281474976710656), }", "has 0 bytes"),
    "list": ("{'descr': '<f4', 'fortran_order': False, 'shape': [1, 256], }", "expected '('"),
    "65-dimensions": ("{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1, " * 64 + "256), }", "more than 64 dimensions"),
    "order-number": ("{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 256), }", "expected True or False"),
    "order-word": ("{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (1, 256), }", "expected ',' or '}'"),
    "structured": ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 256), }", "structured arrays are not supported"),
    "subarray": ("{'descr': '(2,)<f4', 'fortran_order': False, 'shape': (1, 128), }", "not supported"),
    "complex": ("{'descr': '<c8', 'fortran_order': False, 'shape': (1, 128), }", "not supported"),
    "string": ("{'descr': '<U1', 'fortran_order': False, 'shape': (1, 256), }", "not supported"),
    "object": ("{'descr': '|O', 'fortran_order': False, 'shape': (1, 256), }", "not supported"),
    "date": ("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1, 128), }", "not supported"),
    "big-endian": ("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 256), }", "not supported"),
    "void": ("{'descr': '<V4', 'fortran_order': False, 'shape': (1, 256), }", "not supported"),
    "bfloat16": ("{'descr': '<V2', 'fortran_order': False, 'shape': (1, 512), }", "bf16[1, 512]"),
    "no-descr": ("{'fortran_order': False, 'shape': (1, 256), }", "expected the keys"),
    "fourth-key": ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 256), 'more': 1}", "unknown key 'more'"),
    "nested": ("{" * 60000, "expected a string"),
    "code": ("__import__('os').abort()", "expected '{'"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_header(tools, sample, tmp_path, name):
    header, words = HOSTILE[name]
    for version in ((1, 0), (2, 0), (3, 0)):
        file = header_file(tmp_path / "x.npy", header, version=version)
        done = tools.ttrun("run", sample, f"--input={file}", check=False)
        assert done.returncode == 2 and words in done.stderr, done.stderr[-500:]


def test_hostile_file(tools, sample, tmp_path):
    good = header_file(tmp_path / "x.npy", GOOD)
    tools.ttrun("run", sample, f"--input={good}")
    data = good.read_bytes()
    for version in ((0, 0), (1, 1), (2, 1), (4, 0), (255, 255)):
        header_file(good, GOOD, version=version)
        done = tools.ttrun("run", sample, f"--input={good}", check=False)
        assert done.returncode == 2 and f".npy version {version[0]}.{version[1]}; expected" in done.stderr
    for length in [0, 5, 6, 7, 8, 9, 10, 30, len(data) - 1025, len(data) - 1024, len(data) - 1]:
        good.write_bytes(data[:length])
        done = tools.ttrun("run", sample, f"--input={good}", check=False)
        assert done.returncode == 2 and "x.npy" in done.stderr, (length, done.stderr)
    good.write_bytes(data + b"\0")
    assert "the file holds 1025" in tools.ttrun("run", sample, f"--input={good}", check=False).stderr
    header_file(good, GOOD, size=65535)
    assert "ends in its header" in tools.ttrun("run", sample, f"--input={good}", check=False).stderr
    # A sparse file of a terabyte: refused before memory is taken for it.
    shape = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1099511627776), }"
    header_file(good, shape, data=b"")
    with open(good, "r+b") as file:
        file.truncate(file.seek(0, 2) + (1 << 40))
    done = tools.ttrun("run", sample, f"--input={good}", check=False)
    assert done.returncode == 2 and "x.npy holds u8[1, 1099511627776]" in done.stderr, done.stderr
