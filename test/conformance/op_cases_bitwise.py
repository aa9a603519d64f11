# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on the bits of elements, on every element type."""
import numpy as np

from op_cases_elementwise import SIGNED, case
from op_programs import ELEMENTS, Tensor

INTEGERS = SIGNED + ("ui8",)


def numbers(element, shape, seed=0):
    """Integers over all of their range."""
    dtype = ELEMENTS[element][0]
    bits = np.random.default_rng(seed).integers(0, 256, (*shape, dtype().itemsize), np.uint8)
    return Tensor(element, bits.view(dtype).reshape(shape))


def logic_cases():
    for element in INTEGERS:
        a, b = numbers(element, (3, 1, 17)), numbers(element, (5, 17), 1)
        for name, reference in {"bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}.items():
            yield case(f"{name}_{element}", name + " {}", [a, b], [Tensor(element, reference(a.value, b.value))])
        yield case(f"bit_not_{element}", "bit_not {}", [a], [Tensor(element, ~a.value)])


def shift_cases():
    for element in INTEGERS:
        dtype = ELEMENTS[element][0]
        width = dtype().itemsize * 8
        a = numbers(element, (5, 1), 2)
        counts = list(range(width + 2)) + [127] + ([-1, -width] if element in SIGNED else [])
        b = Tensor(element, counts)
        # In Python's integers, which have no width.
        large = [(int(x), int(y) if 0 <= y < width else None) for x in a.value.ravel() for y in b.value]
        left = [0 if y is None else (x << y) & (2**width - 1) for x, y in large]
        left = np.array(left, np.uint64).astype(f"u{width // 8}").view(dtype).reshape(5, -1)
        right = [(-1 if x < 0 else 0) if y is None else x >> y for x, y in large]
        right = np.array(right).astype(dtype).reshape(5, -1)
        yield case(f"shift_left_{element}", "shift_left {}", [a, b], [Tensor(element, left)])
        yield case(f"shift_right_{element}", "shift_right {}", [a, b], [Tensor(element, right)])


def bitcast_cases():
    for source, target in [("f32", "i32"), ("i32", "f32"), ("f16", "i16"), ("i16", "f16"), ("i8", "ui8"), ("ui8", "i8")]:
        dtype = ELEMENTS[source][0]
        if dtype(0).dtype.kind == "f":
            x = Tensor(source, [1.5, -0.0, 0.0, np.inf, -np.inf, 6e-8, -3.25])
        else:
            x = Tensor(source, np.arange(-9, 9).astype(dtype))
        yield case(f"bitcast_{source}_{target}", "bitcast {}", [x], [Tensor(target, x.value.view(ELEMENTS[target][0]))],
                   rtol=0, atol=0)
    for source, target in [("bf16", "i16"), ("bf16", "f16")]:
        x = Tensor(source, [1.5, -0.0, 0.0, 2.0, -3.25])
        bits = np.frombuffer(x.bytes, ELEMENTS[target][0])
        yield case(f"bitcast_{source}_{target}", "bitcast {}", [x], [Tensor(target, bits)], rtol=0, atol=0)


def cases():
    yield from logic_cases()
    yield from shift_cases()
    yield from bitcast_cases()
