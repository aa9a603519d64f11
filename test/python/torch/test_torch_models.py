# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of torchvision and transformers, made from configurations with random weights: one graph, taken, and
the outputs of PyTorch. Models that are like others of the list are for the nightly run."""
import needs  # noqa: F401, I001: skips the file

import pytest
import torch
import torch_models
from graphs import Compiled

for _module in ("torchvision", "transformers"):
    try:
        __import__(_module)
    except ModuleNotFoundError:
        pytest.skip(f"{_module} is not installed: scripts/test-torch.sh runs these tests", allow_module_level=True)
    except Exception:  # torchvision of another build: torch_models helps
        pass

NAMES = [name if name in torch_models.TABLE else pytest.param(name, marks=pytest.mark.nightly) for name in torch_models.MODELS]


@pytest.mark.parametrize("name", NAMES)
def test_a_model(name):
    model, args, kwargs = torch_models.MODELS[name]()
    compiled = Compiled(model)
    with torch.no_grad():
        wanted = torch_models.tensors(model(*args, **kwargs))
        for _ in range(2):
            found = torch_models.tensors(compiled.compiled(*args, **kwargs))
    assert compiled.states == ["ttc"], compiled.graphs
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.shape == theirs.shape and ours.stride() == theirs.stride()
        assert (ours - theirs).abs().max() <= 1e-4 * theirs.abs().max()
