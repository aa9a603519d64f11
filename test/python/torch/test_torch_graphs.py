# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which graphs ttc takes, and that all give what PyTorch gives."""
import needs  # noqa: F401, I001: skips the file

import logging

import pytest
import torch
from graphs import Compiled, left, same, small, taken
from ttc import CompileError, torch_backend
from ttc._torch import onnx as torch_onnx

F = torch.nn.functional


@pytest.fixture(autouse=True)
def inference():
    with torch.no_grad():
        yield


def test_a_module():
    model = Compiled(small())
    for _ in range(3):
        model(torch.randn(3, 8))
    assert taken(model) and model.graphs[0].compiled == 1


def test_results_are_not_written_again():
    model = Compiled(small())
    x = torch.randn(2, 8)
    first = model(x)
    kept = first.clone()
    model(torch.randn(2, 8))
    assert torch.equal(first, kept)
    assert torch.equal(model(x), kept)


def test_inference_mode():
    model = small()
    with torch.inference_mode():
        compiled = Compiled(model)
        found = compiled(torch.randn(2, 8))
        assert found.is_inference() and taken(compiled)


def test_gradients_are_left_to_pytorch(caplog):
    model = small()
    compiled = Compiled(model)
    with torch.enable_grad(), caplog.at_level(logging.WARNING, "ttc.torch"):
        for _ in range(3):
            compiled(torch.randn(2, 8)).sum().backward()
    assert model[0].weight.grad is not None
    assert left(compiled, r"gradients.*torch.no_grad\(\)")
    assert len(caplog.records) == 1 and "PyTorch runs the graph at" in caplog.text


def test_grad_mode_without_parameters_that_need_it():
    model = small().requires_grad_(False)
    compiled = Compiled(model)
    with torch.enable_grad():
        compiled(torch.randn(2, 8))
    assert taken(compiled)


def test_no_grad_inside():
    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = small()

        @torch.no_grad()
        def forward(self, x):
            return self.model(x) * 2

    compiled = Compiled(Inner().eval())
    with torch.enable_grad():
        compiled(torch.randn(2, 8))
    assert taken(compiled)


def test_dynamic_shapes():
    compiled = Compiled(lambda model, x: (model(x), x.shape[0], x.shape[0] * 2), dynamic=True)
    model = small()
    for batch in (2, 3, 5, 2, 3):
        compiled(model, torch.randn(batch, 8))
    assert taken(compiled)
    assert sum(graph.compiled for graph in compiled.graphs) == 1


def test_more_shapes_than_bundles():
    """Of a graph that has a bundle for each shape: the size decides what is normalised."""
    compiled = Compiled(lambda x: torch.nn.functional.layer_norm(x, x.shape) + 1, dynamic=True)
    for batch in range(2, 4 + torch_backend.MOST_SHAPES):
        compiled(torch.randn(batch, 3))
    graphs = compiled.graphs
    assert [g.compiled for g in graphs] == [torch_backend.MOST_SHAPES] and "shapes" in graphs[0].reason
    compiled(torch.randn(2, 3))  # those that are there stay


def test_numbers_as_inputs():
    compiled = Compiled(lambda x, n, f: (x * n + f, n + 1), dynamic=True)
    for n, f in ((2, 0.5), (3, 0.5), (2, 1.5)):
        compiled(torch.randn(4), n, f)
    assert "PyTorch" not in compiled.states, compiled.graphs


def test_outputs_that_are_not_tensors():
    compiled = Compiled(lambda x: {"y": x + 1, "n": x.shape[0], "none": None, "text": "a", "list": [x * 2, 1.5]})
    compiled(torch.randn(3))
    assert taken(compiled)


def test_outputs_that_are_inputs():
    def function(x):
        return x, x.view(-1), x[1:], x.t(), x * 2

    x = torch.randn(3, 4)
    found = Compiled(function)(x)
    assert found[0] is x
    x[1, 0] = 77
    same(found[1:4], function(x)[1:4])


def test_views_of_detached_inputs():
    """They need no gradients, although the inputs do."""
    model = small()
    compiled = Compiled(lambda x: (x.detach()[1:], x.detach().view(-1), model[0].weight.detach().t(), x.detach() * 2))
    x = torch.randn(2, 8, requires_grad=True)
    for gradients in (True, False):
        with torch.set_grad_enabled(gradients):
            found = compiled(x)
        assert not any(part.requires_grad for part in found)
        found[0].fill_(7)
        assert (x[1] == 7).all()
    assert taken(compiled)


def test_outputs_that_are_one_tensor():
    def function(x):
        y = x.exp()
        return y, y, y.view(-1), y.t(), y[1:, 2:]

    compiled = Compiled(function)
    found = compiled(torch.randn(3, 4))
    assert found[0] is found[1]
    found[0][2, 3] = 77
    assert found[2][-1] == 77 and found[3][3, 2] == 77 and found[4][-1, -1] == 77
    assert taken(compiled)


def test_outputs_that_are_parts():
    compiled = Compiled(lambda x: x.exp().chunk(3, -1))
    compiled.compiled(torch.randn(2, 6))
    found, wanted = compiled.compiled(x := torch.randn(2, 6)), x.exp().chunk(3, -1)
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, b)
    assert taken(compiled)


def test_outputs_that_overlap():
    def function(x):
        y = x.exp()
        return y[:-1], y[1:]

    compiled = Compiled(function)
    found = compiled(torch.randn(4, 2))
    found[0][1] = 77
    assert (found[1][0] == 77).all()
    assert left(compiled, "views of a tensor that is not an output")


def test_outputs_of_one_element():
    compiled = Compiled(lambda x: (x.sum((0, 1), keepdim=True), x.mean(), x.reshape(1, 1, -1) + 1))
    for shape in ((1, 1), (1, 5), (4, 1)):
        compiled(torch.randn(shape))
    assert "PyTorch" not in compiled.states


def test_layouts_of_outputs():
    compiled = Compiled(lambda x: (x.exp().permute(2, 0, 1), x.sum(-1).t()))
    compiled(torch.randn(2, 3, 4))
    assert taken(compiled)


def test_channels_last():
    model = torch.nn.Conv2d(3, 4, 3, padding=1).eval().to(memory_format=torch.channels_last)
    compiled = Compiled(model)
    x = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    compiled(x)
    assert taken(compiled)


def test_outputs_without_elements():
    compiled = Compiled(lambda x: (x + 1, x[:0] * 2))
    compiled(torch.randn(3))
    assert taken(compiled)


def test_only_inputs():
    compiled = Compiled(lambda x: (x.t(), x.view(-1)))
    compiled(torch.randn(3, 2))
    assert left(compiled, "outputs are its inputs")


@pytest.mark.parametrize("make", [
    lambda: torch.randn(6, 4).t(),
    lambda: torch.randn(8, 12)[::2, ::2],
    lambda: torch.randn(4, 1).expand(4, 6),
    lambda: torch.randn(30)[3:27].view(4, 6),
], ids=["transposed", "strided", "expanded", "offset"])  # fmt: skip
def test_inputs_that_are_views(make):
    compiled = Compiled(lambda x: x * 2 + 1)
    for _ in range(2):
        ours, theirs = compiled.compiled(x := make()), x * 2 + 1
        torch.testing.assert_close(ours, theirs)
    assert taken(compiled)


def test_scalars():
    compiled = Compiled(lambda x, s: (x * s, s + 1))
    compiled(torch.randn(3), torch.tensor(2.0))
    assert taken(compiled)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8])
def test_types(dtype):
    compiled = Compiled(lambda x: (x * 2 + x, x > 3))
    compiled(torch.arange(12).reshape(3, 4).to(dtype))
    assert taken(compiled)


REDUCTIONS = {
    "sum": lambda x: x.sum(), "sum of rows": lambda x: x.sum(1), "mean": lambda x: x.mean(0), "prod": lambda x: x.prod(),
    "cumsum": lambda x: x.cumsum(0), "amax": lambda x: x.amax(0), "amin": lambda x: x.amin(1), "nansum": lambda x: x.nansum(),
    "mse_loss": lambda x: F.mse_loss(x, x + 1), "softmax": lambda x: x.softmax(1), "logsumexp": lambda x: x.logsumexp(0),
    "norm": lambda x: x.norm(), "var": lambda x: x.var(), "any": lambda x: x.any(), "argmax": lambda x: x.argmax(),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int32])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_types_of_reductions(name, dtype):
    """The memory of a result is that of its type, whatever the exporter computes in."""
    x = torch.tensor([[3.0, 1, -2], [0.5, 2, 1]]).to(dtype)
    try:
        expected = REDUCTIONS[name](x)
    except (RuntimeError, NotImplementedError):
        pytest.skip(f"PyTorch has no {name} of {dtype}")
    compiled = torch.compile(REDUCTIONS[name], backend=torch_backend.compile_fx)
    for _ in range(2):
        found = compiled(x)
        assert found.dtype == expected.dtype and found.shape == expected.shape
        torch.testing.assert_close(found, expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("name", ["amax", "amin"])
def test_extrema_of_nan(name):
    """NaN is the largest and the smallest element, whichever axis it is on and wherever it is there."""
    shapes = [(4, 5), (2, 4, 40), (3, 6, 1), (1, 2, 3, 33)]
    axes = [(i, axis) for i, shape in enumerate(shapes) for axis in range(len(shape))]
    compiled = Compiled(lambda *tensors: [getattr(torch, name)(tensors[i], axis) for i, axis in axes])
    for at in range(4):
        tensors = [torch.randn(shape) for shape in shapes]
        for tensor in tensors:
            tensor.view(-1)[at::7] = torch.nan
        ours, theirs = compiled.compiled(*tensors), compiled.function(*tensors)
        for found, expected in zip(ours, theirs, strict=True):
            torch.testing.assert_close(found, expected, equal_nan=True)
    assert taken(compiled)


def test_pools_of_nan():
    compiled = Compiled(lambda x: (F.max_pool2d(x, 3, 2, 1), F.max_pool1d(x[0, 0], 2), F.adaptive_max_pool2d(x, 1)))
    x = torch.randn(2, 18, 12, 12)
    x.view(-1)[::31] = torch.nan
    for found, expected in zip(compiled.compiled(x), compiled.function(x), strict=True):
        torch.testing.assert_close(found, expected, equal_nan=True)
    assert taken(compiled)


IN_ANOTHER_TYPE = {
    "mean of rows": lambda x, t: x.mean(1, dtype=t), "mean": lambda x, t: x.mean(dtype=t), "sum": lambda x, t: x.sum(dtype=t),
    "mean, kept": lambda x, t: x.mean((0, 1), keepdim=True, dtype=t), "sum of rows": lambda x, t: x.sum(1, dtype=t),
    "prod": lambda x, t: x.prod(1, dtype=t), "cumsum": lambda x, t: x.cumsum(1, dtype=t),
    "softmax": lambda x, t: (x % 5).softmax(1, dtype=t), "log_softmax": lambda x, t: F.log_softmax(x % 5, 1, dtype=t),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_ANOTHER_TYPE)
def test_reductions_in_another_type(name):
    """Operands are cast before they are reduced: results of narrow types are neither cut off, beyond their range, nor
    rounded to their digits."""
    bytes_ = torch.tensor([[100, 120, -3], [7, 127, 127]], dtype=torch.int8)
    pairs = [(bytes_, torch.float32), (bytes_, torch.float16), (bytes_.to(torch.uint8), torch.float64),
             (bytes_.long() << 40, torch.float64), (bytes_.half(), torch.float32), (bytes_.bfloat16(), torch.float32)]  # fmt: skip
    compiled = Compiled(lambda *tensors: tuple(IN_ANOTHER_TYPE[name](x, t) for x, (_, t) in zip(tensors, pairs)))
    # PyTorch's log_softmax of f16 does not round to nearest.
    compiled(*(x for x, _ in pairs), tolerance=1e-3 if name == "log_softmax" else 1e-5)
    assert taken(compiled)


def test_a_bundle_of_other_types_is_not_called(monkeypatch):
    """Here as if the exporter's result were taken as it is: 300,000 numbers of 32 bits in memory for 16."""
    monkeypatch.setattr(torch_onnx, "_cast_outputs", lambda graph, program: None)
    compiled = Compiled(lambda x: x.amax(0), cache=False)
    compiled(torch.ones(4, 300000, dtype=torch.float16))
    assert left(compiled, r"outputs: expected \[\('f16', \[300000\]\)\], found \[\('f32', \[300000\]\)\]")


def test_numbers_in_f64():
    """They are not rounded to f32, as the exporter does."""
    def function(x, mask):
        return (
            x + 0.1, x * -0.3, 0.1**x, x % 0.7, x.clamp(0.1, 0.7), x.clamp(min=-0.1), x.masked_fill(mask, 0.1), torch.where(mask, x, 0.1),
            x + torch.full((4,), 0.1, dtype=torch.float64), x.new_full((4,), 0.7) - x, torch.add(x, x, alpha=0.1), torch.lerp(x, x + 1, 0.1),
            F.threshold(x, 0.1, 0.7), x.log2(), x.deg2rad(), x.index_fill(0, torch.tensor([1]), 0.1),
        )  # fmt: skip

    compiled = Compiled(function)
    compiled(torch.tensor([1.0, 2.5, 0.3, 4.0], dtype=torch.float64), torch.tensor([True, False, True, False]), tolerance=1e-14)
    assert taken(compiled)


def test_a_float_that_changes():
    compiled = Compiled(lambda x, s: (x * s, s + 1), dynamic=True)
    for number in (1.5, 0.1, 1e300):
        compiled(torch.ones(2), number)  # compares the sums exactly
    assert "PyTorch's exporter makes inf of 1e+300" in compiled.reasons


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])
@pytest.mark.parametrize("mode", ["floor", "trunc"])
def test_divisions_of_integers(dtype, mode):
    """All their digits count."""
    limits = torch.iinfo(dtype)
    x = torch.tensor([limits.max, limits.max - 6, limits.min + 1, 7, 6, 0, -limits.max // 3 if limits.min else 99], dtype=dtype)
    y = torch.tensor([3, 7, 5, 7, 4, 9, 2], dtype=dtype)
    signed = limits.min < 0
    compiled = Compiled(
        lambda x, y: [torch.div(x, other, rounding_mode=mode) for other in ((y, -y, 7, -7) if signed else (y, 7))]
    )
    compiled(x, y)
    assert taken(compiled)


def test_tokens_and_masks():
    embedding = torch.nn.Embedding(20, 8)

    def function(tokens, mask):
        return embedding(tokens).masked_fill(~mask.unsqueeze(-1), 0).sum(1)

    compiled = Compiled(function)
    compiled(torch.randint(0, 20, (2, 5)), torch.rand(2, 5) > 0.5)
    assert taken(compiled)


def test_intermediate_results_may_change():
    def function(x):
        y = x * 2
        y.add_(1)
        y[0] = 3
        y[:, 1].mul_(2)
        F.relu(y, inplace=True)
        return y

    compiled = Compiled(function)
    compiled(torch.randn(3, 4))
    assert taken(compiled)


def test_inputs_that_change():
    def function(x):
        x.add_(1)
        return x * 2

    compiled = Compiled(function)
    x = torch.zeros(3)
    torch.testing.assert_close(compiled.compiled(x), torch.full((3,), 2.0))
    torch.testing.assert_close(compiled.compiled(x), torch.full((3,), 4.0))
    assert left(compiled, "it changes")


def test_buffers_that_change():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x):
            self.count += 1
            return x + self.count

    compiled = torch.compile(Counter(), backend=torch_backend.compile_fx)
    assert [compiled(torch.zeros(1)).item() for _ in range(3)] == [1, 2, 3]


def test_batch_normalisation_in_training():
    ours, theirs = (torch.nn.BatchNorm1d(4) for _ in range(2))
    compiled = torch.compile(ours, backend=torch_backend.compile_fx)
    for _ in range(3):
        x = torch.randn(8, 4)
        torch.testing.assert_close(compiled(x), theirs(x))
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)


def test_statistics_that_change():
    mean, variance = torch.zeros(4), torch.ones(4)
    compiled = Compiled(lambda x, m, v: F.batch_norm(x, m, v, training=True))
    x = torch.randn(8, 4) + 3
    compiled.compiled(x, mean, variance)
    torch.testing.assert_close(mean, x.mean(0) * 0.1)
    assert left(compiled, "it changes")


@pytest.mark.parametrize("function", [
    lambda x: F.dropout(x * 2, 0.5, training=True), lambda x: x + torch.rand(100), lambda x: torch.bernoulli(x.sigmoid()),
], ids=["dropout", "rand", "bernoulli"])  # fmt: skip
def test_random_numbers_are_left_to_pytorch(function):
    compiled = Compiled(lambda x: function(x))
    first, second = compiled.compiled(x := torch.randn(100)), compiled.compiled(x)
    assert not torch.equal(first, second)
    assert left(compiled, "random numbers")


def test_dropout_in_eval():
    compiled = Compiled(torch.nn.Sequential(*small(), torch.nn.Dropout(0.5)).eval())
    compiled(torch.randn(2, 8))
    assert taken(compiled)


@pytest.mark.parametrize("layer", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
def test_recurrent_layers(layer):
    """They are one graph with what is around them, which PyTorch alone would cut in three."""
    model = layer(8, 20, num_layers=2, bidirectional=True, batch_first=True).eval()
    compiled = Compiled(lambda x: [part + 1 for part in torch.utils._pytree.tree_leaves(model(x * 2))])
    compiled(torch.randn(3, 7, 8))
    assert taken(compiled) and len(compiled.graphs) == 1


def test_attention():
    compiled = Compiled(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))
    compiled(*(torch.randn(1, 2, 5, 8) for _ in range(3)))
    assert taken(compiled)


def test_attention_that_sees_nothing():
    """A row without an element that the mask lets through is 0 in PyTorch, not NaN."""
    query, key, value = (torch.randn(2, 3, 5, 8) for _ in range(3))
    allowed = torch.rand(2, 1, 5, 5) > 0.3
    allowed[:, :, 2] = False
    added = torch.zeros(5, 5).masked_fill(~allowed[0, 0], -torch.inf)
    compiled = Compiled(F.scaled_dot_product_attention)
    for mask in (allowed, added, torch.ones(5, 5, dtype=torch.bool)):
        compiled(query, key, value, mask)
    compiled(query[0], key[0], value[0], added)
    compiled(query, key, value, scale=-0.3)
    assert taken(compiled)


def test_complex_numbers():
    compiled = Compiled(lambda x: torch.fft.fft(x).abs())
    compiled(torch.randn(8))
    assert compiled.states in (["ttc"], ["PyTorch"])
    compiled = Compiled(lambda x: torch.fft.fft(x))
    compiled(torch.randn(8))
    assert left(compiled, "complex64")


def test_ops_that_onnx_does_not_have(caplog):
    compiled = Compiled(lambda x: torch.linalg.svdvals(x @ x.t()))
    with caplog.at_level(logging.WARNING, "ttc.torch"):
        for _ in range(2):
            compiled(torch.randn(3, 3), tolerance=1e-3)
    assert left(compiled, "svd")
    assert len(caplog.records) == 1


def test_an_index_out_of_range_is_still_an_error_or_defined():
    """The results of such a call are undefined; no memory outside of tensors is read."""
    embedding = torch.nn.Embedding(4, 2)
    compiled = torch.compile(embedding, backend=torch_backend.compile_fx)
    compiled(torch.tensor([0, 3]))
    assert compiled(torch.tensor([0, 10**9])).shape == (2, 2)


def test_graph_breaks(capsys):
    model = small()

    def function(x):
        y = model(x)
        print("mean", y.mean() > 100)
        if y.sum() > 0:
            return torch.relu(y) * 2
        return model(-x).exp()

    compiled = Compiled(function)
    for sign in (1, -1, 1):
        torch.manual_seed(3)
        compiled(sign * torch.randn(2, 8))
    assert taken(compiled) and len(compiled.graphs) >= 3
    assert capsys.readouterr().out.count("mean") == 6


def test_a_function_that_is_not_pytorchs():
    @torch._dynamo.allow_in_graph
    def twice(x):
        return x * 2

    compiled = Compiled(lambda x: twice(x) + 1)
    compiled(torch.randn(3))
    assert taken(compiled) and compiled.graphs[0].cached == 0


def test_options():
    compiled = Compiled(small(), cores=1, options=["--weights=f32"], cache=False)
    compiled(torch.randn(2, 8))
    assert taken(compiled)
    for wrong, error in (({"core": 1}, "expected cores, .*found 'core'"), ({"cores": "2"}, "'cores' cannot be '2'")):
        torch._dynamo.reset()
        with pytest.raises(Exception, match=error):
            Compiled(small(), **wrong)(torch.randn(2, 8))
    with pytest.raises(Exception, match="mode"):
        torch.compile(small(), backend=torch_backend.compile_fx, mode="max-autotune")(torch.randn(2, 8))


def test_without_fallback():
    compiled = Compiled(lambda x: torch.rand(3) + x, fallback=False)
    with pytest.raises(CompileError, match="random numbers"):
        compiled.compiled(torch.randn(3))


def test_options_of_the_compiler_that_do_not_exist():
    compiled = Compiled(lambda x: x + 1, options=["--no-such-option"])
    compiled(torch.randn(3))
    assert left(compiled, "no-such-option")
