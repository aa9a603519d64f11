# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first random programs of random_programs.py, which compares any number of them."""
import needs  # noqa: F401, I001: skips the file

import pytest
import random_programs


@pytest.mark.parametrize("seed", range(40))
def test_program(seed):
    assert random_programs.compare(seed) == ""
