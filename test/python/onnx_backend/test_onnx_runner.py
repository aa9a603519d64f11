# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own runner, on ONNX's own tests, one by one: one in 128 of them, all nightly. All of them, many in a bundle, are
in test/conformance/test_node_cases.py, with the list of those that do not pass."""
import unittest
from unittest import mock

import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("ttrt")

import onnx.backend.test  # noqa: E402

import node_cases  # noqa: E402
import ttc  # noqa: E402
from ttc.onnx_backend import TtcBackend, TtcBackendRep  # noqa: E402

PARTS = 128


class Recording(TtcBackend):
    """Our backend. What it raises when it compiles is a refusal by the compiler."""

    @classmethod
    def is_compatible(cls, model, device="CPU", **options):
        return True  # The runner skips what is not.

    @classmethod
    def prepare(cls, model, device="CPU", rtol=None, atol=None, **options):
        try:
            return TtcBackendRep(model, ttc.compile(model, cores=1, **options))
        except ttc.CompileError:
            raise
        except Exception as error:
            raise SystemError(f"expected a CompileError, found {error!r}") from error


@pytest.mark.parametrize("part", [0, *(pytest.param(i, marks=pytest.mark.nightly) for i in range(1, PARTS))])
def test_runner(part, build_dir):
    version, as_written, _ = node_cases.listed()
    if onnx.__version__ != version:
        pytest.skip(f"docs/onnx-conformance.md is of onnx {version}, found {onnx.__version__}")
    chosen = node_cases.collect(build_dir)[part::PARTS]
    with mock.patch("onnx.backend.test.runner.load_model_tests",
                    lambda kind: [case for case in chosen if case.kind == kind]):
        classes = onnx.backend.test.BackendTest(Recording, __name__).test_cases.values()
    result = unittest.TestResult()
    for tests in classes:
        unittest.defaultTestLoader.loadTestsFromTestCase(tests).run(result)
    failed = {test.id().split(".")[-1].removesuffix("_cpu"): text for test, text in [*result.failures, *result.errors]}
    assert result.testsRun - len(result.skipped) == len(chosen) > 12
    other = failed.keys() ^ {case.name for case in chosen if case.name in as_written}
    assert not other, "\n".join(f"{name}: expected {as_written.get(name, 'to pass')}\n{failed.get(name, 'it passes')}"
                                for name in sorted(other))
    assert not [name for name, text in failed.items() if "SystemError: expected a CompileError" in text]
