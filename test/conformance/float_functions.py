# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors of functions of f32, over all of its numbers or every STRIDE-th: what test_float_functions.py and
benchmarks/float_functions.py share."""
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


def save(path, names):
    """A model x f32[BLOCK] -> y_NAME f32[BLOCK] for each function."""
    nodes = [helper.make_node(name, ["x"], [f"y_{name}"]) for name in names]
    port = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [BLOCK])
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
                error = errors(found[f"y_{name}"], FUNCTIONS[name](wide))
                at = int(error.argmax())
                if error[at] > worst[name][0]:
                    worst[name] = (float(error[at]), float(x[at]))
    return worst
