# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resampling, pools, transforms: ops that the importer composes."""
import itertools

import numpy as np

from import_cases import Constant, ImportCase


def sample(rng, *shape, low=-2.0, high=2.0, dtype=np.float32):
    return rng.uniform(low, high, shape).astype(dtype)


def resize_cases():
    rng = np.random.default_rng(1)
    modes = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]
    for index, (coordinates, outside) in enumerate(itertools.product(modes, [0, 1])):
        x = sample(rng, 1, 2, int(rng.integers(1, 8)), int(rng.integers(2, 9)))
        scales = np.array([1, 1, *rng.choice([0.4, 0.7, 1.0, 1.5, 2.0, 3.3], 2)], np.float32)
        scales[2:] = np.where(scales[2:] * x.shape[2:] < 1, 2, scales[2:])
        yield ImportCase(f"cubic{index}", "Resize", [x, None, Constant(scales)], dict(
            mode="cubic", coordinate_transformation_mode=coordinates, exclude_outside=outside,
            cubic_coeff_a=float(rng.choice([-0.5, -0.75]))), opset=19)
    for index, (mode, outside) in enumerate(itertools.product(["linear", "cubic"], [0, 1])):
        x = sample(rng, 2, 1, 11, 13)
        sizes = np.array([int(rng.integers(1, 8)), int(rng.integers(1, 20))])
        yield ImportCase(f"antialias{index}", "Resize", [x, None, None, Constant(sizes)], dict(
            mode=mode, antialias=1, axes=[2, 3], exclude_outside=outside), opset=19)
    for index, mode in enumerate(["nearest", "linear", "cubic"]):
        roi = np.array([0.2, -0.1, 0.7, 1.3], np.float32)
        yield ImportCase(f"crop{index}", "Resize", [sample(rng, 1, 2, 7, 6), Constant(roi), None, Constant([5, 9])],
                         dict(mode=mode, axes=[2, 3], coordinate_transformation_mode="tf_crop_and_resize",
                              extrapolation_value=7.5), opset=19)
    for index, (mode, policy) in enumerate(itertools.product(["nearest", "linear", "cubic"],
                                                             ["not_larger", "not_smaller"])):
        yield ImportCase(f"aspect{index}", "Resize", [sample(rng, 1, 1, 5, 7), None, None, Constant([9, 10])], dict(
            mode=mode, axes=[2, 3], keep_aspect_ratio_policy=policy), opset=19)
    for index, element in enumerate([np.uint8, np.int8]):
        x = rng.integers(0, 100, (1, 1, 6, 5)).astype(element)
        yield ImportCase(f"integers{index}", "Resize", [x, None, Constant(np.array([1, 1, 1.5, 2], np.float32))],
                         dict(mode="cubic"), opset=19, atol=1)
    # What is computed at run time: the result has the shape that the model declares.
    for index, (mode, antialias, coordinates) in enumerate([
            ("nearest", 0, "asymmetric"), ("linear", 0, "align_corners"), ("cubic", 0, "half_pixel"),
            ("linear", 1, "half_pixel"), ("cubic", 1, "half_pixel_symmetric"), ("linear", 0, "pytorch_half_pixel")]):
        scales = np.array([1, 1, 0.6, 1.7], np.float32)
        yield ImportCase(f"computed_scales{index}", "Resize", [sample(rng, 1, 2, 7, 5), None, scales], dict(
            mode=mode, antialias=antialias, coordinate_transformation_mode=coordinates), opset=19)
        yield ImportCase(f"computed_sizes{index}", "Resize", [sample(rng, 1, 2, 7, 5), None, None, np.array([4, 9])],
                         dict(mode=mode, antialias=antialias, coordinate_transformation_mode=coordinates,
                              axes=[2, 3], keep_aspect_ratio_policy="not_larger"), opset=19)
    yield ImportCase("computed_crop", "Resize", [sample(rng, 1, 2, 7, 6), np.array([0.2, -0.1, 0.7, 1.3], np.float32),
                                                 None, np.array([5, 9])],
                     dict(mode="linear", axes=[2, 3], coordinate_transformation_mode="tf_crop_and_resize",
                          extrapolation_value=7.5), opset=19)
    # Coordinates that are halves, which quotients of f32 miss.
    for size in (2, 4, 8):
        yield ImportCase(f"halves{size}", "Resize", [sample(rng, 1, 1, 1, 7), None, None, Constant([1, 1, 1, size])],
                         dict(mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="round_prefer_ceil"), opset=19)
    yield ImportCase("line", "Resize", [sample(rng, 3, 9), None, Constant(np.array([1, 0.5], np.float32))],
                     dict(mode="cubic"), opset=19)
    # Doubles: neighbours have thirds, and then a scale of 10 / 7 which f32 rounds, and which is not the quotient of the sizes.
    for mode, policy in ("linear", "stretch"), ("nearest", "not_larger"), ("linear", "not_larger"):
        yield ImportCase(f"{mode}_{policy}_f64", "Resize", [sample(rng, 1, 1, 5, 7, dtype=np.float64), None, None, Constant([9, 10])],
                         dict(mode=mode, axes=[2, 3], keep_aspect_ratio_policy=policy), opset=19, rtol=1e-14, atol=1e-14)


def grid_cases():
    rng = np.random.default_rng(2)
    for index, (mode, padding, align) in enumerate(itertools.product(
            ["linear", "nearest", "cubic"], ["zeros", "border", "reflection"], [0, 1])):
        height, width = int(rng.integers(2, 7)), int(rng.integers(2, 7))
        x = sample(rng, 2, 3, height, width)
        grid = sample(rng, 2, 3, 5, 2, low=-1.6, high=1.6)
        yield ImportCase(f"grid{index}", "GridSample", [x, grid], dict(
            mode=mode, padding_mode=padding, align_corners=align), reference="ort", atol=2e-4)
        if mode != "cubic":
            volume, points = sample(rng, 1, 2, 3, 4, 3), sample(rng, 1, 2, 3, 2, 3, low=-1.4, high=1.4)
            yield ImportCase(f"volume{index}", "GridSample", [volume, points], dict(
                mode=mode, padding_mode=padding, align_corners=align), atol=2e-4)
    yield ImportCase("grid_small", "GridSample", [sample(rng, 1, 1, 1, 1), sample(rng, 1, 2, 2, 2)],
                     dict(padding_mode="border"), reference="ort")
    yield ImportCase("grid_channels", "GridSample", [sample(rng, 1, 17, 4, 4), sample(rng, 1, 1, 1, 2)],
                     reference="ort")
    for index, align in enumerate([0, 1]):
        yield ImportCase(f"affine{index}", "AffineGrid", [sample(rng, 2, 2, 3), Constant([2, 1, 5, 4])],
                         dict(align_corners=align))
        yield ImportCase(f"affine_volume{index}", "AffineGrid", [sample(rng, 1, 3, 4), Constant([1, 1, 2, 3, 4])],
                         dict(align_corners=align))


def deform_cases():
    rng = np.random.default_rng(3)
    for index, (groups, offsets, masked, bias) in enumerate([(1, 1, 0, 0), (2, 1, 1, 1), (1, 2, 1, 0), (2, 2, 0, 1)]):
        kernel, strides, dilations, pads = (2, 3), [1, 2], [2, 1], [1, 0, 1, 1]
        shape = [(size + pads[i] + pads[i + 2] - (k - 1) * d - 1) // s + 1
                 for i, (size, k, s, d) in enumerate(zip((7, 6), kernel, strides, dilations))]
        operands = [sample(rng, 2, 4, 7, 6), sample(rng, 6, 4 // groups, *kernel),
                    sample(rng, 2, offsets * 12, *shape)]
        operands.append(sample(rng, 6) if bias else None)
        if masked:
            operands.append(sample(rng, 2, offsets * 6, *shape))
        yield ImportCase(f"deform{index}", "DeformConv", operands[: 5 if masked else 4 if bias else 3], dict(
            kernel_shape=kernel, strides=strides, dilations=dilations, pads=pads, group=groups,
            offset_group=offsets), atol=1e-4)


def roi_cases():
    rng = np.random.default_rng(4)
    for index, (mode, coordinates, ratio) in enumerate(itertools.product(
            ["avg", "max"], ["half_pixel", "output_half_pixel"], [0, 1, 3])):
        corners = np.sort(rng.uniform(-2, 22, (4, 2, 2)), axis=1).astype(np.float32)
        rois = np.ascontiguousarray(corners.reshape(4, 4))
        batch = rng.integers(0, 2, 4)
        yield ImportCase(f"roi{index}", "RoiAlign",
                         [sample(rng, 2, 3, 9, 8), rois if ratio else Constant(rois), batch],
                         dict(mode=mode, coordinate_transformation_mode=coordinates, output_height=3, output_width=2,
                              sampling_ratio=ratio, spatial_scale=0.5), opset=18, reference="ort", atol=1e-4)
    for index, scale in enumerate([1.0, 0.4]):
        corners = np.sort(rng.uniform(0, 12, (3, 2, 2)), axis=1).reshape(3, 4)
        rois = np.concatenate([rng.integers(0, 2, (3, 1)), corners], axis=1).astype(np.float32)
        yield ImportCase(f"max_roi{index}", "MaxRoiPool", [sample(rng, 2, 3, 8, 7), rois],
                         dict(pooled_shape=[3, 2], spatial_scale=scale), opset=18, reference="ort")


def pool_cases():
    rng = np.random.default_rng(5)
    for index, (order, ceil, pads) in enumerate(itertools.product([0, 1], [0, 1], [[0, 0, 0, 0], [1, 2, 0, 1]])):
        yield ImportCase(f"indices{index}", "MaxPool", [sample(rng, 2, 3, 8, 9)], dict(
            kernel_shape=[2, 3], strides=[2, 2], pads=pads, ceil_mode=ceil, storage_order=order),
            outputs=2, reference="ort")
    yield ImportCase("indices_line", "MaxPool", [sample(rng, 1, 2, 17)], dict(
        kernel_shape=[3], strides=[2], dilations=[3]), outputs=2, reference="ort")
    yield ImportCase("indices_volume", "MaxPool", [sample(rng, 1, 2, 5, 4, 6)], dict(
        kernel_shape=[2, 2, 3], pads=[1, 0, 1, 0, 1, 1]), outputs=2, reference="ort")
    yield ImportCase("indices_infinite", "MaxPool", [np.full((1, 1, 4, 4), -np.inf, np.float32)], dict(
        kernel_shape=[3, 3], pads=[1, 1, 1, 1]), outputs=2, reference="ort")
    # Windows that are wider than what they slide over.
    for index, (op, pads) in enumerate(itertools.product(["AveragePool", "MaxPool"], [[0, 0, 0, 0], [2, 1, 2, 1]])):
        for counted in [{}] if op == "MaxPool" else [dict(count_include_pad=0), dict(count_include_pad=1)]:
            yield ImportCase(f"wide{index}{counted.get('count_include_pad', '')}", op, [sample(rng, 1, 3, 5, 4)], dict(
                kernel_shape=[12, 7], strides=[12, 5], pads=pads, ceil_mode=1, **counted), opset=19, reference="ort")
    for index, (p, dilation) in enumerate(itertools.product([1, 2, 3], [1, 2])):
        yield ImportCase(f"lp{index}", "LpPool", [sample(rng, 1, 3, 9, 8)], dict(
            kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1], dilations=[dilation, 1], p=p),
            reference="ort")
        if dilation == 1:
            yield ImportCase(f"global_lp{index}", "GlobalLpPool", [sample(rng, 2, 3, 5, 4)], dict(p=p),
                             opset=18, reference="ort")
    for index, (image, block, attributes) in enumerate([
            ([5, 6], [2, 3], {}), ([7, 8], [3, 2], dict(strides=[2, 3], pads=[1, 0, 1, 2], dilations=[2, 1])),
            ([9], [3], dict(strides=[2])), ([3, 4, 5], [1, 2, 3], {})]):
        rank = len(image)
        strides, dilations = attributes.get("strides", [1] * rank), attributes.get("dilations", [1] * rank)
        pads = attributes.get("pads", [0] * 2 * rank)
        blocks = [(image[i] + pads[i] + pads[rank + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
                  for i in range(rank)]
        x = sample(rng, 2, 3 * int(np.prod(block)), int(np.prod(blocks)))
        yield ImportCase(f"fold{index}", "Col2Im", [x, Constant(image), Constant(block)], attributes)


def signal_cases():
    rng = np.random.default_rng(6)
    for index, (parts, inverse, axis, size) in enumerate(itertools.product(
            [1, 2], [0, 1], [1, -2], [None, 5, 12])):
        length = [] if size is None else [Constant(size, dtype=np.int64)]
        operands = [sample(rng, 2, 9, 3, parts), *(length or [None]), Constant(axis, dtype=np.int64)]
        if parts == 1 and inverse:
            continue  # The reference cannot.
        yield ImportCase(f"dft{index}", "DFT", operands, dict(inverse=inverse))
        if parts == 1:
            yield ImportCase(f"dft_half{index}", "DFT", operands, dict(onesided=1))
        elif inverse:
            yield ImportCase(f"dft_real{index}", "DFT", operands, dict(inverse=1, onesided=1))
    for index, size in enumerate([2048, 1250, 1031]):
        yield ImportCase(f"dft_long{index}", "DFT", [sample(rng, 2, size, 1)], atol=2e-3)
        yield ImportCase(f"dft_long_inverse{index}", "DFT", [sample(rng, 1, size, 2)], dict(inverse=1), atol=1e-4)
    yield ImportCase("dft_attribute", "DFT", [sample(rng, 2, 7, 1)], dict(axis=1), opset=17)
    for index, onesided in enumerate([0, 1]):
        window = np.hanning(16).astype(np.float32)
        yield ImportCase(f"stft{index}", "STFT", [sample(rng, 2, 70, 1), Constant(5, dtype=np.int64), window],
                         dict(onesided=onesided))
        yield ImportCase(f"stft_length{index}", "STFT", [sample(rng, 1, 33, 1), Constant(8, dtype=np.int64), None,
                                                         Constant(16, dtype=np.int64)], dict(onesided=onesided))
    for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        for periodic in (0, 1):
            yield ImportCase(f"{op}{periodic}", op, [Constant(10, dtype=np.int64)], dict(periodic=periodic))
    for index, (bins, length, rate, low, high) in enumerate([(8, 16, 8192, 0, 4096), (20, 512, 16000, 20, 7600)]):
        yield ImportCase(f"mel{index}", "MelWeightMatrix", [
            Constant(bins, dtype=np.int64), Constant(length, dtype=np.int64), Constant(rate, dtype=np.int64),
            Constant(low, dtype=np.float32), Constant(high, dtype=np.float32)])


def cases():
    yield from resize_cases()
    yield from grid_cases()
    yield from deform_cases()
    yield from roi_cases()
    yield from pool_cases()
    yield from signal_cases()
