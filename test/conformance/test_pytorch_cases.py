# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that PyTorch exported for ONNX's own backend tests, with their recorded data.

pytorch_cases.txt lists those that pass, and those that fail with what the error must say. A case
that starts to pass must be moved, so that the list of passing ones can only grow.
"""
import pathlib
import re

import pytest

from bundles import graph_inputs, graph_outputs, load_tensor, onnx, run_bundle

LIST = pathlib.Path(__file__).with_name("pytorch_cases.txt")


def read_list():
    """{folder/case: None, or a regular expression of the error}"""
    cases = {}
    for line in LIST.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        verdict, name, *message = line.split(maxsplit=2)
        assert verdict in ("pass", "fail") and bool(message) == (verdict == "fail"), line
        cases[name] = message[0] if message else None
    return cases


CASES = read_list()


def test_list_is_complete(shared):
    found = {f"{folder}/{case.name}" for folder in ("pytorch-converted", "pytorch-operator")
             for case in (shared / "data" / folder).iterdir() if case.is_dir()}
    assert found == set(CASES)
    assert sum(message is None for message in CASES.values()) >= 100


@pytest.mark.parametrize("name", CASES)
def test_case(name, tools, shared, tmp_path):
    case = shared / "data" / name
    bundle = tmp_path / "model.ttcb"
    if CASES[name] is not None:
        done = tools.compile(case / "model.onnx", bundle, check=False)
        assert done.returncode != 0, "this case compiles now: move it to the passing ones"
        assert re.search(CASES[name], done.stderr), done.stderr
        return
    tools.compile(case / "model.onnx", bundle)
    model = onnx.load(case / "model.onnx")
    for data in sorted(case.glob("test_data_set_*")):
        arrays = [{name: load_tensor(data / f"{kind}_{index}.pb")
                   for index, name in enumerate(names)}
                  for kind, names in (("input", graph_inputs(model)),
                                      ("output", graph_outputs(model)))]
        run_bundle(tools, bundle, *arrays, tmp_path, rtol=1e-3, atol=1e-5)
