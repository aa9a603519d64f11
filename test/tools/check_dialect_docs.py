# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what every op of the dialect must have, from its ODS definition.

check_dialect_docs.py <source root>      with the tools of LLVM and ttc in the PATH

- a summary, and a description with an example that holds the op;
- constraints that are numbered (C1), (C2), ... without a gap;
- for each of them a test that expects its diagnostic;
- examples of ops on tensors that ttc-opt accepts as they stand.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def read_ops(source):
    tool = shutil.which("llvm-tblgen")
    include = pathlib.Path(tool).resolve().parents[1] / "include"
    text = subprocess.run([tool, "--dump-json", f"-I{source}", f"-I{include}",
                           str(source / "dialects/Ttc/TtcOps.td")],
                          check=True, capture_output=True, text=True).stdout
    records = json.loads(text)
    names = records["!instanceof"]["Op"]
    return [op for op in (records[name] for name in names)
            if op["opDialect"]["def"] == "Ttc_Dialect"]


def split_types(text):
    """Splits at the commas that are not inside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<([") - (c in ">)]")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


def wrap_examples(description):
    """Functions around the statements `... : (operand types) -> result types` of an example."""
    functions = []
    for block in re.findall(r"```mlir\n(.*?)```", description, re.S):
        for statement in re.split(r"\n(?=\s*%)", block.rstrip()):
            types = re.search(r":\s*\(([^()]*)\)\s*->", statement)
            # Neither statements with symbols, which need the symbol, nor with regions.
            if not types or "@" in statement or "{\n" in statement:
                continue
            body = statement.split("=", 1)[1]
            operands = re.findall(r"%\w+", body)
            arguments = dict(zip(operands, split_types(types.group(1))))
            signature = ", ".join(f"{name}: {kind}" for name, kind in arguments.items())
            functions.append(f"func.func @example{len(functions)}({signature}) {{\n"
                             f"{statement}\nreturn\n}}\n")
    return functions


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    args = parser.parse_args()
    ops = read_ops(args.source)
    tests = "\n".join(path.read_text() for path in
                      sorted((args.source / "test").rglob("*.mlir")))
    problems, examples = [], []

    for op in ops:
        name = f"ttc.{op['opName']}"
        description = op["description"]
        if not op["summary"].strip():
            problems.append(f"{name}: expected a summary, found none")
        blocks = re.findall(r"```mlir\n(.*?)```", description, re.S)
        if not any(re.search(rf"\b{re.escape(name)}\b", block) for block in blocks):
            problems.append(f"{name}: expected a description with an example of it")
        numbers = [int(n) for n in re.findall(r"^\s*- \(C(\d+)\)", description, re.M)]
        if numbers != list(range(1, len(numbers) + 1)):
            problems.append(f"{name}: expected constraints numbered from 1 on, found {numbers}")
        for number in numbers:
            if not re.search(rf"expected-error.*'{re.escape(name)}' op \(C{number}\)", tests):
                problems.append(f"{name}: expected a test of the diagnostic of (C{number})")
        # Ops of levels 2 to 4 number them in a list; their tests say which one they are about.
        constraints = description.partition("Constraints:")[2]
        for number in re.findall(r"^\s*(\d+)\. ", constraints, re.M):
            if not re.search(rf"^\s*// {re.escape(op['opName'])}, constraint {number}$", tests, re.M):
                problems.append(f"{name}: expected a test of constraint {number}: a comment "
                                f"'// {op['opName']}, constraint {number}' over its diagnostic")
        for function in wrap_examples(description):
            examples.append((name, function))

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "examples.mlir"
        path.write_text("\n// -----\n".join(function for _, function in examples))
        result = subprocess.run(["ttc-opt", "-split-input-file", str(path), "-o", "/dev/null"],
                                capture_output=True, text=True)
        if result.returncode:
            problems.append("expected examples that ttc-opt accepts, found\n" + result.stderr)

    for problem in problems:
        print(problem)
    if not ops or not examples:
        problems.append("expected ops with examples")
    print(f"{len(ops)} ops, {len(examples)} examples parsed, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
