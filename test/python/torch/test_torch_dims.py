# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.compile() of modules and exported programs for ranges of sizes."""
import needs  # noqa: F401, I001: skips the file

import numpy as np
import pytest
import torch
import ttc


class Texts(torch.nn.Module):
    """Pools texts whose masks say what is a word."""

    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(100, 32), torch.nn.Linear(32, 8)

    def forward(self, ids, mask):
        x = self.words(ids) * mask.unsqueeze(-1).float()
        return {"logits": self.head(x), "pooled": x.mean(1)}


TEXTS = Texts().eval()


def examples(batch, length):
    return torch.randint(0, 100, (batch, length)), torch.randint(0, 2, (batch, length))


def check(bundle, *sizes):
    for batch, length in sizes:
        ids, mask = examples(batch, length)
        found = bundle.run(ids=ids.numpy(), mask=mask.numpy())
        for name, wanted in TEXTS(ids, mask).items():
            np.testing.assert_allclose(found[name], wanted.detach().numpy(), rtol=1e-5, atol=1e-5)


def program(batch, length):
    return torch.export.export(TEXTS, examples(4, 16), dynamic_shapes=({0: batch, 1: length}, {0: batch, 1: length}))


def test_a_module():
    """Also if the example is of size 1, which torch.export takes for a constant."""
    for example in (examples(1, 16), dict(zip(("ids", "mask"), examples(3, 16)))):
        bundle = ttc.compile(TEXTS, example, dims={"ids.0=mask.0": (1, 8), "ids.1=mask.1": (2, 128)})
        assert {name: (dim.low, dim.high) for name, dim in bundle.dims.items()} == {"ids.0": (1, 8), "ids.1": (2, 128)}
        check(bundle, (1, 2), (3, 7), (8, 128))


def test_one_size_of_a_module():
    bundle = ttc.compile(TEXTS, examples(2, 16), dims={"ids.0=mask.0": 2, "ids.1=mask.1": [16, 64]})
    assert {name: (dim.low, dim.high) for name, dim in bundle.dims.items()} == {"ids.1": (1, 64)}
    check(bundle, (2, 1), (2, 64), (2, 17))
    with pytest.raises(ValueError, match=r"an example with a size of 3 for 'ids.0', found 2"):
        ttc.compile(TEXTS, examples(2, 16), dims={"ids.0=mask.0": 3})


@pytest.mark.parametrize("layer", [torch.nn.LSTM, torch.nn.GRU])
@pytest.mark.parametrize("batch_first", [True, False])
def test_steps_of_recurrent_layers(layer, batch_first):
    class Tagger(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words = torch.nn.Embedding(50, 8)
            self.layers = layer(8, 20, num_layers=2, bidirectional=True, batch_first=batch_first)
            self.head = torch.nn.Linear(40, 5)

        def forward(self, ids):
            y, last = self.layers(self.words(ids))
            return self.head(y), last[0] if isinstance(last, tuple) else last

    model = Tagger().eval()
    batch, steps = (0, 1) if batch_first else (1, 0)
    example = torch.randint(0, 50, (3, 7) if batch_first else (7, 3))
    bundle = ttc.compile(model, example, dims={f"ids.{batch}": (1, 4), f"ids.{steps}": (2, 40)})
    for size in ((1, 2), (3, 40), (4, 13)):
        ids = torch.randint(0, 50, size if batch_first else size[::-1])
        for found, wanted in zip(bundle.run(ids.numpy()).values(), model(ids), strict=True):
            np.testing.assert_allclose(found, wanted.detach().numpy(), rtol=1e-5, atol=1e-5)


def test_multiples():
    class Pool(torch.nn.Module):
        def forward(self, x):
            return x.reshape(x.shape[0], 8, -1, 4).amax(-1).sum(2)

    bundle = ttc.compile(Pool(), torch.randn(1, 8, 16), dims={"x.2": range(8, 65, 4)})
    for size in (8, 20, 64):
        x = torch.randn(1, 8, size)
        np.testing.assert_allclose(bundle.run(x.numpy())["output"], Pool()(x).numpy(), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match=r"x.2 = 18; it has x.2 8..64 by 4"):
        bundle.run(np.zeros((1, 8, 18), np.float32))


def test_an_exported_program():
    batch, length = torch.export.Dim("batch", min=1, max=8), torch.export.Dim("length", min=2, max=128)
    exported = program(batch, length)
    check(ttc.compile(exported), (1, 2), (3, 7), (8, 128))
    # A list runs smaller sizes, too, for which this program was not exported.
    with pytest.raises(ValueError, match=r"sizes of 'mask.1' from 2 to 128, .*found \[16, 64\], which runs sizes from 1"):
        ttc.compile(exported, dims={"mask.1": [16, 64]})
    bundle = ttc.compile(program(batch, torch.export.Dim("length", min=1, max=128)), dims={"mask.1": [16, 64]})
    assert (bundle.dims["ids.1"].low, bundle.dims["ids.1"].high) == (1, 64)
    check(bundle, (1, 3), (8, 64))


def test_an_exported_program_without_bounds():
    exported = program(torch.export.Dim.DYNAMIC, torch.export.Dim.DYNAMIC)
    with pytest.raises(ValueError, match=r"'ids.0' has no highest size: give it one with dims=\{'ids.0': \(2, 512\)\}"):
        ttc.compile(exported)
    check(ttc.compile(exported, dims={"ids.0": (2, 4), "ids.1": (2, 40)}), (2, 2), (4, 40))


def test_a_derived_size():
    """2 * s: the program has even sizes. torch.export takes s = 1 for a constant, also where its Dim allows it."""
    length = torch.export.Dim("length", min=1, max=32)
    bundle = ttc.compile(program(torch.export.Dim("batch", min=2, max=4), 2 * length))
    assert (bundle.dims["ids.1"].low, bundle.dims["ids.1"].high, bundle.dims["ids.1"].step) == (4, 64, 2)
    check(bundle, (2, 4), (4, 38))
    with pytest.raises(ValueError, match=r"from 4 to 64 that are multiples of 2, .*found \(4, 64\)"):
        ttc.compile(program(torch.export.Dim("batch", min=2, max=4), 2 * length), dims={"ids.1": (4, 64)})


def test_sizes_that_follow_from_others():
    class Join(torch.nn.Module):
        def forward(self, x, y):
            return x + y[1:]

    size = torch.export.Dim("size", min=2, max=8)
    exported = torch.export.export(Join(), (torch.zeros(4), torch.zeros(5)), dynamic_shapes=({0: size}, {0: size + 1}))
    with pytest.raises(ValueError, match="'y.0' is s.* \\+ 1, and another one s.*: expected sizes none of which follows"):
        ttc.compile(exported)


def test_requests(tmp_path):
    requests = {"ids.0=mask.0": [1, 2, 8, 8], "ids.1=mask.1": [2, 33, 100, 128]}
    check(ttc.compile(TEXTS, examples(2, 16), dims_from=requests), (1, 2), (8, 128), (5, 77))
    path = tmp_path / "requests.csv"
    path.write_text("ids.1=mask.1,count\n8,5\n100,1\n")
    check(ttc.compile(TEXTS, examples(2, 16), dims_from=path), (2, 2), (2, 100))
    path.write_text("ids.1\nmany\n")
    with pytest.raises(ValueError, match="expected a column of whole numbers for each dimension"):
        ttc.compile(TEXTS, examples(2, 16), dims_from=path)


def test_several_entry_points():
    dims = {"one/ids.0=mask.0": (1, 8), "one/ids.1=mask.1": (2, 128)}
    bundle = ttc.compile({"one": TEXTS, "two": TEXTS}, {"one": examples(2, 16), "two": examples(2, 5)}, dims=dims)
    check(bundle["one"], (1, 2), (8, 128))
    check(bundle["two"], (2, 5))


def test_what_is_wrong():
    with pytest.raises(ValueError, match=r"axes of the model's arguments \(ids.0, ids.1, mask.0, mask.1\), found 'x.0'"):
        ttc.compile(TEXTS, examples(2, 16), dims={"x.0": (1, 8)})
    with pytest.raises(ValueError, match="found 'mask.1' twice"):
        ttc.compile(TEXTS, examples(2, 16), dims={"ids.1=mask.1": (1, 32), "mask.1": (1, 32)})
    with pytest.raises(ValueError, match="an example with a size of .* for 'ids.1', found 16"):
        ttc.compile(TEXTS, examples(2, 16), dims={"ids.1=mask.1": (2, 8)})
    exported = program(torch.export.Dim.DYNAMIC, torch.export.Dim("length", min=2, max=64))
    with pytest.raises(ValueError, match=r"dimensions of the exported program \(ids.0, ids.1\), found 'ids.2'"):
        ttc.compile(exported, dims={"ids.2": (2, 8)})
    with pytest.raises(ValueError, match="sizes of 'ids.1' from 2 to 64, for which the program was exported"):
        ttc.compile(exported, dims={"ids.0": (2, 8), "ids.1": (1, 128)})
    # The sizes of ids and mask differ, which PyTorch's exporter says itself.
    with pytest.raises(Exception, match="ids_1"):
        ttc.compile(TEXTS, examples(2, 16), dims={"ids.1": (2, 32)})
