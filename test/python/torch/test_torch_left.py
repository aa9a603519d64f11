# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that a bundle would compute differently, or not at all: PyTorch runs them."""
import needs  # noqa: F401, I001: skips the file

import pytest
import torch
from graphs import Compiled, left, small, taken
from ttc import torch_backend


@pytest.fixture(autouse=True)
def inference():
    with torch.no_grad():
        yield


def test_autocast_is_left_to_pytorch():
    compiled = Compiled(small())
    with torch.autocast("cpu", torch.bfloat16):
        assert compiled(torch.randn(2, 8)).dtype == torch.bfloat16
    assert left(compiled, "autocast")
    compiled(torch.randn(2, 8))
    assert "ttc" in compiled.states


def test_autocast_inside():
    model = small()

    def function(x, enabled):
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            return model(x)

    compiled = Compiled(function)
    assert compiled(torch.randn(2, 8), True, tolerance=1e-2).dtype == torch.bfloat16
    assert left(compiled, "switches autocast on")
    compiled(torch.randn(2, 8), False)
    assert compiled.states[-1] == "ttc"


@pytest.mark.parametrize("first", [True, False])
def test_derivatives_in_forward_mode(first):
    from torch.autograd import forward_ad

    compiled = torch.compile(lambda x: x.sin() * 2, backend=torch_backend.compile_fx)
    x = torch.randn(3)
    for dual in (first, not first, first):
        if dual:
            with forward_ad.dual_level():
                found = forward_ad.unpack_dual(compiled(forward_ad.make_dual(x, torch.ones(3)))).tangent
            torch.testing.assert_close(found, 2 * x.cos())
        else:
            torch.testing.assert_close(compiled(x), 2 * x.sin())


@pytest.mark.parametrize("check", [
    lambda x: torch._assert_async((x > 0).all()), lambda x: torch._assert_async((x > 0).all(), "not positive"),
], ids=["plain", "message"])  # fmt: skip
def test_checks_of_data_are_left_to_pytorch(check):
    def function(x):
        check(x)
        return x * 2

    compiled = Compiled(function)
    compiled(torch.ones(3))
    with pytest.raises(RuntimeError):
        compiled.compiled(-torch.ones(3))
    assert left(compiled, "condition that depends on data")


def test_assert_statements():
    def function(x):
        assert (x > 0).all(), "not positive"
        return x * 2

    compiled = Compiled(function)
    compiled(torch.ones(3))
    with pytest.raises((AssertionError, RuntimeError), match="not positive"):
        compiled.compiled(-torch.ones(3))


def whole(x):
    return x.as_strided((2, 2), (1, 2)) * 2


def transposed(x):
    return x.exp().t().as_strided((2, 2), (1, 2), 1) * 2


def counted(x):
    return x.as_strided((2, 2), (1, 2), 1) * 2


def scattered(x):
    return x.exp().as_strided_scatter(torch.ones(2), (2,), (1,), 1)


@pytest.mark.parametrize("function, takes", [(whole, True), (transposed, None), (counted, False), (scattered, None)])
def test_places_in_memory(function, takes):
    for make in (lambda: torch.randn(4, 4), lambda: torch.randn(5, 4)[1:], lambda: torch.randn(4, 4).t(),
                 lambda: torch.randn(8, 8)[::2, ::2]):  # fmt: skip
        torch._dynamo.reset()
        compiled, x = Compiled(function), make()
        torch.testing.assert_close(compiled.compiled(x), function(x))
        if takes is False or (takes and not x.is_contiguous()):
            assert left(compiled, "lies in memory")
        elif takes:
            assert taken(compiled)


def test_divisors_of_pools():
    compiled = Compiled(lambda x: torch.nn.functional.avg_pool2d(x, 3, divisor_override=2))
    compiled(torch.randn(1, 2, 9, 9))
    assert left(compiled, "drops the divisor")


def test_corners_of_sizes_that_are_rounded():
    resize = torch.nn.functional.interpolate
    compiled = Compiled(lambda x: resize(x, scale_factor=1.7, mode="bilinear", align_corners=True))
    compiled(torch.randn(1, 2, 7, 9))
    assert left(compiled, "aligns corners")
    compiled = Compiled(lambda x: resize(x, scale_factor=2.0, mode="bilinear", align_corners=True))
    compiled(torch.randn(1, 2, 7, 9))
    assert compiled.states == ["ttc"]


def test_sums_of_exponentials_that_grow():
    compiled = Compiled(lambda x: torch.logcumsumexp(x, 0))
    compiled(torch.tensor([0.0, 200.0, 1.0]))
    assert left(compiled, "loses sums")


def test_an_exporter_that_drops_a_cast(monkeypatch):
    from ttc._torch import onnx

    real = onnx.export_program
    monkeypatch.setattr(onnx, "export_program", lambda module, args, **options: real(Wider(module), args, **options))

    class Wider(torch.nn.Module):
        def __init__(self, module):
            super().__init__()
            self.module = module

        def forward(self, x):
            return tuple(y.double() for y in self.module(x))

    compiled = Compiled(lambda x: x + 1, cache=False)
    compiled(torch.randn(3))
    assert left(compiled, r"torch.float64 \[3\] of torch.float32 \[3\]")


def test_other_devices():
    compiled = Compiled(lambda x: x + 1)
    assert compiled.compiled(torch.empty(3, device="meta")).device.type == "meta"
    assert left(compiled, "device 'meta'; expected the CPU")


def test_sparse_tensors():
    compiled = torch.compile(lambda a, b: torch.sparse.mm(a, b), backend=torch_backend.compile_fx)
    a, b = torch.eye(3).to_sparse(), torch.randn(3, 2)
    torch.testing.assert_close(compiled(a, b), b)


def test_inputs_without_elements():
    compiled = Compiled(lambda x: x.sum() + 1)
    compiled(torch.randn(0, 3))
    assert left(compiled, "no elements")
