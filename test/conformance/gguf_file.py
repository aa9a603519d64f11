# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GGUF files in numpy: reading, writing, and the numbers that blocks stand for. Written from the format's description, not
from the importer's source, so that a mistake shows as a difference."""
import dataclasses
import mmap
import struct

import numpy as np

# number, elements and bytes of a block
FORMATS = {
    "F32": (0, 1, 4), "F16": (1, 1, 2), "BF16": (30, 1, 2), "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20), "Q5_0": (6, 32, 22),
    "Q5_1": (7, 32, 24), "Q8_0": (8, 32, 34), "Q4_K": (12, 256, 144), "Q5_K": (13, 256, 176), "Q6_K": (14, 256, 210),
    "IQ4_NL": (20, 32, 18), "IQ4_XS": (23, 256, 136), "Q2_K": (10, 256, 84), "Q3_K": (11, 256, 110), "MXFP4": (39, 32, 17),
    "TQ1_0": (34, 256, 54), "TQ2_0": (35, 256, 66),
}
NAMES = {number: name for name, (number, _, _) in FORMATS.items()}
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
U32, I32, F32, BOOL, STRING, ARRAY, U64 = 4, 5, 6, 7, 8, 9, 10


@dataclasses.dataclass
class Tensor:
    name: str
    format: str
    shape: tuple  # as numpy has it: rows first
    data: np.ndarray  # bytes

    def floats(self):
        return dequantize(self.format, self.data).reshape(self.shape)


class Reader:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, tensors, values = struct.unpack_from("<4sIQQ", self.bytes)
        assert magic == b"GGUF" and version in (2, 3), (magic, version)
        self.at = 24
        self.values = {}
        for _ in range(values):
            key = self._string()
            self.values[key] = self._value(self._number("I"))
        found = []
        for _ in range(tensors):
            name, rank = self._string(), self._number("I")
            shape = [self._number("Q") for _ in range(rank)]
            found.append((name, shape, self._number("I"), self._number("Q")))
        align = self.values.get("general.alignment", 32)
        begin = -(-self.at // align) * align
        self.tensors = {}
        for name, shape, number, offset in found:
            _, elements, size = FORMATS[NAMES[number]]
            count = int(np.prod(shape)) // elements * size
            data = np.frombuffer(self.bytes, np.uint8, count, begin + offset)
            self.tensors[name] = Tensor(name, NAMES[number], tuple(reversed(shape)), data)

    def _number(self, kind):
        value, = struct.unpack_from("<" + kind, self.bytes, self.at)
        self.at += struct.calcsize("<" + kind)
        return value

    def _string(self):
        size = self._number("Q")
        self.at += size
        return self.bytes[self.at - size : self.at].decode("utf-8", "surrogateescape")

    def _value(self, kind):
        if kind == STRING:
            return self._string()
        if kind == ARRAY:
            kind, count = self._number("I"), self._number("Q")
            return [self._value(kind) for _ in range(count)]
        return self._number(SCALARS[kind])


def write(path, values, tensors, align=32):
    """`values`: key -> (type, value), where an array is ((ARRAY, type of elements), list). `tensors`: a list of Tensor."""
    out = bytearray(struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(values)))

    def string(text):
        raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        out.extend(struct.pack("<Q", len(raw)) + raw)

    def scalar(kind, value):
        string(value) if kind == STRING else out.extend(struct.pack("<" + SCALARS[kind], value))

    for key, (kind, value) in values.items():
        string(key)
        if isinstance(kind, tuple):
            out.extend(struct.pack("<IIQ", ARRAY, kind[1], len(value)))
            for element in value:
                scalar(kind[1], element)
        else:
            out.extend(struct.pack("<I", kind))
            scalar(kind, value)
    offset = 0
    for tensor in tensors:
        string(tensor.name)
        out.extend(struct.pack(f"<I{len(tensor.shape)}Q", len(tensor.shape), *reversed(tensor.shape)))
        out.extend(struct.pack("<IQ", FORMATS[tensor.format][0], offset))
        offset += -(-tensor.data.size // align) * align
    for tensor in tensors:
        out.extend(bytes(-len(out) % align))
        out.extend(tensor.data.tobytes())
    with open(path, "wb") as file:
        file.write(out)


def halves(data):
    """Two bytes of each block, as one f16 column."""
    return np.ascontiguousarray(data).view(np.float16).astype(np.float32)


def nibbles(data):
    return np.concatenate([data & 15, data >> 4], axis=-1)


def fifth_bits(data):
    """32 bits, the lowest first, as 16 at their place in a byte."""
    bits = np.unpackbits(np.ascontiguousarray(data), axis=-1, bitorder="little")
    return bits << 4


# What four bits stand for in IQ4_NL and IQ4_XS.
NON_LINEAR = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32)
# The numbers of e2m1.
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


def places(count, step, rank):
    """Shifts by 0, step, ... along the last dimension but one of so many."""
    return (np.arange(count) * step).astype(np.uint16).reshape((1,) * (rank - 2) + (count, 1))


def pairs_of_bits(data):
    """64 bytes of each block as 256 numbers: 32 bytes hold 128 of them."""
    return (data.reshape(-1, 2, 1, 32) >> places(4, 2, 4) & 3).reshape(-1, 256)


def ternary(data, digits):
    """Numbers from 0 to 2: the digits to base 3 of a fraction that is a byte / 256, those with the same place side by side."""
    found = []
    for _ in range(digits):
        data = data.astype(np.uint16) * 3
        found.append(data >> 8)
        data = data & 255
    return np.concatenate(found, axis=1)


def dequantize_small(format, blocks):
    """The formats with two or three bits, or a table."""
    count, f32 = len(blocks), lambda numbers: numbers.astype(np.float32)
    if format == "IQ4_NL":
        return halves(blocks[:, :2]) * NON_LINEAR[nibbles(blocks[:, 2:])]
    if format == "MXFP4":
        powers = np.ldexp(np.float64(1), blocks[:, :1].astype(np.int32) - 127)
        with np.errstate(over="ignore"):
            return f32(powers * E2M1[nibbles(blocks[:, 1:])])
    if format == "IQ4_XS":
        high = np.ascontiguousarray(blocks[:, 2:4]).view(np.uint16) >> (2 * np.arange(8)).astype(np.uint16) & 3
        low = np.stack([blocks[:, 4:8] & 15, blocks[:, 4:8] >> 4], axis=2).reshape(count, 8)
        scales = halves(blocks[:, :2]) * (f32(low | high << 4) - 32)
        return scales[:, :, None] * NON_LINEAR[nibbles(blocks[:, 8:].reshape(count, 8, 16))]
    if format == "Q2_K":
        scales = halves(blocks[:, 80:82]) * f32(blocks[:, :16] & 15)
        minima = halves(blocks[:, 82:84]) * f32(blocks[:, :16] >> 4)
        return scales[:, :, None] * f32(pairs_of_bits(blocks[:, 16:80])).reshape(count, 16, 16) - minima[:, :, None]
    if format == "Q3_K":
        packed = blocks[:, 96:108]
        low = np.concatenate([packed[:, :8] & 15, packed[:, :8] >> 4], axis=1)
        high = (packed[:, None, 8:] >> places(4, 2, 3) & 3).reshape(count, 16)
        third = (blocks[:, None, :32] >> places(8, 1, 3) & 1).reshape(count, 256)
        numbers = f32(pairs_of_bits(blocks[:, 32:96])) + 4 * f32(third) - 4
        scales = halves(blocks[:, 108:]) * (f32(low | high << 4) - 32)
        return scales[:, :, None] * numbers.reshape(count, 16, 16)
    if format == "TQ2_0":
        return halves(blocks[:, 64:]) * (f32(pairs_of_bits(blocks[:, :64])) - 1)
    assert format == "TQ1_0", format
    digits = np.concatenate([ternary(blocks[:, :32], 5), ternary(blocks[:, 32:48], 5), ternary(blocks[:, 48:52], 4)], axis=1)
    return halves(blocks[:, 52:]) * (f32(digits) - 1)


def scales_of_k(packed):
    """Eight scales and eight minima of 6 bits in 12 bytes."""
    low, middle, high = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
    scales = np.concatenate([low & 63, (high & 15) | ((low >> 6) << 4)], axis=1)
    minima = np.concatenate([middle & 63, (high >> 4) | ((middle >> 6) << 4)], axis=1)
    return scales.astype(np.float32), minima.astype(np.float32)


def dequantize(format, data):
    """All blocks in `data` as a vector of f32."""
    if format == "F32":
        return data.view(np.float32).copy()
    if format == "F16":
        return data.view(np.float16).astype(np.float32)
    if format == "BF16":
        return (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    blocks = data.reshape(-1, FORMATS[format][2])
    count = len(blocks)
    f32 = lambda numbers: numbers.astype(np.float32)
    if format == "Q8_0":
        return (halves(blocks[:, :2]) * f32(np.ascontiguousarray(blocks[:, 2:]).view(np.int8))).reshape(-1)
    if format == "Q4_0":
        return (halves(blocks[:, :2]) * (f32(nibbles(blocks[:, 2:])) - 8)).reshape(-1)
    if format == "Q4_1":
        return (halves(blocks[:, :2]) * f32(nibbles(blocks[:, 4:])) + halves(blocks[:, 2:4])).reshape(-1)
    if format == "Q5_0":
        return (halves(blocks[:, :2]) * (f32(nibbles(blocks[:, 6:]) | fifth_bits(blocks[:, 2:6])) - 16)).reshape(-1)
    if format == "Q5_1":
        numbers = f32(nibbles(blocks[:, 8:]) | fifth_bits(blocks[:, 4:8]))
        return (halves(blocks[:, :2]) * numbers + halves(blocks[:, 2:4])).reshape(-1)
    if format in ("Q4_K", "Q5_K"):
        scales, minima = scales_of_k(blocks[:, 4:16])
        numbers = nibbles(blocks[:, -128:].reshape(count, 4, 32)).reshape(count, 8, 32)
        if format == "Q5_K":
            places = np.arange(8, dtype=np.uint8).reshape(1, 8, 1)
            numbers = numbers | (((blocks[:, None, 16:48] >> places) & 1) << 4)
        scales, minima = halves(blocks[:, :2]) * scales, halves(blocks[:, 2:4]) * minima
        return (scales[:, :, None] * f32(numbers) - minima[:, :, None]).reshape(-1)
    if format != "Q6_K":
        return dequantize_small(format, blocks).reshape(-1)
    low = blocks[:, :128].reshape(count, 2, 64)
    low = np.concatenate([low & 15, low >> 4], axis=2).reshape(count, 2, 4, 32)
    places = np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1)
    high = (blocks[:, 128:192].reshape(count, 2, 1, 32) >> places) & 3
    numbers = f32(low | (high << 4)).reshape(count, 16, 16) - 32
    scales = f32(np.ascontiguousarray(blocks[:, 192:208]).view(np.int8)) * halves(blocks[:, 208:210])
    return (scales[:, :, None] * numbers).reshape(-1)
