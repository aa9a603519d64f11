# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are divided into stages: the loader proves the bundle, and the IR that is read of it is written as the same file."""
import pytest

from mesh_models import MODELS

DIVISIONS = [("2", "pipeline", 1), ("2", "pipeline", 2), ("2x2", "data:x,pipeline:y", 1),
             ("2x2", "tensor:x,pipeline:y", 1), ("2x2", "pipeline:x,tensor:y", 2), ("4", "pipeline", 1)]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("mesh,parallel,batches", DIVISIONS)
def test_proved_and_read(tools, tmp_path, name, mesh, parallel, batches):
    if (name, mesh) == ("mlp", "4"):
        pytest.skip("two programs are not four stages")
    model, bundle, again = tmp_path / "model.onnx", tmp_path / "model.ttcb", tmp_path / "again.ttcb"
    MODELS[name](model)
    tools.run("ttc-translate", "--onnx-to-bundle", model, "-o", bundle, f"--mesh={mesh}", f"--parallel={parallel}",
              f"--micro-batches={batches}")
    tools.ttrun("check", bundle)
    tools.run("ttc-translate", "--bundle-to-ttc", bundle, "-o", tmp_path / "plan.mlir")
    tools.run("ttc-translate", "--ttc-to-bundle", tmp_path / "plan.mlir", "-o", again)
    assert bundle.read_bytes() == again.read_bytes()
