# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small files that name large tensors: refused in seconds and with little memory, before anything is built
from the sizes, with a message that names the node and says what was expected and found."""
import json
import re
import resource

import pytest

# Address space of the compiler: its libraries and threads take most of it.
MOST_BYTES = 6 << 30
DRAM = 1 << 28

HEADER = '<ir_version: 8, opset_import: ["" : {opset}]>\ng ({inputs}) => ({outputs})\n<{constants}>\n{{ {nodes} }}\n'


def model(nodes, inputs="float[4] x", outputs="float[n] y", constants="", opset=17):
    return HEADER.format(**locals())


def ints(name, *values):
    return f"int64[{len(values)}] {name} = {{{', '.join(map(str, values))}}}"


BIG = 2**31 - 1
IMAGE = "float[1,1,1,1] x"
TOO_LARGE = r"expected a tensor of at most 268435456 bytes \(the DRAM of target 'small'\), found \d+ bytes"
IMPOSSIBLE = r"impossible (shape|size|pads)"
BOUND = r"2\^40 elements|elements that are at most|impossible"
GENERATED = r"expected generated constants of at most 2147483648 bytes together, found \d+"

CASES = {
    # Resize: the file of the finding, in all its variants.
    "resize-sizes": (model("y = Resize (x, , , s)", IMAGE, constants=ints("s", 1, 1, BIG, 1)), TOO_LARGE),
    "resize-linear": (model('y = Resize <mode = "linear"> (x, , , s)', IMAGE, constants=ints("s", 1, 1, 1, BIG)), TOO_LARGE),
    "resize-steps": (model("y = Resize (x, , , s)", IMAGE, constants=ints("s", 1, 1, (1 << 24) + 1, 1)),
                     r"expected at most 16777216 elements along a dimension that is resampled"),
    "resize-both": (model("y = Resize (x, , , s)", IMAGE, constants=ints("s", 1, 1, BIG, BIG)), IMPOSSIBLE),
    "resize-scales": (model("y = Resize (x, , s)", "float[1,1,1000,1000] x",
                            constants="float[4] s = {1.0, 1.0, 999999.0, 999999.0}"), IMPOSSIBLE),
    "upsample": (model("y = Upsample (x, s)", "float[1,1,1000,1000] x", opset=9,
                       constants="float[4] s = {1.0, 1.0, 100.0, 100.0}"), TOO_LARGE),
    # Shapes that are inputs.
    "expand": (model("y = Expand (x, s)", "float[1] x", constants=ints("s", BIG)), TOO_LARGE),
    "expand-product": (model("y = Expand (x, s)", "float[1] x", constants=ints("s", 1 << 32, 1 << 32)), IMPOSSIBLE),
    "expand-wraps-to-0": (model("y = Expand (x, s)", "float[1] x", constants=ints("s", 1 << 32, 1 << 32, 1)), IMPOSSIBLE),
    "tile": (model("y = Tile (x, s)", constants=ints("s", BIG)), TOO_LARGE),
    "tile-overflows": (model("y = Tile (x, s)", constants=ints("s", 1 << 62)), BOUND),
    "tile-overflows-to-small": (model("y = Tile (x, s)", "float[4,4] x", constants=ints("s", (1 << 62) + 1, 1)), BOUND),
    "tile-product": (model("y = Tile (x, s)", "float[4,4] x", constants=ints("s", 1 << 39, 1 << 39)), BOUND),
    "tile-of-tile": (model("a = Tile (x, s) b = Tile (a, s) c = Tile (b, s) y = Tile (c, s)", constants=ints("s", 1 << 16)), BOUND),
    "reshape-product": (model("y = Reshape (x, s)", constants=ints("s", 1 << 32, 1 << 32)), "cannot reshape"),
    "reshape-of-empty": (model("y = Reshape <allowzero = 1> (x, s)", "float[4] x", constants=ints("s", 0, 1 << 40, 1 << 40)), "cannot reshape"),
    "flatten-of-empty": (model("a = Slice (x, z, z) y = Expand (a, s)", "float[4] x", opset=13,
                               constants=ints("z", 0) + ", " + ints("s", 1 << 40, 1 << 40, 0)), BOUND),
    "too-many-dimensions": (model("y = Reshape (x, s)", "float[1] x", constants=ints("s", *[1] * 1000)), "cannot reshape"),
    "unsqueeze": (model("y = Unsqueeze (x, s)", "float[1] x", constants=ints("s", *range(1, 900))), BOUND),
    "pad": (model("y = Pad (x, s)", constants=ints("s", BIG, BIG)), TOO_LARGE),
    "pad-edge": (model('y = Pad <mode = "edge"> (x, s)', constants=ints("s", 0, 1 << 39)), TOO_LARGE),
    "pad-overflows": (model("y = Pad (x, s)", constants=ints("s", 1 << 62, 1 << 62)), IMPOSSIBLE),
    "pad-many": (model("y = Pad (x, s)", "float[1,1,1,1] x", constants=ints("s", *[1 << 20] * 8)), BOUND),
    "depth-to-space": (model("a = Expand (x, s) y = DepthToSpace <blocksize = 4096> (a)", IMAGE,
                             constants=ints("s", 1, 1 << 27, 1, 1)), TOO_LARGE),
    "space-to-depth-of-empty": (model("y = SpaceToDepth <blocksize = 4611686018427387904> (x)", "float[1,1,0,0] x"), "input 'x'|block"),
    # Broadcasts and products of small operands.
    "broadcast": (model("y = Add (x, z)", "float[65536,1] x, float[1,65536] z"), TOO_LARGE),
    "broadcast-chain": (model("a = Add (x, z) y = Add (a, w)", "float[65536,1,1] x, float[1,65536,1] z, float[1,1,65536] w"), BOUND),
    "where": (model("y = Where (c, x, z)", "bool[65536,1] c, float[1,65536] x, float z"), TOO_LARGE),
    "matmul": (model("y = MatMul (x, z)", "float[65536,1] x, float[1,65536] z"), TOO_LARGE),
    "gemm": (model("y = Gemm (x, z)", "float[1048576,1] x, float[1,1048576] z"), TOO_LARGE + "|" + BOUND),
    "gather": (model("y = Gather (x, i)", "float[65536,1] x, int64[65536,65536] i"), TOO_LARGE),
    "gather-constant": (model("a = ConstantOfShape (s) i = Cast <to = 7> (a) y = Gather (x, i)", "float[64,64] x",
                              constants=ints("s", 16384, 16384)), TOO_LARGE),
    "gather-nd": (model("y = GatherND (x, i)", "float[4,65536] x, int64[65536,1] i"), TOO_LARGE),
    "concat": (model("a = Concat <axis = 0> (" + ", ".join(["x"] * 60) + ") b = Concat <axis = 0> (" + ", ".join(["a"] * 60) +
                     ") c = Concat <axis = 0> (" + ", ".join(["b"] * 60) + ") d = Concat <axis = 0> (" + ", ".join(["c"] * 60) +
                     ") y = Concat <axis = 0> (" + ", ".join(["d"] * 60) + ")"), TOO_LARGE),
    # Windows.
    "conv-pads": (model("y = Conv <pads = [1073741824, 0, 1073741824, 0]> (x, w)", "float[1,1,3,3] x, float[1,1,3,3] w"), TOO_LARGE),
    "conv-dilations": (model("y = Conv <dilations = [2147483648, 2147483648]> (x, w)", "float[1,1,3,3] x, float[1,1,3,3] w"), "no larger than"),
    "conv-strides": (model("y = Conv <strides = [9223372036854775807, 1]> (x, w)", "float[1,1,3,3] x, float[1,1,3,3] w"), "strides"),
    "conv-transpose": (model("y = ConvTranspose <strides = [2147483648, 2147483648]> (x, w)", "float[1,1,3,3] x, float[1,1,3,3] w"), BOUND),
    "conv-transpose-1d": (model("y = ConvTranspose <strides = [2147483648]> (x, w)", "float[1,1,3] x, float[1,1,3] w"), TOO_LARGE),
    "conv-transpose-groups": (model("y = ConvTranspose <group = 4611686018427387904> (x, w)", "float[1,1,3] x, float[1,4,3] w"), "groups"),
    "conv-transpose-output": (model("y = ConvTranspose <output_shape = [2147483648]> (x, w)", "float[1,1,3] x, float[1,1,3] w"), "is not supported"),
    "max-pool": (model("y = MaxPool <kernel_shape = [2147483648], pads = [2147483647, 2147483647]> (x)", "float[1,1,3] x"), TOO_LARGE),
    "average-pool": (model("y = AveragePool <kernel_shape = [2147483648], pads = [2147483647, 2147483647], dilations = [2147483648]> (x)",
                           "float[1,1,3] x", opset=19), "no larger than"),
    # Constants that are made from nothing.
    "constant-of-shape": (model("y = ConstantOfShape (s)", constants=ints("s", 1 << 27)), r"expected (a tensor|constants) of at most 268435456"),
    "constant-of-shape-2": (model("y = ConstantOfShape (s)", constants=ints("s", 1 << 30)), GENERATED),
    "constant-of-shape-3": (model("y = ConstantOfShape (s)", constants=ints("s", 1 << 62, 8)), IMPOSSIBLE),
    "constants-of-shape": (model(" ".join(f"a{i} = ConstantOfShape (s)" for i in range(5)) + " y = Concat <axis = 0> (a0, a1, a2, a3, a4)",
                                 constants=ints("s", 1 << 27)), GENERATED + " .* and those before it"),
    "constants-together": (model("a = ConstantOfShape (s) b = ConstantOfShape (s) y = Mul (a, x)", outputs="float[n] y, float[m] b",
                                 constants=ints("s", 3 << 24), inputs="float[1] x"), r"expected constants of at most 268435456 bytes together"),
    "splat-as-shape": (model("s = ConstantOfShape <value = int64[1] {1}> (n) y = Expand (x, s)", constants=ints("n", 1 << 27)),
                       r"expected input 1 \(shape\) to have at most 65536 elements"),
    "range": (model("r = Range (a, b, c) y = Cast <to = 1> (r)", "", constants=f"int64 a = {{0}}, int64 b = {{{BIG}}}, int64 c = {{1}}"),
              "expected a range of at most 4194304 elements"),
    "range-float": (model("y = Range (a, b, c)", "", constants="float a = {0.0}, float b = {3e38}, float c = {1e-30}"), "expected a range of at most"),
    "eye-like": (model("y = EyeLike (x)", "float[65536,65536] x"), r"expected generated constants|expected a mask of at most"),
    "trilu": (model("y = Trilu (x)", "float[65536,65536] x"), r"expected generated constants|expected a mask of at most"),
    "one-hot": (model("y = OneHot (i, d, v)", "int64[65536] i", constants="int64 d = {16777216}, float[2] v = {0.0, 1.0}"), TOO_LARGE + "|" + BOUND),
    "one-hot-depth": (model("y = OneHot (i, d, v)", "int64[1] i", constants=f"int64 d = {{{1 << 62}}}, float[2] v = {{0.0, 1.0}}"),
                      "expected depth to be from 1 to 16777216, found 4.6"),
    "one-hot-nan": (model("y = OneHot (i, d, v)", "int64[1] i", constants="float d = {3e38}, float[2] v = {0.0, 1.0}"), "expected depth to be from 1 to"),
    # Inputs and initialisers.
    "input": (model("y = Relu (x)", f"float[{BIG}] x"), TOO_LARGE),
    "input-product": (model("y = Relu (x)", "float[4294967296,4294967296] x"), "impossible shape"),
    "input-many": (model("y = Relu (x)", "float[" + ",".join(["1"] * 200) + "] x"), "impossible shape"),
    "initializer": (model("y = Add (x, w)", constants="float[2147483647] w = {1.0}"), r"expected 2147483647 elements for the tensor.s shape \[2147483647\], found 1$"),
    "initializer-empty": (model("y = Add (x, w)", constants="float[0,1099511627776,1099511627776] w = {}"), "impossible"),
    "sequence-length": (model("y, i = Split <axis = 0, num_outputs = 2> (x)", opset=18, inputs=f"float[{BIG}] x", outputs="float[n] y, float[m] i"), TOO_LARGE),
}

# Growth that stays below every limit of one tensor: evaluated only while it is worth it.
DOUBLING = model(" ".join(f"a{i + 1} = Concat <axis = 0> (a{i}, a{i})" for i in range(24)) + " y = Add (x, a24)",
                 "float[1] x", constants="float[1] a0 = {1.5}")
MANY = model(" ".join(f"a{i} = Expand (c, s) b{i} = Reshape (a{i}, t) y{i} = Add (x, b{i})" for i in range(600)),
             "float[1] x", outputs=", ".join(f"float[n] y{i}" for i in range(600)),
             constants="float[2] c = {1.0, 2.0}, " + ints("s", 4096, 2) + ", " + ints("t", -1))


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    file = tmp_path_factory.mktemp("target") / "small.json"
    file.write_text(json.dumps({"name": "small", "grid_rows": 1, "grid_cols": 1, "l1_bytes": 1 << 20,
                                "dram_banks": 1, "dram_bank_bytes": DRAM}))
    return file


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def compile_text(tools, text, folder, *options):
    (folder / "model.txt").write_text(text)
    tools.run("onnx-text", folder / "model.txt", folder / "model.onnx")
    return tools.run("ttc-translate", "--onnx-to-bundle", folder / "model.onnx", "-o", folder / "model.ttcb", *options,
                     check=False, timeout=60, preexec_fn=limited)


def check_refused(done, words):
    assert done.returncode == 1, (done.returncode, done.stderr[-2000:])
    assert re.search(words, done.stderr), done.stderr[-2000:]
    assert "error: " in done.stderr and "LLVM" not in done.stderr and len(done.stderr) < 5000


@pytest.mark.parametrize("name", CASES)
def test_small_file_large_tensor(tools, target, tmp_path, name):
    text, words = CASES[name]
    done = compile_text(tools, text, tmp_path, f"--target={target}")
    assert (tmp_path / "model.onnx").stat().st_size < 12000
    check_refused(done, words)
    assert not (tmp_path / "model.ttcb").exists()


@pytest.mark.parametrize("text", (DOUBLING, MANY), ids=("doubling", "many"))
def test_growth(tools, target, tmp_path, text):
    done = compile_text(tools, text, tmp_path, f"--target={target}")
    assert done.returncode in (0, 1), done.stderr[-2000:]
    if done.returncode == 0:
        assert (tmp_path / "model.ttcb").stat().st_size < 200 << 20


IR = {
    "argument": ("tensor<4294967296x4294967296xf32>", "%y = ttc.relu %x : (T) -> T", r"2\^40 elements"),
    "large": ("tensor<2147483647xf32>", "%y = ttc.relu %x : (T) -> T", r"the DRAM of target 'small'"),
    "tile": ("tensor<4xf32>", "%z = ttc.tile %x {repeats = [4611686018427387905]} : (T) -> T\n  %y = ttc.relu %z : (T) -> T", "expected '?repeats|result 0"),
    "pad": ("tensor<4xf32>", "%z = ttc.pad %x {low = [9223372036854775807], high = [9223372036854775807]} : (T) -> tensor<2xf32>\n"
            "  %y = ttc.relu %x : (T) -> T", "elements that are at most|expected"),
    "constant": ("tensor<67108865xf32>", "%c = ttc.constant dense<1.0> : T\n  %y = ttc.add %x, %c : (T, T) -> T", "the DRAM of target 'small'"),
    "tosa": ("tensor<1073741824xf32>", "%y = tosa.abs %x : (T) -> T", "the DRAM of target 'small'"),
    "tosa-const": ("tensor<4xf32>", "%c = \"tosa.const\"() {values = dense<1.0> : tensor<8589934592xf32>} : () -> tensor<8589934592xf32>\n"
                   "  %y = tosa.abs %x : (T) -> T\n  return %y, %c : T, tensor<8589934592xf32>", "the DRAM of target 'small'"),
}


@pytest.mark.parametrize("name", IR)
def test_ir(tools, target, tmp_path, name):
    type_, body, words = IR[name]
    results = re.search(r"return .* : (.*)$", body, re.M)
    if not results:
        body += "\n  return %y : T"
    text = f"func.func @main(%x: T) -> ({results[1] if results else 'T'}) {{\n  {body}\n}}\n"
    (tmp_path / "model.mlir").write_text(re.sub(r"\bT\b", type_, text))
    done = tools.run("ttc-opt", tmp_path / "model.mlir", "--convert-tosa-to-ttc", f"--ttc-trace-pipeline=target={target}",
                     "-o", tmp_path / "out.mlir", check=False, timeout=60, preexec_fn=limited)
    assert done.returncode == 1 and re.search(words, done.stderr), done.stderr[-2000:]
    assert "LLVM" not in done.stderr and not (tmp_path / "out.mlir").exists()
