# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with weights in the block formats of GGUF files, and their rows, from IR to machine code: every format, by the
instructions of several CPUs, against numpy."""
import pytest

from bundles import np, run_bundle
from gate import pairs
from gguf_file import FORMATS, dequantize
from test_int_products import AVX_VNNI, Program, tensor

OTHER_CPUS = ["x86-64-v4", "x86-64-v3", AVX_VNNI]


def random_blocks(format, elements, seed):
    """Random bytes; scales and minima, or floats, of moderate size."""
    _, columns, size = FORMATS[format]
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (elements // columns, size)).astype(np.uint8)
    floats = rng.uniform(-1, 1, len(blocks)).astype(np.float32)
    if format == "F32":
        blocks = floats.view(np.uint8)
    elif format == "F16":
        blocks = floats.astype(np.float16).view(np.uint8)
    elif format == "BF16":
        blocks = (floats.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    else:
        places = {"Q4_1": (0, 2), "Q5_1": (0, 2), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,), "Q2_K": (80, 82), "Q3_K": (108,),
                  "TQ1_0": (52,), "TQ2_0": (64,), "MXFP4": ()}
        if format == "MXFP4":
            blocks[:, 0] = rng.integers(118, 124, len(blocks))
        for place in places.get(format, (0,)):
            numbers = rng.uniform(0.01, 0.1, len(blocks)).astype(np.float16)
            blocks[:, place:place + 2] = numbers.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(-1).view(np.int8)


def product(x, w, norm=None, gated=False):
    x = x.astype(np.float64)
    if norm is not None:
        x = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * norm
    y = x @ w.T.astype(np.float64)
    if gated:
        gate, factor = np.split(y, 2, axis=1)
        y = gate / (1 + np.exp(-gate)) * factor
    return x, y


def run_product(tools, folder, cpu, format, rows, columns, depth, activations, gated=False, norm=True):
    rng = np.random.default_rng(rows)
    stored = random_blocks(format, columns * (2 if gated else 1) * depth, seed=columns)
    w = dequantize(format, stored.view(np.uint8)).reshape(-1, depth)
    x = rng.standard_normal((rows, depth)).astype(np.float32)
    scale = rng.standard_normal(depth).astype(np.float32) if norm else None
    residual = rng.standard_normal((rows, columns)).astype(np.float32)
    program = Program()
    names = [program.input(x), program.constant(stored)]
    types = [tensor(x), tensor(stored)]
    text = f"ttc.block_matmul {format.lower()} {names[0]}, {names[1]}"
    if norm:
        text += f" norm {program.constant(scale)}"
        types.append(tensor(scale))
    text += f" residual {program.input(residual)} activations {activations}{' {gated}' if gated else ''}"
    result = program.op(f"{text} : ({', '.join(types + [tensor(residual)])}) -> {tensor(residual)}")
    _, y = program.run(tools, folder, cpu, result, residual)
    normalised, expected = product(x, w, scale, gated)
    # An upper bound of what 8 bits, or 24, lose; errors of columns do not add up.
    exact = activations == "f32" or FORMATS[format][1] == 1
    spread = np.abs(normalised).max() * np.sqrt((w.astype(np.float64)**2).sum(axis=1).max())
    tolerance = (2e-6 if exact else 0.02) * spread * (np.abs(expected).max() if gated else 1)
    np.testing.assert_allclose(y, expected + residual, rtol=0, atol=tolerance)


@pytest.mark.parametrize("activations", ["f32", "int8"])
@pytest.mark.parametrize("format", FORMATS)
def test_products(format, activations, tools, tmp_path):
    run_product(tools, tmp_path, "native", format, 1, 50, 512, activations)


@pytest.mark.parametrize("rows,cpu", pairs([1, 3, 21], OTHER_CPUS, ["native", "x86-64-v2"]))
def test_cpus(rows, cpu, tools, tmp_path):
    run_product(tools, tmp_path, cpu, "Q4_1", rows, 50, 96, "int8", gated=True)
    run_product(tools, tmp_path, cpu, "Q8_0", rows, 50, 96, "f32", norm=False)


@pytest.mark.parametrize("format,cpu", pairs(FORMATS, ["native", "x86-64-v2"]))
def test_rows(format, cpu, tools, tmp_path):
    stored = random_blocks(format, 20 * 256, seed=7)
    w = dequantize(format, stored.view(np.uint8)).reshape(20, 256)
    tokens = np.array([3, 19, 0, 2**31 - 1, -5, 16], np.int32)
    program = Program()
    names = [program.constant(stored), program.input(tokens)]
    expected = w[np.clip(tokens, 0, 19)]
    result = program.op(f"ttc.block_gather {format.lower()} {names[0]}, {names[1]} {{columns = 256}} : "
                        f"({tensor(stored)}, {tensor(tokens)}) -> {tensor(expected)}")
    _, y = program.run(tools, tmp_path, cpu, result, expected)
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6)


def test_cores(tools, tmp_path):
    """The bits do not depend on the number of cores."""
    format, depth, columns = "Q4_1", 576, 1000
    stored = random_blocks(format, columns * depth, seed=1)
    x = np.random.default_rng(1).standard_normal((40, depth)).astype(np.float32)
    # Too long to be printed as a list of numbers.
    text = "".join(f"{byte:02X}" for byte in stored.view(np.uint8))
    (tmp_path / "model.mlir").write_text(f"""func.func @main(%x: tensor<40x{depth}xf32>) -> tensor<40x{columns}xf32> {{
  %w = ttc.constant dense<"0x{text}"> : tensor<{len(stored)}xi8>
  %y = ttc.block_matmul q4_1 %x, %w activations int8
     : (tensor<40x{depth}xf32>, tensor<{len(stored)}xi8>) -> tensor<40x{columns}xf32>
  return %y : tensor<40x{columns}xf32>
}}
""")
    tools.compile_ir(tmp_path / "model.mlir", tmp_path / "model.ttcb")
    run_bundle(tools, tmp_path / "model.ttcb", {"input0": x}, {}, 0, 0)
