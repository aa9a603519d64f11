# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs, one per op and attribute of StableHLO that jax.lax reaches, with arguments: random values, and the
extreme ones of their types. test_jax_cases.py compares ttc with JAX on each.

    python test/python/jax/cases.py              lists the names
    python test/python/jax/cases.py NAME FOLDER  writes NAME.mlir, and arguments and JAX's results as .npy files
"""
import dataclasses
import pathlib
import sys
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

INTS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
DTYPES = {
    "f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16), "f32": np.dtype(np.float32), "f64": np.dtype(np.float64),
    "bool": np.dtype(np.bool_), **{name: np.dtype({"i": "int", "u": "uint"}[name[0]] + name[1:]) for name in INTS},
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    #: The largest difference of a result: relative to it, or to the largest of all for sums.
    tolerance: float | None = None  #: None: that of its type (TOLERANCE); 0: the same bits
    of_largest: bool = False
    #: What is compared, where results are determined only as a whole: eigenvectors by what they decompose.
    compare: Callable[..., Any] | None = None


#: Of results of each type. XLA rounds sums in 16 bits in other places.
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 4e-6, "float64": 2e-13}
CASES: dict[str, Case] = {}


def add(name: str, function: Callable[..., Any], *args: Any, **options: Any) -> None:
    assert name not in CASES, name
    CASES[name] = Case(name, function, args, **options)


class Values:
    """Arguments, the same in every run: a case has its own generator."""

    def __init__(self, name: str) -> None:
        self.generator = np.random.default_rng(zlib.crc32(name.encode()))

    def __call__(self, dtype: str, *shape: int, low: float | None = None, high: float | None = None) -> Any:
        """Normal floats, or any integers, or uniform ones between bounds."""
        kind = DTYPES[dtype]
        if dtype == "bool":
            return self.generator.integers(0, 2, shape).astype(bool)
        if dtype in FLOATS:
            found = self.generator.standard_normal(shape) if low is None else self.generator.uniform(low, high, shape)
            return np.asarray(found).astype(kind)
        limits = np.iinfo(kind)
        most = limits.max if high is None else min(int(high), limits.max)
        return self.generator.integers(limits.min if low is None else max(int(low), limits.min), most, shape, kind, endpoint=True)

    def extreme(self, dtype: str, subnormal: bool = False) -> Any:
        """48 values with the extreme ones of the type. XLA counts subnormal numbers as zero where it computes."""
        kind = DTYPES[dtype]
        if dtype == "bool":
            return self("bool", 48)
        if dtype in FLOATS:
            limits = ml_dtypes.finfo(kind)
            values = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, np.inf, -np.inf, np.nan, float(limits.max), float(limits.min), float(limits.tiny), -float(limits.tiny), float(limits.eps)]
            values += [float(limits.smallest_subnormal), -float(limits.smallest_subnormal) * 3] if subnormal else []
        else:
            limits = np.iinfo(kind)
            values = [0, 1, 2, 3, limits.max, limits.max - 1, limits.min, limits.min + 1, limits.max // 2] + ([-1, -2] if limits.min else [])
        found = np.concatenate([np.array(values).astype(kind) if dtype in FLOATS else np.array(values, kind), self(dtype, 48 - len(values))])
        return found[self.generator.permutation(48)]


def extremes(name: str, dtype: str, count: int) -> tuple[Any, ...]:
    values = Values(name)
    return tuple(values.extreme(dtype) for _ in range(count))


def _elementwise() -> None:
    lax = jax.lax
    for op in ("abs", "neg", "sign", "square"):
        for dtype in (*FLOATS, "i8", "i32", "i64", *(("u8", "u64") if op in ("sign", "square") else ())):
            add(f"{op}-{dtype}", getattr(lax, op), *extremes(op + dtype, dtype, 1))
    for op in ("floor", "ceil", "is_finite", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "expm1", "log", "log1p", "logistic", "tanh", "sin", "cos", "tan", "erf"):
        for dtype in ("f16", "bf16", "f32", "f64") if op in ("exp", "tanh", "floor", "log", "logistic", "is_finite", "sqrt") else ("f32", "f64"):
            values = Values(op + dtype)
            # Of large angles, XLA's own sines have few right digits.
            wide = values(dtype, 48, low=-30, high=30) if op in ("sin", "cos", "tan") else values.extreme(dtype)
            add(f"{op}-{dtype}", getattr(lax, op), wide)
    for op in ("asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "erfc", "erf_inv", "lgamma", "digamma", "bessel_i0e", "bessel_i1e"):
        for dtype in ("f32", "f64"):
            low = {"acosh": 1.0, "lgamma": 0.1, "digamma": 0.1}.get(op, -0.99)
            add(f"{op}-{dtype}", getattr(lax, op), Values(op + dtype)(dtype, 48, low=low, high=0.99 if low < 0 else 9), tolerance=4e-5 if dtype == "f32" else 1e-11)
    for mode in ("AWAY_FROM_ZERO", "TO_NEAREST_EVEN"):
        for dtype in ("f32", "f64", "bf16"):
            add(f"round-{mode.lower()}-{dtype}", lambda x, m=mode: lax.round(x, lax.RoundingMethod[m]), *extremes(mode, dtype, 1))
    for dtype in ("f32", "f64", "i32"):
        for power in (2, 3, 5) if dtype == "i32" else (-2, -1, 0, 2, 3, 5):
            add(f"integer_pow{power}-{dtype}", lambda x, p=power: lax.integer_pow(x, p), *extremes(f"ipow{power}", dtype, 1), tolerance=2e-6 if dtype == "f32" else None)
    for op in ("population_count", "clz", "bitwise_not"):
        for dtype in INTS if op != "bitwise_not" else ("i32", "u8", "bool"):
            add(f"{op}-{dtype}", getattr(lax, op), *extremes(op, dtype, 1))
    for op in ("add", "sub", "mul", "max", "min"):
        for dtype in (*FLOATS, *INTS):
            add(f"{op}-{dtype}", getattr(lax, op), *extremes(op, dtype, 2))
    for op in ("div", "rem"):
        for dtype in (*FLOATS, *INTS):
            add(f"{op}-{dtype}", getattr(lax, op), *extremes(op, dtype, 2))
    for op in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        for dtype in ("bool", "i8", "i32", "u64"):
            add(f"{op}-{dtype}", getattr(lax, op), *extremes(op, dtype, 2))
    for op in ("shift_left", "shift_right_logical", "shift_right_arithmetic"):
        for dtype in ("i8", "i32", "u32", "u64"):
            values = Values(op + dtype)
            add(f"{op}-{dtype}", getattr(lax, op), values.extreme(dtype), values(dtype, 48, low=0, high=70))
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        for dtype in ("f32", "bf16", "f64", "i8", "i64", "u32", "bool"):
            x, y = extremes(op, dtype, 2)
            add(f"{op}-{dtype}", getattr(lax, op), x, np.where(np.arange(48) % 3 == 0, x, y))
    for dtype in ("f32", "f64"):
        values = Values("pow" + dtype)
        add(f"pow-{dtype}", lax.pow, values(dtype, 48, low=0.01, high=20), values(dtype, 48, low=-5, high=5), tolerance=3e-5 if dtype == "f32" else 1e-12)
        add(f"pow-extreme-{dtype}", lax.pow, *extremes("powx", dtype, 2), tolerance=3e-5 if dtype == "f32" else 1e-12)
        add(f"pow-int-{dtype}", lax.pow, values.extreme(dtype), values("i32", 48, low=-4, high=5), tolerance=1e-5 if dtype == "f32" else 1e-12)
        add(f"atan2-{dtype}", lax.atan2, *extremes("atan2", dtype, 2))
        add(f"nextafter-{dtype}", lax.nextafter, values(dtype, 48), values(dtype, 48))
        add(f"clamp-{dtype}", lax.clamp, *(np.sort(values(dtype, 3, 48), axis=0)[i] for i in (0, 1, 2)))
        add(f"clamp-scalar-{dtype}", lax.clamp, DTYPES[dtype].type(-0.5), values.extreme(dtype), DTYPES[dtype].type(0.5))
        for op, bounds in (("igamma", (0.1, 6)), ("igammac", (0.1, 6)), ("zeta", (1.1, 6)), ("polygamma", (1, 4))):
            x, y = values(dtype, 12, low=bounds[0], high=bounds[1]), values(dtype, 12, low=bounds[0], high=bounds[1])
            add(f"{op}-{dtype}", getattr(lax, op), np.round(x) if op == "polygamma" else x, y, tolerance=2e-4 if dtype == "f32" else 1e-9)
        add(f"betainc-{dtype}", lax.betainc, values(dtype, 12, low=0.5, high=4), values(dtype, 12, low=0.5, high=4), values(dtype, 12, low=0.05, high=0.95), tolerance=2e-4 if dtype == "f32" else 1e-9)
    for dtype in ("i8", "u32", "i64", "bf16"):
        values = Values("clamp" + dtype)
        low, x, high = values(dtype, 3, 48)
        add(f"clamp-{dtype}", lax.clamp, np.minimum(low, high), x, np.maximum(low, high))
    for dtype in (*FLOATS, "i8", "u64", "bool"):
        values = Values("select" + dtype)
        x, y = values.extreme(dtype, True), values.extreme(dtype, True)
        add(f"select-{dtype}", lax.select, values("bool", 48), x, y)
        add(f"select-scalar-{dtype}", lambda p, x, y: lax.select(p, x, y), np.bool_(dtype > "f"), x, y)
    values = Values("select_n")
    add("select_n-i32", lax.select_n, values("i32", 48, low=0, high=2), *(values("f32", 48) for _ in range(3)))
    for exponent, mantissa in ((5, 10), (8, 7), (4, 3), (8, 23), (2, 1)):
        add(f"reduce_precision-e{exponent}m{mantissa}", lambda x, e=exponent, m=mantissa: lax.reduce_precision(x, e, m), *extremes("rp", "f32", 1), tolerance=0)


def _types() -> None:
    lax = jax.lax
    for source in (*FLOATS, *INTS, "bool"):
        values = Values("convert" + source)
        for kind, targets in (("float", FLOATS), ("int", INTS), ("bool", ("bool",))):
            x = values.extreme(source)
            if source in FLOATS and kind == "int":  # beyond the range, the specification leaves the result open
                x = np.trunc(values(source, 48, low=0, high=100))
            add(f"convert-{source}-{kind}", lambda x, t=targets: [lax.convert_element_type(x, DTYPES[d]) for d in t], x, tolerance=0)
    values = Values("convertneg")
    add("convert-f32-negative", lambda x: [lax.convert_element_type(x, DTYPES[d]) for d in ("i8", "i16", "i32", "i64")], values("f32", 48, low=-100, high=100), tolerance=0)
    for source, target in (("f32", "i32"), ("i32", "f32"), ("f64", "u64"), ("f16", "u16"), ("u16", "bf16"), ("bf16", "i16"), ("i8", "u8"), ("u32", "i32")):
        add(f"bitcast-{source}-{target}", lambda x, t=target: lax.bitcast_convert_type(x, DTYPES[t]), Values("bits" + source).extreme(source) if target[0] != "f" and target[0] != "b" else Values("b")(source, 48, low=0, high=1000), tolerance=0)
    for source, target in (("f32", "u8"), ("u64", "u32"), ("f64", "i16"), ("i32", "i8")):
        add(f"bitcast-narrow-{source}-{target}", lambda x, t=target: lax.bitcast_convert_type(x, DTYPES[t]), Values("n")(source, 3, 5), tolerance=0)
    for source, target, ratio in (("u8", "f32", 4), ("u32", "u64", 2), ("i16", "i64", 4)):
        add(f"bitcast-wide-{source}-{target}", lambda x, t=target: lax.bitcast_convert_type(x, DTYPES[t]), Values("w")(source, 5, ratio, low=0, high=60), tolerance=0)


def _shapes() -> None:
    lax = jax.lax
    for dtype in ("f32", "i8", "bool", "f64", "bf16", "u64"):
        x = Values("shape" + dtype)(dtype, 2, 3, 4)
        add(f"reshape-{dtype}", lambda x: [x.reshape(6, 4), x.reshape(-1), x.reshape(1, 24, 1)], x)
        add(f"transpose-{dtype}", lambda x: [lax.transpose(x, p) for p in ((0, 2, 1), (2, 1, 0), (1, 0, 2), (1, 2, 0), (2, 0, 1))], x)
        add(f"reverse-{dtype}", lambda x: [lax.rev(x, d) for d in ((0,), (1,), (2,), (0, 2), (0, 1, 2))], x)
        add(f"concatenate-{dtype}", lambda x, y: [lax.concatenate([x, y, x], d) for d in (0, 1, 2)], x, x[::-1].copy())
        add(f"slice-{dtype}", lambda x: [lax.slice(x, (0, 1, 1), (2, 3, 4)), lax.slice(x, (0, 0, 0), (2, 3, 4), (1, 2, 3)), x[1, 2, 3], x[:, ::2, 1::2]], x)
        add(f"broadcast_in_dim-{dtype}", lambda x: [lax.broadcast_in_dim(x[0], (5, 3, 4), (1, 2)), lax.broadcast_in_dim(x[:1], (2, 3, 4), (0, 1, 2)), lax.broadcast_in_dim(x[0, 0, 0], (2, 2), ()), lax.broadcast_in_dim(x[:, 0, 0], (3, 2, 2), (2,)), lax.broadcast_in_dim(x, (2, 1, 3, 4), (0, 2, 3))], x)
        zero = np.zeros((), DTYPES[dtype])
        one = np.ones((), DTYPES[dtype])
        for kind, config in (("edge", ((1, 2, 0), (0, 1, 0), (2, 0, 0))), ("negative", ((-1, 0, 0), (1, -2, 0), (0, -1, 0))), ("interior", ((0, 0, 1), (0, 0, 2), (0, 0, 0))), ("all", ((1, -1, 2), (-1, 2, 1), (-2, 3, 3)))):
            add(f"pad-{kind}-{dtype}", lambda x, v, c=config: lax.pad(x, v, c), x, one if kind != "edge" else zero)
    for dtype in ("f32", "f64", "bf16", "i8", "i32", "u64"):
        add(f"iota-{dtype}", lambda x, d=dtype: [x + lax.broadcasted_iota(DTYPES[d], (2, 3, 4), i) for i in (0, 1, 2)], Values("iota")(dtype, 2, 3, 4, low=0, high=9))
    values = Values("dynamic")
    x = values("f32", 5, 6, 7)
    for kind, start in (("inside", (1, 2, 3)), ("beyond", (9, -3, 100)), ("edge", (3, 0, 4)), ("minimum", (-(2**31), 2**31 - 1, 0))):
        index = tuple(np.int32(i) for i in start)
        add(f"dynamic_slice-{kind}", lambda x, *i: lax.dynamic_slice(x, i, (2, 3, 4)), x, *index)
        add(f"dynamic_update_slice-{kind}", lambda x, u, *i: lax.dynamic_update_slice(x, u, i), x, values("f32", 2, 3, 4), *index)
    for dtype in ("i64", "u32", "i8", "u64"):
        add(f"dynamic_slice-by-{dtype}", lambda x, i: lax.dynamic_slice(x, (i, i), (2, 2)), x[0], DTYPES[dtype].type(3))
    for dtype in ("f64", "i8", "bool", "bf16"):
        y = values(dtype, 6, 5)
        add(f"dynamic_update_slice-{dtype}", lambda y, u, i: lax.dynamic_update_slice(y, u, (i, i * 0)), y, values(dtype, 2, 5), np.int32(2))
        add(f"dynamic_index-{dtype}", lambda y, i: [lax.dynamic_index_in_dim(y, i, d, keepdims=k) for d in (0, 1) for k in (True, False)], y, np.int32(3))
    add("split", lambda x: lax.split(x, (1, 3, 3), 2), x)
    add("squeeze-expand", lambda x: [lax.squeeze(x[:1, :1], (0,)), lax.expand_dims(x, (0, 3))], x)
    add("tile-repeat-roll", lambda x: [jnp.tile(x[0], (2, 3)), jnp.repeat(x[0], 2, axis=1), jnp.roll(x, 2, axis=1), jnp.roll(x, (1, -2), axis=(0, 2))], x)
    add("identity", lambda x: x, x)
    add("scalar", lambda x: x * 2, np.float32(3))
    add("unused-argument", lambda x, y: x + 1, x, values("i64", 3))
    add("same-result-twice", lambda x: (x + 1, x + 1, x), x)
    add("constant-result", lambda x: (jnp.arange(5), x), x)
    add("constant-splat", lambda x: x + jnp.full(x.shape, 1.5, x.dtype), x)
    for dtype in (*FLOATS, *INTS, "bool"):
        c = Values("constant" + dtype).extreme(dtype, True)
        add(f"constant-{dtype}", lambda x, c=c: (jnp.where(x, c, c[::-1]), jnp.asarray(c[:1])), Values("x")("bool", 48), tolerance=0)


def _dots() -> None:
    lax = jax.lax
    layouts = {
        "matrix": ((4, 5), (5, 6), ((1,), (0,)), ((), ())),
        "vector": ((5,), (5,), ((0,), (0,)), ((), ())),
        "transposed": ((5, 4), (6, 5), ((0,), (1,)), ((), ())),
        "batch": ((3, 4, 5), (3, 5, 6), ((2,), (1,)), ((0,), (0,))),
        "batch-last": ((4, 5, 3), (5, 6, 3), ((1,), (0,)), ((2,), (2,))),
        "two-batches": ((2, 3, 4, 5), (3, 2, 5, 6), ((3,), (2,)), ((0, 1), (1, 0))),
        "two-contracted": ((3, 4, 5), (5, 4, 6), ((1, 2), (1, 0)), ((), ())),
        "outer": ((3, 4), (5,), ((), ()), ((), ())),
        "all-contracted": ((3, 4), (4, 3), ((0, 1), (1, 0)), ((), ())),
        "batch-only": ((3, 4), (3, 4), ((), ()), ((0, 1), (0, 1))),
        "free-axes": ((2, 3, 4, 5), (4, 6, 7), ((2,), (0,)), ((), ())),
    }
    for name, (a, b, contract, batch) in layouts.items():
        for dtype in ("f32", "f64", "i32") if name != "matrix" else (*FLOATS, *INTS, "bool"):
            values = Values(name + dtype)
            bounds = {} if dtype in FLOATS else {"low": -9, "high": 9}
            add(f"dot_general-{name}-{dtype}", lambda x, y, d=(contract, batch): lax.dot_general(x, y, d), values(dtype, *a, **bounds), values(dtype, *b, **bounds), of_largest=True)
    for source, target in (("bf16", "f32"), ("f16", "f32"), ("i8", "i32"), ("u8", "u32"), ("f32", "f64"), ("i8", "f32")):
        values = Values("preferred" + source)
        add(f"dot_general-preferred-{source}-{target}", lambda x, y, t=target: lax.dot(x, y, preferred_element_type=DTYPES[t]), values(source, 4, 7), values(source, 7, 5), of_largest=True)
    for precision in ("default", "high", "highest"):
        values = Values("precision")
        add(f"dot_general-{precision}", lambda x, y, p=precision: lax.dot(x, y, precision=p), values("f32", 4, 7), values("f32", 7, 5), of_largest=True)
    values = Values("einsum")
    add("einsum-attention", lambda q, k, v: jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k)), v), *(values("f32", 2, 5, 3, 4) for _ in range(3)), of_largest=True)
    add("einsum-trace", lambda a, b: jnp.einsum("iij,ji->i", a, b), values("f32", 4, 4, 3), values("f32", 3, 4), of_largest=True)


def _convolutions() -> None:
    lax = jax.lax

    def conv(name: str, x: Sequence[int], w: Sequence[int], dtype: str = "f32", **options: Any) -> None:
        values = Values("conv" + name)
        bounds = {} if dtype in FLOATS else {"low": -9, "high": 9}
        options = {"window_strides": (1,) * (len(x) - 2), "padding": "VALID"} | options
        add(f"conv-{name}", lambda x, w: lax.conv_general_dilated(x, w, **options), values(dtype, *x, **bounds), values(dtype, *w, **bounds), of_largest=True)

    nchw, image, kernel = ("NCHW", "OIHW", "NCHW"), (2, 4, 9, 8), (6, 4, 3, 3)
    for dtype in ("f32", "f64", "bf16", "f16", "i32"):
        conv(f"2d-{dtype}", image, kernel, dtype)
    conv("same", image, kernel, padding="SAME")
    conv("same-lower", image, (6, 4, 2, 4), padding="SAME_LOWER")
    conv("strides", image, kernel, window_strides=(2, 3))
    conv("padding", image, kernel, padding=((1, 2), (0, 3)))
    conv("negative-padding", image, kernel, padding=((-1, 0), (2, -2)))
    conv("rhs-dilation", image, kernel, rhs_dilation=(2, 1))
    conv("lhs-dilation", image, kernel, lhs_dilation=(2, 3), padding=((1, 1), (2, 2)))
    conv("both-dilations", image, kernel, lhs_dilation=(2, 1), rhs_dilation=(1, 2), window_strides=(2, 1), padding=((2, 2), (1, 1)))
    conv("groups", image, (6, 2, 3, 3), feature_group_count=2)
    conv("depthwise", image, (8, 1, 3, 3), feature_group_count=4, padding="SAME")
    conv("batch-groups", (4, 3, 7, 7), (6, 3, 3, 3), batch_group_count=2)
    conv("1x1", image, (5, 4, 1, 1))
    for spec in (("NHWC", "HWIO", "NHWC"), ("NHWC", "OHWI", "NHWC"), ("CHWN", "IHWO", "CHWN"), ("NHWC", "HWIO", "NCHW"), ("HWNC", "OIHW", "NHWC")):
        sizes = {"N": 2, "C": 4, "H": 8, "W": 9, "O": 6, "I": 4}
        x, w = [sizes[c] for c in spec[0]], [{"H": 3, "W": 2}.get(c, sizes[c]) for c in spec[1]]
        conv("layout-" + "-".join(spec).lower(), x, w, dimension_numbers=spec, padding="SAME")
    conv("1d", (2, 4, 11), (3, 4, 3), dimension_numbers=("NCH", "OIH", "NCH"), window_strides=(2,))
    conv("1d-nwc", (2, 11, 4), (3, 4, 5), dimension_numbers=("NWC", "WIO", "NWC"))
    conv("3d", (1, 2, 5, 6, 7), (3, 2, 2, 3, 2), dimension_numbers=("NCDHW", "OIDHW", "NCDHW"), padding="SAME")
    conv("0d", (3, 4), (5, 4), dimension_numbers=("NC", "OI", "NC"))
    conv("preferred-bf16-f32", image, kernel, "bf16", preferred_element_type=np.float32)
    values = Values("convgrad")
    x, w = values("f32", *image), values("f32", *kernel)

    def loss(x: Any, w: Any, stride: tuple[int, int], groups: int = 1) -> Any:
        return jnp.sum(lax.conv_general_dilated(x, w, stride, "SAME", feature_group_count=groups) ** 2)

    for stride in ((1, 1), (2, 2)):
        add(f"conv-gradient-stride{stride[0]}", jax.grad(lambda x, w, s=stride: loss(x, w, s), (0, 1)), x, w, of_largest=True)
    add("conv-gradient-groups", jax.grad(lambda x, w: loss(x, w, (1, 1), 2), (0, 1)), x, w[:, :2].copy(), of_largest=True)
    add("conv-transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW")), x, w, of_largest=True)
    assert nchw


def _reductions() -> None:
    lax = jax.lax
    for op in ("sum", "prod", "max", "min"):
        for dtype in (*FLOATS, "i8", "i32", "u64"):
            x = Values(op + dtype)(dtype, 3, 4, 5, **({} if dtype in FLOATS else {"low": 0, "high": 3}))
            add(f"reduce-{op}-{dtype}", lambda x, op=op: [getattr(jnp, op)(x, axis=a, **({"dtype": x.dtype} if op in ("sum", "prod") else {})) for a in (None, 0, 1, 2, (0, 2), (1, 2))], x, of_largest=True)
    for op in ("max", "min"):
        for dtype in ("f32", "f64", "i64"):
            add(f"reduce-{op}-extreme-{dtype}", lambda x, op=op: getattr(jnp, op)(x.reshape(8, 6), axis=1), *extremes(op + "x", dtype, 1))
    for op in ("all", "any"):
        add(f"reduce-{op}", lambda x, op=op: [getattr(jnp, op)(x, axis=a) for a in (None, 0, 1)], Values(op)("bool", 5, 3))
    for op in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        add(f"reduce-{op}", lambda x, op=op: lax.reduce(x, np.int32(-1 if "and" in op else 0), getattr(lax, op), (1,)), Values(op)("i32", 4, 6))
    for op in ("argmax", "argmin"):
        for dtype in ("f32", "f64", "i32", "u8", "bf16"):
            x = Values(op + dtype)(dtype, 4, 6, low=0, high=4)
            add(f"{op}-{dtype}", lambda x, op=op: [getattr(lax, op)(x, a, t) for a in (0, 1) for t in (np.int32, np.int64)], np.floor(x).astype(x.dtype))
        add(f"{op}-nan", lambda x, op=op: getattr(jnp, op)(x.reshape(8, 6), axis=1), *extremes(op, "f32", 1))
    values = Values("reduce")
    x, y = values("f32", 4, 6), values("f32", 4, 6)
    add("reduce-pairs", lambda x, y: lax.reduce((x, y), (np.float32(0), np.float32(1)), lambda a, b: (a[0] + b[0], a[1] * b[1]), (1,)), x, y, of_largest=True)
    add("reduce-argmax-pairs", lambda x: lax.reduce((x, lax.broadcasted_iota(np.int32, (4, 6), 1)), (np.float32(-np.inf), np.int32(0)), lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(b[0] > a[0], b[1], a[1])), (1,)), x)
    add("reduce-not-associative", lambda x: lax.reduce(x, np.float32(0), lambda a, b: 0.5 * a + b, (1,)), x[:, :1].copy())
    add("reduce-of-nothing", lambda x: jnp.sum(x, axis=()), x)
    add("logsumexp", lambda x: jax.nn.logsumexp(x, axis=1), x)
    add("mean-var-std", lambda x: [jnp.mean(x), jnp.var(x, axis=0), jnp.std(x, axis=1)], x, of_largest=True)
    add("softmax", lambda x: [jax.nn.softmax(x, a) for a in (0, 1)], x)
    add("norm", lambda x: [jnp.linalg.norm(x), jnp.linalg.norm(x, axis=1), jnp.linalg.norm(x, 1, axis=0)], x, of_largest=True)
    inits = {"add": 0.0, "max": -np.inf, "min": np.inf, "mul": 1.0}
    windows = {
        "valid": ((1, 2, 3), (1, 1, 1), "VALID", None, None),
        "same": ((1, 3, 3), (1, 2, 2), "SAME", None, None),
        "padding": ((2, 2, 2), (1, 1, 2), ((0, 1), (1, 1), (0, 0)), None, None),
        "base-dilation": ((1, 2, 2), (1, 1, 1), "VALID", (1, 2, 1), None),
        "window-dilation": ((1, 2, 2), (1, 1, 1), "VALID", None, (1, 2, 2)),
        "overlapping-strides": ((2, 3, 3), (1, 3, 2), ((1, 0), (0, 2), (1, 1)), None, (1, 1, 2)),
    }
    x = values("f32", 3, 7, 8)
    for name, (size, strides, padding, base, window) in windows.items():
        for op, init in inits.items():
            add(f"reduce_window-{name}-{op}", lambda x, op=op, i=init, a=(size, strides, padding, base, window): lax.reduce_window(x, np.float32(i), getattr(lax, op), *a), x, of_largest=True)
    for dtype, low in (("i32", -(2**31)), ("f64", -np.inf), ("bf16", -np.inf)):
        add(f"reduce_window-max-{dtype}", lambda x, low=low, d=dtype: lax.reduce_window(x, DTYPES[d].type(low), lax.max, (2, 2), (2, 2), "SAME"), values(dtype, 7, 5))
    add("reduce_window-custom", lambda x: lax.reduce_window(x, np.float32(0), lambda a, b: jnp.sqrt(a * a + b * b), (1, 2, 2), (1, 2, 2), "VALID"), np.abs(x), of_largest=True)
    add("average-pool", lambda x: lax.reduce_window(x, np.float32(0), lax.add, (1, 2, 2), (1, 2, 2), "SAME") / lax.reduce_window(jnp.ones_like(x), np.float32(0), lax.add, (1, 2, 2), (1, 2, 2), "SAME"), x)
    for name, (size, strides, padding, *_) in list(windows.items())[:3]:
        add(f"select_and_scatter-{name}", jax.grad(lambda x, a=(size, strides, padding): jnp.sum(lax.reduce_window(x, -np.float32(np.inf), lax.max, *a) ** 2)), x, of_largest=True)
    for op in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
        for reverse in (False, True):
            add(f"{op}{'-reverse' if reverse else ''}", lambda x, op=op, r=reverse: [getattr(lax, op)(x, a, r) for a in (0, 1)], values("f32", 5, 9), of_largest=True)
    add("cumsum-i32", lambda x: jnp.cumsum(x, axis=1), values("i32", 3, 40))
    add("cumsum-long", lambda x: jnp.cumsum(x), values("f64", 1000), of_largest=True)


def _indexing() -> None:
    lax = jax.lax
    values = Values("gather")
    x, i = values("f32", 6, 5, 4), values("i32", 7, low=-8, high=8)
    for mode in ("clip", "fill", "wrap"):
        add(f"take-{mode}", lambda x, i, m=mode: [jnp.take(x, i, axis=a, mode=m) for a in (0, 1)], x, i)
    for dtype in ("f64", "bf16", "i8", "bool", "u64"):
        add(f"take-{dtype}", lambda x, i: jnp.take(x, i, axis=0, mode="clip"), values(dtype, 6, 3), i)
    for dtype in ("i64", "u8", "u32", "i8"):
        add(f"take-by-{dtype}", lambda x, i: jnp.take(x, i, axis=0, mode="clip"), x, values(dtype, 7, low=0, high=9))
    add("index-rows", lambda x, i: x[i], x, i % 6)
    add("index-pairs", lambda x, i, k: [x[i, k], x[i, :, k % 4], x[:, i % 5, k % 4], x[i[:, None], k[None]]], x, i % 6, i[::-1].copy() % 4)
    add("index-negative", lambda x, i: x[i], x, (i % 6) - 6)
    add("index-matrix", lambda x, i: x[i], x, values("i32", 2, 3, low=0, high=5))
    add("take_along_axis", lambda x, i: [jnp.take_along_axis(x, i, axis=1)], x, values("i32", 6, 3, 4, low=0, high=4))
    add("index-of-one-axis", lambda x, i: x[:, i], x, np.int32(3))
    numbers = lax.GatherDimensionNumbers
    for mode in ("clip", "fill"):
        add(f"gather-slices-{mode}", lambda x, i, m=mode: lax.gather(x, i, numbers((1, 2), (0,), (0, 2)), (1, 3, 2), mode=m), x, values("i32", 5, 2, low=-3, high=7))
        add(f"gather-windows-{mode}", lambda x, i, m=mode: lax.gather(x, i, numbers((0, 2, 3), (), (1,)), (6, 2, 4), mode=m), x, values("i32", 5, 1, low=-2, high=6))
        add(f"gather-batching-{mode}", lambda x, i, m=mode: lax.gather(x, i, numbers((1,), (1,), (1,), (0,), (0,)), (1, 1, 4), mode=m), x, values("i32", 6, 1, low=-1, high=6))
    add("gather-fill-value", lambda x, i: x.at[i].get(mode="fill", fill_value=-7.0), x, i)
    add("vmap-gather", jax.vmap(lambda x, i: x[i]), x, values("i32", 6, 3, low=0, high=4))
    add("vmap-dynamic_slice", jax.vmap(lambda x, i: lax.dynamic_slice(x, (i, i * 0), (2, 4))), x, values("i32", 6, low=-2, high=7))
    add("vmap-dynamic_update_slice", jax.vmap(lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i * 0))), x, values("f32", 6, 2, 4), values("i32", 6, low=-2, high=7))
    u = values("f32", 7, 5, 4)
    for op in ("set", "add", "mul", "min", "max"):
        unique = np.array([5, 0, 3], np.int32)
        add(f"scatter-{op}", lambda x, i, u, op=op: getattr(x.at[i], op)(u), x, unique if op == "set" else i % 6, u[:3].copy() if op == "set" else u, of_largest=True)
        for mode in ("drop", "clip", "promise_in_bounds"):
            index = np.array([9, -9, 2], np.int32) if mode == "drop" else np.array([0, 4, 2], np.int32)
            add(f"scatter-{op}-{mode}", lambda x, i, u, op=op, m=mode: getattr(x.at[i], op)(u, mode=m), x, index, u[:3].copy(), of_largest=True)
        add(f"scatter-{op}-point", lambda x, i, u, op=op: getattr(x.at[i, 1, 2], op)(u), x, np.int32(3), np.float32(2.5))
    for dtype in ("f64", "bf16", "i8", "i64", "u32"):
        bounds = {} if dtype in FLOATS else {"low": 0, "high": 9}
        add(f"scatter-add-{dtype}", lambda x, i, u: x.at[i].add(u), values(dtype, 6, 3, **bounds), np.array([5, 0, 3], np.int32), values(dtype, 3, 3, **bounds), of_largest=True)
    add("scatter-add-pairs", lambda x, i, k, u: x.at[i, k].add(u), x, i % 6, i[::-1].copy() % 5, values("f32", 7, 4), of_largest=True)
    add("scatter-apply", lambda x, i: x.at[i].apply(jnp.sin), x, np.array([1, 4], np.int32))
    scatter = lax.ScatterDimensionNumbers
    for mode in ("clip", "drop"):
        m = {"clip": "clip", "drop": "fill"}[mode]
        add(f"scatter-windows-{mode}", lambda x, i, u, m=m: lax.scatter_add(x, i, u, scatter((1, 2, 3), (), (0, 1)), mode=m), x, np.array([[0, 0], [4, 3], [5, 9], [-1, 1]], np.int32), values("f32", 4, 2, 2, 4), of_largest=True)
    add("scatter-batching", lambda x, i, u: lax.scatter_add(x, i, u, scatter((1,), (1,), (1,), (0,), (0,)), mode="clip"), x, values("i32", 6, 1, low=0, high=4), values("f32", 6, 4), of_largest=True)
    add("vmap-scatter", jax.vmap(lambda x, i, u: x.at[i].add(u)), x, values("i32", 6, 3, low=0, high=4), values("f32", 6, 3, 4), of_largest=True)
    add("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 5), u, i % 5, of_largest=True)
    add("one_hot", lambda i: jax.nn.one_hot(i, 6), i)
    add("histogram", lambda i: jnp.bincount(i, length=10), values("i32", 100, low=0, high=9))
    add("gather-gradient", jax.grad(lambda x, i: jnp.sum(x[i] ** 2)), x, i % 6, of_largest=True)


def _sorts() -> None:
    lax = jax.lax
    for dtype in (*FLOATS, "i8", "i64", "u32", "bool"):
        values = Values("sort" + dtype)
        add(f"sort-{dtype}", lambda x: [lax.sort(x, dimension=0), lax.sort(x.reshape(8, 6), dimension=1), lax.sort(x.reshape(8, 6), dimension=0)], values.extreme(dtype))
    values = Values("sort")
    k, v = values("i32", 5, 20, low=0, high=4), values("f32", 5, 20)
    add("sort-key-value", lambda k, v: lax.sort((k, v), dimension=1, num_keys=1), k, v)
    add("sort-two-keys", lambda k, v: lax.sort((k, v), dimension=1, num_keys=2), k, v)
    add("sort-three-operands", lambda k, v: lax.sort((k, v, v * 2, k + 1), dimension=0, num_keys=1), k, v)
    add("sort-unstable", lambda k, v: lax.sort((v, k), dimension=1, is_stable=False), k, v)
    add("sort-descending", lambda v: [jnp.sort(v, descending=True), jnp.argsort(v, axis=1), jnp.argsort(v, axis=1, descending=True)], v)
    add("argsort-stable", lambda k: jnp.argsort(k, axis=1, stable=True), k)
    add("lexsort", lambda k, v: jnp.lexsort((v[0], k[0])), k, v)
    add("median-quantile", lambda v: [jnp.median(v, axis=1), jnp.quantile(v, 0.3, axis=1)], v)
    add("searchsorted", lambda a, v: [jnp.searchsorted(a, v, side=s, method=m) for s in ("left", "right") for m in ("scan", "compare_all", "sort")], np.sort(v[0]), v[1])
    for dtype in ("f32", "i32", "bf16", "f64"):
        add(f"top_k-{dtype}", lambda v: lax.top_k(v, 4), values(dtype, 3, 17))
    add("approx_max_k", lambda v: lax.approx_max_k(v, 3, recall_target=1.0), v)
    add("approx_min_k", lambda v: lax.approx_min_k(v, 2), v)
    add("unique", lambda k: jnp.unique(k, size=6, fill_value=-1), k)


def _loops() -> None:
    lax = jax.lax
    values = Values("loops")
    x, w = values("f32", 4), values("f32", 4, 4, low=-0.5, high=0.5)
    add("fori-constant", lambda x, w: lax.fori_loop(0, 5, lambda i, c: jnp.tanh(w @ c) + i, x), x, w, of_largest=True)
    add("fori-data", lambda x, n: lax.fori_loop(0, n, lambda i, c: c * 0.9 + i, x), x, np.int32(7), of_largest=True)
    add("fori-none", lambda x, n: lax.fori_loop(0, n, lambda i, c: c * 0.9 + i, x), x, np.int32(0), of_largest=True)
    add("while-data", lambda x: lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + jnp.sum(jnp.abs(c[1])), c[1] * 0.9), (np.float32(0), x)), x, of_largest=True)
    add("while-never", lambda x: lax.while_loop(lambda c: jnp.sum(c) > 1e6, lambda c: c + 1, x), x)
    for length in (3, 100):
        add(f"scan-{length}", lambda x, xs, w: lax.scan(lambda c, y: (jnp.tanh(w @ c + y), jnp.sum(c)), x, xs), x, values("f32", length, 4), w, of_largest=True)
    add("scan-reverse", lambda x, xs: lax.scan(lambda c, y: (c * 0.5 + y, c), x, xs, reverse=True), x, values("f32", 6, 4), of_largest=True)
    add("scan-unroll", lambda x, xs: lax.scan(lambda c, y: (c * 0.5 + y, c), x, xs, unroll=3), x, values("f32", 7, 4), of_largest=True)
    add("scan-nested", lambda x, xs: lax.scan(lambda c, y: lax.scan(lambda d, z: (d * 0.5 + z, d[0]), c, y), x, xs), x, values("f32", 3, 5, 4), of_largest=True)
    add("scan-gradient", jax.grad(lambda x, xs: jnp.sum(lax.scan(lambda c, y: (jnp.tanh(c * y), None), x, xs)[0])), x, values("f32", 6, 4), of_largest=True)
    add("scan-i64-f64", lambda x, xs: lax.scan(lambda c, y: ((c[0] + y, c[1] * 3 + 1), c[1]), (x, np.int64(1)), xs), values("f64", 2), values("f64", 20, 2), of_largest=True)
    add("associative_scan", lambda x: lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, x)), values("f32", 9, 3), of_largest=True)
    add("map", lambda x: lax.map(lambda y: jnp.sum(y * y), x), values("f32", 5, 4), of_largest=True)
    for p in (False, True):
        add(f"cond-{str(p).lower()}", lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), np.bool_(p), x)
    for i in (-3, 0, 1, 2, 9):
        add(f"switch-{i}", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda x: x * 2], x), np.int32(i), x)
    add("cond-vmap", jax.vmap(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x)), values("bool", 6), values("f32", 6))
    add("while-vmap", jax.vmap(lambda n: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (0, np.float32(1)))), values("i32", 5, low=0, high=9))


def _random() -> None:
    key = np.array([123, 456], np.uint32)
    wrap = jax.random.wrap_key_data
    for bits in (8, 16, 32, 64):
        add(f"random-bits{bits}", lambda k, b=bits: jax.random.bits(wrap(k), (11,), DTYPES[f"u{b}"]), key)
    add("random-split", lambda k: jax.random.key_data(jax.random.split(wrap(k), 3)), key)
    add("random-fold_in", lambda k, i: jax.random.key_data(jax.random.fold_in(wrap(k), i)), key, np.int32(17))
    for dtype in ("f32", "f64", "bf16"):
        add(f"random-uniform-{dtype}", lambda k, d=dtype: jax.random.uniform(wrap(k), (5, 3), DTYPES[d]), key, tolerance=0)
        # XLA rounds the product and the sum once.
        add(f"random-uniform-scaled-{dtype}", lambda k, d=dtype: jax.random.uniform(wrap(k), (5, 3), DTYPES[d], 1, 3), key)
        add(f"random-normal-{dtype}", lambda k, d=dtype: jax.random.normal(wrap(k), (5, 3), DTYPES[d]), key)
    add("random-randint", lambda k: jax.random.randint(wrap(k), (20,), -5, 100, np.int32), key)
    add("random-permutation", lambda k: jax.random.permutation(wrap(k), 20), key)
    add("random-bernoulli", lambda k: jax.random.bernoulli(wrap(k), 0.3, (20,)), key)
    add("random-categorical", lambda k, x: jax.random.categorical(wrap(k), x), key, Values("categorical")("f32", 6, 5))
    add("random-gumbel", lambda k: jax.random.gumbel(wrap(k), (9,), np.float32), key)
    add("random-exponential", lambda k: jax.random.exponential(wrap(k), (9,), np.float32), key)
    add("random-gamma", lambda k: jax.random.gamma(wrap(k), 2.5, (5,), np.float32), key, tolerance=1e-4)
    add("random-truncated_normal", lambda k: jax.random.truncated_normal(wrap(k), -1, 2, (9,), np.float32), key)
    add("random-choice", lambda k: jax.random.choice(wrap(k), 10, (4,), replace=False), key)
    for name in ("THREE_FRY", "PHILOX", "DEFAULT"):
        words = 2 if name == "THREE_FRY" else 4 if name == "DEFAULT" else 3
        for dtype in ("u32", "u64", "u8"):
            state = np.arange(7, 7 + 2 * words, dtype=np.uint32)[: 2 * words if name != "DEFAULT" else 4]
            add(f"rng_bit_generator-{name.lower()}-{dtype}", lambda k, n=name, d=dtype: jax.lax.rng_bit_generator(k[:4], (9,), DTYPES[d], getattr(jax.lax.RandomAlgorithm, f"RNG_{n}", 0)), state)


def _complex() -> None:
    lax = jax.lax

    def parts(z: Any) -> Any:
        return lax.real(z), lax.imag(z)

    for dtype in ("f32", "f64"):
        values = Values("complex" + dtype)
        a, b, c, d = (values(dtype, 4, 6) for _ in range(4))
        for op in ("add", "sub", "mul", "div"):
            add(f"complex-{op}-{dtype}", lambda a, b, c, d, op=op: parts(getattr(lax, op)(lax.complex(a, b), lax.complex(c, d))), a, b, c, d, of_largest=True)
        for op in ("neg", "conj", "exp", "log", "sqrt", "rsqrt", "sin", "cos", "tanh", "sign"):
            add(f"complex-{op}-{dtype}", lambda a, b, op=op: parts(getattr(lax, op)(lax.complex(a, b))), a, b, of_largest=True)
        add(f"complex-abs-{dtype}", lambda a, b: [lax.abs(lax.complex(a, b)), jnp.angle(lax.complex(a, b))], a, b)
        add(f"complex-dot-{dtype}", lambda a, b, c, d: parts(lax.complex(a, b) @ lax.complex(c, d).T), a, b, c, d, of_largest=True)
        add(f"complex-eq-{dtype}", lambda a, b: lax.complex(a, b) == lax.complex(a, a), a, b)
        add(f"complex-shapes-{dtype}", lambda a, b: parts(jnp.concatenate([lax.complex(a, b).T, lax.complex(b, a).T])[::2, 1:]), a, b)
        add(f"complex-sum-{dtype}", lambda a, b: [parts(jnp.sum(lax.complex(a, b), axis=k)) for k in (0, 1)], a, b, of_largest=True)
        for length in (8, 12, 7):
            x, y = values(dtype, 3, length), values(dtype, 3, length)
            for kind in ("fft", "ifft"):
                add(f"{kind}-{length}-{dtype}", lambda x, y, k=kind: parts(getattr(jnp.fft, k)(lax.complex(x, y))), x, y, of_largest=True)
            add(f"rfft-{length}-{dtype}", lambda x: parts(jnp.fft.rfft(x)), x, of_largest=True)
            h = length // 2 + 1
            add(f"irfft-{length}-{dtype}", lambda x, y, n=length: jnp.fft.irfft(lax.complex(x, y), n), x[:, :h].copy(), y[:, :h].copy(), of_largest=True)
        add(f"fft2-{dtype}", lambda a, b: parts(jnp.fft.fft2(lax.complex(a, b))), a, b, of_largest=True)
        add(f"rfftn-irfftn-{dtype}", lambda a: jnp.fft.irfftn(jnp.fft.rfftn(a) * 2, a.shape), a, of_largest=True)


def _linear_algebra() -> None:
    for dtype in ("f32", "f64"):
        values = Values("linalg" + dtype)
        a = values(dtype, 5, 5)
        spd = (a @ a.T + 5 * np.eye(5)).astype(a.dtype)
        b = values(dtype, 5, 3)
        triangle = np.tril(a) + 3 * np.eye(5, dtype=a.dtype)
        add(f"cholesky-{dtype}", jnp.linalg.cholesky, spd, of_largest=True)
        add(f"cholesky-batch-{dtype}", jnp.linalg.cholesky, np.stack([spd, spd * 2]), of_largest=True)
        for lower in (True, False):
            for trans in (0, 1):
                add(f"triangular_solve-{'lower' if lower else 'upper'}-{trans}-{dtype}", lambda a, b, lo=lower, t=trans: jax.scipy.linalg.solve_triangular(a, b, lower=lo, trans=t), triangle if lower else triangle.T.copy(), b, of_largest=True)
        add(f"triangular_solve-unit-{dtype}", lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True, unit_diagonal=True), triangle, b, of_largest=True)
        add(f"triangular_solve-right-{dtype}", lambda a, b: jax.lax.linalg.triangular_solve(a, b, left_side=False, lower=True), triangle, b.T.copy(), of_largest=True)
        add(f"cho_solve-{dtype}", lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b), spd, b, of_largest=True)
        # More steps than are unrolled, one matrix without a factor, and one whose pivots are swapped.
        large = values(dtype, 3, 20, 20)
        many = (large @ large.swapaxes(1, 2) + 20 * np.eye(20)).astype(a.dtype)
        many[1, 13, 13] = -5
        add(f"cholesky-indefinite-{dtype}", jnp.linalg.cholesky, many, of_largest=True)
        add(f"triangular_solve-large-{dtype}", lambda a, b: jax.scipy.linalg.solve_triangular(a, b), many[2], large[0, :, :2].copy(), of_largest=True)
        for rows, columns in ((5, 3), (3, 5), (20, 20)):
            add(f"lu-{rows}-{columns}-{dtype}", jax.lax.linalg.lu, large[:, :rows, :columns].copy(), of_largest=True)
        add(f"lu-singular-{dtype}", jax.lax.linalg.lu, np.ones_like(a), of_largest=True)
        add(f"solve-{dtype}", jnp.linalg.solve, spd, b, of_largest=True)
        add(f"inv-det-{dtype}", lambda a: (jnp.linalg.inv(a), jnp.linalg.det(a)), spd, of_largest=True)
        add(f"qr-{dtype}", jnp.linalg.qr, a, of_largest=True, compare=lambda q, r: [q @ r])
        # LAPACK's signs, and reflections of matrices that are larger than what is unrolled, and of no full rank.
        for rows, columns in ((5, 3), (3, 5), (20, 20), (20, 17)):
            add(f"qr-{rows}-{columns}-{dtype}", jnp.linalg.qr, large[:, :rows, :columns].copy(), of_largest=True)
        add(f"qr-raw-{dtype}", lambda a: jnp.linalg.qr(a, mode="raw"), b, of_largest=True)
        add(f"qr-complete-{dtype}", lambda a: jnp.linalg.qr(a, mode="complete"), b, of_largest=True)
        add(f"qr-triangle-{dtype}", jnp.linalg.qr, np.triu(a), of_largest=True)
        add(f"qr-huge-{dtype}", jnp.linalg.qr, (a * (1e30 if dtype == "f32" else 1e300)).astype(a.dtype), of_largest=True)
        add(f"eigh-{dtype}", jnp.linalg.eigh, spd, of_largest=True, compare=lambda w, v: [w, v @ np.diag(w) @ v.T])
        add(f"svd-{dtype}", lambda a: jnp.linalg.svd(a, full_matrices=False), a, of_largest=True, compare=lambda u, s, v: [s, u @ np.diag(s) @ v])
        add(f"expm-{dtype}", jax.scipy.linalg.expm, (a * 0.1).astype(a.dtype), of_largest=True)


def _others() -> None:
    values = Values("others")
    x = values("f32", 4, 6)
    add("optimization_barrier", lambda x: jax.lax.optimization_barrier((x + 1, x))[0] * 2, x)
    add("stop_gradient-remat", jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(x) * jax.lax.stop_gradient(x)))), x)
    add("custom_jvp-relu-gelu-silu", lambda x: [jax.nn.relu(x), jax.nn.gelu(x), jax.nn.gelu(x, approximate=False), jax.nn.silu(x), jax.nn.softplus(x), jax.nn.elu(x), jax.nn.leaky_relu(x), jax.nn.relu6(x)], x)
    add("composite", lambda x: jax.lax.composite(lambda x: jnp.sin(x) + 1, "my.sine")(x), x)
    add("nested-jit", lambda x: jax.jit(lambda y: jax.jit(jnp.sin)(y) + jax.jit(jnp.sin)(y * 2))(x), x)
    add("layer-norm", lambda x: (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5), x, of_largest=True)
    add("batch-norm", lambda x, m, v: (x - m) / jnp.sqrt(v + 1e-3), x, x[0].copy(), np.abs(x[1]))
    add("where-nan-to-num", lambda x: [jnp.nan_to_num(x), jnp.where(jnp.isnan(x), 0, x), jnp.isinf(x)], *extremes("nan", "f32", 1))
    add("jacobian", jax.jacfwd(lambda x: jnp.sin(x) * jnp.sum(x)), x[0].copy(), of_largest=True)
    add("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x)) * jnp.prod(x)), x[0, :4].copy(), of_largest=True)
    add("floor_divide-mod", lambda x, y: [jnp.floor_divide(x, y), jnp.mod(x, y), jnp.fmod(x, y), jnp.sign(x) * jnp.hypot(x, y), jnp.logaddexp(x, y), jnp.copysign(x, y)], x, x[::-1].copy())
    add("floor_divide-mod-i32", lambda x, y: [jnp.floor_divide(x, y), jnp.mod(x, y), jnp.gcd(x, y), jnp.right_shift(x, 3)], values("i32", 20, low=-50, high=50), values("i32", 20, low=1, high=9))
    add("polynomials", lambda x: [jnp.polyval(jnp.array([1.0, -2, 3], np.float32), x), jnp.interp(x, jnp.linspace(-2, 2, 9, dtype=np.float32), jnp.arange(9, dtype=np.float32)), jnp.cross(x[:, :3], x[:, 3:])], x, of_largest=True)
    add("image-resize", lambda x: jax.image.resize(x, (7, 9), "bilinear"), x, of_largest=True)
    add("convolve", lambda x, y: [jnp.convolve(x, y, mode=m) for m in ("full", "same", "valid")], values("f32", 12), values("f32", 5), of_largest=True)
    add("triu-tril-diag", lambda x: [jnp.triu(x), jnp.tril(x, -1), jnp.diag(x), jnp.diag(x[0]), jnp.trace(x), jnp.eye(4)], x)
    add("meshgrid-outer-kron", lambda x: [*jnp.meshgrid(x[0], x[1, :3]), jnp.outer(x[0], x[1]), jnp.kron(x[:2, :2], x[2:, :2])], x)
    add("custom_vjp", jax.grad(lambda x: jnp.sum(jax.nn.logsumexp(x, axis=1))), x, of_largest=True)


for _family in (_elementwise, _types, _shapes, _dots, _convolutions, _reductions, _indexing, _sorts, _loops, _random, _complex, _linear_algebra, _others):
    with jax.enable_x64(True):
        _family()


def write(case: Case, folder: pathlib.Path) -> None:
    """The program as the importer reads it, the arguments as argN.npy and JAX's results as resultN.npy."""
    from ttc._jax.trace import Parameters, trace

    folder.mkdir(parents=True, exist_ok=True)
    with jax.enable_x64(True):
        program = trace(case.function, Parameters(case.function), case.args, {})
        results = jax.tree.leaves(jax.jit(case.function)(*case.args))
    (folder / f"{case.name}.mlir").write_text(program.code)
    for kind, arrays in (("arg", case.args), ("result", results)):
        for i, array in enumerate(map(np.asarray, arrays)):
            np.save(folder / f"{kind}{i}.npy", array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print("\n".join(CASES))
    else:
        import needs  # noqa: F401: finds the packages

        write(CASES[sys.argv[1]], pathlib.Path(sys.argv[2]))
