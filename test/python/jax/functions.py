# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole functions of JAX as its users write them: networks, control, physics, statistics, each with arguments.
test_jax_functions.py compares ttc with JAX on each."""
import dataclasses
import zlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    function: Callable[..., Any]
    args: Callable[[], tuple[Any, ...]]
    constants: tuple[str, ...] = ()
    x64: bool = False
    bits: bool = False  #: the same bits, not only nearly the same numbers
    sensitive: bool = False  #: magnifies the last bits: compared with f64, as far as JAX's f32 is from it


FUNCTIONS: dict[str, Function] = {}


def function(make: Callable[[np.random.Generator], tuple[Any, ...]], name: str = "", **options: Any) -> Callable[..., Any]:
    """Registers a function with what makes its arguments."""

    def register(body: Callable[..., Any]) -> Callable[..., Any]:
        named = name or body.__name__.strip("_")
        assert named not in FUNCTIONS, named
        FUNCTIONS[named] = Function(named, body, lambda: make(np.random.default_rng(zlib.crc32(named.encode()))), **options)
        return body

    return register


def f32(g: np.random.Generator, *shape: int, scale: float = 1.0) -> Any:
    return (g.standard_normal(shape) * scale).astype(np.float32)


def f64(g: np.random.Generator, *shape: int, scale: float = 1.0) -> Any:
    return g.standard_normal(shape) * scale


def dense(g: np.random.Generator, n: int, m: int) -> dict[str, Any]:
    return {"kernel": f32(g, n, m, scale=n**-0.5), "bias": f32(g, m, scale=0.1)}


def apply(layer: dict[str, Any], x: Any) -> Any:
    return x @ layer["kernel"] + layer["bias"]


# Networks.


def mlp_params(g: np.random.Generator, *sizes: int) -> dict[str, Any]:
    return {f"Dense_{i}": dense(g, n, m) for i, (n, m) in enumerate(zip(sizes, sizes[1:]))}


@function(lambda g: (mlp_params(g, 16, 64, 64, 8), f32(g, 32, 16)))
def mlp(params: Any, x: Any) -> Any:
    for i in range(len(params) - 1):
        x = jax.nn.relu(apply(params[f"Dense_{i}"], x))
    return apply(params[f"Dense_{len(params) - 1}"], x)


function(lambda g: (mlp_params(g, 16, 64, 64, 8), f32(g, 1, 16)), "mlp_constant_weights", constants=("params",))(mlp)


@function(lambda g: (mlp_params(g, 8, 32, 32, 4), f32(g, 16, 8)))
def mlp_gelu_layer_norm(params: Any, x: Any) -> Any:
    for i in range(3):
        x = apply(params[f"Dense_{i}"], x)
        if i < 2:
            x = jax.nn.gelu((x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-6))
    return jax.nn.log_softmax(x)


@function(lambda g: (mlp_params(g, 6, 32, 4), mlp_params(g, 2, 32, 6), f32(g, 8, 6), np.uint32([1, 2])))
def variational_autoencoder(encoder: Any, decoder: Any, x: Any, key: Any) -> Any:
    mean, log_variance = jnp.split(mlp(encoder, x), 2, axis=-1)
    z = mean + jnp.exp(0.5 * log_variance) * jax.random.normal(jax.random.wrap_key_data(key), mean.shape, jnp.float32)
    kl = -0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance), axis=-1)
    return {"x": jax.nn.sigmoid(mlp(decoder, z)), "kl": kl}


def conv(x: Any, w: Any, stride: int = 1, groups: int = 1) -> Any:
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)


@function(lambda g: ({"c1": f32(g, 3, 3, 1, 8, scale=0.3), "c2": f32(g, 3, 3, 8, 16, scale=0.1), "d": dense(g, 784, 10)}, f32(g, 2, 28, 28, 1)))
def cnn(params: Any, x: Any) -> Any:
    for w in (params["c1"], params["c2"]):
        x = jax.nn.relu(conv(x, w))
        x = lax.reduce_window(x, np.float32(-np.inf), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return apply(params["d"], x.reshape(x.shape[0], -1))


def batch_norm(x: Any, p: Any) -> Any:
    return (x - p["mean"]) * lax.rsqrt(p["var"] + 1e-5) * p["scale"] + p["bias"]


def norm_params(g: np.random.Generator, n: int) -> dict[str, Any]:
    return {"mean": f32(g, n, scale=0.1), "var": np.abs(f32(g, n)) + 0.5, "scale": f32(g, n), "bias": f32(g, n)}


def resnet_params(g: np.random.Generator) -> dict[str, Any]:
    blocks, n = [], 8
    for m, stride in ((8, 1), (16, 2), (16, 1)):
        blocks.append({"c1": f32(g, 3, 3, n, m, scale=0.1), "n1": norm_params(g, m), "c2": f32(g, 3, 3, m, m, scale=0.1), "n2": norm_params(g, m)} | ({"short": f32(g, 1, 1, n, m, scale=0.3)} if stride > 1 else {}))
        n = m
    return {"stem": f32(g, 3, 3, 3, 8, scale=0.2), "blocks": blocks, "head": dense(g, 16, 10)}


@function(lambda g: (resnet_params(g), f32(g, 1, 32, 32, 3)), constants=("params",))
def resnet(params: Any, x: Any) -> Any:
    x = jax.nn.relu(conv(x, params["stem"]))
    for block in params["blocks"]:
        stride = 2 if "short" in block else 1
        y = jax.nn.relu(batch_norm(conv(x, block["c1"], stride), block["n1"]))
        y = batch_norm(conv(y, block["c2"]), block["n2"])
        x = jax.nn.relu(y + (conv(x, block["short"], stride) if "short" in block else x))
    return apply(params["head"], x.mean((1, 2)))


@function(lambda g: (f32(g, 3, 3, 1, 12, scale=0.3), f32(g, 1, 1, 12, 20, scale=0.3), f32(g, 2, 16, 16, 12)))
def depthwise_separable(depthwise: Any, pointwise: Any, x: Any) -> Any:
    return jax.nn.silu(conv(jax.nn.silu(conv(x, depthwise, 2, 12)), pointwise))


def transformer_params(g: np.random.Generator, layers: int = 4, n: int = 32) -> dict[str, Any]:
    one = {"qkv": (n, 3 * n), "out": (n, n), "up": (n, 4 * n), "down": (4 * n, n)}
    return {
        "embed": f32(g, 50, n), "position": f32(g, 12, n), "norm": np.ones(n, np.float32),
        "layers": {name: f32(g, layers, *shape, scale=shape[0] ** -0.5) for name, shape in one.items()} | {"n1": np.ones((layers, n), np.float32), "n2": np.ones((layers, n), np.float32)},
    }  # fmt: skip


def rms_norm(x: Any, scale: Any) -> Any:
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def attention(p: Any, x: Any, heads: int = 4) -> Any:
    b, t, n = x.shape
    q, k, v = jnp.moveaxis((x @ p["qkv"]).reshape(b, t, 3, heads, n // heads), 2, 0)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (n // heads) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((t, t), bool)), scores, jnp.finfo(x.dtype).min)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(b, t, n) @ p["out"]


@function(lambda g: (transformer_params(g), g.integers(0, 50, (2, 12)).astype(np.int32)))
def transformer_scanned(params: Any, tokens: Any) -> Any:
    def layer(x: Any, p: Any) -> Any:
        x = x + attention(p, rms_norm(x, p["n1"]))
        return x + jax.nn.gelu(rms_norm(x, p["n2"]) @ p["up"]) @ p["down"], None

    x, _ = lax.scan(layer, params["embed"][tokens] + params["position"], params["layers"])
    return rms_norm(x, params["norm"]) @ params["embed"].T


@function(lambda g: (f32(g, 1, 16, 32), f32(g, 1, 4, 20, 8), f32(g, 1, 4, 20, 8), f32(g, 32, 96, scale=0.2), np.int32(7)))
def attention_with_cache(x: Any, keys: Any, values: Any, w: Any, position: Any) -> Any:
    q, k, v = (part.reshape(1, 4, 8) for part in jnp.split(x[:, 0] @ w, 3, axis=-1))
    keys = lax.dynamic_update_slice(keys, k[:, :, None], (0, 0, position, 0))
    values = lax.dynamic_update_slice(values, v[:, :, None], (0, 0, position, 0))
    scores = jnp.where(jnp.arange(20) <= position, jnp.einsum("bhd,bhtd->bht", q, keys), -1e30)
    return jnp.einsum("bht,bhtd->bhd", jax.nn.softmax(scores), values), keys, values


def rotary(x: Any, base: float = 10000.0) -> Any:
    angle = jnp.arange(x.shape[-2], dtype=jnp.float32)[:, None] * base ** (-jnp.arange(0, x.shape[-1], 2, dtype=jnp.float32) / x.shape[-1])
    a, b = x[..., ::2], x[..., 1::2]
    return jnp.stack([a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1).reshape(x.shape)


function(lambda g: (f32(g, 2, 4, 16, 8),), "rotary_embedding")(rotary)


@function(lambda g: (f32(g, 4, 16, 32, scale=0.2), f32(g, 4, 32, 16, scale=0.2), f32(g, 16, 4), f32(g, 10, 16)))
def mixture_of_experts(up: Any, down: Any, gate: Any, x: Any) -> Any:
    weights, chosen = lax.top_k(jax.nn.softmax(x @ gate), 2)
    h = jnp.einsum("tkh,tkhd->tkd", jax.nn.silu(jnp.einsum("td,tkdh->tkh", x, up[chosen])), down[chosen])
    return jnp.einsum("tk,tkd->td", weights / weights.sum(-1, keepdims=True), h)


def gru_params(g: np.random.Generator, n: int = 5, h: int = 8) -> dict[str, Any]:
    return {"i": f32(g, n, 3 * h, scale=0.4), "h": f32(g, h, 3 * h, scale=0.3), "b": f32(g, 3 * h, scale=0.1)}


def gru(params: Any, h: Any, xs: Any) -> Any:
    def step(h: Any, x: Any) -> Any:
        zi, ri, ni = jnp.split(x @ params["i"] + params["b"], 3, axis=-1)
        zh, rh, nh = jnp.split(h @ params["h"], 3, axis=-1)
        z, r = jax.nn.sigmoid(zi + zh), jax.nn.sigmoid(ri + rh)
        h = (1 - z) * jnp.tanh(ni + r * nh) + z * h
        return h, h

    return lax.scan(step, h, xs)


def lstm(params: Any, state: Any, xs: Any) -> Any:
    def step(state: Any, x: Any) -> Any:
        h, c = state
        i, f, o, n = jnp.split(x @ params["i"] + h @ params["h"], 4, axis=-1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(n)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, state, xs)


for _steps in (10, 100, 1000, 10000):
    function(lambda g, t=_steps: (gru_params(g), f32(g, 1, 8), f32(g, t, 1, 5)), f"gru_{_steps}")(gru)
    function(lambda g, t=_steps: ({"i": f32(g, 5, 32, scale=0.4), "h": f32(g, 8, 32, scale=0.3)}, (f32(g, 1, 8), f32(g, 1, 8)), f32(g, t, 1, 5)), f"lstm_{_steps}")(lstm)


@function(lambda g: (f32(g, 16, 8), f32(g, 8, 8, scale=0.3), f32(g, 8, 4), (f32(g, 16, 16) > 0.5)))
def graph_convolution(x: Any, w1: Any, w2: Any, adjacency: Any) -> Any:
    a = adjacency.astype(jnp.float32) + jnp.eye(16, dtype=jnp.float32)
    a = a / a.sum(1, keepdims=True)
    return a @ jax.nn.relu(a @ x @ w1) @ w2


@function(lambda g: (f32(g, 10, 6), g.integers(0, 10, (24, 2)).astype(np.int32), f32(g, 12, 6, scale=0.3)))
def message_passing(nodes: Any, edges: Any, w: Any) -> Any:
    messages = jnp.tanh(jnp.concatenate([nodes[edges[:, 0]], nodes[edges[:, 1]]], -1) @ w)
    return nodes + jax.ops.segment_sum(messages, edges[:, 1], 10)


# Control and robots.


@function(lambda g: ({"torso": mlp_params(g, 12, 64, 64), "pi": dense(g, 64, 4), "v": dense(g, 64, 1), "log_std": f32(g, 4, scale=0.1)}, f32(g, 1, 12), np.uint32([7, 8])))
def ppo_policy_step(params: Any, observation: Any, key: Any) -> Any:
    h = jnp.tanh(mlp(params["torso"], observation))
    mean, std = apply(params["pi"], h), jnp.exp(params["log_std"])
    noise = jax.random.normal(jax.random.wrap_key_data(key), mean.shape, jnp.float32)
    action = mean + std * noise
    log_probability = jnp.sum(-0.5 * noise**2 - params["log_std"] - 0.5 * jnp.log(2 * jnp.pi), -1)
    return {"action": action, "log_probability": log_probability, "value": apply(params["v"], h)[..., 0]}


def joint(axis: Any, angle: Any) -> Any:
    x, y, z = axis
    k = jnp.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=angle.dtype)
    return jnp.eye(3, dtype=angle.dtype) + jnp.sin(angle) * k + (1 - jnp.cos(angle)) * k @ k


AXES = [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)] * 3 + [(0.0, 0.0, 1.0)]
LINKS = np.array([[0, 0, 0.3], [0.1, 0, 0.2], [0, 0, 0.25], [0.05, 0, 0.2], [0, 0.02, 0.2], [0.08, 0, 0.1], [0, 0, 0.1]])


def chain(q: Any) -> tuple[Any, Any]:
    """The position of each joint's end, and the last orientation."""
    rotation, position, ends = jnp.eye(3, dtype=q.dtype), jnp.zeros(3, q.dtype), []
    for i in range(7):
        rotation = rotation @ joint(AXES[i], q[i])
        position = position + rotation @ jnp.asarray(LINKS[i], q.dtype)
        ends.append(position)
    return jnp.stack(ends), rotation


def energy(q: Any) -> Any:
    return 9.81 * jnp.sum(chain(q)[0][:, 2] * jnp.linspace(3, 0.5, 7, dtype=q.dtype))


def mass_matrix(q: Any) -> Any:
    jacobian = jax.jacfwd(lambda q: chain(q)[0])(q)
    mass = jnp.linspace(3, 0.5, 7, dtype=q.dtype)
    return jnp.einsum("bik,b,bil->kl", jacobian, mass, jacobian) + 0.1 * jnp.eye(7, dtype=q.dtype)


def gauss_solve(a: Any, b: Any) -> Any:
    """By Gauss-Jordan without pivoting, for positive definite matrices."""
    n = a.shape[0]
    m = jnp.concatenate([a, b[:, None]], 1)
    for i in range(n):
        row = m[i] / m[i, i]
        m = jnp.where((jnp.arange(n) == i)[:, None], row, m - m[:, i : i + 1] * row)
    return m[:, n]


def dynamics(q: Any, qd: Any, torque: Any) -> Any:
    gravity = jax.grad(energy)(q)
    return gauss_solve(mass_matrix(q), torque - gravity - 0.2 * qd)


for _batch in (1, 256):
    function(lambda g, b=_batch: (f32(g, b, 7),), f"forward_kinematics_{_batch}")(jax.vmap(chain))
    function(lambda g, b=_batch: (f32(g, b, 7), f32(g, b, 7), f32(g, b, 7)), f"forward_dynamics_{_batch}")(jax.vmap(dynamics))
function(lambda g: (f64(g, 7),), "forward_kinematics_f64", x64=True)(chain)


@function(lambda g: (f32(g, 7), f32(g, 3, scale=0.3)), sensitive=True)
def inverse_kinematics(q: Any, goal: Any) -> Any:
    def step(q: Any, _: Any) -> Any:
        jacobian = jax.jacfwd(lambda q: chain(q)[0][-1])(q)
        error = goal - chain(q)[0][-1]
        return q + jacobian.T @ gauss_solve(jacobian @ jacobian.T + 0.05 * jnp.eye(3, dtype=q.dtype), error), jnp.sum(error**2)

    return lax.scan(step, q, None, length=10)


def spd(g: np.random.Generator, n: int, make: Callable[..., Any]) -> Any:
    a = make(g, n, n)
    return (a @ a.T / n + np.eye(n)).astype(a.dtype)


def kalman(mean: Any, covariance: Any, f: Any, h: Any, q: Any, r: Any, z: Any) -> Any:
    mean, covariance = f @ mean, f @ covariance @ f.T + q
    s = h @ covariance @ h.T + r
    inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / (s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0])
    gain = covariance @ h.T @ inverse
    return mean + gain @ (z - h @ mean), (jnp.eye(len(mean), dtype=mean.dtype) - gain @ h) @ covariance


def kalman_args(g: np.random.Generator, make: Callable[..., Any]) -> tuple[Any, ...]:
    return make(g, 4), spd(g, 4, make), make(g, 4, 4, scale=0.4), make(g, 2, 4), spd(g, 4, make), spd(g, 2, make)


function(lambda g: (*kalman_args(g, f32), f32(g, 2)), "kalman_step")(kalman)
function(lambda g: (*kalman_args(g, f64), f64(g, 2)), "kalman_step_f64", x64=True)(kalman)


@function(lambda g: (*kalman_args(g, f64), f64(g, 50, 2)), x64=True)
def kalman_filter(mean: Any, covariance: Any, f: Any, h: Any, q: Any, r: Any, zs: Any) -> Any:
    return lax.scan(lambda s, z: (kalman(*s, f, h, q, r, z),) * 2, (mean, covariance), zs)


@function(lambda g: (f32(g, 4), f32(g, 10, 2, scale=0.1), f32(g, 4, 4, scale=0.4), f32(g, 4, 2)), sensitive=True)
def model_predictive_control(x: Any, controls: Any, a: Any, b: Any) -> Any:
    def cost(controls: Any) -> Any:
        def step(state: Any, u: Any) -> Any:
            state = jnp.tanh(a @ state + b @ u)
            return state, jnp.sum(state**2) + 0.1 * jnp.sum(u**2)

        return jnp.sum(lax.scan(step, x, controls)[1])

    def improve(_: Any, controls: Any) -> Any:
        return jnp.clip(controls - 0.1 * jax.grad(cost)(controls), -1, 1)

    return lax.fori_loop(0, 20, improve, controls)


@function(lambda g: (f64(g, 4, 4, scale=0.4), f64(g, 4, 2), np.eye(4), np.eye(2)), x64=True)
def linear_quadratic_regulator(a: Any, b: Any, q: Any, r: Any) -> Any:
    def step(p: Any, _: Any) -> Any:
        s = r + b.T @ p @ b
        inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / (s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0])
        gain = inverse @ b.T @ p @ a
        return q + a.T @ p @ (a - b @ gain), gain

    return lax.scan(step, q, None, length=30)


@function(lambda g: (f32(g, 64, 4, scale=0.1), f32(g, 64)))
def cart_pole_rollouts(states: Any, forces: Any) -> Any:
    def step(s: Any, _: Any) -> Any:
        x, v, angle, w = s.T
        sin, cos = jnp.sin(angle), jnp.cos(angle)
        temporary = (forces + 0.05 * w**2 * sin) / 1.1
        alpha = (9.8 * sin - cos * temporary) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        acceleration = temporary - 0.05 * alpha * cos / 1.1
        s = s + 0.02 * jnp.stack([v, acceleration, w, alpha], -1)
        return s, jnp.abs(s[:, 2]) < 0.2

    return lax.scan(step, states, None, length=25)


@function(lambda g: (np.float32(0.3), np.float32(0.0), np.float32(0.0), np.float32(1.0)))
def pid_controller(measured: Any, integral: Any, last: Any, goal: Any) -> Any:
    error = goal - measured
    integral = jnp.clip(integral + 0.01 * error, -5, 5)
    return jnp.clip(2.0 * error + 0.5 * integral + 0.1 * (error - last) / 0.01, -10, 10), integral, error


# Numerical methods.


def lorenz(y: Any) -> Any:
    a, b, c = y
    return jnp.stack([10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c])


def runge_kutta(f: Callable[..., Any], y: Any, h: Any) -> Any:
    k1 = f(y)
    k2 = f(y + h / 2 * k1)
    k3 = f(y + h / 2 * k2)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + h * k3))


@function(lambda g: (f64(g, 3),), x64=True)
def ode_adaptive(y: Any) -> Any:
    """Steps of Runge and Kutta, halved or doubled by the error."""

    def step(state: Any) -> Any:
        t, h, y, count = state
        whole, half = runge_kutta(lorenz, y, h), runge_kutta(lorenz, runge_kutta(lorenz, y, h / 2), h / 2)
        error = jnp.max(jnp.abs(whole - half))
        is_good = error < 1e-6
        h_next = jnp.where(is_good, jnp.where(error < 1e-8, 2 * h, h), h / 2)
        return jnp.where(is_good, t + h, t), jnp.minimum(h_next, 0.2 - jnp.where(is_good, t + h, t) + 1e-12), jnp.where(is_good, half, y), count + 1

    # The last step is what is left of 0.2: no digit of it is the same after other roundings.
    t, _, y, count = lax.while_loop(lambda s: (s[0] < 0.2) & (s[3] < 1000), step, (jnp.float64(0), jnp.float64(0.05), y, 0))
    return t, y, count


@function(lambda g: (f32(g, 3),))
def ode_fixed(y: Any) -> Any:
    return lax.scan(lambda y, _: (runge_kutta(lorenz, y, jnp.float32(0.005)),) * 2, y, None, length=40)[1]


@function(lambda g: (np.abs(f64(g, 8)) + 0.5,), x64=True)
def newton_until_converged(a: Any) -> Any:
    def step(s: Any) -> Any:
        x = s[0] - (s[0] ** 3 - a) / (3 * s[0] ** 2)
        return x, jnp.max(jnp.abs(x - s[0])), s[2] + 1

    return lax.while_loop(lambda s: (s[1] > 1e-14) & (s[2] < 100), step, (jnp.ones_like(a), jnp.float64(1), 0))


@function(lambda g: (spd(g, 12, f32), f32(g, 12)))
def conjugate_gradients(a: Any, b: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        x, r, p, rr = s
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        new = r @ r
        return x, r, r + new / rr * p, new

    return lax.fori_loop(0, 8, step, (jnp.zeros_like(b), b, b, b @ b))[0]


@function(lambda g: (f32(g, 32, 32),))
def heat_equation(u: Any) -> Any:
    def step(_: Any, u: Any) -> Any:
        padded = jnp.pad(u, 1, mode="edge")
        return u + 0.2 * (padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2] - 4 * u)

    return lax.fori_loop(0, 30, step, u)


@function(lambda g: (spd(g, 6, f64), f64(g, 6)), x64=True)
def power_iteration(a: Any, v: Any) -> Any:
    def step(s: Any) -> Any:
        w = a @ s[0]
        w = w / jnp.sqrt(w @ w)
        return w, jnp.max(jnp.abs(w - s[0])), s[2] + 1

    v, _, count = lax.while_loop(lambda s: (s[1] > 1e-12) & (s[2] < 500), step, (v / jnp.sqrt(v @ v), jnp.float64(1), 0))
    return v @ a @ v, jnp.abs(v), count


@function(lambda g: (g.random((16, 16)) > 0.6,), bits=True)
def game_of_life(board: Any) -> Any:
    def step(_: Any, b: Any) -> Any:
        count = sum(jnp.roll(b.astype(jnp.int32), (i, k), (0, 1)) for i in (-1, 0, 1) for k in (-1, 0, 1) if (i, k) != (0, 0))
        return (count == 3) | (b & (count == 2))

    return lax.fori_loop(0, 10, step, board)


@function(lambda g: (g.integers(0, 26, 12).astype(np.int32), g.integers(0, 26, 15).astype(np.int32)), bits=True)
def edit_distance(a: Any, b: Any) -> Any:
    def row(previous: Any, x: Any) -> Any:
        def cell(left: Any, given: Any) -> Any:
            up, diagonal, y = given
            found = jnp.minimum(jnp.minimum(left, up) + 1, diagonal + (x != y))
            return found, found

        first = previous[0] + 1
        return jnp.concatenate([first[None], lax.scan(cell, first, (previous[1:], previous[:-1], b))[1]]), None

    return lax.scan(row, jnp.arange(16, dtype=jnp.int32), a)[0][-1]


@function(lambda g: (f32(g, 5, 5), f32(g, 5), f32(g, 20, 5)))
def viterbi(transition: Any, start: Any, scores: Any) -> Any:
    def forward(best: Any, score: Any) -> Any:
        candidates = best[:, None] + transition
        return jnp.max(candidates, 0) + score, jnp.argmax(candidates, 0)

    best, back = lax.scan(forward, start + scores[0], scores[1:])
    last = jnp.argmax(best)
    return jnp.max(best), lax.scan(lambda s, b: (b[s], s), last, back, reverse=True)


# Signals.


@function(lambda g: (f32(g, 256), f32(g, 129)))
def fft_filter(x: Any, response: Any) -> Any:
    return jnp.fft.irfft(jnp.fft.rfft(x) * jax.nn.sigmoid(response), 256)


@function(lambda g: (f64(g, 128),), x64=True)
def fft_power_spectrum(x: Any) -> Any:
    spectrum = jnp.fft.rfft(x * jnp.hanning(128))
    return spectrum.real**2 + spectrum.imag**2


@function(lambda g: (f32(g, 400), f32(g, 16, 33)))
def mel_spectrogram(x: Any, mel: Any) -> Any:
    frames = x[jnp.arange(0, 400 - 64, 32)[:, None] + jnp.arange(64)]
    spectrum = jnp.fft.rfft(frames * jnp.hanning(64).astype(x.dtype))
    return jnp.log(jnp.abs(spectrum) ** 2 @ jnp.abs(mel).T + 1e-6)


@function(lambda g: (f32(g, 200), np.array([0.2, 0.3, 0.2], np.float32), np.array([-0.4, 0.2], np.float32)))
def iir_filter(x: Any, b: Any, a: Any) -> Any:
    def step(s: Any, x: Any) -> Any:
        y = b[0] * x + s[0]
        return jnp.stack([b[1] * x - a[0] * y + s[1], b[2] * x - a[1] * y]), y

    return lax.scan(step, jnp.zeros(2, x.dtype), x)[1]


# Random numbers.


@function(lambda g: (np.uint32([3, 4]),), bits=True)
def threefry_bits(key: Any) -> Any:
    key = jax.random.wrap_key_data(key)
    return jax.random.bits(key, (1000,), jnp.uint32), jax.random.key_data(jax.random.split(key, 5)), jax.random.uniform(key, (500,), jnp.float32)


@function(lambda g: (np.uint32([5, 6]),))
def monte_carlo_pi(key: Any) -> Any:
    points = jax.random.uniform(jax.random.wrap_key_data(key), (4096, 2), jnp.float32)
    return 4 * jnp.mean((jnp.sum(points**2, -1) < 1).astype(jnp.float32))


@function(lambda g: (np.uint32([9, 1]), np.float32(100), np.float32(0.2)))
def monte_carlo_option(key: Any, price: Any, volatility: Any) -> Any:
    noise = jax.random.normal(jax.random.wrap_key_data(key), (512, 16), jnp.float32)
    path = price * jnp.exp(jnp.cumsum(volatility * 0.25 * noise - 0.5 * (volatility * 0.25) ** 2, axis=1))
    return jnp.mean(jnp.maximum(path.mean(1) - 95, 0)), path[:4]


@function(lambda g: (np.uint32([2, 3]), f32(g, 2)))
def metropolis(key: Any, x: Any) -> Any:
    def density(x: Any) -> Any:
        return -jnp.sum((x**2 - 1) ** 2)

    def step(x: Any, key: Any) -> Any:
        a, b = jax.random.split(key)
        proposal = x + 0.5 * jax.random.normal(a, x.shape, x.dtype)
        accept = jnp.log(jax.random.uniform(b, (), jnp.float32)) < density(proposal) - density(x)
        x = jnp.where(accept, proposal, x)
        return x, x

    return lax.scan(step, x, jax.random.split(jax.random.wrap_key_data(key), 40))


@function(lambda g: (np.uint32([8, 8]), f32(g, 8, 16)))
def dropout_network(key: Any, x: Any) -> Any:
    keep = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.8, x.shape)
    return jnp.where(keep, x / 0.8, 0)


# Search and particles.


@function(lambda g: (f32(g, 20, 20), f32(g, 20)))
def beam_search(transition: Any, start: Any) -> Any:
    scores, tokens = lax.top_k(jax.nn.log_softmax(start), 4)
    sequences = jnp.zeros((4, 10), jnp.int32).at[:, 0].set(tokens)

    def step(i: Any, state: Any) -> Any:
        scores, sequences = state
        following = jax.nn.log_softmax(transition[sequences[:, i - 1]])
        scores, flat = lax.top_k((scores[:, None] + following).reshape(-1), 4)
        sequences = sequences[flat // 20]
        return scores, sequences.at[:, i].set(flat % 20)

    return lax.fori_loop(1, 10, step, (scores, sequences))


@function(lambda g: (f32(g, 20, 20), np.int32(3)))
def greedy_decoding_until_end(transition: Any, token: Any) -> Any:
    def step(state: Any) -> Any:
        i, token, out = state
        token = jnp.argmax(transition[token]).astype(jnp.int32)
        return i + 1, token, out.at[i].set(token)

    return lax.while_loop(lambda s: (s[0] < 16) & (s[1] != 0), step, (jnp.int32(0), token, jnp.zeros(16, jnp.int32)))


@function(lambda g: (g.random((50, 2)).astype(np.float32), f32(g, 50, 2, scale=0.05)))
def particles_on_grid(position: Any, velocity: Any) -> Any:
    """Mass is added to cells, and forces are read from them."""

    def step(state: Any, _: Any) -> Any:
        p, v = state
        cell = jnp.clip((p * 8).astype(jnp.int32), 0, 7)
        density = jnp.zeros((8, 8), jnp.float32).at[cell[:, 0], cell[:, 1]].add(1.0)
        gx, gy = jnp.roll(density, -1, 0) - jnp.roll(density, 1, 0), jnp.roll(density, -1, 1) - jnp.roll(density, 1, 1)
        v = 0.99 * v - 1e-4 * jnp.stack([gx[cell[:, 0], cell[:, 1]], gy[cell[:, 0], cell[:, 1]]], -1)
        return (jnp.clip(p + 0.05 * v, 0, 1), v), jnp.sum(density**2)

    return lax.scan(step, (position, velocity), None, length=10)


@function(lambda g: (f32(g, 12, 3), f32(g, 12, 3, scale=0.1), np.abs(f32(g, 12)) + 0.5))
def n_body(position: Any, velocity: Any, mass: Any) -> Any:
    def acceleration(p: Any) -> Any:
        d = p[None] - p[:, None]
        return jnp.sum(mass[None, :, None] * d * (jnp.sum(d**2, -1, keepdims=True) + 0.05) ** -1.5, axis=1)

    def step(_: Any, s: Any) -> Any:
        p, v = s
        v = v + 0.005 * acceleration(p)
        return p + 0.01 * v, v + 0.005 * acceleration(p + 0.01 * v)

    return lax.fori_loop(0, 10, step, (position, velocity))


@function(lambda g: (f32(g, 60, 3), f32(g, 4, 3)))
def k_means(points: Any, centres: Any) -> Any:
    def step(_: Any, c: Any) -> Any:
        nearest = jnp.argmin(jnp.sum((points[:, None] - c) ** 2, -1), 1)
        mask = jax.nn.one_hot(nearest, 4, dtype=jnp.float32)
        return (mask.T @ points) / jnp.maximum(mask.sum(0), 1)[:, None]

    return lax.fori_loop(0, 5, step, centres)


# Gradients, and training steps.


def squared(body: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of squares of a function's results of floats."""

    def loss(*args: Any) -> Any:
        return sum(jnp.sum(jnp.square(r)) for r in jax.tree.leaves(body(*args)) if jnp.issubdtype(r.dtype, jnp.floating))

    return loss


for _name, _argnums in (
    ("mlp", 0), ("mlp_gelu_layer_norm", (0, 1)), ("cnn", 0), ("transformer_scanned", 0), ("gru_10", (0, 1)), ("lstm_100", 0),
    ("graph_convolution", (1, 2)), ("kalman_step", 0), ("ode_fixed", 0), ("n_body", (0, 1)), ("iir_filter", (1, 2)), ("fft_filter", (0, 1)),
):  # fmt: skip
    _of = FUNCTIONS[_name]
    FUNCTIONS[f"gradient_of_{_name}"] = Function(f"gradient_of_{_name}", jax.grad(squared(_of.function), _argnums), _of.args)


@function(lambda g: (mlp_params(g, 8, 32, 4), mlp_params(g, 8, 32, 4), f32(g, 16, 8), g.integers(0, 4, 16).astype(np.int32)))
def training_step_with_momentum(params: Any, momentum: Any, x: Any, labels: Any) -> Any:
    def loss(params: Any) -> Any:
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(mlp(params, x)), labels[:, None], 1))

    value, gradient = jax.value_and_grad(loss)(params)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
    return value, jax.tree.map(lambda p, m: p - 0.1 * m, params, momentum), momentum


@function(lambda g: (f32(g, 6), f32(g, 20, 6), f32(g, 20)))
def gauss_newton_fit(beta: Any, x: Any, y: Any) -> Any:
    def residual(beta: Any) -> Any:
        return jnp.tanh(x @ beta) - y

    def step(_: Any, beta: Any) -> Any:
        jacobian = jax.jacfwd(residual)(beta)
        return beta - 0.5 * gauss_solve(jacobian.T @ jacobian + 0.5 * jnp.eye(6, dtype=beta.dtype), jacobian.T @ residual(beta))

    return lax.fori_loop(0, 4, step, beta)


@function(lambda g: (spd(g, 5, f64), f64(g, 5)), x64=True)
def gaussian_log_likelihood(covariance: Any, x: Any) -> Any:
    factor = jnp.linalg.cholesky(covariance)
    z = jax.scipy.linalg.solve_triangular(factor, x, lower=True)
    return -0.5 * z @ z - jnp.sum(jnp.log(jnp.diag(factor))) - 2.5 * jnp.log(2 * jnp.pi)
