# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single ONNX nodes with random operands and options, against ONNX Runtime or ONNX's reference: many of
them compiled as one model."""
import dataclasses
import pathlib

from bundles import np, onnx
from onnx import helper, numpy_helper, reference

# Without VNNI, ONNX Runtime's sums of products of u8 and s8 saturate at 16 bits: no reference for these ops.
HAS_VNNI = bool({"avx512_vnni", "avx_vnni"} & set(pathlib.Path("/proc/cpuinfo").read_text().split()))
SATURATING = {"MatMulInteger", "ConvInteger", "QLinearMatMul", "QLinearConv", "QGemm", "MatMulIntegerToFloat",
              "DynamicQuantizeMatMul", "QAttention"}


class Constant:
    """An operand that is part of the model."""

    def __init__(self, *values, dtype=None):
        self.array = np.asarray(values[0] if len(values) == 1 else values, dtype)


@dataclasses.dataclass
class ImportCase:
    """A node. `operands` are arrays, Constants, or None for an omitted input; `reference` is `ort` for
    ONNX Runtime or `onnx` for ONNX's own, which has ops and options that the former has not."""

    name: str
    op: str
    operands: list
    attributes: dict = dataclasses.field(default_factory=dict)
    opset: int = 22
    domain: str = ""
    outputs: int = 1
    reference: str = "onnx"
    rtol: float = 1e-4
    atol: float = 1e-5

    def __post_init__(self):
        if self.lacks_reference() and not self.domain:
            self.reference = "onnx"
            self.atol = max(self.atol, 1)  # it rounds after another multiplication

    def lacks_reference(self):
        return self.reference == "ort" and self.op in SATURATING and not HAS_VNNI

    def inputs(self):
        return {f"{self.name}_x{i}": operand for i, operand in enumerate(self.operands)
                if isinstance(operand, np.ndarray)}

    def output_names(self):
        return [f"{self.name}_y{i}" for i in range(self.outputs)]

    def add_to(self, graph, outputs):
        """Appends the node; `outputs` are {name: array}, or None where their types are not needed."""
        names = []
        for i, operand in enumerate(self.operands):
            names.append("" if operand is None else f"{self.name}_x{i}")
            if isinstance(operand, Constant):
                graph.initializer.append(numpy_helper.from_array(operand.array, names[-1]))
            elif operand is not None:
                graph.input.append(declare(names[-1], operand))
        for name in self.output_names():
            graph.output.append(declare(name, outputs[name]) if outputs else helper.make_empty_tensor_value_info(name))
        graph.node.append(helper.make_node(self.op, names, self.output_names(), self.name,
                                           domain=self.domain, **self.attributes))

    def expected(self):
        """{name: array}"""
        model = model_of([self], None)
        if self.reference == "onnx":
            values = reference.ReferenceEvaluator(model).run(None, self.inputs())
        else:
            import onnxruntime
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            # What is compared with is the op, not a fusion of it.
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                                   providers=["CPUExecutionProvider"])
            values = session.run(self.output_names(), self.inputs())
        return dict(zip(self.output_names(), map(np.asarray, values)))


def declare(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def model_of(cases, outputs):
    graph = onnx.GraphProto(name="cases")
    for case in cases:
        case.add_to(graph, outputs)
    domains = sorted({case.domain for case in cases} - {""})
    return helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", cases[0].opset), *(helper.make_opsetid(domain, 1) for domain in domains)])


def batches(cases, size=40):
    by_opset = {}
    for case in cases:
        by_opset.setdefault(case.opset, []).append(case)
    return [of[start:start + size] for _, of in sorted(by_opset.items()) for start in range(0, len(of), size)]
