# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What only moves elements: bit for bit, on every element type."""
import itertools

import numpy as np

from op_cases_elementwise import FLOATS, NUMBERS, case, sample, wide
from op_programs import Tensor

ALL = NUMBERS + ("i1",)


def moved(name, op, inputs, expected, element):
    outputs = expected if isinstance(expected, list) else [expected]
    return case(f"{name}_{element}", op, inputs, [Tensor(element, value) for value in outputs], rtol=0, atol=0)


def indices(element, shape, below, seed=0):
    """Some count from the end."""
    return Tensor(element, np.random.default_rng(seed).integers(-below, below, shape))


def placing_cases():
    for element in ALL:
        x, y = sample(element, (2, 9, 4, 5), -100, 100), sample(element, (2, 3, 4, 5), -100, 100, seed=1)
        v = x.value
        for order in ([0, 2, 3, 1], [3, 2, 1, 0], [1, 0, 2, 3]):
            yield moved(f"transpose_{''.join(map(str, order))}", f"transpose {{}} {{permutation = {order}}}", [x],
                        v.transpose(order), element)
        wide = sample(element, (70, 3, 130), -100, 100)
        yield moved("transpose_wide", "transpose {} {permutation = [2, 1, 0]}", [wide], wide.value.transpose(2, 1, 0), element)
        yield moved("concat", "concat {} {axis = 1}", [x, y], np.concatenate([v, y.value], 1), element)
        yield moved("slice", "slice {} {starts = [0, 7, 1, 4], sizes = [2, 3, 2, 5], steps = [1, -2, 2, -1]}", [x],
                    v[:, 7:2:-2, 1:4:2, ::-1], element)
        yield moved("split", "split {} {axis = 1, sizes = [1, 6, 2]}", [x], np.split(v, [1, 7], 1), element)
        yield moved("tile", "tile {} {repeats = [1, 2, 1, 3]}", [x], np.tile(v, (1, 2, 1, 3)), element)
        column = sample(element, (4, 1, 5), -100, 100)
        yield moved("expand", "expand {}", [column], np.broadcast_to(column.value, (3, 4, 6, 5)), element)
        yield moved("reshape", "reshape {}", [x], v.reshape(18, 20), element)
        for mode in ("constant", "reflect", "edge", "wrap"):
            text = "" if mode == "constant" else f" mode {mode}"
            yield moved(f"pad_{mode}", f"pad {{}}{text} {{low = [0, 3, 0, 1], high = [1, 0, 2, 2]}}", [x],
                        np.pad(v, ((0, 1), (3, 0), (0, 2), (1, 2)), mode), element)
        if element != "i1":
            yield moved("pad_value", "pad {} {low = [0, 0, 1, 0], high = [0, 0, 0, 2], value = 7.0}", [x],
                        np.pad(v, ((0, 0), (0, 0), (1, 0), (0, 2)), constant_values=7), element)


def gather_cases():
    for element in ALL:
        x = sample(element, (4, 7, 6), -100, 100)
        for kind in ("i32", "i64"):
            at = indices(kind, (2, 5), 7)
            yield moved(f"gather_{kind}", "gather {} {axis = 1}", [x, at], np.take(x.value, at.value % 7, 1), element)
            by = indices(kind, (4, 3, 6), 7)
            yield moved(f"gather_elements_{kind}", "gather_elements {} {axis = 1}", [x, by],
                        np.take_along_axis(x.value, by.value % 7, 1), element)
        at = Tensor("i64", np.stack([indices("i64", (5,), 4).value, indices("i64", (5,), 7, 1).value], -1))
        yield moved("gather_nd", "gather_nd {}", [x, at], x.value[at.value[:, 0], at.value[:, 1]], element)
        at = indices("i64", (4, 3, 1), 7)
        picked = np.stack([x.value[b, at.value[b, :, 0]] for b in range(4)])
        yield moved("gather_nd_batch", "gather_nd {} {batch_dims = 1}", [x, at], picked, element)


def block_cases():
    for element in ALL:
        x = sample(element, (2, 12, 3, 4), -100, 100)
        for mode, order in {"dcr": (0, 3, 4, 1, 5, 2), "crd": (0, 1, 4, 2, 5, 3)}.items():
            shape = (2, 2, 2, 3, 3, 4) if mode == "dcr" else (2, 3, 2, 2, 3, 4)
            yield moved(f"depth_to_space_{mode}", f"depth_to_space {{}} mode {mode} {{block = [2, 2]}}", [x],
                        x.value.reshape(shape).transpose(order).reshape(2, 3, 6, 8), element)
        last = sample(element, (2, 3, 4, 12), -100, 100)
        for mode, shape, order in [("dcr", (2, 3, 4, 2, 3, 2), (0, 1, 3, 2, 4, 5)), ("crd", (2, 3, 4, 2, 2, 3), (0, 1, 4, 2, 5, 3))]:
            yield moved(f"depth_to_space_last_{mode}", f"depth_to_space {{}} mode {mode} {{block = [2, 3], channels_last}}", [last],
                        last.value.reshape(shape).transpose(order).reshape(2, 6, 12, 2), element)
        line = sample(element, (2, 6, 5), -100, 100)
        yield moved("depth_to_space_line", "depth_to_space {} {block = [3]}", [line],
                    line.value.reshape(2, 3, 2, 5).transpose(0, 2, 3, 1).reshape(2, 2, 15), element)
        y = sample(element, (1, 3, 4, 6), -100, 100)
        taken = y.value.reshape(1, 3, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 12, 2, 3)
        yield moved("space_to_depth", "space_to_depth {} {block = 2}", [y], taken, element)


def coordinate(mode, i, scale, old, new):
    if mode == "asymmetric":
        return i / scale
    if mode == "align_corners":
        return i * (old - 1) / (new - 1) if new > 1 else 0.0
    if mode == "pytorch_half_pixel" and new == 1:
        return 0.0
    middle = old / 2 * (1 - new / (old * scale)) if mode == "half_pixel_symmetric" else 0
    return middle + (i + 0.5) / scale - 0.5


def resized(x, axis, mode, coordinates, rounding, scale):
    old = x.shape[axis]
    new = int(old * scale)
    out = []
    for i in range(new):
        at = coordinate(coordinates, i, scale, old, new)
        if mode == "nearest":
            near = {"floor": np.floor(at), "ceil": np.ceil(at), "round_prefer_floor": np.ceil(at - 0.5),
                    "round_prefer_ceil": np.floor(at + 0.5)}[rounding]
            out.append(x.take(int(np.clip(near, 0, old - 1)), axis))
        else:
            low = int(np.floor(at))
            part = at - low
            left, right = (x.take(int(np.clip(j, 0, old - 1)), axis) for j in (low, low + 1))
            out.append(left * (1 - part) + right * part)
    return np.stack(out, axis)


def resize_cases():
    modes = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")
    for element, coordinates in itertools.product(FLOATS, modes):
        x = sample(element, (1, 2, 6, 5), -4, 4)
        for kind, scales in {"up": [2.0, 3.0], "down": [0.5, 1.0], "part": [1.75, 1.375]}.items():
            name = f"{coordinates}_{kind}"
            rtol = {"f32": 2e-6, "f64": 1e-14}.get(element, 1e-2)
            text = "{scales = [1.0, 1.0, " + ", ".join(map(str, scales)) + "]}"
            expected = wide(x)
            for axis, scale in zip((2, 3), scales):
                expected = resized(expected, axis, "linear", coordinates, "", scale) if scale != 1 else expected
            yield case(f"resize_linear_{name}_{element}", f"resize {{}} mode linear coordinates {coordinates} {text}", [x],
                       [Tensor(element, expected)], rtol=rtol, atol=rtol if rtol < 1e-2 else 2e-2)
    for element in NUMBERS:
        x = sample(element, (1, 2, 6, 5), -100, 100)
        for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
            for coordinates in ("asymmetric", "half_pixel"):
                expected = x.value
                for axis, scale in ((2, 2.0), (3, 1.5)):
                    expected = resized(expected, axis, "nearest", coordinates, rounding, scale)
                text = f"mode nearest coordinates {coordinates} rounding {rounding} {{scales = [1.0, 1.0, 2.0, 1.5]}}"
                yield moved(f"resize_{rounding}_{coordinates}", f"resize {{}} {text}", [x], expected, element)


def cases():
    yield from placing_cases()
    yield from gather_cases()
    yield from block_cases()
    yield from resize_cases()
