# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own tests: single nodes, and small models. docs/onnx-conformance.md lists those that do not pass.

A hundred of them are the entry points of one bundle. If that does not compile, its halves are tried, until single cases
are left."""
import collections
import os
import pathlib
import pickle
import re
import warnings

from bundles import np, onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/onnx-conformance.md"
SMALL_MODELS = ("simple", "pytorch-converted", "pytorch-operator")  # The large ones are in test_light_models.py.
AS_WRITTEN, CONSTANTS = "What does not pass as written", "What remains with constants"
INTERNAL = re.compile("internal compiler error|internal error|Assertion|LLVM ERROR|Stack dump|Sanitizer|runtime error:|"
                      "terminate called|bad_alloc")
# The warning that a result is padded, which no case expects.
BOUNDED = "the size of the output depends on data"


class Case:
    """A test with its inputs and outputs as lists: arrays, lists of arrays, or None."""

    def __init__(self, case):
        def plain(value):
            if isinstance(value, (list, tuple)):
                return [plain(element) for element in value]
            if isinstance(value, onnx.TensorProto):
                return numpy_helper.to_array(value)
            return None if value is None else np.asarray(value)

        self.name, self.rtol, self.atol = case.name, case.rtol, case.atol
        if case.model is None:
            folder = pathlib.Path(case.model_dir)
            self.model = onnx.load(folder / "model.onnx")
            self.sets = [[[read(value, path) for value, path in zip(values, files(data, kind))]
                          for kind, values in (("input", self.model.graph.input), ("output", self.model.graph.output))]
                         for data in sorted(folder.glob("test_data_set_*"))]
        else:
            self.model = case.model
            self.sets = [[[plain(value) for value in values] for values in data] for data in case.data_sets]

    def parameters(self):
        """The inputs that are made constant: scalars, and all vectors but a first input."""
        return {value.name: array for i, (value, array) in enumerate(zip(self.model.graph.input, self.sets[0][0]))
                if isinstance(array, np.ndarray) and array.ndim < (2 if i else 1)}

    def compiled(self, constants):
        """The model to compile; with `constants`, its parameters are initializers."""
        if not constants:
            return self.model
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        inputs, parameters = list(model.graph.input), self.parameters()
        del model.graph.input[:]
        model.graph.input.extend(value for value in inputs if value.name not in parameters)
        model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in parameters.items())
        return model

    def check(self, device, entry):
        """Runs all data sets; AssertionError by the rules of onnx's own runner."""
        for inputs, expected in self.sets:
            given = dict(zip((value.name for value in self.model.graph.input), inputs))
            if other := [name for name in entry.inputs if not isinstance(given[name], np.ndarray)]:
                raise ValueError(f"expected a tensor as input '{other[0]}', found none")
            found = device.run(entry, {name: given[name] for name in entry.inputs})
            found = [as_type_of(wanted, found[value.name]) for value, wanted in zip(self.model.graph.output, expected)]
            assert None not in map(type, found) and len(found) == len(expected)
            Runner.assert_similar_outputs(expected, found, self.rtol, self.atol)


def ops_of(case):
    """The ops of a test's graph; what kind of model it is where the graph is in a file."""
    return tuple(sorted({node.op_type for node in case.model.graph.node})) if case.model else case.kind


def files(folder, kind):
    return sorted(folder.glob(f"{kind}_*.pb"), key=lambda path: int(path.stem.split("_")[1]))


def read(value, path):
    if value.type.WhichOneof("value") != "tensor_type":
        return None
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(tensor)


def as_type_of(expected, array):
    """Types that NumPy does not have are bits of the same size."""
    if isinstance(expected, np.ndarray) and array.dtype != expected.dtype and expected.dtype.isbuiltin != 1 \
            and array.dtype.itemsize == expected.dtype.itemsize:
        return array.view(expected.dtype)
    return array


def collect(folder):
    """onnx's objects of all cases, by name. To make those of nodes takes ten seconds; they are kept in the folder."""
    kept = folder / f"onnx-cases-{onnx.__version__}.pickle"
    if kept.exists():
        nodes = pickle.loads(kept.read_bytes())
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The cases' own arithmetic on infinities.
            nodes = load_model_tests(kind="node")
        part = kept.with_name(f"{kept.name}.{os.getpid()}")
        part.write_bytes(pickle.dumps(nodes))
        part.replace(kept)
    return sorted([*nodes, *(case for kind in SMALL_MODELS for case in load_model_tests(kind=kind))],
                  key=lambda case: case.name)


def verdicts(tools, cases, constants, folder):
    """{name: "" or what is wrong} of cases that are one bundle if they compile."""
    if not cases:
        return {}
    folder.mkdir()
    names, found = [case.name for case in cases], {}
    for case in cases:
        onnx.save(case.compiled(constants), folder / f"{case.name}.onnx")
    bundle = folder / "model.ttcb"
    done = tools.compile(*[folder / f"{names[0]}.onnx", bundle], *[folder / f"{name}.onnx" for name in names[1:]],
                         "--queues=1", f"--entry={','.join(names)}", check=False)
    refused = done.returncode != 0 or BOUNDED in done.stderr
    if refused and len(cases) > 1:
        half = len(cases) // 2
        return verdicts(tools, cases[:half], constants, folder / "a") | verdicts(tools, cases[half:], constants, folder / "b")
    if refused:
        crashed = done.returncode not in (0, 1) or INTERNAL.search(done.stderr)
        return {names[0]: f"{'internal error' if crashed else 'rejected'}: {reason(done.stderr)}"}
    with tools.open(bundle) as opened, opened.device(cores=2) as device:
        for case in cases:
            try:
                case.check(device, opened.entries[case.name])
                found[case.name] = ""
            except AssertionError as error:
                found[case.name] = f"wrong: {reason(' '.join(str(error).split()))}"
            except ValueError as error:
                found[case.name] = f"rejected: {reason(str(error))}"
            except RuntimeError as error:
                found[case.name] = f"internal error: {reason(str(error))}"
    return found


def reason(message):
    """The first error of a message, without what differs from case to case: names, sizes, paths."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    message = next((line for line in lines if "error:" in line), lines[-1] if lines else "no message")
    message = re.sub(r"^.*?error: ", "", message)
    message = re.sub(r"^.*?: (?=expected )", "", message)  # A node's name.
    message = re.sub(r" \(--[^)]*\)", "", message)  # Options that would help.
    message = re.sub(r" \(of \w+ node '[^']*'\)", "", message)
    message = re.sub(r"'[^']*'", "'...'", message)
    message = re.sub(r"\[[^\]]*\]", "[...]", message)
    message = re.sub(r"-?\b\d+(\.\d+)?(e[-+]?\d+)?\b", "N", message)
    return message[:160].replace("|", "\\|").strip()


def listed():
    """The page: (onnx's version, {name: why it does not pass as written}, {name: ... with constants})."""
    text = PAGE.read_text()
    tables = []
    for title in (AS_WRITTEN, CONSTANTS):
        rows = re.findall(r"^\| \d+ \| (.*) \| (.*) \|$", text.split(f"## {title}\n")[1].split("\n## ")[0], re.MULTILINE)
        tables.append({name: why for why, names in rows for name in names.split(", ")})
    return re.search(r"^onnx (\S+) has", text, re.MULTILINE).group(1), *tables


def page(number, *tables):
    kinds = ("rejected", "wrong", "internal error")
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->",
             "<!-- Generated (TTC_UPDATE_DOCS=1, test/conformance/test_node_cases.py); do not edit. -->",
             "# ONNX's own tests", "",
             f"onnx {onnx.__version__} has {number:,} tests of single nodes and small models. Each is compiled and run, first as it is",
             "written, with all inputs given at run time. If that does not pass, its parameters are made constant: scalars, and",
             "vectors that are not the first input, such as axes, shapes and trip counts. [onnx-ops.md](onnx-ops.md) lists the",
             "supported ops.",
             "", "| | as written | with constants |", "|---|---|---|"]
    counts = [collections.Counter(why.split(":")[0] for why in table.values()) for table in tables]
    lines.append("| pass | " + " | ".join(f"{number - count.total():,}" for count in counts) + " |")
    lines += [f"| {kind} | " + " | ".join(f"{count[kind]:,}" for count in counts) + " |" for kind in kinds]
    for title, table in zip((AS_WRITTEN, CONSTANTS), tables):
        groups = collections.defaultdict(list)
        for name, why in sorted(table.items()):
            groups[why].append(name)
        lines += ["", f"## {title}", "", "| tests | reason | names |", "|---|---|---|"]
        lines += [f"| {len(names)} | {why} | {', '.join(names)} |"
                  for why, names in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))]
    return "\n".join(lines) + "\n"
