# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package ttrt as the build made it (build/python), and bundles to run."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TTC_BUILD_DIR", ROOT / "build")).resolve()
PACKAGE = BUILD / "python"

pytest.importorskip("numpy")
if not list(PACKAGE.glob("ttrt/_ttrt.*.so")):
    pytest.skip(f"{PACKAGE}/ttrt is not built (python3-dev, nanobind)", allow_module_level=True)
sys.path.insert(0, str(PACKAGE))


@pytest.fixture(scope="session")
def digits(tools, tmp_path_factory):
    """The digits model as a bundle: image f32[1, 1, 8, 8] -> logits f32[1, 10]."""
    bundle = tmp_path_factory.mktemp("bundles") / "digits.ttcb"
    tools.compile(ROOT / "examples/digits/digits.onnx", bundle)
    return bundle


@pytest.fixture(scope="session")
def both(tools, tmp_path_factory):
    """Two entry points, left and right, of the same model."""
    bundle = tmp_path_factory.mktemp("bundles") / "both.ttcb"
    model = ROOT / "examples/digits/digits.onnx"
    tools.run("ttc-translate", "--onnx-to-bundle", model, model, "--entry=left,right", "-o", bundle)
    return bundle


@pytest.fixture(scope="session")
def swish_bundle(tools, tmp_path_factory):
    """x f32[4, 16] -> y f32[4, 8], with an op that the application computes."""
    bundle = tmp_path_factory.mktemp("bundles") / "swish.ttcb"
    model = ROOT / "examples/host-ops/swish.onnx"
    tools.run("ttc-translate", "--onnx-to-bundle", model, "--host-ops=com.acme.*", "-o", bundle)
    return bundle


@pytest.fixture(scope="session")
def write_sample():
    """Writes one of the samples of the runtime's unit tests, by its name, and returns its path."""

    def write(kind, path):
        writer = BUILD / "test/unit/ttrt-write-sample"
        if not writer.exists():
            pytest.skip(f"{writer} is not built")
        subprocess.run([writer, kind, path], check=True)
        return path

    return write


@pytest.fixture(scope="session")
def chat_bundle(write_sample, tmp_path_factory):
    """A bundle with a tokenizer (bytes, three control tokens, "th") and a chat template."""
    return write_sample("chat", tmp_path_factory.mktemp("bundles") / "chat.ttcb")


@pytest.fixture
def image():
    import numpy

    return numpy.random.default_rng(7).random((1, 1, 8, 8), dtype=numpy.float32)


@pytest.fixture
def bundle(digits):
    import ttrt

    with ttrt.load(digits, cores=1) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def images():
    import numpy

    return list(numpy.random.default_rng(5).random((20, 1, 1, 8, 8), dtype=numpy.float32))


@pytest.fixture
def expected(bundle, images):
    return [bundle.run(image)["logits"] for image in images]
