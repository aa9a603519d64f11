# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a test's parameters is for the gate, and what for the nightly run."""
import pytest


def nightly(values):
    """Values of a parameter that are for the nightly run only."""
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


def pairs(many, few, always=()):
    """Values of two parameters: each of `many` with those of `always` and with one of `few` in turn, nightly with all."""
    return [pytest.param(one, other, marks=[] if other in always or i % len(few) == j else pytest.mark.nightly)
            for i, one in enumerate(many) for j, other in [*enumerate(few), *((-1, value) for value in always)]]
