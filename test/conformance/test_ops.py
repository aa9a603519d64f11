# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op on every element type against numpy, through code generation to machine code. In the gate, every op on f32 and some of
the other types."""
import os
import re

import pytest

from gate import nightly, of_each

import op_cases_bitwise
import op_cases_dense
import op_cases_elementwise
import op_cases_movement
import op_cases_narrow
import op_cases_recurrent
import op_cases_reduction
import op_cases_sequential
from op_programs import Programs, check

FAMILIES = {
    "elementwise": op_cases_elementwise,
    "bitwise": op_cases_bitwise,
    "dense": op_cases_dense,
    "reduction": op_cases_reduction,
    "movement": op_cases_movement,
    "narrow": op_cases_narrow,
    "sequential": op_cases_sequential,
    "recurrent": op_cases_recurrent,
}
CASES = {f"{family}/{c.name}": (family, c) for family, module in FAMILIES.items() for c in module.cases()}
# Types whose code is that of another width; what only moves elements has one code for all types of a width.
REPEATED = {family: {"i16", "ui16", "ui32"} for family in FAMILIES}
REPEATED["movement"] |= {"ui8", "ui64", "bf16", "f64"}


def elements(case):
    return {tensor.element for tensor in case.inputs + case.outputs}


GATE = dict(of_each(((name, (family, case)) for name, (family, case) in CASES.items() if not elements(case) & REPEATED[family]),
                    lambda item: (item[1][0], item[1][1].op.split()[0]), step=5, always=lambda item: elements(item[1][1]) == {"f32"}))


@pytest.fixture(scope="module")
def compiled(tools, tmp_path_factory):
    """The programs of a family, all in one module and shared object."""
    known = {}

    def get(family):
        if family not in known:
            cases = [c for f, c in (CASES if os.environ.get("TTC_NIGHTLY") else GATE).values() if f == family]
            known[family] = Programs(tools, tmp_path_factory.mktemp(family), cases)
        return known[family]

    return get


@pytest.mark.parametrize("name", [*GATE, *nightly(name for name in CASES if name not in GATE)])
def test_op(compiled, name):
    family, case = CASES[name]
    check(compiled(family), case)


def test_every_op_has_cases(root):
    """The ops on tensors, as their definitions name them."""
    families = ("Elementwise", "Bitwise", "Convolution", "Reduction", "Normalization", "DataMovement", "NarrowType",
                "Sequential", "Recurrent")
    text = "".join((root / f"dialects/Ttc/Tensors/{family}Ops.td").read_text() for family in families)
    ops = set(re.findall(r'^def Ttc_\w+Op\s*:\s*\w+<\s*"(\w+)"', text, re.MULTILINE)) - {"constant"}
    tested = {case.op.split()[0] for _, case in GATE.values()}
    assert len(ops) > 60 and ops - tested == set() and tested - ops == set()
