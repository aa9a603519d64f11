# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that the importer composes of others, with random options, against their references. In the gate, the first, the last and a fifth of
each op's cases, and those in f64."""
import importlib.util

import pytest

import import_cases_geometry
import import_cases_quantization
import import_cases_selection
from bundles import np, onnx, run_once
from gate import nightly, of_each
from import_cases import batches, model_of

FAMILIES = {"geometry": import_cases_geometry, "quantization": import_cases_quantization,
            "selection": import_cases_selection}
CASES = {f"{family}/{case.name}": case for family, module in FAMILIES.items() for case in module.cases()}
GATE = dict(of_each(CASES.items(), lambda item: (item[0].split("/")[0], item[1].op), step=5,
                    always=lambda item: item[0].endswith("_f64")))
HAS_ONNXRUNTIME = importlib.util.find_spec("onnxruntime") is not None


@pytest.fixture(scope="module")
def results(tools, tmp_path_factory):
    """(expected, actual) of a case by name; a batch is compiled and run when first asked for."""
    known, batch_of = {}, {}
    for batch in batches([case for case in GATE.values() if case.reference != "ort" or HAS_ONNXRUNTIME]):
        batch_of.update({case.name: batch for case in batch})

    def get(name):
        if name not in known:
            # If a batch fails, one case reports why.
            known.update(dict.fromkeys((case.name for case in batch_of[name]), None))
            known.update(run(tools, batch_of[name], tmp_path_factory.mktemp("batch")))
        return known[name] or pytest.fail("its batch failed")

    return get


def run(tools, batch, folder):
    expected = {case.name: case.expected() for case in batch}
    model, bundle = folder / "model.onnx", folder / "model.ttcb"
    onnx.save(model_of(batch, {name: array for of in expected.values() for name, array in of.items()}), model)
    tools.compile(model, bundle)
    outputs = run_once(tools, bundle, {name: array for case in batch for name, array in case.inputs().items()})
    return {case.name: (expected[case.name], outputs) for case in batch}


@pytest.mark.parametrize("name", [*GATE, *nightly(name for name in CASES if name not in GATE)])
def test_case(name, results):
    case = CASES[name]
    if case.reference == "ort" and not HAS_ONNXRUNTIME:
        pytest.skip("onnxruntime is not installed: not compared")
    if case.lacks_reference():
        pytest.skip("the CPU has no VNNI: ONNX Runtime's sums of u8 x s8 saturate, not compared")
    expected, actual = results(case.name)
    for output, wanted in expected.items():
        got = actual[output]
        assert got.shape == wanted.shape and got.dtype == wanted.dtype, output
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(got, wanted, case.rtol, case.atol)
        else:
            # Integers are exact, except where a case says that a real number was rounded before.
            np.testing.assert_allclose(got.astype(np.int64), wanted.astype(np.int64), 0,
                                       case.atol if case.atol >= 1 else 0)


def test_names_are_unique():
    """Among all families: cases of several are one model."""
    names = [case.name for module in FAMILIES.values() for case in module.cases()]
    assert len(set(names)) == len(names) > 500
