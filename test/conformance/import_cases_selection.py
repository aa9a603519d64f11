# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that write, order and select by data. The shapes of their outputs are declared."""
from bundles import np
from import_cases import Constant, ImportCase

TYPES = (np.float32, np.float64, np.float16, np.int8, np.int32, np.int64, np.uint8, np.uint64)


def numbers(random, dtype, shape, low=-4, high=5):
    if np.dtype(dtype).kind == "f":
        return random.uniform(low, high, shape).astype(dtype)
    return random.integers(max(low, 0) if np.dtype(dtype).kind == "u" else low, high, shape).astype(dtype)


def scatter_cases(random):
    for dtype in TYPES:
        for reduction in ("none", "add", "mul", "max", "min"):
            name = f"{np.dtype(dtype).name}_{reduction}"
            # What ONNX Runtime does not reduce, ONNX's reference does.
            rtol = 2e-2 if dtype == np.float16 else 1e-4
            shape = tuple(random.integers(1, 7, random.integers(1, 5)))
            axis = int(random.integers(-len(shape), len(shape)))
            part = [int(random.integers(1, n + 1)) for n in shape]
            part[axis] = int(random.integers(1, 2 * shape[axis] + 1)) if reduction != "none" else part[axis]
            if reduction == "none":
                # ONNX leaves the order of updates open: no element is written twice.
                at = np.argsort(random.random([*part[:axis], shape[axis], *part[axis:][1:]]), axis)
                at = np.take(at, range(part[axis]), axis)
            else:
                at = random.integers(0, shape[axis], part)
            at = np.where(random.random(at.shape) < 0.3, at - shape[axis], at).astype(np.int64)
            yield ImportCase(f"scatter_elements_{name}", "ScatterElements",
                             [numbers(random, dtype, shape, 0, 3), at, numbers(random, dtype, at.shape, 0, 3)],
                             {"axis": axis, "reduction": reduction}, opset=18, rtol=rtol, atol=1e-3)
            depth = int(random.integers(1, len(shape) + 1))
            places = [np.unravel_index(i, shape[:depth]) for i in random.permutation(int(np.prod(shape[:depth])))]
            if reduction != "none":
                places = [places[i] for i in random.integers(0, len(places), 9)]
            at = np.array(places[:9], np.int64) - np.where(random.random((min(9, len(places)), depth)) < 0.3,
                                                          shape[:depth], 0)
            yield ImportCase(f"scatter_nd_{name}", "ScatterND",
                             [numbers(random, dtype, shape, 0, 3), at,
                              numbers(random, dtype, (len(at), *shape[depth:]), 0, 3)],
                             {"reduction": reduction}, opset=18, rtol=rtol, atol=1e-3)
    for mode in ("linear", "circular"):
        for axis in (1, -2, -1):
            cache, steps = numbers(random, np.float32, (3, 4, 5, 6)), int(random.integers(1, 4))
            shape = list(cache.shape)
            shape[axis] = steps
            first = random.integers(0, cache.shape[axis] - (0 if mode == "circular" else steps), 3)
            yield ImportCase(f"tensor_scatter_{mode}_{axis % 4}", "TensorScatter",
                             [cache, numbers(random, np.float32, shape), first], {"axis": axis, "mode": mode}, opset=24)


def order_cases(random):
    for dtype in TYPES:
        name = np.dtype(dtype).name
        for largest in (0, 1):
            shape = tuple(random.integers(1, 9, 3))
            axis = int(random.integers(-3, 3))
            count = int(random.integers(1, shape[axis] + 1))
            yield ImportCase(f"top_k_{largest}_{name}", "TopK", [numbers(random, dtype, shape), Constant([count])],
                             {"axis": axis, "largest": largest}, opset=24, outputs=2)
        yield ImportCase(f"top_k_computed_{name}", "TopK", [numbers(random, dtype, (4, 9)), np.array([5])], opset=24,
                         outputs=2)
        if dtype in (np.float32, np.float64, np.int32, np.int64):
            for flags in ({}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}):
                case = f"{''.join(flags)}_{name}"
                x = numbers(random, dtype, (3, 4, 5), -2, 3)
                axis = np.array(random.integers(-3, 3), np.int32)
                yield ImportCase(f"cumsum_{case}", "CumSum", [x, Constant(axis)], flags, opset=14)
                yield ImportCase(f"cumsum_computed_{case}", "CumSum", [x, axis], flags, opset=14)
        yield ImportCase(f"unique_{name}", "Unique", [numbers(random, dtype, (30,), 0, 9).round()], outputs=4)
        yield ImportCase(f"unique_in_order_{name}", "Unique", [numbers(random, dtype, (20,), 0, 9).round()],
                         {"sorted": 0}, outputs=4)
    for axis in (0, 1, -1):
        x = random.integers(0, 2, (7, 6, 3)).astype(np.float32)
        yield ImportCase(f"unique_axis_{axis % 3}", "Unique", [x], {"axis": axis}, outputs=4)
    yield ImportCase("unique_one", "Unique", [np.array([3], np.int64)], outputs=4)
    for opset in (11, 13):
        for axis in range(3):
            x = random.integers(0, 4, (4, 5, 6)).astype(np.float32)
            yield ImportCase(f"hardmax_{opset}_{axis}", "Hardmax", [x], {"axis": axis}, opset=opset, reference="ort")
            yield ImportCase(f"hardmax_of_nothing_{opset}_{axis}", "Hardmax", [x[:, :0]], {"axis": axis}, opset=opset,
                             reference="ort")
    for time in (0, 1):
        x = numbers(random, np.float32, (6, 7, 2))
        lengths = random.integers(1, x.shape[time] + 1, x.shape[1 - time])
        yield ImportCase(f"reverse_sequence_{time}", "ReverseSequence", [x, lengths],
                         {"time_axis": time, "batch_axis": 1 - time})
    for shape in ((2, 2), (4, 5, 5), (2, 3, 1, 1), (9, 9)):
        yield ImportCase(f"det_{'_'.join(map(str, shape))}", "Det", [numbers(random, np.float32, shape)], rtol=1e-3)


def suppression_cases(random):
    for number, (batches, classes, boxes) in enumerate([(1, 1, 1), (1, 3, 40), (2, 2, 70), (3, 1, 25)]):
        for center in (0, 1):
            corners = random.uniform(0, 1, (batches, boxes, 4)).astype(np.float32)
            scores = random.permutation(batches * classes * boxes).reshape(batches, classes, boxes)
            scores = ((scores + 1) / scores.size).astype(np.float32)
            limits = [np.array([7], np.int64), np.array([0.4], np.float32), np.array([0.1], np.float32)]
            given = limits if number % 2 else [Constant(limit) for limit in limits]
            yield ImportCase(f"nms_{number}_{center}", "NonMaxSuppression", [corners, scores, *given],
                             {"center_point_box": center}, reference="ort")


def selection_cases(random):
    for dtype in TYPES + (np.bool_,):
        name = np.dtype(dtype).name
        x = numbers(random, dtype, (4, 5, 3), 0, 2).round().astype(dtype)
        x.flat[0] = 1
        yield ImportCase(f"nonzero_{name}", "NonZero", [x], opset=13)
        keep = np.array([1, 0, 1, 1, 0], bool)
        for given in (keep, Constant(keep)):
            kind = "constant" if isinstance(given, Constant) else "computed"
            yield ImportCase(f"compress_{kind}_{name}", "Compress", [x, given], {"axis": -2})
        yield ImportCase(f"compress_flat_{name}", "Compress", [x, keep])
        if dtype != np.bool_:  # which ONNX's reference does not take
            yield ImportCase(f"one_hot_{name}", "OneHot",
                             [random.integers(-9, 9, (3, 4)), np.array(7), x.ravel()[:2]], {"axis": 1})
    for mode in ("constant", "reflect", "edge", "wrap"):
        x = numbers(random, np.float32, (3, 4, 5))
        pads = np.array([1, -1, 2, 0, 2, 1])
        operands = [x, np.maximum(pads, 0) if mode == "wrap" else pads]
        yield ImportCase(f"pad_{mode}", "Pad", operands + ([np.array(2.5, np.float32)] if mode == "constant" else []),
                         {"mode": mode}, opset=19, reference="ort" if mode != "wrap" else "onnx")
        operands = [x, np.array([1, 2, 2, 0]), np.array(2.5, np.float32), np.array([-1, 0])]
        yield ImportCase(f"pad_axes_{mode}", "Pad", operands, {"mode": mode}, opset=19)
    yield ImportCase("pad_value", "Pad", [numbers(random, np.int64, (3, 4)), Constant([1, 0, 0, 2]), np.array(2**40)],
                     opset=19)
    for k in (-2, 0, 3):
        yield ImportCase(f"trilu_{k + 2}", "Trilu", [numbers(random, np.int32, (2, 4, 5)), np.array(k)], {"upper": k % 2})


def bit_cases(random):
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        kind = np.iinfo(dtype)
        name = np.dtype(dtype).name
        a = random.integers(kind.min, kind.max, (4, 5), dtype, endpoint=True)
        b = random.integers(kind.min, kind.max, (5,), dtype, endpoint=True)
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            yield ImportCase(f"{op}_{name}", op, [a, b], opset=18)
        yield ImportCase(f"BitwiseNot_{name}", "BitwiseNot", [a], opset=18)
        if kind.min == 0:
            for direction in ("LEFT", "RIGHT"):
                counts = random.integers(0, kind.bits, (5,)).astype(dtype)
                yield ImportCase(f"BitShift_{direction}_{name}", "BitShift", [a, counts], {"direction": direction}, opset=18)
    x = np.array([1.5, np.inf, -np.inf, np.nan, 0], np.float32)
    for negative in (0, 1):
        for positive in (0, 1):
            yield ImportCase(f"isinf_{negative}{positive}", "IsInf", [x],
                             {"detect_negative": negative, "detect_positive": positive}, opset=20)
    for dtype in (np.float16, np.float32, np.float64):
        tolerance = {np.float16: 2e-3, np.float32: 2e-6, np.float64: 1e-14}[dtype]
        for op, low, high in [("Asin", -1, 1), ("Acos", -1, 1), ("Atan", -9, 9), ("Sinh", -5, 5), ("Cosh", -5, 5),
                              ("Asinh", -99, 99), ("Acosh", 1, 99), ("Atanh", -0.99, 0.99)]:
            x = random.uniform(low, high, (5, 13)).astype(dtype)
            yield ImportCase(f"{op}_{np.dtype(dtype).name}", op, [x], rtol=tolerance, atol=1e-9)


def cases():
    random = np.random.default_rng(12)
    yield from scatter_cases(random)
    yield from order_cases(random)
    yield from suppression_cases(random)
    yield from selection_cases(random)
    yield from bit_cases(random)
