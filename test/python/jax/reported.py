# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FUNCTIONS, with three more: programs with the structure of those of which users of JAX report that calls take
XLA's runtime longer than they compute (jax-ml/jax#26021, #36799, #40150)."""
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from functions import FUNCTIONS, f32, f64, function
from jax import lax

__all__ = ["FUNCTIONS"]


@function(lambda g: (f64(g, 35),), x64=True)
def frames_of_35_joints(q: Any) -> Any:
    """The mass matrix of a chain of joints, of unrolled products of 4x4."""
    frame, frames = jnp.eye(4), []
    for i in range(35):
        c, s, zero = jnp.cos(q[i]), jnp.sin(q[i]), jnp.zeros(())
        frame = frame @ jnp.array([[c, -s, zero, zero], [s, c, zero, zero], [zero, zero, 1.0, 0.1], [0.0, 0.0, 0.0, 1.0]])
        frames.append(frame)
    axes, places = jnp.stack(frames)[:, :3, 2], jnp.stack(frames)[:, :3, 3]
    below = jnp.tril(jnp.ones((35, 35)))[:, :, None]
    linear = jnp.cross(axes[None, :, :], places[:, None, :] - places[None, :, :]) * below
    angular = axes[None, :, :] * below
    return jnp.einsum("nic,njc->ij", linear, linear) + 0.1 * jnp.einsum("nic,njc->ij", angular, angular)


@function(lambda g: (f64(g, 2000, 3, scale=0.1), f64(g, 3, scale=0.3), np.abs(f64(g, 2000)) + 2.0), x64=True)
def scan_of_f64_3x3(rows: Any, q: Any, diagonal: Any) -> Any:
    """A Cholesky factor of a quasiseparable matrix, row by row."""

    def step(carry: Any, row: Any) -> Any:
        a, d = row
        c = jnp.sqrt(d - a @ carry @ a)
        w = (q - carry @ a) / c
        return carry * 0.9 + jnp.outer(w, w), (c, w)

    return lax.scan(step, jnp.zeros((3, 3)), (rows, diagonal))[1]


@function(lambda g: (f32(g, 60), f32(g, 614)))
def scan_of_60_numbers(initial: Any, inputs: Any) -> Any:
    """The gradient of a scan whose carry has many leaves."""

    def loss(initial: Any, inputs: Any) -> Any:
        def step(carry: Any, x: Any) -> Any:
            new, previous = {}, x
            for name, value in carry.items():
                previous = value + 0.1 / (1.0 + jnp.exp(-value)) * (previous - value)
                new[name] = jnp.tanh(previous)
            return new, previous

        carry, outputs = lax.scan(step, {f"leaf_{i:02}": initial[i] for i in range(60)}, inputs)
        return jnp.sum(outputs**2) + sum(carry.values())

    return jax.grad(loss)(initial, inputs)
