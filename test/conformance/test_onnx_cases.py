# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX ops that are imported as compositions, with random shapes and options. In the gate, about a third of each op's cases."""
import pytest

from gate import nightly, of_each

import onnx_cases
import onnx_cases_algebra
import onnx_cases_attention
import onnx_cases_contrib
import onnx_cases_learning
import onnx_cases_recurrent

FAMILIES = {
    "algebra": onnx_cases_algebra,
    "attention": onnx_cases_attention,
    "contrib": onnx_cases_contrib,
    "learning": onnx_cases_learning,
    "recurrent": onnx_cases_recurrent,
}
CASES = {f"{family}/{c.name}": (family, c) for family, module in FAMILIES.items() for c in module.cases()}
GATE = dict(of_each(CASES.items(), lambda item: (item[1][0], item[1][1].op)))


@pytest.fixture(scope="module")
def results(tools, tmp_path_factory):
    """The outputs of a family's cases; those of one opset are one bundle, made when first asked for."""
    known = {}

    def get(family, case):
        key = (family, case.domain, case.opset)
        if key not in known:
            together = [c for f, c in GATE.values() if (f, c.domain, c.opset) == key]
            known[key] = onnx_cases.run(tools, together, tmp_path_factory.mktemp(family))
        return known[key][case.name]

    return get


@pytest.mark.parametrize("name", [*GATE, *nightly(name for name in CASES if name not in GATE)])
def test_case(results, name):
    family, case = CASES[name]
    onnx_cases.compare(case, results(family, case))


def test_names_are_unique():
    assert len(CASES) == sum(len(list(module.cases())) for module in FAMILIES.values()) > 150
