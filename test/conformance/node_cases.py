# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own tests of single nodes: which there are, and many of them as one model."""
import warnings

from bundles import np, onnx
from onnx import helper, numpy_helper

# More cases in a model make fewer runs of the compiler; fewer make its messages easier to place.
BATCH = 40


class NodeCase:
    """One of ONNX's cases, with its inputs and outputs as {name: array}.

    `constants`: all inputs after the first are part of the model, as shapes and axes have to be in
    a compiler with static shapes.
    """

    def __init__(self, case):
        self.name, self.model = case.name, case.model
        inputs, outputs = case.data_sets[0]
        graph = case.model.graph
        self.inputs = {value.name: np.asarray(array) for value, array in zip(graph.input, inputs)}
        self.outputs = {value.name: np.asarray(array) for value, array in zip(graph.output, outputs)}
        self.rtol, self.atol = case.rtol, case.atol or 1e-6

    def opset(self):
        return self.model.opset_import[0].version

    def given(self, constants):
        """The inputs that a run is given."""
        return dict(list(self.inputs.items())[:1]) if constants else self.inputs

    def add_to(self, graph, constants, prefix=""):
        """Appends the case to a graph, its values' names after the prefix."""
        def named(names):
            return [prefix + name if name else "" for name in names]

        given = self.given(constants)
        for kind, values in (("input", self.model.graph.input), ("output", self.model.graph.output)):
            for value in values:
                if kind == "output" or value.name in given:
                    getattr(graph, kind).add().CopyFrom(value)
                    getattr(graph, kind)[-1].name = prefix + value.name
        for name, array in self.inputs.items():
            if name not in given:
                graph.initializer.append(numpy_helper.from_array(array, prefix + name))
        for node in self.model.graph.node:
            added = graph.node.add()
            added.CopyFrom(node)
            added.name = prefix + node.op_type
            added.input[:], added.output[:] = named(node.input), named(node.output)
            for attribute in added.attribute:
                if attribute.HasField("g"):
                    rename_outer(attribute.g, {name: prefix + name for name in self.names()})

    def names(self):
        """The names that a body can use."""
        graph = self.model.graph
        return {value.name for value in graph.input} | {name for node in graph.node for name in node.output}


def rename_outer(body, names):
    """Renames what a body uses of the graph around it."""
    own = {value.name for value in body.input} | {name for node in body.node for name in node.output}
    names = {old: new for old, new in names.items() if old not in own}
    for node in body.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                rename_outer(attribute.g, names)
    for output in body.output:
        output.name = names.get(output.name, output.name)


def model_of(cases):
    """[(case, constants)] of one opset -> a model; the values of case i are named c<i>_<name>."""
    graph = onnx.GraphProto(name="cases")
    for index, (case, constants) in enumerate(cases):
        case.add_to(graph, constants, f"c{index}_")
    # A version of the format that every case's opset allows and the importer reads.
    return helper.make_model(graph, ir_version=8,
                             opset_imports=[helper.make_opsetid("", cases[0][0].opset())])


def batches(cases):
    """[(case, constants)] -> lists of at most BATCH cases with the same opset."""
    by_opset = {}
    for case, constants in cases:
        by_opset.setdefault(case.opset(), []).append((case, constants))
    return [of[start:start + BATCH] for _, of in sorted(by_opset.items())
            for start in range(0, len(of), BATCH)]


def is_plain(case):
    """Whether all inputs and outputs are tensors of numbers."""
    def plain(value):
        return isinstance(value, (np.ndarray, np.generic, int, float)) \
            and np.asarray(value).dtype.kind in "biuf"

    return case.model is not None and all(not node.domain for node in case.model.graph.node) \
        and all(plain(value) for data in case.data_sets[0] for value in data)


def collect():
    """{name: NodeCase} of all cases whose values are tensors; functions' expansions are left out,
    they say the same again."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The cases' own arithmetic on infinities.
        cases = collect_testcases(None)
    return {case.name: NodeCase(case) for case in cases
            if "_expanded" not in case.name and is_plain(case)}
