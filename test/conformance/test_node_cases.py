# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own tests, a hundred in a bundle: all pass but those that docs/onnx-conformance.md lists, which fail as it says. In the
gate, about a third of the tests of each op; nightly, all.
What each program of a bundle does is compared with what the bundle says. ONNX's own runner, which takes them one by one,
is in test/python/onnx_backend.

With TTC_UPDATE_DOCS=1 the page is written."""
import os

import pytest

import node_cases
from bundles import onnx, share
from gate import NIGHTLY, of_each

VERSION, AS_WRITTEN, CONSTANTS = node_cases.listed()
UPDATE = os.environ.get("TTC_UPDATE_DOCS")
ALL = bool(NIGHTLY or UPDATE)
BATCHES = 20 if ALL else 6
FOUND = ({}, {})  # of this process: why cases do not pass, as written and with constants


@pytest.fixture(scope="module")
def cases(build_dir):
    if onnx.__version__ != VERSION and not UPDATE:
        pytest.skip(f"docs/onnx-conformance.md is of onnx {VERSION}, found {onnx.__version__}")
    return node_cases.collect(build_dir)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_cases(batch, cases, tools, tmp_path):
    # Neighbours have programs in common, which are compiled once.
    chosen = [node_cases.Case(case) for case in share(cases if ALL else of_each(cases, node_cases.ops_of, step=4), batch, BATCHES)]
    for constants, listed, failing in zip((False, True), (AS_WRITTEN, CONSTANTS), FOUND):
        found = node_cases.verdicts(tools, [case for case in chosen if case.name not in listed], constants,
                                    tmp_path / str(constants))
        for case in chosen:
            if case.name in listed:  # Most are refused before anything is compiled.
                found |= node_cases.verdicts(tools, [case], constants, tmp_path / f"{case.name}-{constants}")
        failing |= {name: why for name, why in found.items() if why}
        other = [f"{name}: expected '{listed.get(name, '')}', found '{why}'" for name, why in found.items()
                 if why != listed.get(name, "")]
        assert UPDATE or not other, "\n".join(other)
        chosen = [case for case in chosen if found[case.name]]


def test_page(cases):
    assert len(cases) > 2000
    if UPDATE:
        assert "PYTEST_XDIST_WORKER" not in os.environ, "expected one process: each worker sees a part of the cases"
        node_cases.PAGE.write_text(node_cases.page(len(cases), *FOUND))
    assert node_cases.PAGE.read_text() == node_cases.page(len(cases), *(FOUND if UPDATE else (AS_WRITTEN, CONSTANTS)))
