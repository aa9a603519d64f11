# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/jax: the C program does what JAX does."""
import needs  # noqa: F401, I001: skips the file

import importlib.util
import math
import shutil
import subprocess
import sys

import jax
import numpy as np
import pytest

EXAMPLE = needs.ROOT / "examples/jax"
STEPS = 200


@pytest.mark.skipif(not shutil.which("clang-22"), reason="no clang-22")
def test_controller(tmp_path):
    bundle, program = tmp_path / "controller.ttcb", tmp_path / "controller"
    subprocess.run([sys.executable, EXAMPLE / "controller.py", bundle], check=True)
    libraries = [f"-L{needs.BUILD}/lib", f"-Wl,-rpath,{needs.BUILD}/lib", "-lttrt", "-lm"]
    subprocess.run(["clang-22", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{needs.ROOT}/runtime/include", EXAMPLE / "main.c", "-o", program, *libraries], check=True)
    out = subprocess.run([program, bundle, str(STEPS)], check=True, capture_output=True, text=True).stdout
    found = [float(word.strip(",")) for word in out.splitlines()[0].split() if word not in ("force", "state")]

    spec = importlib.util.spec_from_file_location("controller", EXAMPLE / "controller.py")
    controller = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(controller)
    policy, step = controller.make_policy(7), jax.jit(controller.control)
    result = {"state": np.zeros(4, np.float32)}
    for i in range(STEPS):
        measured = np.array([0.1 * math.sin(0.002 * i), 0.05 * math.cos(0.003 * i)], np.float32)
        result = step(policy, result["state"], measured)
    np.testing.assert_allclose(found, [result["force"], *result["state"]], rtol=2e-4, atol=1e-5)
