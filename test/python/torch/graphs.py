# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs functions compiled and not, and compares."""
import re

import torch
from ttc import torch_backend


def since(number):
    """The graphs that were made after the first `number`."""
    return torch_backend.graphs()[number:]


class Compiled:
    """A function or module compiled by ttc, which is compared with PyTorch in each call."""

    def __init__(self, function, **options):
        self.function = function
        self.before = torch_backend.graphs()
        settings = {k: options.pop(k) for k in ("dynamic", "fullgraph") if k in options}
        self.compiled = torch.compile(function, backend=torch_backend.compile_fx, options=options, **settings)

    def __call__(self, *args, tolerance=1e-5, **kwargs):
        wanted = self.function(*args, **kwargs)
        found = self.compiled(*args, **kwargs)
        same(found, wanted, tolerance)
        return found

    @property
    def graphs(self):
        return [graph for graph in torch_backend.graphs() if not any(graph is other for other in self.before)]

    @property
    def states(self):
        return [graph.state for graph in self.graphs]

    @property
    def reasons(self):
        return [graph.reason for graph in self.graphs if graph.reason]


def same(found, wanted, tolerance=1e-5):
    """Values, types, shapes and strides."""
    ours, spec = torch.utils._pytree.tree_flatten(found)
    theirs, expected = torch.utils._pytree.tree_flatten(wanted)
    assert spec == expected
    for a, b in zip(ours, theirs, strict=True):
        assert type(a) is type(b)
        if isinstance(b, torch.Tensor):
            assert a.stride() == b.stride() and a.dtype == b.dtype
            torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)
        else:
            assert a == b


def small(*sizes):
    """A small perceptron in eval mode."""
    sizes = sizes or (8, 16, 4)
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [torch.nn.Linear(a, b), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1]).eval()


def taken(compiled):
    """That ttc runs each graph."""
    assert compiled.states == ["ttc"] * len(compiled.states) and compiled.states, compiled.graphs
    return True


def left(compiled, reason):
    """That PyTorch runs the only graph, for this reason, which is one line."""
    assert compiled.states == ["PyTorch"], compiled.graphs
    assert re.search(reason, compiled.reasons[0]), compiled.reasons
    assert "\n" not in compiled.reasons[0]
    return True
