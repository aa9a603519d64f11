#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Count how many of ONNX's own tests of single nodes pass.

Every case is compiled and run twice. First as it is written, with all inputs given at run time. If
that does not pass, again with its parameters made constant: they become initializers. Which of the
inputs are parameters, nothing in a case says. So these choices are tried in turn until one passes:

  rest     every input except the first
  small    every input that is a scalar, or a vector of integers or booleans (axes, shapes, pads,
           conditions, trip counts)

Verdicts: `pass`; `rejected`, with a message that explains it; `wrong` (values, shape or type);
`internal error` (a message that says so, a signal, a bundle that does not run); `hang`.
Values are compared by the rules and tolerances of onnx's own runner. A case is a process of its own
with limits of time and memory. With --against=onnxruntime, the same is counted for ONNX Runtime.
"""
import argparse
import collections
import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.runner import Runner

import common

PARAMETERS = ("none", "rest", "small")  # `none`: as written.
VERDICTS = ("pass", "rejected", "wrong", "internal error", "hang")
INTERNAL = re.compile("internal compiler error|internal error|Assertion|LLVM ERROR|Stack dump|Sanitizer|"
                      "runtime error:|terminate called|bad_alloc")
# A part of the warning that a result is padded, which no case expects.
BOUNDED = "the size of the output depends on data"


class Refused(Exception):
    """The engine says that it does not support the model."""


class Broken(Exception):
    """The engine failed in a way that is its own fault."""


class Case:
    """A test case with its inputs and outputs as lists: arrays, lists of arrays, or None."""

    def __init__(self, case):
        def plain(value):
            if isinstance(value, (list, tuple)):
                return [plain(element) for element in value]
            if isinstance(value, onnx.TensorProto):
                return numpy_helper.to_array(value)
            return None if value is None else np.asarray(value)

        self.name, self.model, self.rtol, self.atol = case.name, case.model, case.rtol, case.atol
        self.sets = [tuple([plain(value) for value in values] for values in data)
                     for data in case.data_sets]

    def parameters(self, choice):
        """Indices of the inputs that are made constant, by their names in the text above."""
        values = self.sets[0][0]
        tensors = [i for i, value in enumerate(values) if isinstance(value, np.ndarray)]
        if choice == "rest":
            return [i for i in tensors if i > 0]
        if choice == "small":
            return [i for i in tensors if values[i].ndim == 0
                    or values[i].ndim == 1 and values[i].dtype.kind in "biu"]
        return []

    def with_constants(self, indices):
        """The model; these inputs are initializers with the values of the first data set."""
        if not indices:
            return self.model
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        inputs = list(model.graph.input)
        del model.graph.input[:]
        for i, value in enumerate(inputs):
            if i in indices:
                model.graph.initializer.append(
                    numpy_helper.from_array(self.sets[0][0][i], value.name))
            else:
                model.graph.input.append(value)
        return model

    def compare(self, expected, actual):
        """Raises AssertionError like onnx's own runner."""
        def arrays(value):
            return [arrays(v) for v in value] if isinstance(value, (list, tuple)) else np.asarray(value)

        def kind(value):
            return "nothing" if value is None else "sequence" if isinstance(value, (list, tuple)) \
                else "tensor"

        # The runner reads .shape of each value; an optional without a value has none.
        for e, a in zip(expected, actual):
            assert kind(e) == kind(a), f"expected a {kind(e)}, found a {kind(a)}"
        pairs = [(e, a) for e, a in zip(expected, actual) if e is not None]
        Runner.assert_similar_outputs([arrays(e) for e, _ in pairs], [arrays(a) for _, a in pairs],
                                      rtol=self.rtol, atol=self.atol)


class Ttc:
    """ttc-translate and ttrun, a process each."""

    name = "ttc"

    def __init__(self, arguments):
        self.bin = arguments.build / "bin"
        self.limit = arguments.memory << 20

    def run(self, case, model, indices, folder):
        """Lists of outputs, one for each data set."""
        onnx.save(model, folder / "model.onnx")
        warned = self._call(Refused, "ttc-translate", "--onnx-to-bundle", "--queues=1",
                            folder / "model.onnx", "-o", folder / "model.ttcb")
        if BOUNDED in warned:
            raise Refused("the result has a bound instead of a size, as the compiler warns")
        return [self._outputs(case, inputs, expected, indices, folder)
                for inputs, expected in case.sets]

    def _outputs(self, case, inputs, expected, indices, folder):
        arguments, files = [], []
        for i, value in enumerate(inputs):
            if i in indices:
                continue
            if not isinstance(value, np.ndarray):
                raise Refused(f"input {case.model.graph.input[i].name} is not a tensor")
            np.save(folder / f"input{i}.npy", value)
            arguments.append(f"--input={case.model.graph.input[i].name}={folder}/input{i}.npy")
        for i, value in enumerate(case.model.graph.output):
            files.append(folder / f"output{i}.npy")
            arguments.append(f"--output={value.name}={files[-1]}")
        self._call(Broken, "ttrun", "run", folder / "model.ttcb", "--cores=1", *arguments)
        return [as_type_of(value, np.load(file)) for file, value in zip(files, expected)]

    def _call(self, error, tool, *arguments):
        done = subprocess.run([str(self.bin / tool), *map(str, arguments)], capture_output=True,
                              text=True, errors="replace",
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA,
                                                                    (self.limit, self.limit)))
        if done.returncode == 0:
            return done.stderr
        if done.returncode < 0:
            raise Broken(f"{tool}: {signal.Signals(-done.returncode).name}: {first_line(done.stderr)}")
        if done.returncode != 1 or INTERNAL.search(done.stderr):
            raise Broken(f"{tool}: exit status {done.returncode}: {first_line(done.stderr)}")
        raise error(first_line(done.stderr))


class OnnxRuntime:
    """A session in the process of the case."""

    name = "onnxruntime"

    def __init__(self, arguments):
        import onnxruntime

        self.module, self.limit = onnxruntime, arguments.memory << 20
        onnxruntime.set_default_logger_severity(4)

    def run(self, case, model, indices, folder):
        resource.setrlimit(resource.RLIMIT_DATA, (self.limit, self.limit))
        options = self.module.SessionOptions()
        options.intra_op_num_threads = 1
        try:
            session = self.module.InferenceSession(model.SerializeToString(), options,
                                                   providers=["CPUExecutionProvider"])
            return [self._outputs(session, case, inputs, expected, indices)
                    for inputs, expected in case.sets]
        except Exception as error:
            raise Refused(first_line(str(error))) from None

    def _outputs(self, session, case, inputs, expected, indices):
        given = {}
        for i, (value, info) in enumerate(zip(inputs, case.model.graph.input)):
            if i in indices:
                continue
            if isinstance(value, np.ndarray) and value.dtype != object:
                value = self.module.OrtValue.ortvalue_from_numpy_with_onnx_type(
                    np.ascontiguousarray(value), info.type.tensor_type.elem_type)
            given[info.name] = value
        if not all(isinstance(value, self.module.OrtValue) for value in given.values()):
            values = session.run(None, {name: value.numpy() if hasattr(value, "numpy") else value
                                        for name, value in given.items()})
        elif all(isinstance(e, np.ndarray) and e.dtype.isbuiltin == 1 for e in expected):
            values = [value.numpy() for value in session.run_with_ort_values(None, given)]
        else:
            values = self._bound(session, case, given, expected)
        return [as_type_of(e, v) for e, v in zip(expected, values)]

    def _bound(self, session, case, given, expected):
        """ONNX Runtime does not return types that NumPy lacks, but writes them into our memory."""
        binding = session.io_binding()
        for name, value in given.items():
            binding.bind_ortvalue_input(name, value)
        values = [np.zeros_like(value) for value in expected]
        for value, info in zip(values, case.model.graph.output):
            binding.bind_ortvalue_output(
                info.name, self.module.OrtValue.ortvalue_from_numpy_with_onnx_type(
                    value, info.type.tensor_type.elem_type))
        session.run_with_iobinding(binding)
        return values


def as_type_of(expected, array):
    """Types that NumPy does not have are read as integers or bytes of the same size."""
    if isinstance(expected, np.ndarray) and isinstance(array, np.ndarray) \
            and array.dtype != expected.dtype and array.dtype.itemsize == expected.dtype.itemsize \
            and array.dtype.kind in "iuV" and expected.dtype.isbuiltin != 1:
        return array.view(expected.dtype)
    return array


def first_line(text):
    """The first error of a message; without any, its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[-1] if lines else "no message")


def judge(engine, case, choice, folder):
    """(verdict, message) of a case."""
    indices = case.parameters(choice)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = engine.run(case, case.with_constants(indices), indices, folder)
            for (_, expected), actual in zip(case.sets, results):
                case.compare(expected, actual)
    except Refused as error:
        return "rejected", str(error)
    except Broken as error:
        return "internal error", str(error)
    except AssertionError as error:
        return "wrong", " ".join(str(error).split())
    return "pass", ""


def in_child(engine, case, choice, root, connection):
    os.setsid()
    with tempfile.TemporaryDirectory(dir=root) as folder:
        connection.send(judge(engine, case, choice, pathlib.Path(folder)))


def run_all(engine, tasks, arguments):
    """[(case, choice)] -> {(name, choice): (verdict, message)}, each in a process, several at once."""
    # Also removes the files of a process that is killed.
    with tempfile.TemporaryDirectory(prefix="ttc-conformance-") as root:
        return run_in(root, engine, tasks, arguments)


def run_in(root, engine, tasks, arguments):
    context = multiprocessing.get_context("fork")
    waiting, running, results = list(reversed(tasks)), {}, {}
    shown = time.monotonic()
    while waiting or running:
        while waiting and len(running) < arguments.jobs:
            case, choice = waiting.pop()
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=in_child, args=(engine, case, choice, root, sender))
            process.start()
            sender.close()
            running[receiver] = (process, (case.name, choice), time.monotonic() + arguments.timeout)
        next_deadline = min(deadline for _, _, deadline in running.values())
        ready = multiprocessing.connection.wait(running, max(0, next_deadline - time.monotonic()))
        for receiver, (process, key, deadline) in list(running.items()):
            if receiver in ready:
                try:
                    results[key] = receiver.recv()
                except EOFError:
                    process.join()
                    results[key] = ("internal error", f"the process ended: {process.exitcode}")
            elif time.monotonic() >= deadline:
                results[key] = ("hang", f"more than {arguments.timeout} s")
                os.killpg(process.pid, signal.SIGKILL)
            else:
                continue
            process.join()
            receiver.close()
            del running[receiver]
        if time.monotonic() - shown > 20:
            shown = time.monotonic()
            print(f"  {engine.name}: {len(results)} of {len(tasks)}", file=sys.stderr, flush=True)
    return results


def run_engine(engine, cases, arguments):
    """[{name, verdict, message, constants: {...}}]: as written, and the best with parameters."""
    tasks = [(case, "none") for case in cases]
    results = run_all(engine, tasks, arguments)
    for choice in PARAMETERS[1:]:
        tasks = [(case, choice) for case in cases if case.parameters(choice) and
                 all(results.get((case.name, c), ("",))[0] != "pass" for c in PARAMETERS)]
        results.update(run_all(engine, tasks, arguments))
    rows = []
    for case in cases:
        tried = [(c, *results[case.name, c]) for c in PARAMETERS if (case.name, c) in results]
        passing = next((t for t in tried if t[1] == "pass"), None)
        # If nothing passes, what is worst says most: a wrong value before a rejection. Among equals,
        # the last one: with constants, messages no longer complain about inputs.
        best = passing or max(tried, key=lambda t: (VERDICTS.index(t[1]), PARAMETERS.index(t[0])))
        rows.append({"name": case.name, "verdict": tried[0][1], "message": tried[0][2],
                     "with_constants": best[1], "constants": best[0], "remaining": best[2]})
    return rows


def reason(message):
    """A message without what differs from case to case: names, sizes, paths."""
    message = re.sub(r"^.*?error: ", "", message)
    message = re.sub(r"^.*?: (?=expected )", "", message)  # A node's name.
    message = re.sub(r" \(of \w+ node '[^']*'\)", "", message)
    message = re.sub(r"'[^']*'", "'...'", message)
    message = re.sub(r"\[[^\]]*\]", "[...]", message)
    message = re.sub(r"-?\b\d+(\.\d+)?(e[-+]?\d+)?\b", "N", message)
    return message[:160]


def report(engine, rows, arguments):
    total = len(rows)
    written = collections.Counter(row["verdict"] for row in rows)
    constant = collections.Counter(row["with_constants"] for row in rows)
    print(f"\n{engine}: {total} cases")
    print(f"  {'':16}{'as written':>12}{'parameters constant':>22}")
    for verdict in VERDICTS:
        print(f"  {verdict:16}{written[verdict]:12}{constant[verdict]:22}")
    print("\nWhat remains with constants, by reason:")
    report_groups(rows, "with_constants", "remaining", arguments)
    print("\nWhat passes with constants only, by the reason against it as written:")
    report_groups([row for row in rows if row["with_constants"] == "pass"], "verdict", "message",
                  arguments)


def report_groups(rows, verdict, message, arguments):
    groups = collections.defaultdict(list)
    for row in rows:
        if row[verdict] != "pass":
            groups[row[verdict], reason(row[message])].append(row)
    for (verdict, why), members in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
        print(f"{len(members):5}  {verdict}: {why}")
        for row in members if arguments.names else ():
            print(f"         {row['name']}" + (f": {row[message]}" if arguments.messages else ""))


def write_page(rows, path):
    """docs/onnx-conformance.md: how many cases pass, and what remains, by reason."""
    written = collections.Counter(row["verdict"] for row in rows)
    constant = collections.Counter(row["with_constants"] for row in rows)
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->",
             "<!-- Generated by `benchmarks/conformance.py --page`; do not edit. -->",
             "# ONNX's tests of single nodes", "",
             f"onnx {onnx.__version__} has {len(rows):,} tests of single nodes. Each is compiled and run, first as it is written,",
             "with all inputs given at run time. If that does not pass, its parameters are made constant: axes, shapes,",
             "trip counts. [onnx-ops.md](onnx-ops.md) lists the supported ops.", "",
             "| | as written | with constants |", "|---|---|---|"]
    lines += [f"| {verdict} | {written[verdict]:,} | {constant[verdict]:,} |" for verdict in VERDICTS]
    for title, column, message, chosen in (
            ("What remains", "with_constants", "remaining", rows),
            ("What passes with constants only", "verdict", "message",
             [row for row in rows if row["with_constants"] == "pass"])):
        groups = collections.defaultdict(list)
        for row in chosen:
            if row[column] != "pass":
                groups[row[column], reason(row[message])].append(row["name"])
        lines += ["", f"## {title}", "", "| tests | reason | names |", "|---|---|---|"]
        for (verdict, why), names in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
            why = why.replace("|", "\\|")
            lines.append(f"| {len(names)} | {verdict}: {why} | {', '.join(sorted(names))} |")
    path.write_text("\n".join(lines) + "\n")


def collect(pattern):
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The cases' own arithmetic on infinities.
        cases = [case for case in collect_testcases(None) if re.search(pattern, case.name)]
    # Equal runs on any number of jobs: the cases are sorted.
    return sorted((Case(case) for case in cases), key=lambda case: case.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build")
    parser.add_argument("--against", choices=["onnxruntime"], help="count this engine, too")
    parser.add_argument("--filter", default="", help="only cases whose names match this expression")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--timeout", type=int, default=60, help="seconds for a case")
    parser.add_argument("--memory", type=int, default=4096, help="MiB for a process")
    parser.add_argument("--json", type=pathlib.Path, help="write every verdict to this file")
    parser.add_argument("--page", type=pathlib.Path, help="write ttc's results as a page of Markdown")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and exit")
    parser.add_argument("--names", action="store_true", help="name the cases of each reason")
    parser.add_argument("--messages", action="store_true", help="with --names: the messages, too")
    arguments = parser.parse_args()

    cases = collect(arguments.filter)
    if arguments.list:
        print("\n".join(case.name for case in cases))
        return
    print("\n".join(common.machine_facts(arguments.build)), f"\ncases     onnx {onnx.__version__}")
    everything = {}
    for engine in [Ttc] + ([OnnxRuntime] if arguments.against else []):
        start = time.monotonic()
        everything[engine.name] = run_engine(engine(arguments), cases, arguments)
        report(engine.name, everything[engine.name], arguments)
        print(f"\n{engine.name}: {time.monotonic() - start:.0f} s")
    if arguments.against:
        ours, theirs = everything.values()
        behind = [a["name"] for a, b in zip(ours, theirs)
                  if b["verdict"] == "pass" and a["with_constants"] != "pass"]
        print(f"\n{len(behind)} cases pass with {arguments.against} only")
        for name in behind if arguments.names else ():
            print(f"  {name}")
    if arguments.page:
        write_page(everything[Ttc.name], arguments.page)
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
