# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of 4 and 8 bits and integers of 2 and 4, as bytes: all codes, and against ml_dtypes."""
import numpy as np
import pytest

from op_programs import Case, Tensor

ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")

FORMATS = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
           "f8E5M2": ml_dtypes.float8_e5m2, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
           "f4E2M1FN": ml_dtypes.float4_e2m1fn}


def numbers(dtype, codes):
    """All numbers of the format, the middles between neighbours, what is just beside them, and more."""
    with np.errstate(all="ignore"):
        finite = np.unique(codes.view(dtype).astype(np.float32))
        finite = finite[np.isfinite(finite)]
        middles = (finite[1:] + finite[:-1]) / 2
        values = np.concatenate([finite, middles, np.nextafter(middles, np.float32(-np.inf)),
                                 np.nextafter(middles, np.float32(np.inf)), finite * np.float32(1.3)])
    largest = finite.max()
    rest = [0.0, -0.0, largest * 1.01, largest * 2, -largest * 1.2, 1e-45, -1e-30, 3e38, np.inf, -np.inf]
    return np.concatenate([values, np.array(rest, np.float32)]).astype(np.float32)


def encoded(values, dtype, saturate):
    with np.errstate(all="ignore"):
        if saturate:
            largest = np.float32(ml_dtypes.finfo(dtype).max)
            values = np.clip(values, -largest, largest)
        return values.astype(dtype).view(np.uint8)


def float_cases():
    for name, dtype in FORMATS.items():
        codes = np.arange(16 if name == "f4E2M1FN" else 256, dtype=np.uint8)
        yield Case(f"decode_{name}", f"decode_float {{}} {{format = {name}}}", [Tensor("ui8", codes)],
                   [Tensor("f32", codes.view(dtype).astype(np.float32))], 0, 0)
        values = numbers(dtype, codes)
        for saturate in (True, False):
            text = "" if saturate else ", saturate = false"
            yield Case(f"encode_{name}_{saturate}", f"encode_float {{}} {{format = {name}{text}}}",
                       [Tensor("f32", values)], [Tensor("ui8", encoded(values, dtype, saturate))], 0, 0)
        # The bits of a NaN are the library's own choice of several; here they are the same.
        nan = np.array([np.nan], np.float32)
        yield Case(f"encode_{name}_nan", f"encode_float {{}} {{format = {name}}}", [Tensor("f32", nan)],
                   [Tensor("ui8", nan.astype(dtype).view(np.uint8))], 0, 0)


def power_cases():
    codes = np.arange(256, dtype=np.uint8)
    values = codes.view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    yield Case("decode_f8E8M0FNU", "decode_float {} {format = f8E8M0FNU}", [Tensor("ui8", codes)], [Tensor("f32", values)],
               0, 0)
    for rounding, (low, middle, high) in {"up": (1, 1, 1), "down": (0, 0, 0), "nearest": (0, 1, 1)}.items():
        # A little above a power of two, 1.5 times one, and nearly twice one.
        steps = np.array([[1.0001, low], [1.5, middle], [1.999, high]])
        exponents = np.arange(-126, 127)
        x = (steps[:, :1] * 2.0**exponents).astype(np.float32)
        y = (exponents + 127 + steps[:, 1:]).astype(np.uint8)
        yield Case(f"encode_power_{rounding}", f"encode_float {{}} rounding {rounding} {{format = f8E8M0FNU}}",
                   [Tensor("f32", x)], [Tensor("ui8", y)], 0, 0)
        # The ends: zero, subnormals around 2^-127 and 2^-126, the largest f32, infinity, NaN, powers.
        x = np.array([0, 1e-45, 2.0**-127, 1.25 * 2.0**-127, 1.5 * 2.0**-127, 3.4e38, np.inf, np.nan, 1, 2.0**127])
        y = {"up": [0, 0, 0, 1, 1, 254, 254, 255, 127, 254], "down": [0, 0, 0, 0, 0, 254, 254, 255, 127, 254],
             "nearest": [0, 0, 0, 0, 1, 254, 254, 255, 127, 254]}[rounding]
        yield Case(f"encode_power_{rounding}_ends", f"encode_float {{}} rounding {rounding} {{format = f8E8M0FNU}}",
                   [Tensor("f32", x)], [Tensor("ui8", y)], 0, 0)
        y[0] = y[1] = y[6] = 255
        y[5] = 254 if rounding == "down" else 255
        yield Case(f"encode_power_{rounding}_overflow",
                   f"encode_float {{}} rounding {rounding} {{format = f8E8M0FNU, saturate = false}}",
                   [Tensor("f32", x)], [Tensor("ui8", y)], 0, 0)


def integer_cases():
    for width in (2, 4, 7):
        x = np.arange(-128, 128)
        half = 1 << (width - 1)
        yield Case(f"wrap_i{width}", f"wrap_integer {{}} {{width = {width}}}", [Tensor("i8", x)],
                   [Tensor("i8", (x + half) % (2 * half) - half)])
        yield Case(f"wrap_ui{width}", f"wrap_integer {{}} {{width = {width}}}", [Tensor("ui8", x + 128)],
                   [Tensor("ui8", (x + 128) % (2 * half))])


def cases():
    yield from float_cases()
    yield from power_cases()
    yield from integer_cases()
