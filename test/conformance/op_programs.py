# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single ops as programs: compiled together to one shared object, called through ctypes.

The tests see an op as the runtime would run it: operands at offsets of one block of memory, workgroups
in any order, outputs that hold rubbish before, and nothing written outside of them.
"""
import ctypes
import dataclasses
import os
import re

import numpy as np

ALIGNMENT = 64
RUBBISH = 0xA5


class BF16:
    """bfloat16, which numpy does not have: f32 values that bf16 can hold."""

    @staticmethod
    def round(values):
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
        kept = np.where(np.isnan(values), bits, rounded).astype(np.uint32)
        return kept.view(np.float32).reshape(np.shape(values))

    @staticmethod
    def pack(values):
        return (np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)

    @staticmethod
    def unpack(bits):
        return (bits.astype(np.uint32) << 16).view(np.float32)


# MLIR's name of an element type -> the dtype of its storage and the one that tests compute in.
ELEMENTS = {
    "f32": (np.float32, np.float32), "f16": (np.float16, np.float16), "bf16": (np.uint16, np.float32),
    "i8": (np.int8, np.int8), "i16": (np.int16, np.int16), "i32": (np.int32, np.int32),
    "i64": (np.int64, np.int64), "ui8": (np.uint8, np.uint8), "i1": (np.bool_, np.bool_),
    "ui16": (np.uint16, np.uint16), "ui32": (np.uint32, np.uint32), "ui64": (np.uint64, np.uint64),
    "f64": (np.float64, np.float64),
}


@dataclasses.dataclass
class Tensor:
    element: str
    value: np.ndarray

    def __post_init__(self):
        self.value = np.asarray(self.value)
        if self.element == "bf16":
            self.value = BF16.round(self.value.astype(np.float32))
        else:
            self.value = self.value.astype(ELEMENTS[self.element][0])

    @property
    def type(self):
        return f"tensor<{''.join(f'{n}x' for n in self.value.shape)}{self.element}>"

    @property
    def bytes(self):
        stored = BF16.pack(self.value) if self.element == "bf16" else self.value
        return np.ascontiguousarray(stored).tobytes()


@dataclasses.dataclass
class Case:
    """`op`: what stands after `ttc.`, with {} for the operands: "relu {}" or "clamp {} {min = ...}"."""

    name: str
    op: str
    inputs: list
    outputs: list  # of Tensor: what is expected
    rtol: float = 1e-5
    atol: float = 1e-6

    @property
    def text(self):
        arguments = ", ".join(f"%a{i}: {t.type}" for i, t in enumerate(self.inputs))
        results = ", ".join(t.type for t in self.outputs)
        operands = ", ".join(f"%a{i}" for i in range(len(self.inputs)))
        number = f":{len(self.outputs)}" if len(self.outputs) > 1 else ""
        names = [f"%r#{i}" for i in range(len(self.outputs))] if number else ["%r"]
        types = ", ".join(t.type for t in self.inputs)
        return (
            f"ttc.program @{self.name} ({arguments}) -> ({results}) {{\n"
            f"  %r{number} = ttc.{self.op.replace('{}', operands, 1)} : ({types}) -> ({results})\n"
            f"  ttc.return {', '.join(names)} : {results}\n}}\n"
        )


class Programs:
    """The compiled cases of one module, for this machine's CPU or a given one."""

    def __init__(self, tools, folder, cases, cpu="native"):
        source, self.object = folder / "ops.mlir", folder / "ops.so"
        source.write_text("".join(case.text for case in cases))
        with tools.keeping("ttc-opt", source, cpu) as kept:
            if not kept.exists():
                tools.run("ttc-opt", f"--ttc-set-target=target-cpu={cpu}", "--ttc-lower-programs", "--ttc-compile-programs", source, "-o", f"{kept}.part")
                os.replace(f"{kept}.part", kept)
            text = kept.read_text()
        self.programs = {
            name: (int(grid), int(scratch))
            for name, grid, scratch in re.findall(
                r"ttc\.program @(\w+)\(.*grid = (\d+) : i64, scratch_bytes = (\d+) : i64", text
            )
        }
        # A resource begins with its alignment, in four bytes.
        blob = re.search(r'"0x([0-9A-F]+)"', text).group(1)
        self.object.write_bytes(bytes.fromhex(blob)[4:])
        self.library = ctypes.CDLL(str(self.object))

    def run(self, case):
        """The outputs, after checks that nothing else was written."""
        grid, scratch_bytes = self.programs[case.name]
        offsets, blocks, size = [], [], ALIGNMENT
        for tensor in case.inputs + case.outputs:
            data = tensor.bytes
            offsets.append(size)
            blocks.append(data)
            # Padding to the alignment may be read, never written.
            size += (len(data) + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT + ALIGNMENT
        memory = np.full(size + ALIGNMENT, RUBBISH, np.uint8)
        start = -memory.ctypes.data % ALIGNMENT
        memory = memory[start : start + size]
        for i in range(len(case.inputs)):
            memory[offsets[i] : offsets[i] + len(blocks[i])] = np.frombuffer(blocks[i], np.uint8)
        before = memory.copy()
        scratch = np.full(scratch_bytes + 2 * ALIGNMENT, RUBBISH, np.uint8)
        scratch_start = -scratch.ctypes.data % ALIGNMENT
        function = getattr(self.library, case.name)
        function.restype = None
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
        operands = np.asarray(offsets, np.uint64)
        for workgroup in reversed(range(grid)):
            function(operands.ctypes.data, memory.ctypes.data, scratch.ctypes.data + scratch_start, workgroup)
        assert (scratch[scratch_start + scratch_bytes :] == RUBBISH).all(), "wrote past its scratch"
        results = []
        for tensor, offset, block in list(zip(case.inputs + case.outputs, offsets, blocks))[len(case.inputs) :]:
            raw = memory[offset : offset + len(block)]
            stored = np.frombuffer(raw.tobytes(), ELEMENTS[tensor.element][0])
            value = BF16.unpack(stored) if tensor.element == "bf16" else stored
            results.append(value.reshape(tensor.value.shape))
            before[offset : offset + len(block)] = raw
        assert (memory == before).all(), "wrote outside of its outputs"
        return results


def check(programs, case):
    for result, expected in zip(programs.run(case), case.outputs):
        if expected.value.dtype.kind == "f":
            np.testing.assert_allclose(
                result.astype(np.float64), expected.value.astype(np.float64), case.rtol, case.atol
            )
        else:
            np.testing.assert_array_equal(result, expected.value)
