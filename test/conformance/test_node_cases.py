# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own tests of single nodes, for the ops that the importer supports.

node_cases.txt lists them: `pass` with all inputs given at run time, `constants` with all inputs
after the first in the model, `fail` with what the error must say. A case that starts to compile must
be moved, so that the list of passing ones can only grow.

ONNX's own runner runs all that pass (test/python/onnx_backend), one by one. Here, every eighth of them is compiled in a model
of many, and what each program does is compared with what the bundle says; the other ones are only looked up in the
runner's list.
"""
import pathlib
import re

import pytest

from bundles import np, onnx
from node_cases import batches, collect, model_of

LIST = pathlib.Path(__file__).with_name("node_cases.txt")


def read_list():
    """{name: (verdict, message)}"""
    cases = {}
    for line in LIST.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        verdict, name, *message = line.split(maxsplit=2)
        assert verdict in ("pass", "constants", "fail"), line
        assert bool(message) == (verdict == "fail") and name not in cases, line
        cases[name] = (verdict, message[0] if message else None)
    return cases


CASES = read_list()
PASSING = [name for name, (verdict, _) in CASES.items() if verdict != "fail"]
RUN = [name for name in PASSING if CASES[name][0] == "constants"] + [
    name for name in PASSING if CASES[name][0] == "pass"][::8]
FAILING = [name for name, (verdict, _) in CASES.items() if verdict == "fail"]


@pytest.fixture(scope="module")
def node_cases():
    """The listed cases that this version of ONNX has."""
    return {name: case for name, case in collect().items() if name in CASES}


@pytest.fixture(scope="module")
def results(tools, node_cases, tmp_path_factory):
    """{name of a passing case: {output: array}}: a batch is compiled and run when first asked for."""
    known = {}
    listed = [(node_cases[name], CASES[name][0] == "constants")
              for name in RUN if name in node_cases]
    batch_of = {case.name: batch for batch in batches(listed) for case, _ in batch}

    def get(name):
        if name not in known:
            known.update(run(tools, batch_of[name], tmp_path_factory.mktemp("batch")))
        return known[name]

    return get


def run(tools, batch, folder):
    model, bundle = folder / "model.onnx", folder / "model.ttcb"
    onnx.save(model_of(batch), model)
    tools.compile(model, bundle)
    args = []
    for index, (case, constants) in enumerate(batch):
        for number, (name, array) in enumerate(case.given(constants).items()):
            path = folder / f"input{index}_{number}.npy"
            np.save(path, array)
            args.append(f"--input=c{index}_{name}={path}")
        args += [f"--output=c{index}_{name}={folder}/output{index}_{number}.npy"
                 for number, name in enumerate(case.outputs)]
    tools.ttrun("run", bundle, *args, "--cores=2")
    return {case.name: {name: np.load(folder / f"output{index}_{number}.npy")
                        for number, name in enumerate(case.outputs)}
            for index, (case, _) in enumerate(batch)}


def test_list_is_not_shrunk():
    assert len(PASSING) >= 1155


def test_runner_has_all(node_cases, root):
    """ONNX's runner, which runs all that this version of ONNX has, expects none of these to fail."""
    listed = (root / "test/python/onnx_backend/expected_failures.txt").read_text().splitlines()
    failing = {line.split(" ", 1)[0] for line in listed if line and not line.startswith("#")}
    passing = {name for name in PASSING if CASES[name][0] == "pass"}
    assert failing and passing & failing == set()
    assert len(passing & set(node_cases)) >= 1131


@pytest.mark.parametrize("name", RUN)
def test_passing(name, node_cases, results):
    if name not in node_cases:
        pytest.skip(f"onnx {onnx.__version__} has no case {name}")
    case = node_cases[name]
    for output, expected in case.outputs.items():
        actual = results(name)[output]
        assert actual.shape == expected.shape and actual.dtype == expected.dtype
        np.testing.assert_allclose(actual, expected, rtol=case.rtol, atol=case.atol)


@pytest.mark.parametrize("name", FAILING)
def test_failing(name, tools, node_cases, tmp_path):
    if name not in node_cases:
        pytest.skip(f"onnx {onnx.__version__} has no case {name}")
    model = tmp_path / "model.onnx"
    for constants in (False, True):
        onnx.save(model_of([(node_cases[name], constants)]), model)
        done = tools.compile(model, tmp_path / "model.ttcb", check=False)
        assert done.returncode != 0, f"compiles now, constants: {constants}: move it"
        assert done.returncode == 1, f"crashed: {done.stderr}"
    assert re.search(CASES[name][1], done.stderr), done.stderr
