# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models for ranges of sizes: every variant at random extents, with anything in the padding."""
import re

import pytest

import random_shapes
from bundles import share
from gate import nightly
from test_shapes import check_bundle, compile_ranges

SEEDS = range(5000)
GATE = 20
PARTS = 2
# A message that names an op, or says what the model was expected to be.
CLEAR = re.compile(r"error: .*(expected|found|the op would compute with|needs them apart|another size there)")


def run(tools, tmp_path, seed):
    """None, or why the model is refused."""
    model, dims = random_shapes.random_model(seed)
    bundle, done = compile_ranges(tools, tmp_path, model, dims, check=False)
    if done.returncode != 0:
        assert done.returncode == 1 and CLEAR.search(done.stderr), f"{dims}: exit {done.returncode}\n{done.stderr}"
        return done.stderr.strip().splitlines()[0]
    # Chains of sums and softmaxes round more often than one op, and may leave noise around 0.
    check_bundle(tools, bundle, model, dims, runs=4, seed=seed, tolerance=2e-4, least=0.1)
    return None


def run_all(tools, tmp_path, seeds):
    failures, refused = [], 0
    for seed in seeds:
        try:
            refused += run(tools, tmp_path, seed) is not None
        except (AssertionError, RuntimeError, pytest.fail.Exception) as error:
            failures.append(f"seed {seed}: {error}")
    assert not failures, "\n".join(failures)
    assert refused <= len(seeds) // 4, f"{refused} of {len(seeds)} models are refused"


@pytest.mark.parametrize("part", range(PARTS))
def test_random_models(part, tools, tmp_path):
    run_all(tools, tmp_path, share(SEEDS[:GATE], part, PARTS))


@pytest.mark.parametrize("part", nightly(range(50)))
def test_more_random_models(part, tools, tmp_path):
    run_all(tools, tmp_path, share(SEEDS[GATE:], part, 50))
