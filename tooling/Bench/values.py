# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: values.py onnxruntime MODEL.onnx FOLDER RTOL ATOL

For ttrun run --trace-values=FOLDER --against=onnxruntime: computes the values that FOLDER/values.json lists
by ONNX Runtime, one node at a time, and prints a line of JSON about those that differ. The node of the
first one becomes a model of its own, FOLDER/first/model.onnx, with its inputs and both results.

Bodies of Loop, Scan and If, and functions, run as models of their own, a loop's once for each iteration.
"""
import dataclasses
import json
import os
import re
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


def fail(text):
    """Names in messages are those of a model: a terminal must not act on them."""
    sys.exit("".join(c if c.isprintable() else "".join(f"\\x{b:02x}" for b in c.encode("utf-8", "replace")) for c in text))


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


def bodies(node):
    return [graph for attribute in node.attribute for graph in [attribute.g, *attribute.graphs]]


def captured(graph):
    """Names of outer values that a body uses."""
    inner = {i.name for i in graph.input} | {i.name for i in graph.initializer}
    inner.update(i.values.name for i in graph.sparse_initializer)
    names = []
    for node in graph.node:
        names += [name for name in inputs_of(node) if name not in inner]
        inner.update(node.output)
    return names + [o.name for o in graph.output if o.name not in inner]


def inputs_of(node):
    names = [name for name in node.input if name]
    for graph in bodies(node):
        names += captured(graph)
    return list(dict.fromkeys(names))


def attribute(node, name, default=None):
    for found in node.attribute:
        if found.name == name:
            return onnx.helper.get_attribute_value(found)
    return default


def substitute(nodes, attributes, omitted):
    """The nodes of a function, with the attributes of a call and without the inputs that it omits."""
    result = []
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        del copy.attribute[:]
        for given in node.attribute:
            if given.ref_attr_name and given.ref_attr_name not in attributes:
                continue
            new = copy.attribute.add()
            new.CopyFrom(attributes[given.ref_attr_name] if given.ref_attr_name else given)
            new.name = given.name
            for graph in [*([new.g] if new.HasField("g") else []), *new.graphs]:
                inner = substitute(graph.node, attributes, omitted)
                del graph.node[:]
                graph.node.extend(inner)
        for i, name in enumerate(copy.input):
            if name in omitted:
                copy.input[i] = ""
        result.append(copy)
    return result


def with_own_names(nodes):
    """ONNX Runtime refuses a second node of the same name."""
    known, result = set(), []
    for node in nodes:
        if node.name in known:
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            node, copy.name = copy, ""
        known.add(node.name)
        result.append(node)
    return result


def declare(name, value, known):
    """An input of a body's model. Shapes may change from iteration to iteration."""
    is_list = isinstance(value, list)
    known = known.type.sequence_type.elem_type if is_list else known.type
    dtype = known.tensor_type.elem_type
    if not dtype:
        array = value if not is_list else value[0] if value else np.float32(0)
        dtype = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    make = onnx.helper.make_tensor_sequence_value_info if is_list else onnx.helper.make_tensor_value_info
    return make(name, dtype, None)


@dataclasses.dataclass
class Given:
    """A value that nodes get from outside."""

    want: object  # ONNX Runtime's array, or list of arrays
    ours: str = ""  # the name in values.json
    part: tuple = ()  # index of a slice of that
    dynamic: bool = False  # whether the values of inputs change it
    initializer: object = None


class CannotRun(Exception):
    pass


class Scope:
    """The nodes of a model, a body or a function. `prefix` precedes the names of its values in values.json."""

    def __init__(self, reference, graph, given, prefix="", opsets=None, sessions=None):
        self.reference, self.graph, self.given, self.prefix = reference, graph, given, prefix
        self.opsets = opsets or reference.model.opset_import
        self.sessions = {} if sessions is None else sessions  # of all iterations
        self.nodes = {name: node for node in graph.node for name in node.output if name}
        self.initializers = {i.name: i for i in graph.initializer}
        self.initializers.update((i.values.name, i) for i in graph.sparse_initializer)
        self.dynamic = {name for name, value in given.items() if value.dynamic}
        for node in graph.node:
            if node.op_type not in OF_SHAPES and self.dynamic.intersection(inputs_of(node)):
                self.dynamic.update(node.output)

    def compute(self, names):
        """ONNX Runtime's values."""
        names = [name for name in dict.fromkeys(names) if name]
        nodes = tuple(name for name in names if name in self.nodes)
        result = {name: self.given[name].want for name in names if name in self.given}
        if not nodes:
            return result
        needed = captured(self.graph) + [i.name for i in self.graph.input]
        inputs = {n: self.given[n].want for n in needed if n in self.given and self.given[n].initializer is None}
        key = (nodes, *((n, type(v), getattr(v, "dtype", None)) for n, v in inputs.items()))
        if key not in self.sessions:
            known = {port.name: port for port in self.graph.input}
            graph = onnx.helper.make_graph(
                with_own_names(self.graph.node),
                "values",
                [declare(n, v, known.get(n, onnx.ValueInfoProto())) if self.prefix else known[n] for n, v in inputs.items()],
                [onnx.ValueInfoProto(name=name) for name in nodes],
                list(self.graph.initializer),
            )
            graph.sparse_initializer.extend(self.graph.sparse_initializer)
            for name in dict.fromkeys(needed):
                if name in self.given and self.given[name].initializer is not None:
                    self.reference.add_initializer(graph, self.given[name].initializer)
            self.sessions[key] = self.reference.open(graph, self.opsets)
        return {**result, **self.reference.run(self.sessions[key], nodes, inputs)}

    def find(self, name, arrays):
        """What a body or a function gets under this name."""
        if name in self.given:
            return self.given[name]
        if name in self.initializers:
            return Given(None, initializer=self.initializers[name])
        return Given(arrays[name], ours=self.prefix + name, dynamic=name in self.dynamic)

    def isolate(self, node, name):
        """The node as a model that computes the value, and the inputs of that: our values where we have them."""
        before, constants, sparse, inputs = [], [], [], {}
        names = inputs_of(node)
        arrays = self.compute([n for n in names if n not in self.initializers])
        for n in names:
            given = self.find(n, arrays)
            if given.initializer is not None:
                initializer = self.reference.embed(given.initializer)
                (constants if isinstance(initializer, onnx.TensorProto) else sparse).append(initializer)
                continue
            ours = self.reference.ours(given)
            array = given.want if ours is None else ours
            parts = {n: array}
            if isinstance(array, list):
                parts = {f"{n}.{i}": part for i, part in enumerate(array)}
                op = "SequenceConstruct" if array else "SequenceEmpty"
                before.append(onnx.helper.make_node(op, list(parts), [n]))
            for key, part in parts.items():
                if given.dynamic:
                    inputs[key] = np.asarray(part)
                else:
                    constants.append(onnx.numpy_helper.from_array(np.asarray(part), key))
        ports = [onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
                 for n, a in inputs.items()]  # fmt: skip
        outputs = [onnx.ValueInfoProto(name=name)]
        graph = onnx.helper.make_graph([*before, node], "first", ports, outputs, constants)
        graph.sparse_initializer.extend(sparse)
        return self.reference.make_model(graph, self.opsets), inputs


class Reference:
    def __init__(self, path, folder, rtol, atol):
        self.path, self.folder, self.rtol, self.atol = path, folder, rtol, atol
        self.home = os.path.dirname(os.path.abspath(path))
        with open(os.path.join(folder, "values.json")) as file:
            index = json.load(file)
        self.values = {value["name"]: value for value in index["values"]}
        self.prefixes = {name[: i + 1] for name in self.values for i, c in enumerate(name) if c == "/"}
        # --keep-values adds these numbers.
        twice = {re.sub(r"~\d+$", "", name) for name in self.values if re.search(r"~\d+$", name)}
        self.ambiguous = twice.intersection(self.values)
        self.comparable = self.values.keys() - self.ambiguous
        self.entered, self.compared, self.differing = set(), set(), {}
        self.reasons = {}  # why values whose names begin so cannot be compared
        try:
            self.model = onnx.load(path, load_external_data=False)
        except Exception as error:  # of protobuf, or of the system
            fail(f"cannot read {path}: {error}")
        self.functions = {(f.domain, f.name, getattr(f, "overload", "")): f for f in self.model.functions}
        graph = self.model.graph
        inputs = {entry["name"]: self.load(entry) for entry in index["inputs"]}
        initializers = {i.name for i in graph.initializer}
        wanted = [i.name for i in graph.input if i.name not in initializers]
        if missing := [name for name in wanted if name not in inputs]:
            fail(f"{path} has the input '{missing[0]}', which the bundle has as a constant: compile a model in which "
                 "it is an initializer")  # fmt: skip
        self.scope = Scope(self, graph, {name: Given(inputs[name], ours="", dynamic=True) for name in wanted})

    def load(self, entry):
        return np.load(os.path.join(self.folder, entry["file"]))

    def ours(self, given):
        value = self.values.get(given.ours)
        if not value or given.ours in self.ambiguous or value["dtype"] == "bf16":
            return None
        array = self.load(value)
        for axis, index in given.part:
            if index >= array.shape[axis]:
                return None
            array = array.take(index, axis)
        return array

    def embed(self, initializer):
        copy = type(initializer)()
        copy.CopyFrom(initializer)
        if getattr(copy, "data_location", None) == onnx.TensorProto.EXTERNAL:
            onnx.external_data_helper.load_external_data_for_tensor(copy, self.home)
            copy.data_location = onnx.TensorProto.DEFAULT
            del copy.external_data[:]
        return copy

    def read(self, initializer):
        if isinstance(initializer, onnx.SparseTensorProto):
            elements = onnx.numpy_helper.to_array(initializer.values)
            array = np.zeros(list(initializer.dims), elements.dtype)
            places = onnx.numpy_helper.to_array(initializer.indices)
            array[tuple(places.T) if places.ndim == 2 else np.unravel_index(places, array.shape)] = elements
            return array
        return onnx.numpy_helper.to_array(self.embed(initializer))

    @staticmethod
    def add_initializer(graph, initializer):
        is_dense = isinstance(initializer, onnx.TensorProto)
        (graph.initializer if is_dense else graph.sparse_initializer).append(initializer)

    def make_model(self, graph, opsets):
        model = onnx.helper.make_model(graph, opset_imports=opsets, functions=self.model.functions)
        model.ir_version = self.model.ir_version
        return model

    def open(self, graph, opsets):
        onnxruntime.set_default_logger_severity(4)  # its exception says the same
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", self.home)
        model = graph if isinstance(graph, onnx.ModelProto) else self.make_model(graph, opsets)
        try:
            return onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"])  # fmt: skip
        except Exception as error:  # its classes have no other base
            raise CannotRun(str(error).strip().splitlines()[0]) from None

    @staticmethod
    def run(session, names, inputs):
        try:
            results = session.run(list(names), inputs)
            return {n: r if isinstance(r, list) else np.asarray(r) for n, r in zip(names, results)}
        except Exception as error:
            raise CannotRun(str(error).strip().splitlines()[0]) from None

    def difference(self, name, want):
        return compare(self.load(self.values[name]), want, self.values[name]["dtype"], self.rtol, self.atol)

    def visit(self, scope, names=()):
        """Compares the values of a scope, and of those in it. Returns the arrays of `names`."""
        own = [n for n in scope.nodes if scope.prefix + n in self.comparable]
        inner = [n for n in scope.graph.node if scope.prefix + self.name_of(n) + "/" in self.prefixes]
        needed = [name for node in inner for name in inputs_of(node)]
        arrays = scope.compute([*own, *needed, *names])
        for name in own:
            full = scope.prefix + name
            self.compared.add(full)
            if difference := self.difference(full, arrays[name]):
                self.differing[full] = difference, scope, name
        for node in inner:
            prefix = scope.prefix + self.name_of(node) + "/"
            if prefix in self.entered:
                self.reasons[prefix] = "several nodes have this name"
                continue
            self.entered.add(prefix)
            try:
                self.enter(scope, node, arrays, prefix)
            except CannotRun as error:
                self.reasons[prefix] = f"ONNX Runtime cannot run the body alone ({error})"
        return arrays

    @staticmethod
    def name_of(node):
        return node.name or (node.output[0] if node.output else "")

    def enter(self, scope, node, arrays, prefix):
        function = self.functions.get((node.domain, node.op_type, getattr(node, "overload", "")))
        if function:
            self.call(scope, node, arrays, prefix, function)
        elif node.op_type == "If":
            self.branch(scope, node, arrays, prefix)
        elif node.op_type == "Loop":
            self.loop(scope, node, arrays, prefix)
        elif node.op_type == "Scan":
            self.scan(scope, node, arrays, prefix)

    def call(self, scope, node, arrays, prefix, function):
        attributes = {a.name: a for a in [*getattr(function, "attribute_proto", ()), *node.attribute]}
        passed = dict(zip(function.input, node.input))
        omitted = {name for name in function.input if not passed.get(name)}
        body = onnx.GraphProto(node=substitute(function.node, attributes, omitted))
        given = {name: self.bound(scope.find(outer, arrays)) for name, outer in passed.items() if outer}
        versions = {"" if o.domain == "ai.onnx" else o.domain: o.version for o in [*scope.opsets, *function.opset_import]}
        self.visit(Scope(self, body, given, prefix, [onnx.helper.make_opsetid(d, v) for d, v in versions.items()]))

    def bound(self, given):
        """Under another name."""
        return dataclasses.replace(given, want=self.want(given), initializer=None)

    def inside(self, scope, body, arrays, prefix, inputs, sessions):
        given = {name: scope.find(name, arrays) for name in captured(body)}
        given.update(zip((i.name for i in body.input), map(self.bound, inputs)))
        inner = Scope(self, body, given, prefix, scope.opsets, sessions)
        results = self.visit(inner, [o.name for o in body.output])
        return [inner.find(o.name, results) for o in body.output]

    def branch(self, scope, node, arrays, prefix):
        taken = bool(self.want(scope.find(node.input[0], arrays)).reshape(()))
        self.reasons[prefix] = "ONNX Runtime takes the other branch"
        # Only both branches have prefixes of their own, or the one that is known in advance has none.
        has_both = {prefix + "then/", prefix + "else/"} & self.prefixes
        name = ("then/" if taken else "else/") if has_both else ""
        self.inside(scope, attribute(node, "then_branch" if taken else "else_branch"), arrays, prefix + name, [], {})

    def steps(self, prefix):
        """How many iterations have values."""
        names = (p[len(prefix) : -1] for p in self.prefixes if p.startswith(prefix))
        return max((int(name) + 1 for name in names if name.isdecimal()), default=0)

    def loop(self, scope, node, arrays, prefix):
        body, sessions = attribute(node, "body"), {}
        count, condition, *states = [scope.find(n, arrays) if n else None for n in [*node.input, ""][: max(2, len(node.input))]]
        most = self.steps(prefix)
        if count is not None:
            most = min(most, int(self.want(count).reshape(())))
        goes_on = condition is None or bool(self.want(condition).reshape(()))
        self.reasons[prefix] = "the loop has ended in ONNX Runtime"
        ports = [i.type.tensor_type.shape.dim for i in body.input[:2]]
        for step in range(most):
            if not goes_on:
                break
            number, true = (np.full([1] * len(p), v) for p, v in zip(ports, (np.int64(step), True)))
            inputs = [Given(number), Given(true), *states]
            condition, *results = self.inside(scope, body, arrays, f"{prefix}{step}/", inputs, sessions)
            goes_on = bool(self.want(condition).reshape(()))
            states = results[: len(states)]

    def want(self, given):
        return self.read(given.initializer) if given.want is None else given.want

    def scan(self, scope, node, arrays, prefix):
        body, sessions = attribute(node, "body"), {}
        version = next((o.version for o in scope.opsets if o.domain in ("", "ai.onnx")), 1)
        has_batch = version < 9
        inputs = [scope.find(name, arrays) for name in node.input[has_batch:]]
        count = attribute(node, "num_scan_inputs")
        axes = attribute(node, "scan_input_axes", [0] * count)
        directions = attribute(node, "directions" if has_batch else "scan_input_directions", [0] * count)

        def take(given, axis, index):
            array = self.want(given)
            axis %= array.ndim
            array = array.take(index, axis)
            return Given(array, given.ours, (*given.part, (axis, index)), given.dynamic)

        def run(inputs, prefix):
            states, scanned = inputs[:-count], inputs[-count:]
            steps = self.want(scanned[0]).shape[axes[0]]
            for step in range(min(steps, self.steps(prefix))):
                slices = [take(given, axis, steps - 1 - step if back else step)
                          for given, axis, back in zip(scanned, axes, directions)]  # fmt: skip
                results = self.inside(scope, body, arrays, f"{prefix}{step}/", [*states, *slices], sessions)
                states = results[: len(states)]

        if not has_batch:
            return run(inputs, prefix)
        for batch in range(self.want(inputs[-1]).shape[0]):
            run([take(given, 0, batch) for given in inputs], f"{prefix}{batch}/")

    def not_compared(self):
        """[(why, names)]"""
        result = {}
        for name in self.values:
            if name in self.compared:
                continue
            if re.sub(r"~\d+$", "", name) in self.ambiguous:
                why = "several values have this name"
            else:
                ends = [i + 1 for i, c in enumerate(name) if c == "/"]
                found = [self.reasons[name[:i]] for i in reversed(ends) if name[:i] in self.reasons]
                why = found[0] if found else "the model has no such value"
            result.setdefault(why, []).append(name)
        return [{"reason": why, "values": names} for why, names in result.items()]

    def find_first(self):
        """The first value whose node differs with the same inputs, or else the first one that differs."""
        first = None
        for full in [name for name in self.values if name in self.differing][:MOST_ISOLATED]:
            difference, scope, name = self.differing[full]
            model, inputs = scope.isolate(scope.nodes[name], name)
            want = self.run(self.open(model, None), [name], inputs)[name]
            alone = self.difference(full, want)
            if first is None or alone:
                first = full, name, alone or difference, bool(alone), model, inputs, want
            if alone:
                break
        return first


def main():
    _, path, folder, rtol, atol = sys.argv[1:6]
    reference = Reference(path, folder, float(rtol), float(atol))
    first = None
    try:
        reference.visit(reference.scope)
        first = reference.find_first()
    except CannotRun as error:
        fail(f"ONNX Runtime cannot run {path}: {error}")
    answer = {
        "version": onnxruntime.__version__,
        "compared": len(reference.compared),
        "differing": len(reference.differing),
        "not_compared": reference.not_compared(),
    }
    if first:
        full, name, difference, own, model, inputs, want = first
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
        np.save(os.path.join(where, "got.npy"), reference.load(reference.values[full]))
        answer["first"] = {"name": full, "output": name, "own": own, "inputs": files, **difference}
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
