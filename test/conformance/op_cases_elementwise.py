# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops on every element type: the op's text and the same in numpy."""
import math

import numpy as np

from op_programs import Case, Tensor

FLOATS = ("f32", "f16", "bf16", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("ui8", "ui16", "ui32", "ui64")
NUMBERS = FLOATS + SIGNED + UNSIGNED
# Relative and absolute tolerance: results of narrow floats are rounded once or a few times.
TOLERANCE = {"f32": (2e-6, 4e-7), "f16": (2e-3, 2e-4), "bf16": (1.6e-2, 1e-3), "f64": (3e-15, 1e-15)}

erf = np.vectorize(math.erf, otypes=[np.float64])


def sample(element, shape, low=-4.0, high=4.0, seed=0):
    """Reproducible numbers; integers span their range where the bounds allow it."""
    random = np.random.default_rng(seed + len(shape))
    if element == "i1":
        return Tensor(element, random.integers(0, 2, shape))
    values = random.uniform(low, high, shape)
    if element not in FLOATS:
        values = np.round(np.maximum(values, 0) if element in UNSIGNED else values)
    return Tensor(element, values)


def case(name, op, inputs, outputs, element=None, **tolerance):
    if element in TOLERANCE and not tolerance:
        tolerance = dict(zip(("rtol", "atol"), TOLERANCE[element]))
    return Case(name, op, inputs, outputs, **tolerance)


def wide(tensor):
    """The values to compute with: f64 for floats, i64 for integers."""
    kind = tensor.value.dtype.kind
    return tensor.value.astype(np.float64 if kind == "f" else np.int64 if kind in "iu" else bool)


def gelu_tanh(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


UNARY_FLOAT = {
    "gelu {}": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    "gelu {} approximate tanh": gelu_tanh,
    "erf {}": erf,
    "sigmoid {}": lambda x: 1 / (1 + np.exp(-x)),
    "tanh {}": np.tanh,
    "exp {}": np.exp,
    "leaky_relu {} {alpha = 0.1 : f32}": lambda x: np.where(x < 0, np.float32(0.1) * x, x),
    "elu {} {alpha = 1.5 : f32}": lambda x: np.where(x < 0, 1.5 * np.expm1(x), x),
    "selu {}": lambda x: 1.05070102214813232421875
    * np.where(x < 0, 1.67326319217681884765625 * np.expm1(x), x),
    "hard_sigmoid {}": lambda x: np.clip(np.float32(0.2) * x + 0.5, 0, 1),
    "hard_swish {}": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "softplus {}": lambda x: np.log1p(np.exp(x)),
    "softsign {}": lambda x: x / (1 + np.abs(x)),
    "floor {}": np.floor,
    "ceil {}": np.ceil,
    "round {}": np.round,
    "sin {}": np.sin,
    "cos {}": np.cos,
    "sinh {}": np.sinh,
    "cosh {}": np.cosh,
    "atan {}": np.arctan,
    "asinh {}": np.arcsinh,
}
UNARY_POSITIVE = {
    "log {}": np.log,
    "sqrt {}": np.sqrt,
    "rsqrt {}": lambda x: 1 / np.sqrt(x),
    "reciprocal {}": lambda x: 1 / x,
}
UNARY_NUMBER = {
    "relu {}": lambda x: np.maximum(x, 0),
    "abs {}": np.abs,
    "sign {}": np.sign,
    "clamp {} {min = -1.5 : f32, max = 2.0 : f32}": lambda x: np.clip(x, -1.5, 2.0)
    if x.dtype.kind == "f"
    else np.clip(x, -1, 2),
}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum, "max": np.maximum}
COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
           "ge": np.greater_equal}


def word(op):
    return "".join(c if c.isalnum() else "_" for c in op.split("{")[0] + op.split("}")[1]).strip("_")


def unary_cases():
    shape = (3, 37)
    for op, reference in {**UNARY_FLOAT, **UNARY_NUMBER, "neg {}": np.negative}.items():
        elements = FLOATS if op in UNARY_FLOAT else FLOATS + SIGNED if op == "neg {}" else NUMBERS
        for element in elements:
            x = sample(element, shape)
            yield case(f"{word(op)}_{element}", op, [x], [Tensor(element, reference(wide(x)))], element)
    for op, reference in UNARY_POSITIVE.items():
        for element in FLOATS:
            x = sample(element, shape, 0.01, 20)
            yield case(f"{word(op)}_{element}", op, [x], [Tensor(element, reference(wide(x)))], element)
    for op, reference, low, high in [("asin {}", np.arcsin, -1, 1), ("acos {}", np.arccos, -1, 1),
                                     ("atanh {}", np.arctanh, -0.9, 0.9), ("acosh {}", np.arccosh, 1, 20)]:
        for element in FLOATS:
            x = sample(element, shape, low, high)
            yield case(f"{word(op)}_{element}", op, [x], [Tensor(element, reference(wide(x)))], element)
    x = sample("i1", shape)
    yield case("not", "not {}", [x], [Tensor("i1", ~x.value)])


def special_cases():
    """Extremes, where approximations break first."""
    x = Tensor("f32", [0.0, -0.0, 1e-40, 1e-20, 88.7, 89.0, -87.0, -100.0, -104.5, np.inf, -np.inf, np.nan, 30, -30])
    with np.errstate(all="ignore"):
        for op, reference in {"exp {}": np.exp, "tanh {}": np.tanh, "erf {}": erf,
                              "sigmoid {}": lambda v: 1 / (1 + np.exp(-v)),
                              "softplus {}": lambda v: np.logaddexp(0, v),
                              "elu {}": lambda v: np.where(v < 0, np.expm1(v), v)}.items():
            yield case(f"{word(op)}_special", op, [x], [Tensor("f32", reference(wide(x)))], rtol=3e-6, atol=2e-7)
        x = Tensor("f32", [0.0, -0.0, 1e-45, 1e-40, 1.0, 1.0000001, 0.99999994, 3e38, np.inf, -1.0, -np.inf, np.nan])
        yield case("log_special", "log {}", [x], [Tensor("f32", np.log(wide(x)))], rtol=3e-6, atol=1e-9)
        x = Tensor("f32", [0.5, 1.5, 2.5, -0.5, -1.5, 8388607.5, -8388607.5, 1e10, -0.0, 0.49999997, np.inf, np.nan])
        for op, reference in {"floor {}": np.floor, "ceil {}": np.ceil, "round {}": np.round}.items():
            yield case(f"{word(op)}_special", op, [x], [Tensor("f32", reference(wide(x)))], rtol=0, atol=0)
        a = Tensor("f32", [2, 2, -2, -2, -8, 0, 0, -0.0, 1, np.inf, -np.inf, np.nan, 0, -1, 1.0001, 10, 10, -2.5, 0.5])
        b = Tensor("f32", [0.5, -3, 3, 2, 1 / 3, 2, -2, -3, np.nan, 2, 3, 0, 0, np.inf, 80000, 38, -46, 5, np.inf])
        expected = np.power(a.value, b.value.astype(np.float64)).astype(np.float32)
        yield case("pow_special", "pow {}", [a, b], [Tensor("f32", expected)], rtol=2e-6, atol=0)
        # Relative to the value, however small or large: near zeros, poles and the ends of the range.
        random = np.random.default_rng(5)
        small = 10.0 ** random.uniform(-38, 0, 500) * random.choice([-1, 1], 500)
        ends = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1e-45, np.inf, -np.inf, np.nan, 3e38, -3e38, 2.0, -2.0])
        near = 1 - 10.0 ** random.uniform(-7, 0, 200)
        far = 10.0 ** random.uniform(0, 38, 300)
        for op, reference, values in [
                ("asin {}", np.arcsin, [small, near, -near, ends]), ("acos {}", np.arccos, [small, near, -near, ends]),
                ("atan {}", np.arctan, [small, far, -far, ends]), ("asinh {}", np.arcsinh, [small, far, -far, ends]),
                ("sinh {}", np.sinh, [small, random.uniform(-89.3, 89.3, 500), ends]),
                ("cosh {}", np.cosh, [small, random.uniform(-89.3, 89.3, 500), ends]),
                ("acosh {}", np.arccosh, [far, 2 - near, ends]), ("atanh {}", np.arctanh, [small, near, -near, ends])]:
            x = Tensor("f32", np.concatenate(values))
            expected = reference(wide(x)).astype(np.float32)
            yield case(f"{word(op)}_special", op, [x], [Tensor("f32", expected)], rtol=1e-6, atol=1e-44)
        a = Tensor("f32", [0, -0.0, 0, -0.0, -3, 3, -1, 1, np.inf, -np.inf, 1, 1, np.nan, 1, 1e-38, 5.5, -5.5, -3e38])
        b = Tensor("f32", [-2, 2, 2, -2, np.inf, np.inf, -np.inf, -np.inf, 2, 2, 0, -0.0, 2, np.nan, -1e-38, -2, 2, 7])
        expected = np.mod(a.value, b.value)
        yield case("mod_special", "mod {}", [a, b], [Tensor("f32", expected)], rtol=1e-6, atol=0)
        # Divisors, and remainders, that are subnormal.
        a = Tensor("f32", [103.9, -1.2, 3e38, 2e-38, 1e-40, -5.5])
        b = Tensor("f32", [1e-40, 1e-40, 1e-45, 1.5e-38, 3e-41, 1.3e-38])
        yield case("fmod_subnormal", "mod {} {fmod}", [a, b], [Tensor("f32", np.fmod(a.value, b.value))], rtol=0, atol=0)
        x = sample("f32", (1000,), -1000, 1000)
        for op, reference in {"sin {}": np.sin, "cos {}": np.cos}.items():
            yield case(f"{word(op)}_large", op, [x], [Tensor("f32", reference(wide(x)))], rtol=1e-5, atol=5e-7)


def binary_cases():
    for name, reference in BINARY.items():
        for element in NUMBERS:
            a, b = sample(element, (2, 3, 17)), sample(element, (3, 1), seed=5)
            if element in UNSIGNED:
                a.value += np.array(8, a.value.dtype)  # No difference below zero.
            expected = reference(wide(a), wide(b))
            yield case(f"{name}_{element}", name + " {}", [a, b], [Tensor(element, expected)], element)
    for element in FLOATS:
        a, b = sample(element, (4, 9)), sample(element, (4, 9), 0.5, 3, seed=5)
        yield case(f"div_{element}", "div {}", [a, b], [Tensor(element, wide(a) / wide(b))], element)
        p = sample(element, (4, 9), 0.1, 3)
        yield case(f"pow_{element}", "pow {}", [p, b], [Tensor(element, wide(p) ** wide(b))], element)
        yield case(f"mod_{element}", "mod {}", [a, b], [Tensor(element, np.mod(wide(a), wide(b)))], element)
        yield case(f"fmod_{element}", "mod {} {fmod}", [a, b], [Tensor(element, np.fmod(wide(a), wide(b)))], element)
        slope = sample(element, (9,), seed=5)
        yield case(f"prelu_{element}", "prelu {}", [a, slope],
                   [Tensor(element, np.where(a.value < 0, wide(a) * wide(slope), wide(a)))], element)
    for element in SIGNED + UNSIGNED:
        a, b = sample(element, (4, 9), -100, 100), sample(element, (4, 9), 1, 9, seed=5)
        quotient = np.trunc(wide(a) / wide(b))
        yield case(f"div_{element}", "div {}", [a, b], [Tensor(element, quotient)])
        yield case(f"mod_{element}", "mod {}", [a, b], [Tensor(element, np.mod(wide(a), wide(b)))])
        yield case(f"fmod_{element}", "mod {} {fmod}", [a, b], [Tensor(element, np.fmod(wide(a), wide(b)))])
        p, q = sample(element, (4, 9), 0, 3), sample(element, (4, 9), 0, 4, seed=5)
        yield case(f"pow_{element}", "pow {}", [p, q], [Tensor(element, wide(p) ** wide(q))])
    for name, reference in COMPARE.items():
        for element in NUMBERS + (("i1",) if name in ("eq", "ne") else ()):
            a, b = sample(element, (2, 3, 17), -3, 3), sample(element, (17,), -3, 3, seed=5)
            a.value[0, 0] = b.value
            yield case(f"compare_{name}_{element}", f"compare {name} {{}}", [a, b],
                       [Tensor("i1", reference(a.value, b.value))])
    for name, reference in {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}.items():
        a, b = sample("i1", (5, 7)), sample("i1", (5, 7), seed=3)
        yield case(name, name + " {}", [a, b], [Tensor("i1", reference(a.value, b.value))])
    for element in NUMBERS + ("i1",):
        c, a, b = sample("i1", (3, 1, 5)), sample(element, (4, 5)), sample(element, (1,), seed=4)
        yield case(f"where_{element}", "where {}", [c, a, b], [Tensor(element, np.where(c.value, a.value, b.value))])


def unsigned_cases():
    """The upper half of the range, where signed arithmetic would be wrong."""
    for element in UNSIGNED:
        bits = int(element[2:])
        kind = np.dtype(f"uint{bits}").type
        top, half = 2**bits - 1, 2 ** (bits - 1)
        a = Tensor(element, np.array([top, half, half - 1, 0, 7, top - 3, half + 5], kind))
        b = Tensor(element, np.array([2, half - 1, half, 1, top, top, 3], kind))
        for op, reference in {"div": np.floor_divide, "mod": np.mod, "min": np.minimum,
                              "max": np.maximum}.items():
            yield case(f"{op}_large_{element}", op + " {}", [a, b], [Tensor(element, reference(a.value, b.value))])
        yield case(f"div_zero_{element}", "div {}", [a, Tensor(element, [0] * 7)], [Tensor(element, [0] * 7)])
        for op in ("lt", "ge"):
            yield case(f"compare_{op}_large_{element}", f"compare {op} {{}}", [a, b],
                       [Tensor("i1", COMPARE[op](a.value, b.value))])
        for op, reference in {"relu": lambda x: x, "abs": lambda x: x, "sign": np.sign}.items():
            yield case(f"{op}_large_{element}", op + " {}", [a], [Tensor(element, reference(a.value))])
        yield case(f"clamp_large_{element}", "clamp {} {min = 5.0, max = 100.0}", [a],
                   [Tensor(element, np.clip(a.value, 5, 100))])
        for target in ("f32", "f64", "i64", "ui64"):
            if target != element:
                yield case(f"cast_large_{element}_{target}", "cast {}", [a], [Tensor(target, a.value)], rtol=0, atol=0)
        if bits >= 32:
            x = Tensor("f64", [2.0**bits - 2.0 ** (bits - 20), 2.0 ** (bits - 1), 2.0 ** (bits - 1) - 1024, 0.75, 3])
            yield case(f"cast_large_f64_{element}", "cast {}", [x], [Tensor(element, x.value)])


def double_cases():
    """Doubles where less than 53 bits would show, and the ends of their range."""
    x = Tensor("f64", [0.0, -0.0, 1e-300, 5e-324, 1e-18, 0.3, 0.84375, 0.99, 1.25, 2.857, 2.858, 5.9, 6.1, -0.5, -3,
                       709.7, 709.8, -708.5, -745, -745.2, -800, 20, 21.9, 30, -22.5, np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        for op, reference in {"exp {}": np.exp, "tanh {}": np.tanh, "erf {}": erf,
                              "sigmoid {}": lambda v: 1 / (1 + np.exp(-v)),
                              "softplus {}": lambda v: np.logaddexp(0, v),
                              "elu {}": lambda v: np.where(v < 0, np.expm1(v), v)}.items():
            yield case(f"{word(op)}_double", op, [x], [Tensor("f64", reference(x.value))], rtol=1e-15, atol=5e-324)
        x = Tensor("f64", [0.0, -0.0, 5e-324, 1e-310, 1.0, 1 + 2.0**-52, 1 - 2.0**-53, 1.5, 0.7, 1e300, np.inf, -1.0,
                           -np.inf, np.nan])
        yield case("log_double", "log {}", [x], [Tensor("f64", np.log(x.value))], rtol=5e-16, atol=0)
        random = np.random.default_rng(7)
        x = Tensor("f64", np.concatenate([random.uniform(-10, 10, 500), random.uniform(-8e8, 8e8, 500),
                                          np.arange(-20, 20) * (np.pi / 2), [0.0, -0.0, 1e-200, np.inf, np.nan]]))
        for op, reference in {"sin {}": np.sin, "cos {}": np.cos}.items():
            yield case(f"{word(op)}_double", op, [x], [Tensor("f64", reference(x.value))], rtol=1e-15, atol=0)
        a = Tensor("f64", [2, 2, -2, -2, -8, 0, 0, -0.0, 1, np.inf, -np.inf, np.nan, 0, -1, 1.0001, 10, 10, -2.5, 0.5,
                           1 + 2.0**-52, 1 - 2.0**-53, 5e-324, 1.7, 10, 10, 2, 2, 0.1])
        b = Tensor("f64", [0.5, -3, 3, 2, 1 / 3, 2, -2, -3, np.nan, 2, 3, 0, 0, np.inf, 800000, 308, -320, 5, np.inf,
                           1e18, -1e18, 0.5, 1300, 309, -324, 1023.99, -1074, 300])
        yield case("pow_double", "pow {}", [a, b], [Tensor("f64", np.power(a.value, b.value))], rtol=1e-15, atol=5e-324)
        a, b = Tensor("f64", random.uniform(0.01, 100, 1000)), Tensor("f64", random.uniform(-150, 150, 1000))
        yield case("pow_random_double", "pow {}", [a, b], [Tensor("f64", np.power(a.value, b.value))], rtol=1e-15, atol=0)
        x = Tensor("f64", [0.5, 1.5, 2.5, -0.5, -1.5, 2.0**52 - 0.5, 0.5 - 2**52, 1e300, -0.0, 0.49999999999999994,
                           np.inf, np.nan])
        for op, reference in {"floor {}": np.floor, "ceil {}": np.ceil, "round {}": np.round}.items():
            yield case(f"{word(op)}_double", op, [x], [Tensor("f64", reference(x.value))], rtol=0, atol=0)
        # Rounded once: by way of f32, these would be ties.
        x = Tensor("f64", [1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11 - 2.0**-40, 1 + 2.0**-11, -1 - 3 * 2.0**-11, 65519.99999,
                           65520, 1e-8, 2.0**-25 + 2.0**-60, 1e300, -1e300, np.inf, np.nan])
        yield case("cast_f64_f16_once", "cast {}", [x], [Tensor("f16", x.value.astype(np.float16))], rtol=0, atol=0)
        x = Tensor("f64", [1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8 - 2.0**-40, 1 + 2.0**-8])
        yield case("cast_f64_bf16_once", "cast {}", [x], [Tensor("bf16", [1 + 2.0**-7, 1, 1])], rtol=0, atol=0)


def cast_cases():
    for source in NUMBERS + ("i1",):
        for target in NUMBERS + ("i1",):
            if source == target:
                continue
            low = 0 if target in UNSIGNED else -100
            x = sample(source, (5, 13), low, 100)
            value = x.value
            if target not in FLOATS + ("i1",) and source in FLOATS:
                value = np.trunc(value)
            yield case(f"cast_{source}_{target}", "cast {}", [x], [Tensor(target, value != 0 if target == "i1" else value)],
                       rtol=0, atol=0)
    x = Tensor("f32", [65504, 65520, 65519.9, 6e-8, 2.9e-8, 3.1e-8, 1e-5, np.inf, -np.inf, np.nan, 1.00048828125, 1.0014648])
    with np.errstate(over="ignore"):
        yield case("cast_f32_f16_special", "cast {}", [x], [Tensor("f16", x.value)], rtol=0, atol=0)
        for to in ("f16", "bf16"):
            rounded = Tensor(to, x.value).value.astype(np.float32)
            yield case(f"reduce_precision_{to}", f"reduce_precision {{}} {{to = {to}}}", [x], [Tensor("f32", rounded)],
                       rtol=0, atol=0)
    x = Tensor("f16", [6e-8, 1e-5, 65504, np.inf, -np.inf, np.nan, -0.0])
    yield case("cast_f16_f32_special", "cast {}", [x], [Tensor("f32", x.value)], rtol=0, atol=0)


def cases():
    yield from unary_cases()
    yield from special_cases()
    yield from binary_cases()
    yield from unsigned_cases()
    yield from double_cases()
    yield from cast_cases()
