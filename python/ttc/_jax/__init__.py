# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of ttc.compile() and ttc.jit() that need jax."""
