# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work that follows the extents of a variant: an encoder that --ttc-mask-padding masks, at every extent, with NaN in
the padding, against numpy."""
import json

import pytest

from bundles import np


class Encoder:
    """A layer of `heads` heads of `depth` on [batch, length, heads * depth], as text and in numpy."""

    def __init__(self, batch, length, heads, depth, dims, flat=False, mask=False):
        self.batch, self.length, self.heads, self.depth, self.dims = batch, length, heads, depth, dims
        self.flat, self.mask = flat, mask
        self.lines, self.count, self.weights = [], 0, np.random.default_rng(5)
        self.width = heads * depth
        self.x = f"tensor<{batch}x{length}x{self.width}xf32>"
        self.parameters = {}

    def add(self, text, type):
        self.count += 1
        self.lines.append(f"  %{self.count} = {text}" + (f" -> {type}" if "constant" not in text else f" : {type}"))
        return f"%{self.count}"

    def weight(self, name, *shape):
        value = (self.weights.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
        self.parameters[name] = value
        return self.add(f'ttc.constant dense<"0x{value.tobytes().hex().upper()}">', f"tensor<{'x'.join(map(str, shape))}xf32>")

    def linear(self, x, name, inputs, outputs):
        """Rows of all texts together, if `flat`."""
        w, bias = self.weight(name, inputs, outputs), self.weight(name + "_bias", outputs)
        rows = f"{self.batch * self.length}" if self.flat else f"{self.batch}x{self.length}"
        of, to = [f"tensor<{self.batch}x{self.length}x{size}xf32>" for size in (inputs, outputs)]
        if self.flat:
            x = self.add(f"ttc.reshape {x} : ({of})", f"tensor<{rows}x{inputs}xf32>")
        y = self.add(f"ttc.matmul {x}, {w}, {bias} : (tensor<{rows}x{inputs}xf32>, tensor<{inputs}x{outputs}xf32>, "
                     f"tensor<{outputs}xf32>)", f"tensor<{rows}x{outputs}xf32>")
        return self.add(f"ttc.reshape {y} : (tensor<{rows}x{outputs}xf32>)", to) if self.flat else y

    def normalize(self, x, name):
        scale, bias = self.weight(name, self.width), self.weight(name + "_bias", self.width)
        vector = f"tensor<{self.width}xf32>"
        return self.add(f"ttc.layer_norm {x}, {scale}, {bias} {{axis = 2}} : ({self.x}, {vector}, {vector})", self.x)

    def text(self):
        batch, length, heads, depth = self.batch, self.length, self.heads, self.depth
        scale = self.add("ttc.constant dense<0.25>", "tensor<f32>")
        q, k, v = [self.linear("%x", name, self.width, self.width) for name in "qkv"]
        split = f"tensor<{batch}x{length}x{heads}x{depth}xf32>"

        def heads_of(x, order, shape):
            x = self.add(f"ttc.reshape {x} : ({self.x})", split)
            return self.add(f"ttc.transpose {x} {{permutation = {order}}} : ({split})", shape)

        of_heads, keys = f"tensor<{batch}x{heads}x{length}x{depth}xf32>", f"tensor<{batch}x{heads}x{depth}x{length}xf32>"
        scores = f"tensor<{batch}x{heads}x{length}x{length}xf32>"
        q, v = heads_of(q, [0, 2, 1, 3], of_heads), heads_of(v, [0, 2, 1, 3], of_heads)
        k = heads_of(k, [0, 2, 3, 1], keys)
        s = self.add(f"ttc.matmul {q}, {k} : ({of_heads}, {keys})", scores)
        s = self.add(f"ttc.mul {s}, {scale} : ({scores}, tensor<f32>)", scores)
        if self.mask:
            s = self.add(f"ttc.add {s}, %mask : ({scores}, tensor<{batch}x1x1x{length}xf32>)", scores)
        s = self.add(f"ttc.softmax {s} {{axis = 3}} : ({scores})", scores)
        a = self.add(f"ttc.matmul {s}, {v} : ({scores}, {of_heads})", of_heads)
        a = self.add(f"ttc.transpose {a} {{permutation = [0, 2, 1, 3]}} : ({of_heads})", split)
        a = self.add(f"ttc.reshape {a} : ({split})", self.x)
        a = self.add(f"ttc.add {self.linear(a, 'o', self.width, self.width)}, %x : ({self.x}, {self.x})", self.x)
        a = self.normalize(a, "first")
        wide = f"tensor<{batch}x{length}x{3 * self.width}xf32>"
        f = self.add(f"ttc.tanh {self.linear(a, 'up', self.width, 3 * self.width)} : ({wide})", wide)
        f = self.add(f"ttc.add {self.linear(f, 'down', 3 * self.width, self.width)}, {a} : ({self.x}, {self.x})", self.x)
        y = self.normalize(f, "second")
        symbols = ", ".join(f"s{i}" for i in range(len(self.dims)))
        first, last = ("s0", "s1") if len(self.dims) > 1 else (str(batch), "s0")
        high = [batch, length][-len(self.dims):]
        dims = f"ttc.dims = affine_map<()[{symbols}] -> ({first}, {last}, {self.width})>"
        mask = (f', %mask: tensor<{batch}x1x1x{length}xf32> {{ttc.name = "mask", '
                f"ttc.dims = affine_map<()[{symbols}] -> ({first}, 1, 1, {last})>}}") if self.mask else ""
        body = "\n".join(self.lines)
        return f"""
func.func @main(%x: {self.x} {{ttc.name = "x", {dims}}}{mask}, %extents: tensor<{len(self.dims)}xi32> {{ttc.name = "extents"}})
    -> ({self.x} {{ttc.name = "y", {dims}}})
    attributes {{ttc.variant = #ttc.variant<of = "main", dims = {json.dumps(self.dims)}, low = {[1] * len(high)}, high = {high}>}} {{
{body}
  return {y} : {self.x}
}}
"""

    def compute(self, x, mask):
        """Of valid elements only."""
        p = {name: value.astype(np.float64) for name, value in self.parameters.items()}
        x = x.astype(np.float64)
        batch, length = x.shape[:2]

        def linear(x, name):
            return x @ p[name] + p[name + "_bias"]

        def normalize(x, name):
            centered = x - x.mean(-1, keepdims=True)
            return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5) * p[name] + p[name + "_bias"]

        q, k, v = [linear(x, name).reshape(batch, length, self.heads, self.depth).transpose(0, 2, 1, 3) for name in "qkv"]
        s = q @ k.transpose(0, 1, 3, 2) * 0.25 + (mask if self.mask else 0)
        s = np.exp(s - s.max(-1, keepdims=True))
        a = (s / s.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(batch, length, self.width)
        a = normalize(linear(a, "o") + x, "first")
        return normalize(linear(np.tanh(linear(a, "up")), "down") + a, "second")


ENCODERS = {
    "sequence": dict(batch=1, length=45, heads=2, depth=16, dims=["sequence"]),
    "batch": dict(batch=3, length=17, heads=2, depth=8, dims=["batch", "sequence"], mask=True),
    "rows": dict(batch=3, length=18, heads=3, depth=16, dims=["batch", "sequence"], flat=True),
    "tall": dict(batch=2, length=130, heads=1, depth=64, dims=["batch", "sequence"]),
}


@pytest.mark.parametrize("name", ENCODERS)
def test_every_extent(name, tools, tmp_path):
    encoder = Encoder(**ENCODERS[name])
    source, bundle = tmp_path / "encoder.mlir", tmp_path / "encoder.ttcb"
    source.write_text(encoder.text())
    plan = tools.compile_ir(source, bundle)
    assert plan.count("ttc.within") >= 7 and "attention" in plan
    rng = np.random.default_rng(1)
    batch, length, width = encoder.batch, encoder.length, encoder.width
    extents = [(b, s) for b in range(1, batch + 1) for s in range(1, length + 1)]
    if len(encoder.dims) == 1:
        extents = [(b, s) for b, s in extents if b == batch]
    if length > 100:
        extents = [(b, s) for b, s in extents if s in (1, 2, 7, 8, 14, 15, 22, 63, 64, 100, 128, 129, 130)]
    x = rng.standard_normal((batch, length, width)).astype(np.float32)
    mask = rng.standard_normal((batch, 1, 1, length)).astype(np.float32)
    with tools.open(bundle) as opened:
        entry = opened.entries["main"]
        results = {}
        for cores in (1, 3):
            with opened.device(cores=cores) as device:
                for b, s in extents:
                    padded, ends = np.full_like(x, np.nan), np.full_like(mask, np.nan)
                    padded[:b, :s], ends[:b, ..., :s] = x[:b, :s], mask[:b, ..., :s]
                    inputs = {"x": padded, "extents": np.array([b, s][-len(encoder.dims):], np.int32)}
                    if encoder.mask:
                        inputs["mask"] = ends
                    found = device.run(entry, inputs)["y"][:b, :s]
                    expected = encoder.compute(x[:b, :s], mask[:b, ..., :s])
                    assert np.abs(found - expected).max() < 2e-5, f"extents {b}, {s}"
                    assert found.tobytes() == results.setdefault((b, s), found.tobytes()), f"extents {b}, {s}: other bits"
