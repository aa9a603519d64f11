#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole calls from Python of functions of JAX: jax.jit against ttc.compile, alternating, on one core each. The functions
are those of test/python/jax/functions.py and three with the structure of what users of JAX complain about:

  mass_matrix      a chain of 35 joints, unrolled, f64 (jax-ml/jax#26021)
  scan_f64_3x3     a scan of 2,000 steps with a carry of 3x3 in f64 (jax-ml/jax#36799)
  many_leaves      the gradient of a scan of 614 steps with 60 numbers as its carry (jax-ml/jax#40150)

Each row: the medians of both in microseconds, and how often as fast ttc is. A function that ttc refuses, or whose
results differ, is named with the reason. Needs a Python with jax (scripts/test-jax.sh makes one), and ttc and ttrt in
PYTHONPATH. Pin it to a core: taskset -c 1.

usage: jax_functions.py [--rounds=N] [NAME...]"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPLAINTS = ("mass_matrix", "scan_f64_3x3", "many_leaves")
SECONDS = 0.02  # of each measurement


def complaints():
    """The three, as functions.py has its own."""
    import functions
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax

    joints = 35

    def transforms(q):
        """The chain's frames in the world, each 4 x 4."""
        world, frames = jnp.eye(4), []
        for i in range(joints):
            c, s, zero = jnp.cos(q[i]), jnp.sin(q[i]), jnp.zeros(())
            turn = jnp.array([[c, -s, zero, zero], [s, c, zero, zero], [zero, zero, 1.0, 0.1], [0.0, 0.0, 0.0, 1.0]])
            world = world @ turn
            frames.append(world)
        return jnp.stack(frames)

    @functions.function(lambda g: (functions.f64(g, joints),), name="mass_matrix", x64=True)
    def _mass_matrix(q):
        frames = transforms(q)
        axes, places = frames[:, :3, 2], frames[:, :3, 3]
        # Column j of the Jacobian of joint i: the axis of j, and its cross product with the lever from j to i.
        levers = places[:, None, :] - places[None, :, :]
        below = jnp.tril(jnp.ones((joints, joints)))[:, :, None]
        linear, angular = jnp.cross(axes[None, :, :], levers) * below, axes[None, :, :] * below
        return jnp.einsum("nic,njc->ij", linear, linear) + 0.1 * jnp.einsum("nic,njc->ij", angular, angular)

    @functions.function(
        lambda g: (functions.f64(g, 2000, 3, scale=0.1), functions.f64(g, 3, scale=0.3), np.abs(functions.f64(g, 2000)) + 2.0),
        name="scan_f64_3x3", x64=True,
    )
    def _scan_f64_3x3(p, q, diagonal):
        def step(carry, row):
            a, d = row
            c = jnp.sqrt(d - a @ carry @ a)
            w = (q - carry @ a) / c
            return carry * 0.9 + jnp.outer(w, w), (c, w)

        return lax.scan(step, jnp.zeros((3, 3)), (p, diagonal))[1]

    leaves = 60

    def many(parameters, inputs):
        def step(carry, x):
            new, previous = {}, x
            for i in range(leaves):
                value = carry[f"leaf_{i}"]
                precision = 1.0 / (1.0 + jnp.exp(-value))
                previous = value + 0.1 * precision * (previous - value)
                new[f"leaf_{i}"] = jnp.tanh(previous)
            return new, previous

        carry, outputs = lax.scan(step, {f"leaf_{i}": parameters[i] for i in range(leaves)}, inputs)
        return jnp.sum(outputs**2) + sum(carry.values())

    @functions.function(lambda g: (functions.f32(g, leaves), functions.f32(g, 614)), name="many_leaves")
    def _many_leaves(parameters, inputs):
        return jax.grad(many)(parameters, inputs)


def measure(name, rounds):
    """Prints a line of JSON about one function."""
    sys.path[:0] = [str(ROOT / "test/python/jax")]
    import functions
    import jax
    import numpy as np
    import ttc
    from compare import difference

    complaints()
    warnings.simplefilter("ignore", ttc.CompileWarning)
    its = functions.FUNCTIONS[name]
    args = its.args()
    rest = args[len(its.constants) :]
    begun = time.perf_counter()
    try:
        ours = ttc.compile(its.function, args, cores=1, constants=its.constants)
    except ttc.CompileError as error:
        print(json.dumps({"refused": str(error).strip().splitlines()[0]}))
        return
    compiled = time.perf_counter() - begun
    theirs = jax.jit(its.function).lower(*args).compile()
    ours_args, theirs_args = jax.tree.map(jax.numpy.asarray, (rest, args))
    want = jax.tree.leaves(jax.tree.map(np.asarray, theirs(*theirs_args)))
    got = jax.tree.leaves(jax.tree.map(np.asarray, ours(*ours_args)))
    off = max((float(difference(a, b, of_largest=True)) for a, b in zip(got, want)), default=0.0)

    def one(call, arguments, calls):
        start = time.perf_counter()
        for _ in range(calls):
            result = call(*arguments)
        jax.block_until_ready(result)
        return (time.perf_counter() - start) / calls * 1e6

    calls = [max(1, int(SECONDS * 1e6 / one(call, arguments, 3))) for call, arguments in ((ours, ours_args), (theirs, theirs_args))]
    times = [[], []]
    for _ in range(rounds):
        times[0].append(one(ours, ours_args, calls[0]))
        times[1].append(one(theirs, theirs_args, calls[1]))
    ratio = statistics.median(b / a for a, b in zip(*times))
    print(json.dumps({"ttc": statistics.median(times[0]), "jax": statistics.median(times[1]), "ratio": ratio, "off": off,
                      "compile": compiled}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, default=300, help="seconds for a function, compilation included")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure, options.rounds)
    sys.path[:0] = [str(ROOT / "test/python/jax")]
    import functions
    import jax

    complaints()
    print(f"jax {jax.__version__}")
    print("| function | jax.jit, µs | ttc, µs | times as fast | difference | compiled in s |\n|---|---|---|---|---|---|")
    ratios = []
    for name in options.names or [*COMPLAINTS, *(name for name in functions.FUNCTIONS if name not in COMPLAINTS)]:
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1" if functions.FUNCTIONS[name].x64 else "0"}
        command = [sys.executable, __file__, f"--measure={name}", f"--rounds={options.rounds}"]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=options.limit)
        except subprocess.TimeoutExpired:
            print(f"| {name} | not done in {options.limit} s | | | | |", flush=True)
            continue
        if done.returncode:
            print(f"| {name} | failed: {done.stderr.strip().splitlines()[-1][:150]} | | | | |", flush=True)
            continue
        row = json.loads(done.stdout.strip().splitlines()[-1])
        if "refused" in row:
            print(f"| {name} | refused: {row['refused'][:150]} | | | | |", flush=True)
            continue
        ratios.append(row["ratio"])
        print(f"| {name} | {row['jax']:.1f} | {row['ttc']:.1f} | **{row['ratio']:.2f}** | {row['off']:.1e} | {row['compile']:.1f} |", flush=True)
    if ratios:
        print(f"\n{len(ratios)} functions, geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
