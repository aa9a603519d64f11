# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, normalisations and softmax on every element type."""
import numpy as np

from op_cases_dense import lists, summed
from op_cases_elementwise import FLOATS, NUMBERS, case, sample, wide
from op_programs import Tensor


def reduce_cases():
    shapes = {"last": ([2], (3, 5, 18)), "first": ([0], (6, 35)), "outer": ([0, 2], (3, 5, 7)), "all": ([0, 1], (9, 4)),
              "none": ([], (3, 4)), "one": ([1], (3, 1, 5))}
    for op, reference in {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "prod": np.prod}.items():
        for element in NUMBERS:
            for name, (axes, shape) in shapes.items():
                if name in ("none", "one") and element not in ("f32", "i32"):
                    continue
                x = sample(element, shape, 1 if op == "prod" else -3, 1.2 if op == "prod" else 3)
                keep = name == "outer"
                expected = reference(wide(x), axis=tuple(axes), keepdims=keep) if axes else wide(x)
                if op == "mean" and element not in FLOATS:
                    expected = np.trunc(expected)
                text = "{axes = " + str(axes) + (", keepdims}" if keep else "}")
                yield summed(f"reduce_{op}_{name}_{element}", f"reduce_{op} {{}} {text}", [x], expected, element)
    for op, reference in {"argmax": np.argmax, "argmin": np.argmin}.items():
        for element in NUMBERS:
            x = sample(element, (5, 9, 4), 0, 3)
            x.value = np.round(x.value)  # Some are equal.
            yield case(f"{op}_{element}", f"{op} {{}} {{axis = 1}}", [x], [Tensor("i64", reference(x.value, 1))])
            flipped = 8 - reference(np.flip(x.value, 1), 1)
            yield case(f"{op}_last_{element}", f"{op} {{}} {{axis = 1, keepdims, select_last}}", [x],
                       [Tensor("i64", flipped[:, None])])


def long_sums():
    """Sums of enough elements that a chain of additions in f32 would be wrong in the fourth digit."""
    x = sample("f32", (1, 170, 170, 3), 0.1, 0.1001)
    tight = dict(rtol=1e-6, atol=0)
    for op, reference in {"sum": np.sum, "mean": np.mean}.items():
        yield case(f"reduce_{op}_long", f"reduce_{op} {{}} {{axes = [1, 2]}}", [x],
                   [Tensor("f32", reference(wide(x), (1, 2)))], **tight)
    text = "{kernel = [170, 170], strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], channels_last}"
    yield case("avg_pool_long", f"avg_pool {{}} {text}", [x],
               [Tensor("f32", wide(x).mean((1, 2), keepdims=True))], **tight)
    x, scale = Tensor("f32", np.moveaxis(x.value, -1, 1)), sample("f32", (3,), 1, 2)
    yield case("global_avg_pool_long", "global_avg_pool {}", [x],
               [Tensor("f32", wide(x).mean((2, 3), keepdims=True))], **tight)
    yield case("instance_norm_long", "instance_norm {} {epsilon = 1.0e-03}", [x, scale, scale],
               [Tensor("f32", (normal(wide(x), (2, 3), 1e-3) + 1) * wide(scale).reshape(3, 1, 1))], rtol=0, atol=2e-6)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def softmax_cases():
    for element in FLOATS:
        for axis in range(3):
            x = sample(element, (3, 18, 11), -6, 6)
            yield summed(f"softmax_{axis}_{element}", f"softmax {{}} {{axis = {axis}}}", [x], softmax(wide(x), axis), element)
            yield summed(f"log_softmax_{axis}_{element}", f"log_softmax {{}} {{axis = {axis}}}", [x],
                         np.log(softmax(wide(x), axis)), element)
    x = Tensor("f32", [[1e4, 1e4, -1e4], [-3e38, 0, 3e38], [-np.inf, 0, 1]])
    with np.errstate(over="ignore"):
        yield summed("softmax_special", "softmax {} {axis = 1}", [x], softmax(wide(x), 1), "f32")


def normal(x, axes, epsilon):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def norm_cases():
    for element in FLOATS:
        x, scale, bias = sample(element, (2, 6, 5, 7)), sample(element, (6,), seed=2), sample(element, (6,), seed=3)
        mean, var = sample(element, (6,), seed=4), sample(element, (6,), 0.5, 2, seed=5)
        by = lambda t: wide(t).reshape(6, 1, 1)
        affine = lambda value: value * by(scale) + by(bias)
        yield summed(f"batch_norm_{element}", "batch_norm {} {epsilon = 1.0e-03}", [x, scale, bias, mean, var],
                     affine((wide(x) - by(mean)) / np.sqrt(by(var) + 1e-3)), element)
        yield summed(f"instance_norm_{element}", "instance_norm {} {epsilon = 1.0e-03}", [x, scale, bias],
                     affine(normal(wide(x), (2, 3), 1e-3)), element)
        grouped = normal(wide(x).reshape(2, 3, 2, 5, 7), (2, 3, 4), 1e-3).reshape(x.value.shape)
        yield summed(f"group_norm_{element}", "group_norm {} {groups = 3, epsilon = 1.0e-03}", [x, scale, bias],
                     affine(grouped), element)
        gamma, beta = sample(element, (5, 7), seed=6), sample(element, (5, 7), seed=7)
        whole = normal(wide(x), (2, 3), 1e-5) * wide(gamma)
        yield summed(f"layer_norm_{element}", "layer_norm {} {axis = 2}", [x, gamma, beta], whole + wide(beta), element)
        yield summed(f"layer_norm_scale_{element}", "layer_norm {} {axis = 2}", [x, gamma], whole, element)
        squares = np.pad(wide(x) ** 2, ((0, 0), (2, 2), (0, 0), (0, 0)))
        near = sum(squares[:, i : i + 6] for i in range(5))
        attributes = lists(size=5, alpha="1.0e-02", beta="7.5e-01", bias="2.0")
        yield summed(f"lrn_{element}", f"lrn {{}} {attributes}", [x], wide(x) / (2 + 1e-2 / 5 * near) ** 0.75, element)


def norms_of_rows():
    """Group norms whose statistics are combined from those of rows: around a large mean, with means that differ from
    row to row, and with rows that begin far from their mean."""
    noise = wide(sample("f32", (2, 9, 128)))
    first = noise.copy()
    first[:, :, ::64] *= 1e4
    for name, values in {"mean": 1e5 + 3 * noise, "differ": noise + 100 * np.arange(9).reshape(9, 1), "first": first}.items():
        x, scale, bias = Tensor("f32", values), sample("f32", (128,), 0.5, 1, seed=2), sample("f32", (128,), seed=3)
        grouped = normal(wide(x).reshape(2, 9, 2, 64), (1, 3), 1e-3).reshape(x.value.shape)
        yield case(f"group_norm_of_rows_{name}", "group_norm {} {groups = 2, epsilon = 1.0e-03, channels_last}",
                   [x, scale, bias], [Tensor("f32", grouped * wide(scale) + wide(bias))], rtol=0, atol=4e-6)


def norms_around_large_means():
    """The mean is rounded by more than what the result may be off."""
    for mean in (1000, 1000000):
        x = Tensor("f32", mean + wide(sample("f32", (4, 6, 5, 77))))
        scale, bias = sample("f32", (77,), 0.5, 1, seed=2), sample("f32", (77,), seed=3)
        yield case(f"layer_norm_around_{mean}", "layer_norm {} {axis = 3}", [x, scale, bias],
                   [Tensor("f32", normal(wide(x), 3, 1e-5) * wide(scale) + wide(bias))], rtol=0, atol=4e-6)
        scale, bias = sample("f32", (6,), 0.5, 1, seed=4), sample("f32", (6,), seed=5)
        by = lambda t: wide(t).reshape(6, 1, 1)
        yield case(f"instance_norm_around_{mean}", "instance_norm {} {epsilon = 1.0e-05}", [x, scale, bias],
                   [Tensor("f32", normal(wide(x), (2, 3), 1e-5) * by(scale) + by(bias))], rtol=0, atol=4e-6)


def cases():
    yield from norms_around_large_means()
    yield from norms_of_rows()
    yield from reduce_cases()
    yield from long_sums()
    yield from softmax_cases()
    yield from norm_cases()
