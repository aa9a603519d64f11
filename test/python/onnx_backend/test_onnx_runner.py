# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own runner, on ONNX's own tests: single nodes, small models, what PyTorch exported.

expected_failures.txt lists what does not pass, and how the message begins. A test on it that passes, or
that fails for another reason, is a failure: the list only shrinks. To update it, run this file, with
the packages in PYTHONPATH and the tools in TTC_BIN.
"""
import concurrent.futures
import functools
import os
import pathlib
import unittest
import warnings

import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("ttrt")

import onnx.backend.test  # noqa: E402
from onnx.backend.test.loader import load_model_tests  # noqa: E402

import ttc  # noqa: E402
from ttc.onnx_backend import TtcBackend  # noqa: E402

LIST = pathlib.Path(__file__).with_name("expected_failures.txt")
EXPECTED = dict(line.split(" ", 1) for line in LIST.read_text().splitlines()
                if line and not line.startswith("#"))
# The length of the list when it was last made shorter.
MOST_EXPECTED = 150


class Ahead:
    """Compiles the models that come next, on all cores, while the present one runs."""

    def __init__(self, models):
        self.keys = [model.SerializeToString(deterministic=True) for model in models]
        self.place = {key: i for i, key in enumerate(self.keys)}
        self.models, self.futures, self.begun = models, {}, 0
        self.window = 4 * (os.cpu_count() or 1)
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())

    def compile(self, model, **options):
        place = self.place.get(model.SerializeToString(deterministic=True))
        if place is None:
            return ttc.compile(model, cores=1, **options)
        self.begun = max(self.begun, place)
        while self.begun < min(place + self.window, len(self.models)):
            self.futures[self.begun] = self.pool.submit(ttc.compile, self.models[self.begun], cores=1)
            self.begun += 1
        future = self.futures.pop(place, None)
        return future.result() if future else ttc.compile(model, cores=1, **options)


class Recording(TtcBackend):
    """Our backend, with what it raised; `Ahead` compiles for it."""

    ahead = None
    raised = []

    @classmethod
    def prepare(cls, model, device="CPU", **options):
        from ttc.onnx_backend import TtcBackendRep

        options.pop("rtol", None)
        options.pop("atol", None)
        try:
            return TtcBackendRep(model, cls.ahead.compile(model, **options))
        except Exception as error:
            cls.raised.append((model.graph.name, error))
            raise


def first_line(error):
    """What went wrong, in a line: the compiler's first error, or where values differ."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = next((line for line in lines if "error:" in line), lines[0] if lines else type(error).__name__)
    return line.split("error: ", 1)[-1]


def fails(test, reason):
    """The test, of which this failure is expected."""

    @functools.wraps(test)
    def expected(self):
        try:
            test(self)
        except Exception as error:
            assert first_line(error).startswith(reason), f"expected {reason!r}, found {first_line(error)!r}"
        else:
            raise AssertionError(f"passes now: take it off {LIST.name}")

    return expected


def cases():
    """{class name: class with a test a case}, by onnx's runner."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The cases' own arithmetic on infinities.
        runner = onnx.backend.test.BackendTest(Recording, __name__)
        nodes = sorted(load_model_tests(kind="node"), key=lambda case: case.name)
    Recording.ahead = Ahead([case.model for case in nodes])
    # Large models have a test of their own (test_light_models.py).
    classes = {name: tests for name, tests in runner.test_cases.items() if name != "OnnxBackendRealModelTest"}
    for tests in classes.values():
        for name in [name for name in vars(tests) if name.endswith("_cuda")]:
            delattr(tests, name)
    return classes


CASES = cases()
for tests in CASES.values():
    for name in [name for name in vars(tests) if name.removesuffix("_cpu") in EXPECTED]:
        if __name__ != "__main__":
            setattr(tests, name, fails(getattr(tests, name), EXPECTED[name.removesuffix("_cpu")]))
globals().update(CASES)


def test_list_is_of_cases():
    names = {name for tests in CASES.values() for name in vars(tests) if name.startswith("test_")}
    assert {f"{name}_cpu" for name in EXPECTED} <= names
    assert len(names) >= 2000


def test_list_only_shrinks():
    print(f"{len(EXPECTED)} expected failures")
    assert len(EXPECTED) <= MOST_EXPECTED


def test_zz_refusals_are_clear():
    """After all others: what was raised while compiling is a refusal by the compiler."""
    assert [error for _, error in Recording.raised if not isinstance(error, ttc.CompileError)] == []


def main():
    """Updates the list."""
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(tests)
                               for tests in CASES.values())
    found = {}

    class Result(unittest.TestResult):
        def addError(self, test, error):
            found[test.id().split(".")[-1].removesuffix("_cpu")] = first_line(error[1])

        addFailure = addError

    suite.run(Result())
    comments = [line for line in LIST.read_text().splitlines() if line.startswith("#")]
    LIST.write_text("\n".join(comments + [f"{name} {found[name][:120]}" for name in sorted(found)]) + "\n")
    print(f"{len(found)} expected failures in {LIST}")


if __name__ == "__main__":
    main()
