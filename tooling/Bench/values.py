# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: values.py onnxruntime MODEL.onnx FOLDER RTOL ATOL

For ttrun run --trace-values=FOLDER --against=onnxruntime: computes the values that FOLDER/values.json lists
by ONNX Runtime, one node at a time, and prints a line of JSON about those that differ. The node of the
first one becomes a model of its own, FOLDER/first/model.onnx, with its inputs and both results.
"""
import json
import os
import sys

try:
    import numpy as np
    import onnx
    import onnxruntime
except ModuleNotFoundError as error:
    sys.exit(f"{sys.executable} has no {error.name}")

# Each of these costs a session of ONNX Runtime.
MOST_ISOLATED = 100
# Their results depend on shapes alone, which are constants of a bundle.
OF_SHAPES = {"Shape", "Size"}


def as_numbers(array, dtype):
    """bf16 is stored as uint16."""
    if dtype == "bf16" and array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def compare(got, want, dtype, rtol, atol):
    """None if they agree, or what differs. The tolerance is relative to the largest magnitude: where
    terms cancel, the small results have the error of the terms."""
    got, want = as_numbers(got, dtype), as_numbers(want, dtype)
    if got.shape != want.shape:
        return {"shape": list(want.shape)}
    if not got.size:
        return None
    if got.dtype.kind != "f":
        bad = got != want
        error = np.abs(got.astype(np.float64) - want.astype(np.float64))
    else:
        rtol = max(rtol, {"bf16": 2.0**-6, "f16": 2.0**-8}.get(dtype, 0))
        got, want = got.astype(np.float64), want.astype(np.float64)
        finite = np.isfinite(want)
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        scale = np.abs(want[finite]).max(initial=0)
        with np.errstate(invalid="ignore"):
            error = np.where(same, 0, np.abs(got - want))
            bad = ~(same | (finite & (error <= atol + rtol * scale)))
    if not bad.any():
        return None
    worst = np.unravel_index(np.argmax(np.where(bad, np.nan_to_num(error, nan=np.inf), -1)), got.shape)
    return {
        "differing": int(bad.sum()),
        "elements": int(got.size),
        "worst": [int(i) for i in worst],
        "got": float(got[worst]),
        "expected": float(want[worst]),
    }


def captured(graph):
    """Names of outer values that a body uses."""
    inner = {i.name for i in graph.input} | {i.name for i in graph.initializer}
    names = []
    for node in graph.node:
        names += [name for name in inputs_of(node) if name not in inner]
        inner.update(node.output)
    return names + [o.name for o in graph.output if o.name not in inner]


def inputs_of(node):
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            names += captured(graph)
    return list(dict.fromkeys(names))


class Reference:
    def __init__(self, path, inputs):
        self.path = path
        self.folder = os.path.dirname(os.path.abspath(path))
        self.model = onnx.load(path, load_external_data=False)
        graph = self.model.graph
        self.initializers = {i.name: i for i in graph.initializer}
        self.nodes = {name: node for node in graph.node for name in node.output if name}
        wanted = [i.name for i in graph.input if i.name not in self.initializers]
        if missing := [name for name in wanted if name not in inputs]:
            sys.exit(f"{path} has the input '{missing[0]}', which the bundle has as a constant: compile a "
                     "model in which it is an initializer")  # fmt: skip
        self.inputs = {name: inputs[name] for name in wanted}
        self.dynamic = set(wanted)  # what the values of inputs change
        for node in graph.node:
            if node.op_type not in OF_SHAPES and self.dynamic.intersection(inputs_of(node)):
                self.dynamic.update(node.output)

    def run(self, model, names, inputs):
        onnxruntime.set_default_logger_severity(4)  # its exception says the same
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", self.folder)
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"])
            return dict(zip(names, session.run(names, inputs)))
        except Exception as error:  # its classes have no other base
            sys.exit(f"ONNX Runtime cannot run {self.path}: {str(error).strip().splitlines()[0]}")

    def compute(self, names):
        if not names:
            return {}
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        known = {o.name for o in model.graph.output}
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
        return self.run(model, names, self.inputs)

    def isolate(self, node, ours):
        """The node as a model, and the inputs of that: our values where we have them."""
        names = inputs_of(node)
        arrays = {**self.inputs, **{name: ours(name) for name in names}}
        constants = []
        for name in names:
            if name in self.initializers:
                constants.append(onnx.TensorProto())
                constants[-1].CopyFrom(self.initializers[name])
                if constants[-1].data_location == onnx.TensorProto.EXTERNAL:
                    onnx.external_data_helper.load_external_data_for_tensor(constants[-1], self.folder)
                    constants[-1].data_location = onnx.TensorProto.DEFAULT
                    del constants[-1].external_data[:]
        others = [name for name in names if name not in self.initializers]
        missing = [name for name in others if arrays[name] is None]
        arrays.update(self.compute(missing))
        constants += [onnx.numpy_helper.from_array(arrays[n], n) for n in others if n not in self.dynamic]
        inputs = {name: np.asarray(arrays[name]) for name in others if name in self.dynamic}
        graph = onnx.helper.make_graph(
            [node],
            "first",
            [onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
             for n, a in inputs.items()],
            [onnx.ValueInfoProto(name=name) for name in node.output if name],
            constants,
        )  # fmt: skip
        model = onnx.helper.make_model(
            graph, opset_imports=self.model.opset_import, functions=self.model.functions)
        model.ir_version = self.model.ir_version
        return model, inputs


def main():
    _, path, folder, rtol, atol = sys.argv[1:6]
    rtol, atol = float(rtol), float(atol)

    def load(entry):
        return np.load(os.path.join(folder, entry["file"]))

    with open(os.path.join(folder, "values.json")) as file:
        index = json.load(file)
    reference = Reference(path, {entry["name"]: load(entry) for entry in index["inputs"]})
    values = {value["name"]: value for value in index["values"] if value["name"] in reference.nodes}

    def ours(name):
        return load(values[name]) if name in values and values[name]["dtype"] != "bf16" else None

    differing = {}
    for name, want in reference.compute(list(values)).items():
        if difference := compare(load(values[name]), want, values[name]["dtype"], rtol, atol):
            differing[name] = difference
    answer = {"version": onnxruntime.__version__, "compared": len(values), "differing": len(differing)}
    first = None
    for name, difference in list(differing.items())[:MOST_ISOLATED]:
        model, inputs = reference.isolate(reference.nodes[name], ours)
        want = reference.run(model, [name], inputs)[name]
        alone = compare(load(values[name]), want, values[name]["dtype"], rtol, atol)
        if first is None or alone:
            first = name, alone or difference, bool(alone), model, inputs, want
        if alone:
            break
    if first:
        name, difference, own, model, inputs, want = first
        where = os.path.join(folder, "first")
        os.makedirs(where, exist_ok=True)
        for file in os.listdir(where):
            os.remove(os.path.join(where, file))
        onnx.save(model, os.path.join(where, "model.onnx"))
        files = {}
        for i, (key, array) in enumerate(inputs.items()):
            files[key] = f"input{i}.npy"
            np.save(os.path.join(where, files[key]), array)
        np.save(os.path.join(where, "want.npy"), want)
        np.save(os.path.join(where, "got.npy"), load(values[name]))
        answer["first"] = {"name": name, "own": own, "inputs": files, **difference}
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
