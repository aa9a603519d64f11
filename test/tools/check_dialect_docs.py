# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what every op of the dialect must have, from its ODS definition.

check_dialect_docs.py <source root>      with the tools of LLVM and ttc in the PATH

- a summary, and a description with an example that holds the op;
- constraints that are numbered (C1), (C2), ... without a gap, also those of attributes;
- for each of them a test that expects the diagnostic that cites it. One that ODS checks is marked
  "(checked by ODS)" and tested under a comment `// name (Cn)`;
- no diagnostic that cites a constraint which the op does not have, nor one that cites none.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from variants import expand


def read_ops(source):
    tool = shutil.which("llvm-tblgen")
    include = pathlib.Path(tool).resolve().parents[1] / "include"
    text = subprocess.run([tool, "--dump-json", f"-I{source}", f"-I{include}",
                           str(source / "dialects/Ttc/TtcOps.td")],
                          check=True, capture_output=True, text=True).stdout
    records = json.loads(text)

    def select(kind, dialect):
        return [records[name] for name in records["!instanceof"][kind]
                if records[name][dialect]["def"] == "Ttc_Dialect"]

    return select("Op", "opDialect"), select("AttrDef", "dialect")


# A function that a class of the dialect defines, up to its closing brace.
METHOD = re.compile(r"^[^\n/#]*?\b(\w+?)::\w+\((?:[^;{]|\n)*?\{\n.*?^\}", re.M | re.S)
# Serialization reports what bundles cannot hold, which is no constraint of the ops.
UNNUMBERED = ("StepSerialization", "CommandSerialization")


def check_citations(source, numbers_of):
    """numbers_of: from a C++ class to its constraints. Yields what is wrong in the sources."""
    cited = 0
    for path in sorted((source / "dialects/Ttc").rglob("*.cpp")):
        if path.name.startswith(UNNUMBERED):
            continue
        text = path.read_text()
        for method in METHOD.finditer(text):
            if method[1] not in numbers_of:
                continue
            for number in re.findall(r'"\(?C(\d+)\b', method[0]):
                cited += 1
                if int(number) not in numbers_of[method[1]]:
                    yield f"{path.name}: expected a constraint of {method[1]}, found (C{number})"
            for literal in re.findall(r'emit(?:Op)?Error\([^;]*?"(expected [^"]*)"', method[0]):
                yield f"{path.name}: expected a diagnostic that cites a constraint, found \"{literal}\""
    if cited < 140:
        yield f"expected at least 140 citations of constraints, found {cited}"


def read_test(path):
    """The test's text, and the variants that it asks for."""
    text = path.read_text()
    return text + "\n".join(line for module in expand(text) for line in module)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    args = parser.parse_args()
    ops, attributes = read_ops(args.source)
    tests = "\n".join(read_test(path) for path in
                      sorted((args.source / "test").rglob("*.mlir")))
    attribute_tests = "\n".join(read_test(path) for folder in ("Attributes", "KernelOps") for path in
                                sorted((args.source / "test/Dialect/Ttc" / folder).glob("*.mlir")))
    problems, constraints, numbers_of = [], 0, {}

    for op in ops:
        name = f"ttc.{op['opName']}"
        description = op["description"]
        if not op["summary"].strip():
            problems.append(f"{name}: expected a summary, found none")
        blocks = re.findall(r"```mlir\n(.*?)```", description, re.S)
        if not any(re.search(rf"\b{re.escape(name)}\b", block) for block in blocks):
            problems.append(f"{name}: expected a description with an example of it")

    for definition in ops + attributes:
        is_op = "opName" in definition
        name = f"ttc.{definition['opName']}" if is_op else definition["mnemonic"]
        description = definition["description"]
        marked = re.findall(r"^\s*- \(C(\d+)\)((?:.*\n)(?:      .*\n)*)", description, re.M)
        numbers = [int(number) for number, _ in marked]
        numbers_of[definition["!name"].removeprefix("Ttc_")] = numbers
        constraints += len(numbers)
        if numbers != list(range(1, len(numbers) + 1)):
            problems.append(f"{name}: expected constraints numbered from 1 on, found {numbers}")
        if ("Constraints:" in description) != bool(numbers):
            problems.append(f"{name}: expected constraints as '- (C1) ...' after 'Constraints:'")
        for number, text in marked:
            prefix = f"'{re.escape(name)}' op " if is_op else ""
            if "(checked by ODS)" in text:
                pattern = rf"^\s*// {re.escape(name.removeprefix('ttc.'))} \(C{number}\)$"
            else:
                pattern = rf"expected-error.*{prefix}\(C{number}\) expected"
            where = tests if is_op else attribute_tests
            if not re.search(pattern, where, re.M):
                problems.append(f"{name}: expected a test of the diagnostic of (C{number})")
    problems += check_citations(args.source, numbers_of)

    for problem in problems:
        print(problem)
    if not ops:
        problems.append("expected ops")
    print(f"{len(ops)} ops, {constraints} constraints, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
