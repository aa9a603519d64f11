# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/mesh compiles a model for a mesh and runs it under mpirun; its result is that of one device."""
import os
import shutil
import subprocess

import pytest


@pytest.mark.parametrize("mesh", [{}, {"MESH": "rows:4", "PARALLEL": "tensor"}], ids=["mixed", "tensor"])
def test_mesh(tools, root, build_dir, mesh):
    tools.path("ttc-translate"), tools.path("ttrun")
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed (Debian: openmpi-bin)")
    done = subprocess.run([root / "examples/mesh/mesh.sh"], env=os.environ | {"BUILD": str(build_dir)} | mesh, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "mesh.ttcb: ok" in done.stdout and "probabilities: ok" in done.stdout
