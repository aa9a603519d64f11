# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single ONNX nodes with random options: compiled together to one bundle, and compared with ONNX
Runtime, or with onnx's reference where ONNX Runtime has no such op."""
import dataclasses

from bundles import np, onnx, pytest, run_once
from onnx import helper, numpy_helper

OPSETS = {"": 23, "com.microsoft": 1, "ai.onnx.ml": 3, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1}


@dataclasses.dataclass
class Constant:
    """An input that is part of the model."""

    value: np.ndarray


@dataclasses.dataclass
class OnnxCase:
    """`inputs`: arrays given at run time, Constant, or None where an input is omitted. `outputs`: for each
    output whether the node has it. `expected`: the outputs, where neither runtime has the op; `same_as`: another
    case with these outputs, which a runtime has."""

    name: str
    op: str
    inputs: list
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: tuple = (True,)
    domain: str = ""
    opset: int = 0
    by: str = "onnxruntime"
    expected: list = None
    same_as: "OnnxCase" = None
    rtol: float = 1e-4
    atol: float = 1e-5

    def __post_init__(self):
        self.opset = self.opset or OPSETS[self.domain]

    def named_outputs(self, prefix=""):
        return [f"{prefix}y{i}" for i, wanted in enumerate(self.outputs) if wanted]

    def given(self, prefix=""):
        """{name: array} of the run-time inputs."""
        return {f"{prefix}x{i}": value for i, value in enumerate(self.inputs) if isinstance(value, np.ndarray)}

    def add_to(self, graph, prefix=""):
        names = []
        for i, value in enumerate(self.inputs):
            names.append("" if value is None else f"{prefix}x{i}")
            if isinstance(value, Constant):
                graph.initializer.append(numpy_helper.from_array(np.asarray(value.value), names[-1]))
        for name, value in self.given(prefix).items():
            element = helper.np_dtype_to_tensor_dtype(value.dtype)
            graph.input.append(helper.make_tensor_value_info(name, element, value.shape))
        outputs = [f"{prefix}y{i}" if wanted else "" for i, wanted in enumerate(self.outputs)]
        graph.node.append(helper.make_node(self.op, names, outputs, name=prefix + self.op, domain=self.domain,
                                           **self.attributes))
        graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs if name)


def model_of(cases, prefixes):
    graph = onnx.GraphProto(name="cases")
    for case, prefix in zip(cases, prefixes):
        case.add_to(graph, prefix)
    opsets = {"": OPSETS[""]} | {case.domain: case.opset for case in cases}
    return helper.make_model(graph, ir_version=8,
                             opset_imports=[helper.make_opsetid(*item) for item in opsets.items()])


def expected_of(case):
    """The outputs that the node has, in order."""
    if case.expected is not None:
        return case.expected
    case = case.same_as or case
    model = model_of([case], [""])
    if case.by == "onnx":
        from onnx.reference import ReferenceEvaluator

        outputs = ReferenceEvaluator(model).run(case.named_outputs(), case.given())
        if any(x.dtype == np.float64 for x in case.given().values()):
            return [np.asarray(y) for y in outputs]
        # Some of its ops compute in f64 and leave it at that.
        return [y.astype(np.float32) if y.dtype == np.float64 else y for y in map(np.asarray, outputs)]
    ort = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: not compared")
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(case.named_outputs(), case.given())


def run(tools, cases, folder):
    """{case's name: its outputs} of cases that are one bundle."""
    prefixes = [f"c{i}_" for i in range(len(cases))]
    model, bundle = folder / "model.onnx", folder / "model.ttcb"
    onnx.save(model_of(cases, prefixes), model)
    tools.compile(model, bundle)
    inputs = {name: array for case, prefix in zip(cases, prefixes) for name, array in case.given(prefix).items()}
    outputs = run_once(tools, bundle, inputs)
    return {case.name: [outputs[name] for name in case.named_outputs(prefix)] for case, prefix in zip(cases, prefixes)}


def compare(case, actual):
    expected = expected_of(case)
    assert len(actual) == len(expected)
    for i, (found, wanted) in enumerate(zip(actual, expected)):
        wanted = np.asarray(wanted)
        assert found.shape == wanted.shape and found.dtype == wanted.dtype, \
            f"output {i}: {found.shape} {found.dtype}, expected {wanted.shape} {wanted.dtype}"
        np.testing.assert_allclose(found, wanted, rtol=case.rtol, atol=case.atol, err_msg=f"output {i}")
