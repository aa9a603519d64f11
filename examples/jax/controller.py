# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A controller that JAX describes and a C program runs 10,000 times a second: an observer estimates the state of a cart
with a pole from two measurements, and a small network chooses the force.

    python examples/jax/controller.py controller.ttcb

writes the bundle that main.c runs. Weights are constants of the bundle; the state goes in and out.
"""
import sys

import jax
import jax.numpy as jnp
import numpy as np

import ttc

STEP = 1e-4  # seconds
MODEL = np.eye(4, dtype=np.float32) + STEP * np.array([[0, 1, 0, 0], [0, 0, -0.7, 0], [0, 0, 0, 1], [0, 0, 15.8, 0]], np.float32)
PUSH = STEP * np.array([0, 0.98, 0, -1.46], np.float32)
GAIN = np.array([[0.05, 0], [0.6, 0], [0, 0.05], [0, 0.9]], np.float32)


def make_policy(seed: int) -> list[dict[str, jax.Array]]:
    keys = jax.random.split(jax.random.key(seed), 3)
    sizes = [(4, 32), (32, 32), (32, 1)]
    return [{"w": jax.random.normal(k, s) * s[0] ** -0.5, "b": jnp.zeros(s[1])} for k, s in zip(keys, sizes)]


def control(policy, state, measured):
    """The next estimate of the state (position, speed, angle, angular speed), and the force."""
    state = state + GAIN @ (measured - state[::2])
    hidden = state
    for layer in policy[:-1]:
        hidden = jnp.tanh(hidden @ layer["w"] + layer["b"])
    force = 10 * jnp.tanh(hidden @ policy[-1]["w"] + policy[-1]["b"])[0]
    return {"state": MODEL @ state + PUSH * force, "force": force}


if __name__ == "__main__":
    policy = make_policy(7)
    ttc.build(control, sys.argv[1], (policy, np.zeros(4, np.float32), np.zeros(2, np.float32)), constants="policy")
