# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler computes of constants and what a program computes of inputs have the same bits, NaN's payload aside:
every elementwise op on every element type, for extreme, usual and random numbers."""
import os
import re

import numpy as np
import pytest

import op_cases_bitwise
import op_cases_elementwise
import op_cases_narrow
from op_programs import BF16, ELEMENTS, Case, Programs, Tensor
from test_lanes import CPUS, WIDEST

COUNT = 1600
STEP = 1 << 12  # between the seeds of operands
QUANTIZATION = [("quantize {}", (element, element, narrow), narrow) for element in ("f32", "f16") for narrow in ("i8", "ui8")] + [
    ("dequantize {}", (narrow, element, narrow), element) for element in ("f32", "f16") for narrow in ("i8", "ui8")]
SPECIAL = [0.0, 1.0, 0.5, 1.5, 2.0, 3.0, 2.5, 1e-3, 0.9999999, 1.0000001, 4.0, 7.9, 22.0, 56.0, 87.0, 88.7, 89.5, 103.9,
           127.5, 150.0, 255.5, 709.7, 745.2, 1e4, 65519.9, 1e6, 2.0**31, 8.4e8, 2.0**32, 1e10, 2.0**63, 2.0**64, 1e300,
           1e-8, 1e-20, 1e-40, 1e-45, 1e-310, 5e-324, 3.4e38, 1.7976931348623157e308, np.inf, np.nan]  # fmt: skip


def operand(element, seed):
    random = np.random.default_rng(seed)
    dtype = ELEMENTS[element][0]
    if element == "i1":
        return Tensor(element, random.integers(0, 2, COUNT))
    bits = random.integers(0, 256, (COUNT, np.dtype(dtype).itemsize), np.uint8).view(dtype).ravel()
    with np.errstate(all="ignore"):
        if np.dtype(ELEMENTS[element][1]).kind == "f":
            bits = BF16.unpack(bits) if element == "bf16" else bits
            usual = np.concatenate([random.standard_normal(400), random.uniform(-1, 1, 200), random.uniform(-110, 110, 200)])
            quarters = random.integers(-10**6, 10**6, 100) * (np.pi / 2)
            special = random.permutation(np.concatenate([SPECIAL, np.negative(SPECIAL)] * 3))
            values = np.concatenate([special.astype(np.float64), usual, quarters]).astype(ELEMENTS[element][1])
        else:
            limits = np.iinfo(dtype)
            values = np.concatenate([random.choice([0, 1, limits.min, limits.max, limits.max - 1], 300).astype(dtype),
                                     random.integers(0, 70, 300).astype(dtype), -random.integers(0, 70, 300).astype(dtype)])
        values = random.permutation(np.concatenate([values, bits[len(values):]]))
        # Every pair of these, as second and as first operand.
        ends = [0, -0.0, 1, -1, *([np.inf, np.nan] if values.dtype.kind == "f" else [])]
        pairs = [(a, b) for a in ends for b in ends]
        values[:len(pairs)] = np.array([pair[seed // STEP % 2] for pair in pairs]).astype(values.dtype)
        return Tensor(element, values)


def find_cases():
    """One for each op, with its attributes, and element types."""
    found = dict.fromkeys((case.op, tuple(t.element for t in case.inputs), case.outputs[0].element)
                          for module in (op_cases_elementwise, op_cases_bitwise, op_cases_narrow) for case in module.cases())
    # Types whose code is that of another width.
    repeated = set() if os.environ.get("TTC_NIGHTLY") else {"i16", "ui16", "ui32"}
    for number, (op, inputs, output) in enumerate([*found, *QUANTIZATION]):
        if repeated & {*inputs, output}:
            continue
        operands = [operand(element, number + STEP * i) for i, element in enumerate(inputs)]
        yield Case(f"f{number}", op, operands, [Tensor(output, np.zeros(COUNT))])


CASES = list(find_cases())


def constant(tensor):
    if tensor.element == "i1":
        return f"dense<[{', '.join('true' if x else 'false' for x in tensor.value)}]>"
    return f'dense<"0x{tensor.bytes.hex()}">'


def fold(tools, folder, cases):
    """{name: raw bytes} of what the compiler computes; bools as bytes."""
    text = ""
    for case in cases:
        operands = ", ".join(f"%a{i}" for i in range(len(case.inputs)))
        types = ", ".join(t.type for t in case.inputs)
        output = case.outputs[0].type
        text += f"func.func @{case.name}() -> {output.replace('i1>', 'ui8>')} {{\n"
        for i, tensor in enumerate(case.inputs):
            text += f"  %a{i} = ttc.constant {constant(tensor)} : {tensor.type}\n"
        text += f"  %r = ttc.{case.op.replace('{}', operands, 1)} : ({types}) -> {output}\n"
        if case.outputs[0].element == "i1":
            text += f"  %s = ttc.cast %r : ({output}) -> {output.replace('i1>', 'ui8>')}\n"
            text += f"  return %s : {output.replace('i1>', 'ui8>')}\n}}\n"
        else:
            text += f"  return %r : {output}\n}}\n"
    (folder / "constants.mlir").write_text(text)
    tools.run("ttc-opt", "--ttc-fold-constants", "--mlir-print-elementsattrs-with-hex-if-larger=1", folder / "constants.mlir",
              "-o", folder / "folded.mlir")
    folded = (folder / "folded.mlir").read_text()
    resources = {name: bytes.fromhex(blob)[4:] for name, blob in re.findall(r'(\w+): "0x([0-9A-F]+)"', folded)}
    found = {}
    for name, body in re.findall(r"func\.func @(\w+)\(\)(.*?)\n  }", folded, re.S):
        assert body.count(" = ttc.") == 1, f"{name} is not folded: {body}"
        hexadecimal, resource = re.search(r'ttc\.constant (?:dense<"0x([0-9A-F]+)">|dense_resource<(\w+)>)', body).groups()
        found[name] = bytes.fromhex(hexadecimal) if hexadecimal else resources[resource]
    return found


def same_bits(tensor, folded, computed):
    """Whether equal, where all NaN are."""
    dtype = ELEMENTS[tensor.element][0]
    a, b = (np.frombuffer(data, np.uint8 if tensor.element == "i1" else dtype) for data in (folded, computed))
    if np.dtype(ELEMENTS[tensor.element][1]).kind != "f":
        return a == b
    numbers = [BF16.unpack(x) if tensor.element == "bf16" else x for x in (a, b)]
    bits = f"u{dtype().itemsize}"
    return (a.view(bits) == b.view(bits)) | (np.isnan(numbers[0]) & np.isnan(numbers[1]))


@pytest.fixture(scope="module")
def folded(tools, tmp_path_factory):
    return fold(tools, tmp_path_factory.mktemp("folded"), CASES)


@pytest.mark.parametrize("cpu", [cpu for cpu in CPUS if cpu <= WIDEST])
def test_same_bits(tools, folded, tmp_path, cpu):
    assert folded.keys() == {case.name for case in CASES}
    programs = Programs(tools, tmp_path, CASES, cpu)
    wrong = []
    for case in CASES:
        tensor, computed = case.outputs[0], programs.run(case)[0]
        if tensor.element == "bf16":
            computed = BF16.pack(computed)
        same = same_bits(tensor, folded[case.name], computed.tobytes())
        if not same.all():
            at = int(np.argmin(same))
            value = np.frombuffer(folded[case.name], ELEMENTS[tensor.element][0])[at]
            operands = ", ".join(f"{t.value[at]!r} ({t.element})" for t in case.inputs)
            wrong.append(f"{case.op} of {operands}: {value!r} folded, {computed[at]!r} computed ({(~same).sum()} of {COUNT})")
    assert not wrong, "\n".join(wrong)
