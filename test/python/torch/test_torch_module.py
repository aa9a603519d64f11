# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.compile() of torch.nn.Module and torch.export.ExportedProgram."""
import needs  # noqa: F401, I001: skips the file

import dataclasses

import numpy as np
import pytest
import torch
import ttc
from graphs import small


class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = small()

    def forward(self, image, scale=None):
        y = self.model(image)
        return {"logits": y if scale is None else y * scale, "extra": [y.exp(), None, y + 1]}


def check(bundle, wanted, **inputs):
    found = bundle.run(**{name: value.numpy() for name, value in inputs.items()})
    assert list(found) == list(wanted)
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], value.detach().numpy(), rtol=1e-5, atol=1e-5)


def test_a_module():
    model, x = small(), torch.randn(2, 8)
    check(ttc.compile(model, (x,)), {"output": model(x)}, input=x)
    check(ttc.compile(model, x), {"output": model(x)}, input=x)


def test_inputs_by_name():
    model, x, s = Two(), torch.randn(2, 8), torch.tensor(3.0)
    y = model(x, s)
    wanted = {"logits": y["logits"], "extra_0": y["extra"][0], "extra_2": y["extra"][2]}
    check(ttc.compile(model, {"image": x, "scale": s}), wanted, image=x, scale=s)


def test_inputs_in_order():
    model, x = Two(), torch.randn(2, 8)
    y = model(x)
    wanted = {"logits": y["logits"], "extra_0": y["extra"][0], "extra_2": y["extra"][2]}
    check(ttc.compile(model, (x,)), wanted, image=x)


def test_a_tuple_of_outputs():
    class Pair(torch.nn.Module):
        def forward(self, a, b):
            return a + b, a * b

    a, b = torch.randn(3), torch.randn(3)
    check(ttc.compile(Pair(), (a, b)), {"output_0": a + b, "output_1": a * b}, a=a, b=b)


def test_an_exported_program():
    model, x = small(), torch.randn(2, 8)
    check(ttc.compile(torch.export.export(model, (x,))), {"output": model(x)}, input=x)


def test_several_entry_points(tmp_path):
    model, one, two = small(), torch.randn(1, 8), torch.randn(2, 8)
    bundle = ttc.compile({"one": model, "two": model}, {"one": (one,), "two": (two,)}, output=tmp_path / "m.ttcb")
    for name, x in (("one", one), ("two", two)):
        check(bundle[name], {"output": model(x)}, input=x)
    alone = ttc.compile(model, (one,), output=tmp_path / "one.ttcb")
    assert (tmp_path / "m.ttcb").stat().st_size < 2 * (tmp_path / "one.ttcb").stat().st_size
    assert list(alone.entries) == ["main"]


def test_training_mode_is_restored():
    model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(4)).train()
    model[2].eval()
    x = torch.randn(3, 8)
    bundle = ttc.compile(model, (x,))
    assert [module.training for module in model.modules()] == [True, True, True, False]
    check(bundle, {"output": model.eval()(x)}, input=x)


def test_what_is_wrong_with_the_arguments():
    with pytest.raises(TypeError, match="needs example inputs: a tuple of tensors"):
        ttc.compile(small())
    with pytest.raises(TypeError, match=r"inputs: expected a tuple of tensors or \{name: tensor\}, found int"):
        ttc.compile(small(), 3)
    program = torch.export.export(small(), (torch.randn(2, 8),))
    with pytest.raises(TypeError, match="expected none with an ExportedProgram"):
        ttc.compile(program, (torch.randn(2, 8),))


def test_a_module_that_changes_itself():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x):
            self.count += 1
            return x + self.count

    with pytest.raises(ValueError, match="cannot be compiled: it changes 'count'"):
        ttc.compile(Counter(), (torch.zeros(2),))


def test_an_op_that_is_not_supported():
    class Svd(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.svdvals(x)

    with pytest.raises(Exception, match="svd"):
        ttc.compile(Svd(), (torch.eye(3),))


def test_what_the_exporter_computes_wrongly():
    class Pool(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.avg_pool2d(x, 3, divisor_override=2)

    with pytest.raises(ValueError, match="drops the divisor"):
        ttc.compile(Pool(), (torch.zeros(1, 1, 9, 9),))


def test_a_dataclass_of_outputs():
    @dataclasses.dataclass
    class Output:
        hidden: torch.Tensor
        pooled: torch.Tensor

    torch.export.register_dataclass(Output)

    class Model(torch.nn.Module):
        def forward(self, x):
            return Output(x * 2, x.sum())

    x = torch.randn(3)
    check(ttc.compile(Model(), (x,)), {"hidden": x * 2, "pooled": x.sum()}, x=x)
