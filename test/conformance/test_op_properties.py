# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random cases of every op that the importer supports, on every element type, against onnx's reference.

A failing case is named by op, element type and seed. In the gate, each op has every second element type, which begin with
another from op to op; nightly, there are 20 cases of each op and type.
TTC_PROPERTY=Conv-float-7 runs that case alone.
"""
import os
import re

import pytest

from bundles import onnx, run_once, share
from op_properties import GENERATORS, Case, dtype_of, elements_of, model_of
from gate import NIGHTLY, nightly
import op_generators  # noqa: F401 (registers the generators)

BATCH = 100
PARTS = 1 if os.environ.get("TTC_PROPERTY") else 8 if NIGHTLY else 4

# Ops of the default domain without a generator: tested by onnx's own cases (test_node_cases.py) and the
# lit tests of their importers. Most are composed of ops that have one.
ELSEWHERE = {
    "AffineGrid", "Attention", "BitCast", "BlackmanWindow", "CausalConvWithState", "Col2Im", "Compress",
    "ConcatFromSequence", "Constant", "ConstantOfShape", "ConvInteger", "CumProd", "DFT", "DeformConv",
    "DequantizeLinear", "Det", "Dropout", "DynamicQuantizeLinear", "GRU", "GlobalLpPool", "GridSample",
    "HammingWindow", "HannWindow", "If", "LSTM", "LinearAttention", "Loop", "LpPool", "MatMulInteger",
    "MaxRoiPool", "MaxUnpool", "MelWeightMatrix", "NegativeLogLikelihoodLoss", "NonMaxSuppression",
    "NonZero", "Optional", "OptionalGetElement", "OptionalHasElement", "QLinearConv", "QLinearMatMul",
    "QuantizeLinear", "RNN", "Range", "RoiAlign", "RotaryEmbedding", "STFT", "Scan", "Scatter",
    "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert",
    "SequenceLength", "SequenceMap", "SimplifiedLayerNormalization", "SoftmaxCrossEntropyLoss",
    "SplitToSequence", "SwiGLU", "TensorScatter", "Unique", "Upsample",
}


def listed(tools):
    """(the newest opset, element types, {op: (first opset, last opset)}) by --list-onnx-ops."""
    text = tools.run("ttc-translate", "--list-onnx-ops").stdout
    types = re.search(r"Element types are (.*?)\.$", text, re.MULTILINE).group(1).split(", ")
    opsets = {name: (int(first), int(last))
              for name, first, last in re.findall(r"^\| (\w+) \| (\d+)–(\d+) ", text, re.MULTILINE)}
    newest = min(max(last for _, last in opsets.values()), onnx.defs.onnx_opset_version())
    return newest, types, opsets


@pytest.fixture(scope="module")
def known(tools):
    return listed(tools)


def test_every_op_has_a_generator(known):
    newest, types, opsets = known
    assert set(opsets) == set(GENERATORS) | ELSEWHERE
    without = [name for name in GENERATORS if opsets[name][1] < newest or not elements_of(name, newest, types)]
    assert not without, "generators of which no case is drawn"


def cases_of(known, seed):
    newest, types, opsets = known
    wanted = os.environ.get("TTC_PROPERTY")
    for i, name in enumerate(sorted(set(GENERATORS) & set(opsets))):
        elements = elements_of(name, newest, types)
        for element in elements if NIGHTLY or wanted or len(elements) < 3 else elements[i % 2::2]:
            for number in [seed] if not wanted else range(1000):
                if not wanted or wanted == f"{name}-{element}-{number}":
                    yield Case(name, element, number, newest)


def run(tools, batch, folder):
    """The outputs of a batch: [{name: array}], or what the compiler said."""
    folder.mkdir()
    model, bundle = folder / "model.onnx", folder / "model.ttcb"
    onnx.save(model_of(batch), model)
    done = tools.compile(model, bundle, "--queues=1", check=False)
    if done.returncode:
        return done.stderr
    found = run_once(tools, bundle, {f"c{index}_{name}": array for index, case in enumerate(batch)
                                     for name, array in case.given_arrays().items()})
    # Types that NumPy lacks come as their bits.
    return [{name: array if array.dtype == dtype_of(element) else array.view(dtype_of(element))
             for name, element in case.outputs for array in [found[f"c{index}_{name}"]]}
            for index, case in enumerate(batch)]


def failures_of(tools, batch, folder):
    """["case: what is wrong"] of a batch; a batch that does not compile is halved until single cases
    are left."""
    outputs = run(tools, batch, folder)
    if isinstance(outputs, str):
        if len(batch) == 1:
            return [f"{batch[0].name}: {outputs.strip()[-400:]}"]
        half = len(batch) // 2
        return failures_of(tools, batch[:half], folder / "a") + failures_of(tools, batch[half:], folder / "b")
    failures = []
    for case, actual in zip(batch, outputs):
        for name, expected in case.expected().items():
            try:
                case.check(name, actual[name], expected)
            except AssertionError as error:
                failures.append(f"{case.name}: {' '.join(str(error).split())[:400]}")
    return failures


@pytest.mark.parametrize("seed", [0, *nightly(range(1, 20))])
@pytest.mark.parametrize("part", range(PARTS))
def test_properties(part, seed, tools, known, tmp_path):
    cases = share(list(cases_of(known, seed)), part, PARTS)
    assert cases
    failures = []
    for start in range(0, len(cases), BATCH):
        failures += failures_of(tools, cases[start:start + BATCH], tmp_path / str(start))
    assert not failures, "\n".join([f"{len(failures)} of {len(cases)} cases:", *failures])
