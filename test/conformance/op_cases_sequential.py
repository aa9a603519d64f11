# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that write where data says, or walk elements in order, against loops in numpy."""
import numpy as np

from op_cases_elementwise import FLOATS, NUMBERS, case, sample, wide
from op_programs import Tensor

ALL = NUMBERS + ("i1",)
REDUCTIONS = {
    "none": lambda old, new: new,
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
# Narrow floats are rounded at every step.
STEPS = {"f16": dict(rtol=1e-2, atol=1e-2), "bf16": dict(rtol=8e-2, atol=8e-2)}


def stepwise(name, op, inputs, expected, element):
    return case(name, op, inputs, [Tensor(element, expected)], **STEPS.get(element, {}))


def positions(shape, below, seed=0, outside=False):
    """Indices, some counted from the end, and with `outside` some out of range."""
    reach = below + (2 if outside else 0)
    return Tensor("i64", np.random.default_rng(seed).integers(-reach, reach, shape))


def inside(index, size):
    index = index + size if index < 0 else index
    return index if 0 <= index < size else None


def scatter_elements(data, indices, updates, axis, combine):
    y = data.copy()
    for at in np.ndindex(indices.shape):
        place = inside(int(indices[at]), data.shape[axis])
        if place is not None:
            to = at[:axis] + (place,) + at[axis + 1 :]
            y[to] = combine(y[to], updates[at])
    return y


def scatter_nd(data, indices, updates, combine):
    y = data.copy()
    depth = indices.shape[-1]
    for at in np.ndindex(indices.shape[:-1]):
        place = tuple(inside(int(i), n) for i, n in zip(indices[at], data.shape[:depth]))
        if None not in place:
            y[place] = combine(y[place], updates[at])
    return y


def scatter_cases():
    for element in ALL:
        for reduction, combine in REDUCTIONS.items():
            if element == "i1" and reduction != "none":
                continue
            text = "" if reduction == "none" else f" reduction {reduction}"
            data = sample(element, (4, 7, 3), 0, 3)
            at = positions((3, 9, 2), 7)
            new = sample(element, at.value.shape, 0, 3, seed=1)
            expected = scatter_elements(wide(data), at.value, wide(new), 1, combine)
            yield stepwise(f"scatter_elements_{reduction}_{element}", f"scatter_elements {{}}{text} {{axis = 1}}",
                           [data, at, new], expected, element)
            at = Tensor("i32", np.stack([positions((2, 5), 4).value, positions((2, 5), 7, 1).value], -1))
            new = sample(element, (2, 5, 3), 0, 3, seed=2)
            expected = scatter_nd(wide(data), at.value, wide(new), combine)
            yield stepwise(f"scatter_nd_{reduction}_{element}", f"scatter_nd {{}}{text}", [data, at, new], expected,
                           element)
    data, at = sample("f32", (6, 5)), positions((4, 5), 6, outside=True)
    new = sample("f32", (4, 5), seed=1)
    yield stepwise("scatter_elements_outside", "scatter_elements {} {axis = 0}", [data, at, new],
                   scatter_elements(data.value, at.value, new.value, 0, REDUCTIONS["none"]), "f32")
    at = positions((9, 1), 6, outside=True)
    new = sample("f32", (9, 5), seed=1)
    yield stepwise("scatter_nd_outside", "scatter_nd {} reduction add", [data, at, new],
                   scatter_nd(data.value, at.value, new.value, np.add), "f32")
    # Shared out over workgroups: parts of dimension 0, and parts across slices.
    data, at = sample("f32", (37, 3001)), positions((31, 50), 3001)
    new = sample("f32", (31, 50), seed=1)
    yield stepwise("scatter_elements_large", "scatter_elements {} {axis = 1}", [data, at, new],
                   scatter_elements(data.value, at.value, new.value, 1, REDUCTIONS["none"]), "f32")
    at = positions((40, 1), 37)
    new = sample("f32", (40, 3001), seed=1)
    yield stepwise("scatter_nd_large", "scatter_nd {} reduction max", [data, at, new],
                   scatter_nd(data.value, at.value, new.value, np.maximum), "f32")
    # NaN wins over numbers.
    data = Tensor("f32", [1.0, np.nan, 2.0, 3.0])
    at, new = Tensor("i64", [0, 1, 2, 3]), Tensor("f32", [np.nan, 1.0, 5.0, -1.0])
    for reduction in ("max", "min"):
        yield stepwise(f"scatter_elements_{reduction}_nan", f"scatter_elements {{}} reduction {reduction} {{axis = 0}}",
                       [data, at, new], REDUCTIONS[reduction](data.value, new.value), "f32")


def cumulative(x, axis, kind, exclusive, reverse):
    if reverse:
        x = np.flip(x, axis)
    y = getattr(np, f"cum{kind}")(x, axis)
    if exclusive:
        first = np.full_like(np.take(y, [0], axis), 1 if kind == "prod" else 0)
        y = np.concatenate([first, np.delete(y, -1, axis)], axis)
    return np.flip(y, axis) if reverse else y


def cumulative_cases():
    for element in NUMBERS:
        for kind in ("sum", "prod"):
            low, high = (0.5, 1.5) if kind == "prod" and element in FLOATS else (-2, 2)
            x = sample(element, (3, 8, 5), low, high)
            for flags in ("", ", exclusive", ", reverse", ", exclusive, reverse"):
                expected = cumulative(wide(x), 1, kind, "exclusive" in flags, "reverse" in flags)
                name = f"cumulative_{kind}{flags.replace(', ', '_')}_{element}"
                yield stepwise(name, f"cumulative {kind} {{}} {{axis = 1{flags}}}", [x], expected, element)
    for name, shape, axis in [("last", (5, 33), 1), ("first", (6, 70), 0), ("one", (1,), 0), ("large", (300, 700), 0)]:
        x = sample("i64", shape, -9, 9)
        yield case(f"cumulative_{name}", f"cumulative sum {{}} {{axis = {axis}}}", [x],
                   [Tensor("i64", np.cumsum(x.value, axis))])


def argsort(x, axis, count, largest):
    """Stable, also from the largest on: by negated ranks. NaN are equal, as are both zeros."""
    ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    return np.take(np.argsort(-ranks if largest else ranks, axis, kind="stable"), range(count), axis)


def argsort_cases():
    for element in ALL:
        x = sample(element, (4, 19, 3), -4, 4)
        if element in FLOATS:
            # Some equal, not finite, zeros of both signs.
            v = np.round(x.value.astype(np.float32))
            v[0, :6, 0] = [np.nan, np.inf, -0.0, 0.0, -np.inf, np.nan]
            x = Tensor(element, v)
        for count in (1, 5, 19):
            for largest in (False, True):
                flag = ", largest" if largest else ""
                yield case(f"argsort_{count}_{'largest' if largest else 'smallest'}_{element}",
                           f"argsort {{}} {{axis = 1, count = {count}{flag}}}", [x],
                           [Tensor("i64", argsort(x.value, 1, count, largest))])
    for name, shape, axis, count in [("row", (5000,), 0, 5000), ("rows", (64, 1000), 1, 10), ("columns", (1000, 64), 0, 7),
                                     ("one", (3, 1), 1, 1)]:
        x = sample("f32", shape)
        yield case(f"argsort_{name}", f"argsort {{}} {{axis = {axis}, count = {count}, largest}}", [x],
                   [Tensor("i64", argsort(x.value, axis, count, True))])
    x = Tensor("i64", [2**62, -(2**63), 2**63 - 1, 0, -1, 2**62 + 1])
    yield case("argsort_wide", "argsort {} {axis = 0, count = 6}", [x], [Tensor("i64", np.argsort(x.value))])


def suppress(boxes, scores, most, overlap, least, rows, center):
    chosen_rows = []
    for batch, group in np.ndindex(scores.shape[:2]):
        chosen = []
        for index in np.argsort(-scores[batch, group], kind="stable"):
            if len(chosen) >= most or not scores[batch, group, index] > least:
                break
            a, b = boxes[batch, index, :2].astype(np.float64), boxes[batch, index, 2:].astype(np.float64)
            low, high = (a - b / 2, a + b / 2) if center else (np.minimum(a, b), np.maximum(a, b))
            def share(other):
                sides = np.maximum(np.minimum(high, other[1]) - np.maximum(low, other[0]), 0)
                common = np.prod(sides)
                total = np.prod(high - low) + np.prod(other[1] - other[0]) - common
                return common / total if common > 0 else 0
            if all(share(other) <= overlap for other in chosen):
                chosen.append((low, high))
                chosen_rows.append((batch, group, index))
    table = np.full((rows, 3), -1)
    for row, entry in zip(table, chosen_rows):
        row[:] = entry
    return table


def suppression_cases():
    random = np.random.default_rng(3)
    for name, batches, classes, count, most, rows, center in [
            ("corners", 2, 3, 50, 7, 42, False), ("center", 1, 2, 80, 100, 160, True), ("short", 1, 4, 30, 30, 9, False),
            ("none", 1, 1, 5, 0, 3, False), ("one", 1, 1, 1, 1, 1, False)]:
        boxes = random.uniform(0, 1, (batches, count, 4)).astype(np.float32)
        scores = np.round(random.uniform(0, 1, (batches, classes, count)), 2).astype(np.float32)
        inputs = [Tensor("f32", boxes), Tensor("f32", scores), Tensor("i64", most), Tensor("f32", 0.3),
                  Tensor("f32", 0.25)]
        flag = "center_point, " if center else ""
        yield case(f"non_max_suppression_{name}", f"non_max_suppression {{}} {{{flag}rows = {rows}}}", inputs,
                   [Tensor("i64", suppress(boxes, scores, most, 0.3, np.float32(0.25), rows, center))])


def determinant_cases():
    for element in FLOATS:
        for shape in [(2, 2), (3, 4, 4), (2, 2, 1, 1), (5, 9, 9)]:
            x = sample(element, shape, -1, 1)
            yield case(f"determinant_{'_'.join(map(str, shape))}_{element}", "determinant {}", [x],
                       [Tensor(element, np.linalg.det(wide(x)))], element)
    x = Tensor("f32", [[[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[1, 2, 3], [2, 4, 6], [0, 1, 5]], [[0, 0, 0], [1, 2, 3], [4, 5, 6]]])
    yield case("determinant_pivots", "determinant {}", [x], [Tensor("f32", [1, 0, 0])], rtol=0, atol=0)


def cases():
    yield from scatter_cases()
    yield from cumulative_cases()
    yield from argsort_cases()
    yield from suppression_cases()
    yield from determinant_cases()
