# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors of functions of f32, over all of its numbers or every STRIDE-th, and of f64, over random and extreme ones:
what test_float_functions.py and benchmarks/float_functions.py share."""
import functools
import math

from bundles import np, onnx
from onnx import TensorProto, helper

BLOCK = 1 << 16
SMALLEST = 2.0**-126  # normal number


def erf(x):
    return np.frompyfunc(math.erf, 1, 1)(x).astype(np.float64)


# What each ONNX op computes, in f64.
FUNCTIONS = {
    "Acos": np.arccos, "Acosh": np.arccosh, "Asin": np.arcsin, "Asinh": np.arcsinh, "Atan": np.arctan, "Atanh": np.arctanh,
    "Cos": np.cos, "Cosh": np.cosh, "Erf": erf, "Exp": np.exp, "Log": np.log, "Reciprocal": lambda x: 1 / x,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Sin": np.sin, "Sinh": np.sinh, "Softplus": lambda x: np.logaddexp(x, 0),
    "Sqrt": np.sqrt, "Tan": np.tan, "Tanh": np.tanh,
}  # fmt: skip


def save(path, names, element=TensorProto.FLOAT):
    """A model x[BLOCK] -> y_NAME[BLOCK] for each function."""
    nodes = [helper.make_node(name, ["x"], [f"y_{name}"]) for name in names]
    port = lambda name: helper.make_tensor_value_info(name, element, [BLOCK])
    graph = helper.make_graph(nodes, "functions", [port("x")], [port(f"y_{name}") for name in names])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path)


def blocks(stride):
    """All f32, or every stride-th, by their bits; the last block repeats its last number."""
    per = BLOCK * stride
    for begin in range(0, 1 << 32, per):
        bits = np.minimum(begin + stride * np.arange(BLOCK, dtype=np.int64), (1 << 32) - 1)
        yield bits.astype(np.uint32).view(np.float32)


def errors(found, exact):
    """In units in the last place of the exact results; infinite where infinities or NaN differ. Where the exact result is
    subnormal, any number of its size will do."""
    rounded = exact.astype(np.float32)
    finite = np.isfinite(rounded) & np.isfinite(found)
    same = (np.isnan(found) & np.isnan(rounded)) | (found == rounded)
    ulp = np.maximum(2.0 ** (np.frexp(np.where(finite, exact, 1))[1] - 24.0), 2.0**-149)
    distance = np.abs(np.where(finite, found, 0).astype(np.float64) - np.where(finite, exact, 0))
    error = np.where((np.abs(exact) < SMALLEST) & (distance < SMALLEST), 0, distance / ulp)
    # A result beyond the largest number may be infinite or that number.
    largest = np.isinf(rounded) & (np.abs(found) == np.finfo(np.float32).max) & (np.sign(found) == np.sign(rounded))
    beyond = np.isinf(found) & (np.abs(exact) > float(np.finfo(np.float32).max) * (1 - 2.0**-22)) & (np.sign(found) == np.sign(exact))
    return np.where(finite, error, np.where(same | largest | beyond, 0, np.inf))


def sweep(run, names, stride):
    """{name: (largest error in ulp, the argument)}; `run` computes {y_NAME: array} of an array."""
    worst = {name: (0.0, 0.0) for name in names}
    with np.errstate(all="ignore"):
        for x in blocks(stride):
            found, wide = run(x), x.astype(np.float64)
            for name in names:
                result, exact = found[f"y_{name}"], FUNCTIONS[name](wide)
                # A unit in the last place is at least this part of the number: the others are no worse than the worst.
                rest = ~(np.abs(result - exact) <= worst[name][0] * 2.0**-24 * np.abs(exact))
                if rest.any():
                    error = errors(result[rest], exact[rest])
                    at = int(error.argmax())
                    if error[at] > worst[name][0]:
                        worst[name] = (float(error[at]), float(x[rest][at]))
    return worst


# The argument of f64 that is closest to a multiple of pi/2, and others that are close.
NEAR_QUARTERS = [6381956970095103 * 2.0**797, 5261692873635770 * 2.0**499, 6411027962775774 * 2.0**-48, 8.506776e37,
                 2.0**120, 1e22, 1.7976931348623157e308, 2.0**1023, 8.4e8, 8.43e8, 2.0**29 * math.pi / 2]  # fmt: skip


def blocks_f64(count):
    """Arrays of BLOCK numbers: of random bits, and from ranges that matter."""
    random = np.random.default_rng(64)
    # Where long doubles are f64, there is no reference.
    assert np.finfo(np.longdouble).nmant > 60
    for _ in range(count):
        eighth = BLOCK // 8
        bits = random.integers(0, 1 << 64, 2 * eighth, np.uint64).view(np.float64)
        ranges = [random.uniform(-limit, limit, eighth) for limit in (1, 24, 750, 1e9)]
        quarters = random.integers(1, 1 << 62, eighth).astype(np.float64) * (np.pi / 2) * 2.0 ** random.integers(-61, 950, eighth)
        ends = random.choice(NEAR_QUARTERS + [0.0, 5e-324, 2.0**-1022, 1.0, 709.8, 745.2, np.inf, np.nan], eighth)
        yield np.concatenate([bits, *ranges, quarters, ends * random.choice([-1, 1], eighth)])


def errors_f64(found, exact):
    """As errors(); `exact` is of long doubles."""
    rounded = exact.astype(np.float64)
    finite = np.isfinite(rounded) & np.isfinite(found)
    same = (np.isnan(found) & np.isnan(rounded)) | (found == rounded)
    ulp = np.ldexp(np.longdouble(1), np.maximum(np.frexp(np.where(finite, rounded, 1))[1] - 53, -1074))
    distance = np.abs(np.where(finite, found, 0).astype(np.longdouble) - np.where(finite, exact, 0))
    smallest = np.finfo(np.float64).smallest_normal
    error = np.where((np.abs(exact) < smallest) & (distance < smallest), 0, distance / ulp)
    beyond = np.isinf(found) & (np.abs(exact) > np.longdouble(np.finfo(np.float64).max) * (1 - np.longdouble(2) ** -50))
    return np.where(finite, error, np.where(same | beyond, 0, np.inf)).astype(np.float64)


def sweep_f64(run, names, count):
    """As sweep(), for f64."""
    worst = {name: (0.0, 0.0) for name in names}
    with np.errstate(all="ignore"):
        for x in blocks_f64(count):
            found, wide = run(x), x.astype(np.longdouble)
            for name in names:
                error = errors_f64(found[f"y_{name}"], FUNCTIONS[name](wide))
                at = int(error.argmax())
                if error[at] > worst[name][0]:
                    worst[name] = (float(error[at]), float(x[at]))
    return worst


# Functions with a reference in long doubles.
FUNCTIONS_F64 = [name for name in FUNCTIONS if name != "Erf"]


@functools.cache
def pi_bits(precision):
    """pi * 2^precision, rounded, by Machin's formula."""
    def arctan(inverse):
        unit = term = (1 << (precision + 64)) // inverse
        total, n = unit, 3
        while term:
            term //= inverse * inverse
            total += -(term // n) if n % 4 == 3 else term // n
            n += 2
        return total

    return (16 * arctan(5) - 4 * arctan(239)) >> 64


def exact_sin_cos(x):
    """sin and cos of a double, each as (numerator, bits): in integers, with as many digits of pi as that takes."""
    precision = 1400
    numerator, denominator = float(x).as_integer_ratio()
    turn = 2 * pi_bits(precision)
    angle = ((numerator << precision) // denominator) % turn
    bits = 256  # the nearest that a double is to a multiple of pi/2 is 2^-61 of it
    angle = (angle - turn if angle > turn // 2 else angle) >> (precision - bits)
    results = []
    for first in (1, 0):
        term = angle if first else 1 << bits
        total, n = 0, first
        while term:
            total += term
            term = -(term * angle * angle >> 2 * bits) // ((n + 1) * (n + 2))
            n += 2
            if abs(term) <= 1:
                break
        results.append((total, bits))
    return results


def ulps_from(found, numerator, bits):
    """How far a double is from numerator / 2^bits, in units of its last place."""
    if numerator == 0:
        return 0.0 if found == 0 else math.inf
    found_numerator, denominator = float(found).as_integer_ratio()
    distance = abs((found_numerator << bits) - numerator * denominator)
    # The last place of a number below 2^e is 2^(e - 53).
    exponent = abs(numerator).bit_length() - bits
    shift = 53 - exponent
    scaled = distance << shift if shift >= 0 else distance >> -shift
    return scaled * 1000 // (denominator << bits) / 1000
