# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on floats is the model's: elementwise ops to the bit, on values where an algebraic law does not hold; what
is folded into weights within a bound, with the same infinities and NaN as if it were not."""
import itertools

import pytest

from bundles import np, onnx, run_bundle, run_once
from gate import NIGHTLY, pairs
from onnx import TensorProto, helper, numpy_helper

EXTREME = np.array([0, -0.0, 1, -1, 3, 1 / 3, -7.7, 255, 1e-3, 4095.5, 8388607, 12582912.5, 1.7e9, -1.7e9, 1e-38, 3e-39,
                    -1e-44, 1e-20, 1e20, 1e37, -1e38, 3.4e38, -3.4e38, np.inf, -np.inf, np.nan], np.float32)
CONSTANTS = [0.0, 1.0, -1.0, 3.0, 1 / 3, 0.7, -1e-3, 255.0, 12582912.0, -12582912.0, 1.7e9, 1e-38, 1e-30, 1e30, 3.4e38, -3.4e38,
             float("inf")]
OPS = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}


def save(path, nodes, inputs, outputs, constants=()):
    """inputs and outputs: {name: shape}; constants: {name: array}."""
    ports = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in named.items()]
             for named in (inputs, outputs)]
    weights = [numpy_helper.from_array(np.asarray(array, np.float32), name) for name, array in dict(constants).items()]
    graph = helper.make_graph(nodes, "folds", *ports, weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def same(name, found, wanted):
    """The same bits, but for those of NaN."""
    assert np.array_equal(np.isnan(found), np.isnan(wanted)), f"{name}: {found} instead of {wanted}"
    bits = [np.where(np.isnan(array), 0, array).astype(np.float32).tobytes() for array in (found, wanted)]
    assert bits[0] == bits[1], f"{name}: {found[found != wanted]} instead of {wanted[found != wanted]}"


@pytest.mark.parametrize("first", OPS)
def test_chains_of_constants(first, tools, tmp_path):
    """(x op a) op b, in all orders of operands, is computed in these two steps."""
    nodes, outputs, constants, wanted = [], {}, {}, {}
    with np.errstate(all="ignore"):
        for i, (second, swap, a, b) in enumerate(itertools.product(OPS, (0, 1, 2, 3), CONSTANTS, CONSTANTS)):
            if (i * 7919) % (5 if NIGHTLY else 19):  # a fifth of them, which is 925, or a 19th
                continue
            constants |= {f"a{i}": a, f"b{i}": b}
            steps = [("x", f"a{i}"), (f"s{i}", f"b{i}")]
            value = EXTREME
            for k, (op, pair, constant) in enumerate(zip((first, second), steps, (a, b))):
                swapped = swap >> k & 1
                nodes.append(helper.make_node(op, pair[::-1] if swapped else pair, [f"y{i}" if k else f"s{i}"]))
                constant = np.float32(constant)
                value = OPS[op](constant, value) if swapped else OPS[op](value, constant)
            outputs[f"y{i}"], wanted[f"y{i}"] = EXTREME.shape, value
    save(tmp_path / "m.onnx", nodes, {"x": EXTREME.shape}, outputs, constants)
    tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
    found = run_once(tools, tmp_path / "m.ttcb", {"x": EXTREME})
    for name, value in wanted.items():
        node = next(i for i, node in enumerate(nodes) if node.output[0] == name)
        same(f"{nodes[node - 1].op_type}, {nodes[node].op_type} with {constants['a' + name[1:]]}, {constants['b' + name[1:]]}",
             found[name], value)


def test_products_are_rounded(tools, tmp_path):
    """x * x - y * y is 0 for equal x and y, also with another op between; so its root is no NaN."""
    nodes = [helper.make_node("Mul", ["x", "x"], ["xx"]), helper.make_node("Mul", ["y", "y"], ["yy"]),
             helper.make_node("Sub", ["xx", "yy"], ["d"]), helper.make_node("Sqrt", ["d"], ["root"]),
             helper.make_node("Mul", ["x", "third"], ["m"]), helper.make_node("Add", ["m", "y"], ["sum"])]
    x = np.random.default_rng(1).standard_normal(1000).astype(np.float32)
    save(tmp_path / "m.onnx", nodes, {"x": x.shape, "y": x.shape}, {"root": x.shape, "sum": x.shape}, {"third": 1 / 3})
    tools.compile(tmp_path / "m.onnx", tmp_path / "m.ttcb")
    expected = {"root": np.zeros_like(x), "sum": x * np.float32(1 / 3) + x}
    run_bundle(tools, tmp_path / "m.ttcb", {"x": x, "y": x}, expected, 0, 0)


def products(kind):
    """A node y = x times constant weights, its input, the weights, and the shape of a constant for each channel."""
    if kind == "MatMul":
        return helper.make_node("MatMul", ["x", "w"], ["y"]), (5, 12), (12, 6), (6,)
    if kind == "Gemm":
        return helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1), (5, 12), (6, 12), (6,)
    if kind == "ConvTranspose":
        return helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"]), (1, 4, 5, 7), (4, 6, 2, 2), (6, 1, 1)
    return helper.make_node("Conv", ["x", "w", "b"], ["y"], pads=[1, 1, 1, 1]), (1, 3, 6, 7), (6, 3, 3, 3), (6, 1, 1)


# What follows a product, on constants of its channels; each is folded into weights where that is allowed.
TAILS = {
    "scale": [("Mul", "c")], "divide": [("Div", "c")], "shift": [("Add", "d")], "subtract": [("Sub", "d")],
    "scale_shift": [("Mul", "c"), ("Add", "d")], "shift_scale": [("Add", "d"), ("Mul", "c")],
    "twice": [("Sub", "d"), ("Div", "c"), ("Mul", "c"), ("Add", "d")], "magic": [("Add", "g"), ("Sub", "g")],
}
SCALES = {"tame": 1.0, "tiny": 1e-30, "huge": 1e30, "subnormal": 1e-39, "zero": 0.0, "infinite": np.inf, "nan": np.nan}


@pytest.mark.parametrize("scale,kind", pairs(SCALES, ["MatMul", "Conv", "ConvTranspose", "Gemm"]))
def test_folds_into_weights(kind, scale, tools, tmp_path):
    """Folded: y, op, op. Unfolded: the same, where each intermediate result is an output, too."""
    rng = np.random.default_rng(list(SCALES).index(scale))
    node, x_shape, w_shape, c_shape = products(kind)
    factor = rng.uniform(0.5, 2, c_shape).astype(np.float32)
    factor.flat[1::2] *= np.float32(SCALES[scale])
    shift = rng.standard_normal(c_shape).astype(np.float32)
    constants = {"w": rng.standard_normal(w_shape), "b": rng.standard_normal(6), "c": factor, "d": shift,
                 "g": np.full(c_shape, 12582912, np.float32)}
    x = rng.standard_normal(x_shape).astype(np.float32)
    inputs = {"x": x, "extreme": np.where(rng.random(x_shape) < 0.05, np.float32(1e38), x)}
    y_shape = {"Conv": (1, 6, 6, 7), "ConvTranspose": (1, 6, 6, 8)}.get(kind, (5, 6))
    nodes, folded, unfolded = [], {}, {}
    for tail, steps in TAILS.items():
        for outputs, name in ((folded, f"f_{tail}"), (unfolded, f"u_{tail}")):
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.output[0] = value = f"{name}_0"
            nodes.append(copy)
            for k, (op, constant) in enumerate(steps):
                nodes.append(helper.make_node(op, [value, constant], [f"{name}_{k + 1}"]))
                if outputs is unfolded:
                    outputs[value] = y_shape
                value = f"{name}_{k + 1}"
            outputs[value] = y_shape
    for number, outputs in enumerate((folded, unfolded)):
        # Apart, or equal products would be one.
        which = [n for n in nodes if n.output[0].startswith("fu"[number])]
        save(tmp_path / f"{number}.onnx", which, {"x": x_shape}, outputs, constants)
        tools.compile(tmp_path / f"{number}.onnx", tmp_path / f"{number}.ttcb")
    with np.errstate(all="ignore"):
        for given, array in inputs.items():
            found, wanted = (run_once(tools, tmp_path / f"{n}.ttcb", {"x": array}) for n in (0, 1))
            for tail, steps in TAILS.items():
                f, u = found[f"f_{tail}_{len(steps)}"], wanted[f"u_{tail}_{len(steps)}"]
                what = f"{tail} of {given}"
                assert np.array_equal(np.isnan(f), np.isnan(u)), f"{what}: NaN"
                assert np.array_equal(np.isinf(f), np.isinf(u)) and (f[np.isinf(f)] == u[np.isinf(u)]).all(), f"{what}: inf"
                # All terms of a sum, scaled as the result is.
                terms = run_terms(kind, node, array, constants)
                for op, constant in steps:
                    if op in ("Mul", "Div"):
                        terms = terms * np.abs(factor) if op == "Mul" else terms / np.abs(factor)
                    elif constant == "d":
                        terms = terms + np.abs(shift)
                finite = np.isfinite(u) & np.isfinite(terms)
                bound = 8 * 2.0 ** -24 * terms + 1e-44
                if tail == "magic":
                    assert (u[finite] == f[finite]).all(), what
                assert (np.abs(f - u)[finite] <= np.broadcast_to(bound, u.shape)[finite]).all(), what


def run_terms(kind, node, x, constants):
    """The sums of the magnitudes of all terms, in f64."""
    from onnx.reference import ReferenceEvaluator

    names = list(node.input)
    ports = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, None) for name in names]
    graph = helper.make_graph([node], "terms", ports, [helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    values = {name: np.abs(np.asarray(x if name == "x" else constants[name], np.float64)) for name in names}
    return ReferenceEvaluator(model).run(None, values)[0]
