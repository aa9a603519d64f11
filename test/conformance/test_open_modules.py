# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of TOSA whose arguments have open dimensions (`?`): one bundle for ranges of sizes, against the same module with
exact sizes, and against NumPy."""
import numpy as np

CLASSIFIER = """
func.func @main(%x: tensor<?x?x?x4xf32>, %w: tensor<8x3x3x4xf32>, %b: tensor<8xf32>, %m: tensor<1x8x5xf32>) -> (tensor<?x?x?x8xf32>, tensor<1x?x5xf32>) {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
    : (tensor<?x?x?x4xf32>, tensor<8x3x3x4xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x8xf32>
  %r = tosa.clamp %c {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %p = tosa.max_pool2d %r {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %h = tosa.reduce_sum %p {axis = 1 : i32} : (tensor<?x?x?x8xf32>) -> tensor<?x1x?x8xf32>
  %s = tosa.reduce_max %h {axis = 2 : i32} : (tensor<?x1x?x8xf32>) -> tensor<?x1x1x8xf32>
  %shape = tosa.const_shape {values = dense<[1, -1, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %f = tosa.reshape %s, %shape : (tensor<?x1x1x8xf32>, !tosa.shape<3>) -> tensor<1x?x8xf32>
  %y = tosa.matmul %f, %m, %zp, %zp : (tensor<1x?x8xf32>, tensor<1x8x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x5xf32>
  return %p, %y : tensor<?x?x?x8xf32>, tensor<1x?x5xf32>
}
"""


def classify(x, w, b, m):
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    height, width = x.shape[1:3]
    conv = sum(padded[:, i : i + height, j : j + width] @ w[:, i, j].T for i in range(3) for j in range(3)) + b
    pooled = np.clip(conv, 0, 6).reshape(-1, height // 2, 2, width // 2, 2, 8).max((2, 4))
    return pooled, (pooled.sum(1).max(1) @ m[0])[None]


def compile_open(tools, tmp_path, text, *dims, name="open"):
    (tmp_path / "module.mlir").write_text(text)
    tools.run("ttc-translate", "--mlir-to-bundle", tmp_path / "module.mlir", "-o", tmp_path / f"{name}.ttcb", *[f"--dim={dim}" for dim in dims])
    return tmp_path / f"{name}.ttcb"


def test_all_sizes(tools, tmp_path):
    """In every variant that holds them, with NaN beyond them."""
    bundle = compile_open(tools, tmp_path, CLASSIFIER, "input0.0:1,3", "input0.1:2,8,32", "input0.2:2,24")
    rng, runs = np.random.default_rng(7), 0
    w, b, m = (rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((8, 3, 3, 4), 8, (1, 8, 5)))
    with tools.open(bundle) as opened, opened.device(cores=2) as device:
        for sizes in [(1, 2, 2), (3, 32, 24), (2, 18, 4), (1, 8, 22), (3, 4, 24), (1, 30, 2)]:
            x = rng.uniform(-2, 2, (*sizes, 4)).astype(np.float32)
            for entry in opened.entries.values():
                shape = entry.inputs["input0"].shape
                if any(size > most for size, most in zip(sizes, shape)):
                    continue
                padded = np.full(shape, np.nan, np.float32)
                padded[tuple(map(slice, x.shape))] = x
                weights = {"input1": w, "input2": b, "input3": m}
                device.run(entry, {"extents": np.array(shape[:3], np.int32), "input0": np.full_like(padded, np.nan), **weights})
                found = device.run(entry, {"extents": np.array(sizes, np.int32), "input0": padded, **weights})
                for name, wanted in zip(("output0", "output1"), classify(x, w, b, m)):
                    np.testing.assert_allclose(found[name][tuple(map(slice, wanted.shape))], wanted, rtol=1e-5, atol=1e-4)
                runs += 1
    assert runs > 20


def test_one_size(tools, tmp_path):
    bundle = compile_open(tools, tmp_path, CLASSIFIER, "input0.0:2", "input0.1:6", "input0.2:8")
    rng = np.random.default_rng(8)
    inputs = [rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((2, 6, 8, 4), (8, 3, 3, 4), 8, (1, 8, 5))]
    with tools.open(bundle) as opened, opened.device(cores=1) as device:
        found = device.run(opened.entries["main"], {f"input{i}": array for i, array in enumerate(inputs)})
    for name, wanted in zip(("output0", "output1"), classify(*inputs)):
        np.testing.assert_allclose(found[name], wanted, rtol=1e-5, atol=1e-4)
