# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.compile() of functions of JAX: arguments, names, results, and what is refused. The functions are simple: test_jax_cases.py
and test_jax_functions.py are about what they compute."""
import needs  # noqa: F401, I001: skips the file

import functools
import subprocess
import sys
import threading
from typing import NamedTuple

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import ttc
import ttrt
from jax import export


class State(NamedTuple):
    position: jax.Array
    velocity: jax.Array


PARAMS = {"scale": np.array([1.0, 2, 3], np.float32), "layers": [np.float32(0.5), {"bias": np.array([1.0, 1, 1], np.float32)}]}
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def affine(params, x, *, factor=2.0):
    y = x * params["scale"] * params["layers"][0] + params["layers"][1]["bias"]
    return {"y": y * factor, "parts": (y, [-y])}


def same(found, expected):
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
        assert isinstance(ours, jax.Array) and ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_trees():
    bundle = ttc.compile(affine, (PARAMS, X))
    assert isinstance(bundle, ttc.Function) and isinstance(bundle, ttrt.Bundle)
    assert list(bundle.inputs) == ["params_layers_0", "params_layers_1_bias", "params_scale", "x"]
    assert list(bundle.outputs) == ["parts_0", "parts_1_0", "y"]
    same(bundle(PARAMS, X), jax.jit(affine)(PARAMS, X))
    same(bundle(x=X, params=PARAMS), jax.jit(affine)(PARAMS, X))
    ports = {"x": X, "params_scale": PARAMS["scale"], "params_layers_0": PARAMS["layers"][0], "params_layers_1_bias": jnp.ones(3)}
    np.testing.assert_array_equal(bundle.run(**ports)["y"], affine(PARAMS, X)["y"])


def test_names_of_results():
    def names(body):
        return list(ttc.compile(body, (X,)).outputs)

    assert names(lambda x: x + 1) == ["output"]
    assert names(lambda x: (x + 1, [x + 2, x + 3])) == ["output_0", "output_1_0", "output_1_1"]
    assert names(lambda x: State(x + 1, x + 2)) == ["position", "velocity"]
    assert names(lambda x: {"a": {"b": x + 1}, "a_b": x + 2}) == ["a_b", "a_b_2"]


def test_names_of_arguments():
    def body(x, /, y, *rest, flag, **others):
        return x + y + sum(rest) + flag + sum(others.values())

    function = functools.partial(body, flag=np.float32(3))
    bundle = ttc.compile(function, (X, X, X, X))
    assert list(bundle.inputs) == ["x", "y", "rest_0", "rest_1"]
    same(bundle(X, X, X, X), function(jnp.asarray(X), X, X, X))

    def named(x, *, b, **others):
        return x + b * others["a"]

    bundle = ttc.compile(named, {"x": X, "b": X + 1, "a": X})
    assert list(bundle.inputs) == ["x", "a", "b"]
    same(bundle(X, a=X, b=X + 1), jnp.asarray(X) + (X + 1) * X)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, lambda f: functools.partial(f, factor=3.0), lambda f: functools.wraps(f)(lambda *a, **k: f(*a, **k))])
def test_what_is_callable(wrap):
    function = wrap(affine)
    same(ttc.compile(function, (PARAMS, X))(PARAMS, X), jax.jit(function)(PARAMS, X))


def test_methods_and_objects():
    class Model:
        def __init__(self):
            self.w = jnp.asarray([1.0, 2, 3])

        def apply(self, x):
            return x * self.w

        def __call__(self, x):
            return self.apply(x) + 1

    model = Model()
    same(ttc.compile(model.apply, (X,))(X), model.apply(X))
    same(ttc.compile(model, (X,))(X), model(X))


def test_constants():
    bundle = ttc.compile(affine, (PARAMS, X), constants="params")
    assert list(bundle.inputs) == ["x"]
    same(bundle(X), jax.jit(affine)(PARAMS, X))
    same(bundle(x=X), jax.jit(affine)(PARAMS, X))
    by_position = ttc.compile(affine, (PARAMS, X), constants=[0])
    same(by_position(X), bundle(X))

    def powers(x, n, kind="none"):
        return [x**i for i in range(n)] if kind == "list" else x

    same(ttc.compile(powers, (X, 3, "list"), constants=["n", -1])(X), [jnp.asarray(X) ** i for i in range(3)])
    same(ttc.compile(powers, {"n": 2, "x": X, "kind": "list"}, constants=("kind", "n"))(X), [jnp.asarray(X) ** i for i in range(2)])


def test_shapes_as_examples():
    shaped = jax.tree.map(lambda a: jax.ShapeDtypeStruct(np.shape(a), np.result_type(a)), PARAMS)
    same(ttc.compile(affine, (shaped, jax.ShapeDtypeStruct((2, 3), jnp.float32)))(PARAMS, X), jax.jit(affine)(PARAMS, X))
    same(ttc.compile(jnp.negative, X)(X), -jnp.asarray(X))
    same(ttc.compile(lambda x: -x, {"x": X})(X), -jnp.asarray(X))


def test_exported():
    exported = export.export(jax.jit(affine))(PARAMS, X)
    for one in (exported, export.deserialize(exported.serialize())):
        bundle = ttc.compile(one)
        assert list(bundle.inputs) == ["params_layers_0", "params_layers_1_bias", "params_scale", "x"]
        same(bundle(PARAMS, X), jax.jit(affine)(PARAMS, X))


def test_exported_for_another_platform():
    exported = export.export(jax.jit(lambda x: x + 1), platforms=["tpu"])(X)
    with pytest.raises(ttc.CompileError, match=r'was exported for tpu: export it for the CPU, jax.export.export\(jax.jit\(f\), platforms=\["cpu"\]'):
        ttc.compile(exported)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float64", "int64", "uint64"])
def test_types(dtype):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    values = np.array([[0, 1, 1], [1, 0, 1]]).astype(kind)
    with jax.enable_x64(kind.itemsize == 8):
        bundle = ttc.compile(lambda x: (x[::-1], x), (values,))
        for given in (values, jnp.asarray(values), np.asfortranarray(values)):
            found = bundle(given)
            same(found, (jnp.asarray(values[::-1]), jnp.asarray(values)))
        assert found[0].dtype == kind


def test_what_jax_converts():
    """Types that JAX takes for others, numbers, arrays with strides, and keys of random numbers."""
    bundle = ttc.compile(lambda x, n: x * n, (X, 2.0))
    same(bundle(X.astype(np.float64), 3), jnp.asarray(X) * 3)
    same(bundle(X.T.copy().T, np.float32(3)), jnp.asarray(X) * 3)
    same(bundle(jnp.asarray(X), jnp.float32(3)), jnp.asarray(X) * 3)
    key = jax.random.key(3)
    moved = ttc.compile(lambda key, x: (x, key), (key, X))(key, X)[1]
    assert jax.random.key_impl(moved) == jax.random.key_impl(key)
    np.testing.assert_array_equal(jax.random.key_data(moved), jax.random.key_data(key))


def test_results_are_new():
    bundle = ttc.compile(lambda x: x + 1, (X,))
    first = bundle(X)
    second = bundle(X + 1)
    np.testing.assert_array_equal(first, X + 1)
    np.testing.assert_array_equal(second, X + 2)
    same(bundle(bundle(X)), jnp.asarray(X) + 2)


@pytest.mark.parametrize("dtype, weak", [("float32", False), ("float32", True), ("float64", False), ("int64", True), ("bfloat16", False),
                                         ("bool", False)])
def test_results_are_made_quickly(dtype, weak):
    """Otherwise, each call takes longer, and results of a weak type are of a strong one, but nothing says so."""
    from ttc._jax import calls, trace

    leaf, device = trace.Leaf("y", (2, 3), np.dtype(dtype), weak=weak), jax.local_devices(backend="cpu")[0]
    with jax.enable_x64(True):
        template = jax.device_put(np.zeros(leaf.shape, leaf.dtype), device)
    quick = calls._quick_result(leaf, template, device)
    assert quick is not None
    array = np.ones(leaf.shape, leaf.dtype)
    assert quick(array).aval.weak_type == weak and quick(array).dtype == leaf.dtype
    np.testing.assert_array_equal(quick(array), array)
    assert calls._quick_result(leaf, None, device) is None
    results = calls.Results([leaf])
    assert results.apart == []
    arrays, memory = results.restock()
    assert arrays[0].aval.weak_type == weak and arrays[0].dtype == leaf.dtype and not arrays[0].committed
    assert memory == [arrays[0].unsafe_buffer_pointer()]


@pytest.mark.parametrize("shape", [(5000,), (3, 40000), (1, 300000)])
def test_large_results_are_not_copied(shape):
    from ttc._jax import calls, trace

    [(_, allocate, make)] = calls.Results([trace.Leaf("y", shape, np.dtype(np.float32))]).apart
    for _ in range(5):
        memory = allocate()
        memory.fill(1.5)
        array = make(memory)
        assert array.unsafe_buffer_pointer() == memory.ctypes.data and array.shape == shape
        del memory
        assert (array == 1.5).all()


def test_results_of_many_calls():
    """Small ones come from a stock, large and empty ones do not: each has memory of its own, also if an earlier one is donated."""

    def f(key, x, n):
        return {"a": x + n, "key": key, "large": jnp.full((100, 100), n), "none": x[:0], "z": n * 2}

    key, bundle = jax.random.key(5), ttc.compile(f, (jax.random.key(0), X, 1.0))
    assert [i for i, *_ in bundle._calls._results.apart] == [2, 3]
    donate = jax.jit(lambda x: x * 0, donate_argnums=0)
    found, donated = {}, []

    def call(numbers):
        for i in numbers:
            found[i] = bundle(key, X, float(i))

    threads = [threading.Thread(target=call, args=(range(first, 100, 4),)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(100, 150):
        donated.append(donate(bundle(key, X, float(i))["a"]))
    call(range(150, 200))
    assert len(found) == 150 and all(not array.any() for array in donated)
    for i, results in found.items():
        same({k: v for k, v in results.items() if k != "key"}, {k: v for k, v in jax.jit(f)(key, X, float(i)).items() if k != "key"})
        assert results["z"].weak_type and results["key"] == key
    arrays = [array for results in found.values() for k, array in results.items() if k not in ("key", "none")]
    assert len({array.unsafe_buffer_pointer() for array in arrays + donated}) == len(arrays + donated)


def test_unused_and_donated_arguments():
    donating = jax.jit(lambda x, unused: x + 1, donate_argnums=0)
    bundle = ttc.compile(donating, (X, np.int32(1)))
    assert list(bundle.inputs) == ["x", "unused"]
    x = jnp.asarray(X)
    same(bundle(x, np.int32(2)), x + 1)
    assert not x.is_deleted()


def test_wrong_arguments():
    bundle = ttc.compile(affine, (PARAMS, X))
    for call, kind, text in (
        (lambda: bundle(PARAMS, X.T), ValueError, r"input 'x': expected float32\[2, 3\], found float32\[3, 2\]"),
        (lambda: bundle(PARAMS, X.astype(np.int32)), TypeError, r"input 'x': expected float32\[2, 3\], found int32\[2, 3\]"),
        (lambda: bundle(PARAMS), TypeError, "'affine': missing a required argument: 'x'"),
        (lambda: bundle([1, 2], X), TypeError, "'affine': expected arguments of the structure"),
        (lambda: bundle(PARAMS, X, 3), TypeError, "'affine': too many positional arguments"),
        (lambda: jax.jit(lambda x: bundle(PARAMS, x))(X), TypeError, "input 'x': expected an array, found a tracer"),
        (lambda: ttc.compile(affine, (PARAMS, "x")), TypeError, "'x': expected an array, jax.ShapeDtypeStruct or a number, found str"),
        (lambda: ttc.compile(affine, (PARAMS,)), TypeError, "'affine': missing a required argument: 'x'"),
        (lambda: ttc.compile(affine, (PARAMS, X), constants="w"), ValueError, r"constants: expected positions or names of parameters \('params', 'x', 'factor'\), found 'w'"),
        (lambda: ttc.compile(affine, (PARAMS, X), constants=7), ValueError, "constants: expected positions or names"),
        (lambda: ttc.compile(affine, (PARAMS, X), dims={"x.0": 4}), ValueError, "dims: a function of JAX has the sizes of its examples"),
        (lambda: ttc.compile([affine, affine], [(PARAMS, X)] * 2, entries=["a", "b"]), ValueError, "expected one function of JAX"),
        (lambda: ttc.compile("model.onnx", constants="x"), ValueError, "constants: expected none, as the model is no function of JAX"),
    ):  # fmt: skip
        with pytest.raises(kind, match=text):
            call()


def test_what_a_bundle_cannot_do():
    def prints(x):
        jax.debug.print("{}", x)
        return x

    def calls(x):
        return jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    def in_a_loop(x):
        return jax.lax.fori_loop(0, 3, lambda i, c: calls(c), x)

    (size,) = export.symbolic_shape("b")
    for function, given, text in (
        (prints, X, r"'prints' prints or calls back for debugging \(debug_print\), which a bundle cannot: remove jax.debug.print"),
        (calls, X, r"'calls' calls Python \(pure_callback\), which a bundle cannot: compute it in JAX, or outside"),
        (in_a_loop, X, r"'in_a_loop' calls Python \(pure_callback\)"),
        (lambda x: None, X, "returns no arrays"),
        (lambda x: x * 1j, X, "'output': expected one of float32, .*, found complex64: pass and return .real and .imag"),
        (lambda x: x, jax.ShapeDtypeStruct((size, 3), jnp.float32), r"'x' has the shape \(b, 3\): a function of JAX is compiled for sizes that are known"),
    ):  # fmt: skip
        with pytest.raises(ttc.CompileError, match=text):
            ttc.compile(function, (given,))


def test_messages_name_the_line():
    def foreign(x):
        return jax.ffi.ffi_call("acme_target", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

    with pytest.raises(ttc.CompileError) as error:
        ttc.compile(foreign, (X,))
    lines = str(error.value).splitlines()
    assert lines[0].startswith(f"{__file__}:") and 'return jax.ffi.ffi_call("acme_target"' in lines[1]
    assert not [line for line in lines if "ttc/_jax" in line or "ttc/_compile" in line]


def test_names_of_entry_points_and_files(tmp_path):
    path = tmp_path / "policy.ttcb"
    assert list(ttc.compile(affine, (PARAMS, X), entries="policy", output=path).entries) == ["policy"]
    with ttrt.load(path) as bundle:
        assert list(bundle.entries) == ["policy"] and list(bundle.inputs)[-1] == "x"
    assert ttc.build(affine, path, (PARAMS, X), constants="params") == path
    with ttrt.load(path) as bundle:
        np.testing.assert_array_equal(bundle.run(x=jnp.asarray(X))["y"], affine(PARAMS, X)["y"])


def test_jax_is_imported_only_for_functions(tmp_path):
    program = "import sys, ttc\ntry: ttc.compile('none.onnx')\nexcept FileNotFoundError: pass\nprint('jax' in sys.modules, ttc.jit.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False jit\n", done.stderr


def test_without_jax(tmp_path):
    (tmp_path / "jax.py").write_text("raise ImportError('not here')")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport ttc\n" + "for f in (lambda: ttc.compile(abs, (1,)), lambda: ttc.jit(abs)):\n  try: f()\n  except ImportError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == (
        "a function is compiled with jax, which cannot be imported (not here): pip install jax\n"
        "ttc.jit needs jax, which cannot be imported (not here): pip install jax\n"
    ), done.stderr
