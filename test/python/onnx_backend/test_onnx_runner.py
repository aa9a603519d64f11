# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own runner, on ONNX's own tests: single nodes, small models, what PyTorch exported.

expected_failures.txt lists what does not pass. A test on it that passes is a failure: the list only
shrinks. What fails must say why: a crash or a wrong value is never expected, unless the list says so.
"""
import concurrent.futures
import os
import pathlib
import re
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
MOST_EXPECTED = 158


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


def cases():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The cases' own arithmetic on infinities.
        runner = onnx.backend.test.BackendTest(Recording, __name__)
        nodes = sorted(load_model_tests(kind="node"), key=lambda case: case.name)
    Recording.ahead = Ahead([case.model for case in nodes])
    for name in EXPECTED:
        runner.xfail(f"^{re.escape(name)}_cpu$")
    # Large models have a test of their own (test_light_models.py).
    classes = {name: tests for name, tests in runner.test_cases.items() if name != "OnnxBackendRealModelTest"}
    for tests in classes.values():
        for name in [name for name in vars(tests) if name.endswith("_cuda")]:
            delattr(tests, name)
    return classes


CASES = cases()
globals().update(CASES)


def test_list_is_of_cases():
    names = {name for tests in CASES.values() for name in vars(tests) if name.startswith("test_")}
    assert {f"{name}_cpu" for name in EXPECTED} <= names
    assert len(names) >= 1884


def test_list_only_shrinks():
    print(f"{len(EXPECTED)} expected failures")
    assert len(EXPECTED) <= MOST_EXPECTED


def test_refusals_are_clear():
    """Runs last in this file: what was raised while compiling is a refusal of the compiler."""
    assert [error for _, error in Recording.raised if not isinstance(error, ttc.CompileError)] == []
