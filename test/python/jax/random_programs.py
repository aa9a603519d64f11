# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions of JAX, of 5 to 40 ops, loops and branches among them. A difference of rounding stays small in them:
what chooses (comparisons, indices, ends of loops) is computed from integers, which are exact, and what loops hand on
contracts.

    python test/python/jax/random_programs.py [FIRST:LAST]    compares seeds FIRST to LAST - 1 with JAX, and names failures
"""
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

MOST_ELEMENTS = 4096
SIZES = (1, 2, 3, 4, 5, 7, 8, 16)
Values = list[Any]


class Maker:
    """Makes a function of a seed. Each step reads the values so far, and adds one or more. What it does is drawn when it is
    traced: by the seed and the shapes, so that it is the same whenever the function is traced."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        self.float = np.float64 if seed % 4 == 3 else np.float32
        self.depth = 0

    def arguments(self) -> tuple[Any, ...]:
        draw = self.draw
        shapes = [tuple(int(n) for n in draw.choice(SIZES, draw.integers(0, 4))) for _ in range(draw.integers(2, 5))]
        floats = [np.tanh(draw.standard_normal(shape)).astype(self.float) for shape in shapes]
        wholes = [draw.integers(-50, 50, tuple(int(n) for n in draw.choice(SIZES, draw.integers(0, 3)))).astype(np.int32) for _ in range(2)]
        return (*floats, *wholes)

    def one_of(self, values: Values, kind: str, rank: int = 0) -> Any:
        """A value of the kind with at least this rank; of those there are, mostly a late one."""
        fitting = [v for v in values if v.dtype.kind == kind and v.ndim >= rank]
        if not fitting:
            fitting = [v for v in values if v.dtype.kind == kind] or [jnp.asarray(0.5, self.float) if kind == "f" else jnp.asarray(3, jnp.int32)]
            v = fitting[self.draw.integers(len(fitting))]
            return v.reshape((1,) * (rank - v.ndim) + v.shape)
        return fitting[len(fitting) - 1 - min(int(self.draw.exponential(2)), len(fitting) - 1)]

    def like(self, value: Any, shape: tuple[int, ...]) -> Any:
        """The value's elements, repeated or dropped, in another shape."""
        flat = jnp.resize(value.reshape(-1), int(np.prod(shape)))
        return flat.reshape(shape)

    def step(self, values: Values) -> None:
        names = STEPS if self.depth < 2 else STEPS[: -len(CONTROL)]
        made = names[self.draw.integers(len(names))](self, values)
        for value in made if isinstance(made, tuple) else (made,):
            if 0 < value.size <= MOST_ELEMENTS and value.ndim <= 5:
                values.append(value)

    def inner(self, given: Values, outputs: Values, count: int) -> Values:
        """A part of the program: values of the outputs' shapes and types, made of what is given and what is around it."""
        self.depth += 1
        values = list(given)
        for _ in range(count):
            self.step(values)
        self.depth -= 1
        found = []
        for output in outputs:
            value = self.like(self.one_of(values, output.dtype.kind), output.shape)
            found.append(value.astype(output.dtype))
        return found

    def again(self) -> Callable[[], None]:
        """What makes the draws from here on the same, however often JAX traces a body."""
        seed = int(self.draw.integers(1 << 30))

        def reset() -> None:
            self.draw = np.random.default_rng(seed)

        return reset


# Ops on floats.


def unary(m: Maker, values: Values) -> Any:
    x = m.one_of(values, "f")
    return [jnp.tanh, jnp.sin, jnp.cos, lambda x: jnp.exp(-jnp.abs(x)), lambda x: jnp.log1p(jnp.abs(x)), jax.nn.sigmoid, lambda x: -x,
            jnp.abs, lambda x: jnp.sqrt(1 + x * x), jax.nn.relu, jax.scipy.special.erf, lambda x: jnp.clip(x, -0.5, 0.75), jax.nn.gelu,
            lambda x: lax.rsqrt(1 + x * x), lambda x: jnp.expm1(-jnp.abs(x)), jnp.arctan][m.draw.integers(16)](x)  # fmt: skip


def binary(m: Maker, values: Values) -> Any:
    x, y = m.one_of(values, "f"), m.one_of(values, "f")
    y = m.like(y, x.shape) if m.draw.integers(2) else m.like(y, x.shape[-1:])
    return [jnp.add, jnp.subtract, lambda x, y: x * jnp.tanh(y), jnp.maximum, jnp.minimum, lambda x, y: x / (1 + y * y),
            lambda x, y: jnp.arctan2(x, 2 + jnp.abs(y)), lambda x, y: jnp.power(1 + jnp.abs(x), jnp.tanh(y))][m.draw.integers(8)](x, y)  # fmt: skip


def matmul(m: Maker, values: Values) -> Any:
    x, n = m.one_of(values, "f", 2), int(m.draw.choice(SIZES))
    w = m.like(m.one_of(values, "f"), (x.shape[-1], n))
    return jnp.tanh(x @ w / np.sqrt(x.shape[-1]).astype(m.float))


def einsum(m: Maker, values: Values) -> Any:
    x = m.one_of(values, "f", 3)
    y = m.like(m.one_of(values, "f"), x.shape)
    return jnp.einsum("...ik,...jk->...ij", x, y) / x.shape[-1]


def convolve(m: Maker, values: Values) -> Any:
    x = m.one_of(values, "f", 2)
    x, w = x.reshape(1, -1, x.shape[-1]), m.like(m.one_of(values, "f"), (3, x.shape[-1], 4))
    return lax.conv_general_dilated(x, w / 4, (int(m.draw.integers(1, 3)),), "SAME", rhs_dilation=(int(m.draw.integers(1, 3)),),
                                    dimension_numbers=("NWC", "WIO", "NWC"))  # fmt: skip


def reduce(m: Maker, values: Values) -> Any:
    x = m.one_of(values, "f", 1)
    axis = int(m.draw.integers(x.ndim))
    return [jnp.mean, jnp.max, jnp.min, lambda x, axis: jnp.prod(jnp.tanh(x), axis), lambda x, axis: jnp.sum(x, axis) / 8,
            lambda x, axis: jax.nn.softmax(x, axis), lambda x, axis: jnp.cumsum(x, axis) / x.shape[axis], lax.cummax,
            lambda x, axis: jnp.sort(x, axis), lambda x, axis: jax.nn.logsumexp(x, axis), jnp.var][m.draw.integers(11)](x, axis)  # fmt: skip


# Ops on any type.


def any_of(m: Maker, values: Values, rank: int) -> Any:
    return m.one_of(values, "i" if m.draw.integers(4) == 0 else "f", rank)


def move(m: Maker, values: Values) -> Any:
    x, draw = any_of(m, values, 2), m.draw
    axis = int(draw.integers(x.ndim))
    return [lambda: jnp.transpose(x, draw.permutation(x.ndim).tolist()), lambda: jnp.flip(x, axis), lambda: x.reshape(-1),
            lambda: jnp.roll(x, int(draw.integers(-3, 4)), axis), lambda: lax.slice_in_dim(x, 0, x.shape[axis], 2, axis),
            lambda: lax.slice_in_dim(x, x.shape[axis] // 3, x.shape[axis], 1, axis), lambda: jnp.concatenate([x, -x], axis),
            lambda: jnp.stack([x, x + 1], axis), lambda: jnp.squeeze(x, [i for i, n in enumerate(x.shape) if n == 1]),
            lambda: jnp.tile(x, [2] + [1] * (x.ndim - 1)), lambda: jnp.broadcast_to(x[None], (3, *x.shape)),
            lambda: lax.pad(x, jnp.zeros((), x.dtype), [(int(draw.integers(0, 3)), int(draw.integers(0, 2)), int(draw.integers(0, 2))) for _ in x.shape]),
            ][draw.integers(12)]()  # fmt: skip


def index(m: Maker, values: Values) -> Any:
    """What data on the device chooses."""
    x, i = any_of(m, values, 1), m.one_of(values, "i")
    axis, n = int(m.draw.integers(x.ndim)), int(m.draw.integers(1, 6))
    at = jnp.abs(m.like(i, (n,))) % x.shape[axis]
    row = m.like(x, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
    return [lambda: jnp.take(x, at, axis), lambda: lax.dynamic_slice_in_dim(x, at[0], 1, axis),
            lambda: lax.dynamic_update_slice_in_dim(x, row, at[0], axis), lambda: lax.dynamic_index_in_dim(x, at[0], axis, keepdims=False),
            lambda: jnp.moveaxis(jnp.moveaxis(x, axis, 0).at[at].add(m.like(x, (n, *jnp.moveaxis(x, axis, 0).shape[1:])) // 4 if x.dtype.kind == "i"
                                                                    else m.like(x, (n, *jnp.moveaxis(x, axis, 0).shape[1:])) / 4), 0, axis),
            lambda: jnp.moveaxis(jnp.moveaxis(x, axis, 0).at[at[0]].set(jnp.moveaxis(row, axis, 0)[0]), 0, axis),
            ][m.draw.integers(6)]()  # fmt: skip


def choose(m: Maker, values: Values) -> Any:
    x = m.one_of(values, "f")
    i = m.like(m.one_of(values, "i"), x.shape)
    return jnp.where(i % 3 == 0, x, m.like(m.one_of(values, "f"), x.shape))


# Ops on integers.


def whole(m: Maker, values: Values) -> Any:
    x = m.one_of(values, "i")
    y = m.like(m.one_of(values, "i"), x.shape)
    return [lambda: x + y, lambda: x * y, lambda: x ^ y, lambda: x & y, lambda: x | y, lambda: x << (y & 7), lambda: x >> (y & 7), lambda: x // 7,
            lambda: x % 11, lambda: jnp.abs(x % 100), lambda: jnp.maximum(x, y), lambda: (x < y).astype(jnp.int32), lambda: lax.population_count(x),
            lambda: jnp.sort(x.reshape(-1)), lambda: jnp.cumsum(x.reshape(-1)), lambda: jnp.argmax(x.reshape(-1) % 5).astype(jnp.int32),
            lambda: jnp.argsort(x.reshape(-1) % 4).astype(jnp.int32), lambda: jnp.sum(x), lambda: jnp.where(jnp.any(x > y), x, y),
            lambda: jnp.arange(x.size, dtype=jnp.int32) - x.reshape(-1)][m.draw.integers(20)]()  # fmt: skip


def to_float(m: Maker, values: Values) -> Any:
    return jnp.tanh(m.one_of(values, "i").astype(m.float) / 64)


# Loops and branches.


def blend(m: Maker, old: Values, new: Values) -> tuple[Any, ...]:
    """Floats contract, so that a loop of any length keeps differences small."""
    return tuple((a / 2 + jnp.tanh(b) / 16).astype(a.dtype) if a.dtype.kind == "f" else b for a, b in zip(old, new))


def carried(m: Maker, values: Values) -> Values:
    return [m.one_of(values, "f") for _ in range(m.draw.integers(1, 3))] + [m.one_of(values, "i") for _ in range(m.draw.integers(0, 2))]


def steps(m: Maker) -> int:
    return int(m.draw.choice([1, 2, 3, 5, 40, 300]) if m.depth else m.draw.choice([1, 2, 3, 7, 100, 1000, 3000]))


def fori(m: Maker, values: Values) -> Any:
    state, count, ops, reset = carried(m, values), steps(m), int(m.draw.integers(1, 5)), m.again()
    around = values[-3:] if m.draw.integers(2) else []

    def body(i: Any, old: Any) -> Any:
        reset()
        return blend(m, old, m.inner([*around, *old, jnp.asarray(i, jnp.int32)], list(old), ops))

    result = lax.fori_loop(0, count, body, tuple(state))
    reset()
    return result


def while_on_data(m: Maker, values: Values) -> Any:
    state, ops, reset = carried(m, values), int(m.draw.integers(1, 5)), m.again()
    limit = jnp.sum(jnp.abs(m.one_of(values, "i"))) % int(m.draw.choice([2, 5, 50, 900]))  # also no steps at all

    def body(old: Any) -> Any:
        reset()
        return (old[0] + 1, *blend(m, old[1:], m.inner([*old[1:], old[0]], list(old[1:]), ops)))

    result = lax.while_loop(lambda old: old[0] < limit, body, (jnp.asarray(0, limit.dtype), *state))
    reset()
    return (*result[1:], result[0].astype(jnp.int32))


def scan(m: Maker, values: Values) -> Any:
    state, ops, reset = carried(m, values), int(m.draw.integers(1, 5)), m.again()
    count = min(steps(m), 1000)
    per = tuple(int(n) for n in m.draw.choice(SIZES, m.draw.integers(0, 2)))
    xs = jnp.resize(m.one_of(values, "f"), (count, *per))

    def body(old: Any, x: Any) -> Any:
        reset()
        *new, y = m.inner([*old, x], [*old, x], ops)
        return blend(m, old, new), y

    result, ys = lax.scan(body, tuple(state), xs, reverse=bool(m.draw.integers(2)))
    reset()
    if ys.size > MOST_ELEMENTS:
        ys = ys.reshape(count, -1)[:: max(1, ys.size // MOST_ELEMENTS + 1)]
    return (*result, ys)


def branch(m: Maker, values: Values) -> Any:
    state, resets = carried(m, values), [m.again() for _ in range(3)]
    which = jnp.sum(m.one_of(values, "i")) % 4 - 1  # out of range, too

    def body(reset: Any) -> Any:
        def run(old: Any) -> Any:
            reset()
            return tuple(m.inner(list(old), list(old), 2))

        return run

    result = lax.switch(which, [body(reset) for reset in resets], tuple(state))
    resets[0]()
    return result


PLAIN = [unary, unary, binary, binary, matmul, einsum, convolve, reduce, reduce, move, move, index, index, choose, whole, whole, to_float]
CONTROL = [fori, while_on_data, scan, branch]
STEPS = PLAIN + CONTROL


def program(seed: int) -> tuple[Callable[..., Any], tuple[Any, ...], bool]:
    """The function of a seed, its arguments, and whether it computes in f64."""
    maker = Maker(seed)
    args, count, reset = maker.arguments(), int(maker.draw.integers(5, 41)), maker.again()

    def function(*values: Any) -> Any:
        reset()
        made = [jnp.asarray(value) for value in values]
        for _ in range(count):
            maker.step(made)
        return made[len(values) :][-6:] or made

    function.__name__ = f"program_{seed}"
    return function, args, maker.float is np.float64


def compare(seed: int) -> str:
    """What differs between ttc and JAX; "" if nothing does."""
    import ttc
    from compare import difference, same_bits

    function, args, x64 = program(seed)
    with jax.enable_x64(x64):
        expected = [np.asarray(value) for value in jax.jit(function)(*args)]
        try:
            with ttc.compile(function, args, cores=1 + seed % 3) as bundle:
                found = [np.asarray(value) for value in bundle(*args)]
        except ttc.CompileError as error:
            return f"not compiled: {str(error).strip().splitlines()[0]}"
    for number, (ours, theirs) in enumerate(zip(found, expected)):
        if theirs.dtype.kind != "f":
            if not same_bits(ours, theirs):
                return f"output {number} of {theirs.dtype} differs"
        elif (by := difference(ours, theirs, of_largest=True)) > (1e-11 if theirs.dtype == np.float64 else 2e-4):
            return f"output {number} of {theirs.dtype} differs by {by:.1e} of the largest element"
    return ""


def main() -> None:
    import needs  # noqa: F401

    first, last = map(int, (sys.argv[1] if len(sys.argv) > 1 else "0:100").split(":"))
    failed = 0
    for seed in range(first, last):
        if problem := compare(seed):
            failed += 1
            print(f"seed {seed}: {problem}", flush=True)
    print(f"{last - first - failed} agree, {failed} do not")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
