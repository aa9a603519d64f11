# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, convolutions and pools on every element type, against sums written out in numpy."""
import itertools

import numpy as np

from op_cases_elementwise import FLOATS, NUMBERS, case, sample, wide
from op_programs import Tensor

SUMS = {"f32": dict(rtol=1e-5, atol=2e-5), "f16": dict(rtol=4e-3, atol=4e-3), "bf16": dict(rtol=3e-2, atol=3e-2)}


def summed(name, op, inputs, expected, element):
    """A case whose sums are rounded in an order of the compiler's choice."""
    return case(name, op, inputs, [Tensor(element, expected)], **SUMS.get(element, {}))


def lists(**attributes):
    return "{" + ", ".join(k if v is True else f"{k} = {v}" for k, v in attributes.items() if v) + "}"


def matmul_cases():
    def product(name, element, a_shape, b_shape, *, ta=False, tb=False, bias=None):
        bound = 4 if element in FLOATS else 2
        a, b = sample(element, a_shape, -bound, bound), sample(element, b_shape, -bound, bound, seed=9)
        left = np.swapaxes(wide(a), -1, -2) if ta else wide(a)
        right = np.swapaxes(wide(b), -1, -2) if tb else wide(b)
        expected, inputs = left @ right, [a, b]
        if bias is not None:
            inputs.append(sample(element, bias, -bound, bound, seed=11))
            expected = expected + wide(inputs[-1])
        return summed(f"matmul_{name}_{element}", f"matmul {{}} {lists(transpose_a=ta, transpose_b=tb)}", inputs,
                      expected, element)

    for element in NUMBERS:
        yield product("plain", element, (7, 19), (19, 33))
        yield product("bias", element, (5, 8), (12, 8), tb=True, bias=(12,))
    yield product("both", "f32", (19, 7), (33, 19), ta=True, tb=True)
    yield product("batch", "f32", (2, 3, 5, 17), (3, 17, 9), bias=(5, 1))
    yield product("broadcast", "f32", (4, 1, 3, 8), (1, 2, 8, 5))
    yield product("row", "f32", (1, 300), (300, 40))
    yield product("column", "f32", (40, 300), (300, 1))
    yield product("scalar", "f32", (1, 1), (1, 1))
    yield product("tall", "f32", (130, 3), (3, 2))


def windows(x, kernel, strides, dilations, pads, fill):
    """x: N, C, spatial... -> N, C, positions..., kernel...; and which elements are inside."""
    rank = len(kernel)
    padding = [(0, 0), (0, 0)] + list(zip(pads[:rank], pads[rank:]))
    padded = np.pad(x, padding, constant_values=fill)
    inside = np.pad(np.ones_like(x, bool), padding)
    counts = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(padded.shape[2:], kernel, strides, dilations)]

    def view(array):
        out = np.empty((*array.shape[:2], *counts, *kernel), array.dtype)
        for taps in itertools.product(*map(range, kernel)):
            part = tuple(slice(t * d, t * d + (n - 1) * s + 1, s)
                         for t, d, n, s in zip(taps, dilations, counts, strides))
            out[(..., *taps)] = array[(slice(None), slice(None), *part)]
        return out

    return view(padded), view(inside)


def convolve(x, w, strides, dilations, pads, groups):
    rank = w.ndim - 2
    taken, _ = windows(x, w.shape[2:], strides, dilations, pads, 0)
    n, c = x.shape[:2]
    taken = taken.reshape(n, groups, c // groups, *taken.shape[2:])
    weights = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    kernel = list(range(20, 20 + rank))
    positions = list(range(10, 10 + rank))
    out = np.einsum(taken, [0, 1, 2, *positions, *kernel], weights, [1, 3, 2, *kernel], [0, 1, 3, *positions])
    return out.reshape(n, w.shape[0], *out.shape[3:])


def convolve_transposed(x, w, strides, dilations, pads, output_padding, groups):
    """Every element adds its multiple of the kernel to the result."""
    rank = w.ndim - 2
    n, c = x.shape[:2]
    per = w.shape[1]
    full = [(size - 1) * s + (k - 1) * d + 1 + p
            for size, s, k, d, p in zip(x.shape[2:], strides, w.shape[2:], dilations, output_padding)]
    out = np.zeros((n, per * groups, *full))
    for g in range(groups):
        part = x[:, g * c // groups : (g + 1) * c // groups]
        weights = w[g * c // groups : (g + 1) * c // groups]
        for taps in itertools.product(*map(range, w.shape[2:])):
            place = tuple(slice(t * d, t * d + (size - 1) * s + 1, s)
                          for t, d, size, s in zip(taps, dilations, x.shape[2:], strides))
            added = np.einsum("nc...,co->no...", part, weights[(..., *taps)])
            out[(slice(None), slice(g * per, (g + 1) * per), *place)] += added
    cut = tuple(slice(pads[i], full[i] - pads[rank + i]) for i in range(rank))
    return out[(slice(None), slice(None), *cut)]


def last(array):
    return np.ascontiguousarray(np.moveaxis(array, 1, -1))


def conv_cases():
    def conv(name, element, x_shape, w_shape, *, strides=None, dilations=None, pads=None, groups=1, bias=True,
             channels_last=False, transposed=False, output_padding=None):
        rank = len(x_shape) - 2
        strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
        x, w = sample(element, x_shape, -1, 1), sample(element, w_shape, -1, 1, seed=3)
        inputs = [x, w]
        if transposed:
            output_padding = output_padding or [0] * rank
            expected = convolve_transposed(wide(x), wide(w), strides, dilations, pads, output_padding, groups)
        else:
            expected = convolve(wide(x), wide(w), strides, dilations, pads, groups)
        if bias:
            b = sample(element, (expected.shape[1],), seed=5)
            inputs.append(b)
            expected = expected + wide(b).reshape(-1, *[1] * rank)
        if channels_last:
            inputs[0] = Tensor(element, last(x.value))
            expected = last(expected)
        text = lists(strides=strides, pads=pads, dilations=dilations, groups=groups if groups > 1 else 0,
                     output_padding=output_padding if transposed else 0, channels_last=channels_last)
        op = "conv_transpose" if transposed else "conv"
        return summed(f"{op}_{name}_{element}", f"{op} {{}} {text}", inputs, expected, element)

    for element in FLOATS:
        yield conv("plain", element, (2, 3, 9, 8), (5, 3, 3, 2))
        yield conv("transposed", element, (1, 3, 5, 4), (3, 4, 3, 2), transposed=True, strides=[2, 3])
    yield conv("window", "f32", (1, 4, 11, 9), (6, 4, 3, 3), strides=[2, 1], dilations=[1, 2], pads=[1, 2, 0, 1])
    yield conv("groups", "f32", (1, 6, 7, 7), (9, 2, 3, 3), groups=3, pads=[1, 1, 1, 1], bias=False)
    yield conv("depthwise", "f32", (1, 17, 7, 7), (17, 1, 3, 3), groups=17, pads=[1, 1, 1, 1])
    yield conv("last", "f32", (1, 5, 7, 6), (8, 5, 3, 3), pads=[1, 1, 1, 1], channels_last=True)
    yield conv("pointwise", "f32", (1, 19, 6, 5), (7, 19, 1, 1), channels_last=True)
    yield conv("line", "f32", (2, 3, 20), (4, 3, 5), strides=[3], pads=[2, 2])
    # Windows that are runs of a line: a deep product of rows that overlap, and channels that fill no word.
    yield conv("runs", "f32", (1, 400, 30), (40, 400, 3), strides=[2])
    yield conv("short_runs", "f32", (1, 6, 31), (5, 6, 4), strides=[3], channels_last=True)
    yield conv("line_phases", "f32", (1, 3, 9), (3, 5, 8), transposed=True, strides=[3], pads=[2, 1], output_padding=[1])
    yield conv("pixel_phases", "f32", (2, 5, 4, 6), (5, 20, 2, 2), transposed=True, strides=[2, 2])
    yield conv("volume_phases", "f32", (1, 2, 3, 4, 3), (2, 3, 3, 2, 4), transposed=True, strides=[2, 2, 3], pads=[1, 0, 1, 1, 0, 0])
    yield conv("volume", "f32", (1, 2, 5, 6, 4), (3, 2, 2, 3, 2), strides=[1, 2, 1], pads=[0, 1, 1, 1, 0, 1])
    yield conv("groups", "f32", (1, 4, 5, 5), (4, 3, 3, 3), transposed=True, groups=2, strides=[2, 2],
               pads=[1, 0, 1, 1], output_padding=[1, 0])
    yield conv("dilated", "f32", (2, 2, 6), (2, 3, 3), transposed=True, dilations=[2], channels_last=True)


def pool_cases():
    def pool(op, name, element, shape, kernel, *, strides=None, dilations=None, pads=None, include=False,
             channels_last=False):
        rank = len(kernel)
        strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
        x = sample(element, shape, -10, 10)
        axes = tuple(range(-rank, 0))
        if op == "max_pool":
            lowest = -np.inf if element in FLOATS else np.iinfo(x.value.dtype).min
            taken, _ = windows(wide(x), kernel, strides, dilations, pads, lowest)
            expected = taken.max(axes)
        else:
            taken, inside = windows(wide(x), kernel, strides, dilations, pads, 0)
            expected = taken.sum(axes) / (np.prod(kernel) if include else inside.sum(axes))
        inputs = [x]
        if channels_last:
            inputs, expected = [Tensor(element, last(x.value))], last(expected)
        text = lists(kernel=kernel, strides=strides, pads=pads, dilations=dilations, count_include_pad=include,
                     channels_last=channels_last)
        if op == "avg_pool":
            return summed(f"{op}_{name}_{element}", f"{op} {{}} {text}", inputs, expected, element)
        return case(f"{op}_{name}_{element}", f"{op} {{}} {text}", inputs, [Tensor(element, expected)], rtol=0, atol=0)

    for element in NUMBERS:
        yield pool("max_pool", "plain", element, (1, 3, 9, 7), [3, 2], strides=[2, 1], pads=[1, 0, 1, 1])
    for element in FLOATS:
        yield pool("avg_pool", "plain", element, (1, 3, 9, 7), [3, 2], strides=[2, 1], pads=[1, 0, 1, 1])
    for op in ("max_pool", "avg_pool"):
        yield pool(op, "last", "f32", (2, 19, 6, 6), [2, 2], strides=[2, 2], channels_last=True)
        yield pool(op, "line", "f32", (1, 2, 12), [4], dilations=[2], pads=[3, 1])
        yield pool(op, "volume", "f32", (1, 2, 5, 6, 4), [2, 3, 2], pads=[1, 1, 0, 0, 1, 1])
    yield pool("avg_pool", "include", "f32", (1, 3, 5, 5), [3, 3], pads=[1, 1, 1, 1], include=True)
    for element in FLOATS:
        x = sample(element, (2, 5, 6, 7))
        yield summed(f"global_avg_pool_{element}", "global_avg_pool {}", [x],
                     wide(x).mean((2, 3), keepdims=True), element)
    for element in NUMBERS:
        x = sample(element, (2, 5, 6, 7), -90, 90)
        yield case(f"global_max_pool_{element}", "global_max_pool {}", [x],
                   [Tensor(element, wide(x).max((2, 3), keepdims=True))], rtol=0, atol=0)


def cases():
    yield from matmul_cases()
    yield from conv_cases()
    yield from pool_cases()
