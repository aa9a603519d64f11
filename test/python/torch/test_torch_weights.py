# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bundle holds weights as constants. Results are never those of weights that have been changed."""
import needs  # noqa: F401, I001: skips the file

import gc
import weakref

import pytest
import torch
from graphs import Compiled, small
from ttc import torch_backend


@pytest.fixture(autouse=True)
def inference():
    with torch.no_grad():
        yield


def double(model):
    model[0].weight.mul_(2)


def load(model):
    model.load_state_dict({name: torch.randn_like(value) for name, value in model.state_dict().items()})


def assign(model):
    model[0].weight.data = torch.randn_like(model[0].weight)


def behind(model):
    model[0].weight.data.mul_(2)


def numpy(model):
    model[0].weight.numpy()[:] *= 2


def replace(model):
    model[0].weight = torch.nn.Parameter(torch.randn_like(model[0].weight), requires_grad=False)


def layer(model):
    model[0] = torch.nn.Linear(8, 16).eval()


def step(model):
    model.requires_grad_(True)
    with torch.enable_grad():
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        model(torch.randn(4, 8)).square().sum().backward()
    optimizer.step()
    model.requires_grad_(False)


@pytest.mark.parametrize("change", [double, load, assign, behind, numpy, replace, layer, step])
def test_weights_that_change(change):
    model = small().requires_grad_(False)
    compiled = Compiled(model)
    x = torch.randn(2, 8)
    before = compiled(x)
    for _ in range(2):
        change(model)
        for _ in range(3):
            after = compiled(x)
        assert not torch.equal(before, after)
    assert "ttc" in compiled.states and "PyTorch" not in compiled.states, compiled.graphs


def test_weights_that_change_all_the_time():
    model = small().requires_grad_(False)
    compiled = Compiled(model, cache=False)
    for _ in range(2 * torch_backend.MOST_CHANGES):
        compiled(torch.randn(2, 8))
        double(model)
    assert compiled.graphs[0].compiled == 1  # PyTorch runs calls whose weights are new


def test_weights_that_change_often():
    model = small().requires_grad_(False)
    compiled = Compiled(model, cache=False)
    for _ in range(torch_backend.MOST_CHANGES + 2):
        double(model)
        for _ in range(2):
            compiled(torch.randn(2, 8), tolerance=1e-3)
    assert compiled.graphs[0].compiled == torch_backend.MOST_CHANGES
    assert "weights have changed" in compiled.reasons[0]


def test_modules_of_one_class_share_a_graph():
    compiled = Compiled(lambda model, x: model(x))
    models = [small() for _ in range(12)]
    for _ in range(3):
        for model in models:
            compiled(model, torch.randn(2, 8))
    assert [graph.compiled for graph in compiled.graphs] == [12]


def test_bundles_go_with_their_weights():
    compiled = Compiled(lambda model, x: model(x))
    model = small()
    compiled(model, torch.randn(2, 8))
    weight = weakref.ref(model[0].weight)
    (graph,) = [g for g in torch_backend._graphs if g.info in compiled.graphs]
    bundle = weakref.ref(next(iter(graph._plans.values()))[0].bundle)
    del model
    gc.collect()
    assert weight() is None and bundle() is None and not graph._plans
    compiled(small(), torch.randn(2, 8))


def test_parameters_made_in_inference_mode():
    with torch.inference_mode():
        model = small()
        compiled = Compiled(model)
        for _ in range(2):
            compiled(torch.randn(2, 8))
            model[0].weight.mul_(2)
    assert "inference mode" in compiled.reasons[0]


def test_a_tensor_of_a_closure_is_an_input():
    weight = torch.randn(8, 4)
    compiled = Compiled(lambda x: x @ weight)
    for _ in range(3):
        compiled(torch.randn(2, 8))
        weight += 1
    assert compiled.states == ["ttc"] and compiled.graphs[0].compiled == 1


def test_train_and_eval():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8)).requires_grad_(False).eval()
    compiled = Compiled(model)
    compiled(x := torch.randn(4, 8))
    model.train()
    compiled.compiled(x)
    model.eval()
    for _ in range(2):
        compiled(x)
    assert sorted(compiled.states) == ["PyTorch", "ttc"]
