# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a test's parameters is for the gate, and what for the nightly run."""
import os

import pytest

NIGHTLY = bool(os.environ.get("TTC_NIGHTLY"))
STEPS = [1, 3, 5, 7, 11, 13, 17, 19, 23, 29, 37, 53, 71, 101, 211, 499, 997]  # odd, so none divides by a vector's length

def nightly(values):
    """Values of a parameter that are for the nightly run only."""
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


def nightly_rows(rows):
    """The same for values of several parameters."""
    return [pytest.param(*row, marks=pytest.mark.nightly) for row in rows]


def of_each(values, kind, step=3, always=lambda value: False):
    """In the gate, of each kind of values the first, the last and each `step`-th, which begin at another from kind to kind, and
    what is wanted `always`. All of them in the nightly run."""
    values, kinds = list(values), {}
    if NIGHTLY:
        return values
    for i, value in enumerate(values):
        kinds.setdefault(kind(value), []).append(i)
    kept = {i for number, places in enumerate(kinds.values())
            for i in (places[0], places[-1], *places[number % step::step])}
    return [value for i, value in enumerate(values) if i in kept or always(value)]


def thin(values, most):
    """In the gate, about `most` of a list's values: the first two and the last two, and others at equal distances, so that they
    have all remainders by a vector's length. All of them in the nightly run."""
    if NIGHTLY or len(values) <= most:
        return values
    step = next(step for step in STEPS if step * most >= len(values))
    return [value for i, value in enumerate(values) if i % step == 0 or i in (1, len(values) - 2, len(values) - 1)]


def pairs(many, few, always=()):
    """Values of two parameters: each of `many` with those of `always` and with one of `few` in turn, nightly with all."""
    return [pytest.param(one, other, marks=[] if other in always or i % len(few) == j else pytest.mark.nightly)
            for i, one in enumerate(many) for j, other in [*enumerate(few), *((-1, value) for value in always)]]
