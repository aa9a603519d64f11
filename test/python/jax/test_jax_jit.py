# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttc.jit: signatures, static and fixed arguments, the cache on disk, threads and processes."""
import needs  # noqa: F401, I001: skips the file

import multiprocessing
import os
import subprocess
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import ttc

X = np.arange(6, dtype=np.float32).reshape(2, 3)

PROGRAM = """
import jax.numpy as jnp, numpy as np, ttc
w = np.arange(3, dtype=np.float32) * {factor}
f = ttc.jit(lambda x: x * w, cores=1)
x = np.ones((2, 3), np.float32)
assert np.array_equal(f(x), x * w)
print(f.info.compiled, f.info.cached)
"""


def start(factor=1):
    return subprocess.Popen([sys.executable, "-c", PROGRAM.format(factor=factor)], stdout=subprocess.PIPE, text=True)


def finish(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return out.split()


def test_signatures():
    traced = []

    @ttc.jit(cores=1)
    def f(x, y=1.0):
        """Adds."""
        traced.append(None)
        return {"sum": x + y}

    assert f.__name__ == "f" and f.__doc__ == "Adds."
    for _ in range(3):
        np.testing.assert_array_equal(f(X)["sum"], X + 1)
    assert (f.info.compiled, len(traced)) == (1, 1)
    for args in ((X, X), (X[:1], 2.0), (X.astype(np.int32),), (jnp.asarray(X), jnp.asarray(X)), (X, np.float32(2)), (X, 2)):
        found, expected = f(*args), jax.jit(f.__wrapped__)(*args)
        assert found["sum"].dtype == expected["sum"].dtype and isinstance(found["sum"], jax.Array)
        np.testing.assert_array_equal(found["sum"], expected["sum"])
    assert f.info.compiled + f.info.cached == len(f.bundles)
    before = len(f.bundles)
    for args in ((X, X), (X[:1], 3.5), (jnp.asarray(X),)):
        f(*args)
    assert len(f.bundles) == before
    np.testing.assert_array_equal(f(X, y=X)["sum"], X + X)


def test_numbers_are_arguments():
    f = ttc.jit(lambda x, n: x * n, cores=1)
    for n in (1.0, 2.5, -3.0):
        np.testing.assert_array_equal(f(X, n), X * np.float32(n))
    assert f.info.compiled == 1
    assert f(X, True).dtype == jnp.float32 and len(f.bundles) == 2


def test_state_that_is_returned_fits_the_next_call():
    f = ttc.jit(lambda s, x: (s * 0.5 + x, -s), cores=1)
    state = jnp.zeros((2, 3))
    expected = np.zeros((2, 3), np.float32)
    for _ in range(20):
        state, _ = f(state, X)
        expected = expected * np.float32(0.5) + X
    np.testing.assert_array_equal(state, expected)
    assert len(f.bundles) == 1


@pytest.mark.parametrize("options", [{"static_argnums": 1}, {"static_argnames": "n"}, {"constants": ["n"]}])
def test_static_arguments(options):
    f = ttc.jit(lambda x, n: [x + i for i in range(n)], cores=1, **options)
    assert len(f(X, 3)) == 3 and len(f(X, n=1)) == 1 and len(f(X, 3)) == 3
    assert len(f.bundles) == 2
    with pytest.raises(TypeError, match=r"'n': expected a value that can be hashed, found set"):
        f(X, {1})


def test_constants():
    w, v = jnp.asarray(X), jnp.asarray(X + 1)
    f = ttc.jit(lambda params, x: params["w"] * x, constants="params", cores=1)
    for params in ({"w": w}, {"w": v}, {"w": w}):
        np.testing.assert_array_equal(f(params, X), np.asarray(params["w"]) * X)
    assert len(f.bundles) == 2 and list(f.bundles[0].inputs) == ["x"]
    with pytest.raises(TypeError, match=r"'params': expected an array of JAX, found numpy.ndarray, which may change: jax.numpy.asarray\(\) makes one"):
        f({"w": X}, X)


def test_methods():
    class Model:
        def __init__(self, n):
            self.n = n

        @ttc.jit(static_argnums=0, cores=1)
        def double(self, x):
            return x * self.n

    first, second = Model(2), Model(3)
    np.testing.assert_array_equal(first.double(X), X * 2)
    np.testing.assert_array_equal(second.double(X), X * 3)


def test_settings_of_jax_are_part_of_a_signature():
    f = ttc.jit(lambda x: x + jnp.arange(3), cores=1)
    assert f(np.arange(3)).dtype == np.int32
    with jax.enable_x64(True):
        assert f(np.arange(3)).dtype == np.int64
    assert f(np.arange(3)).dtype == np.int32 and len(f.bundles) == 2


def test_within_transformations():
    f = ttc.jit(lambda x: x * x, cores=1)
    x = jnp.float32(3)
    f(x)
    for transform, given in ((jax.jit, x), (jax.grad, x), (jax.vmap, x[None]), (jax.make_jaxpr, x)):
        with pytest.raises(TypeError, match=r"is called with a tracer, as jax.jit, jax.grad or jax.vmap pass it.* ttc.jit\(jax.grad\(f\)\)"):
            transform(f)(given)
    assert ttc.jit(jax.grad(f.__wrapped__), cores=1)(x) == 6


def test_the_second_start_compiles_nothing(cache):
    assert finish(start()) == ["1", "0"]
    assert finish(start()) == ["0", "1"]
    assert finish(start(factor=2)) == ["1", "0"]
    assert len(list(cache.glob("*.ttcb"))) == 2


def test_processes_at_the_same_time():
    found = [finish(process) for process in [start() for _ in range(3)]]
    assert sorted(found) == [["0", "1"]] * 2 + [["1", "0"]]


def test_what_a_bundle_depends_on(monkeypatch):
    def info(**options):
        f = ttc.jit(lambda x: x * 2, cores=1, **options)
        np.testing.assert_array_equal(f(X), X * 2)
        return f.info.compiled, f.info.cached

    assert info() == (1, 0) and info() == (0, 1)
    assert info(options=["--winograd=false"]) == (1, 0)
    assert info(cache=False) == (1, 0)
    monkeypatch.setattr("ttc._cache.__version__", "0.0.1")
    assert info() == (1, 0)


def test_damage(cache):
    def run():
        f = ttc.jit(lambda x: x * 2, cores=1)
        np.testing.assert_array_equal(f(X), X * 2)
        return f.info.compiled

    run()
    (bundle,) = cache.glob("*.ttcb")
    data = bundle.read_bytes()
    bundle.unlink()
    bundle.write_bytes(data[: len(data) // 2])
    assert run() == 1
    assert run() == 0


def test_a_folder_that_cannot_be_made(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TTC_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr("ttc._cache._not_kept_said", False)
    f = ttc.jit(lambda x: x * 2, cores=1)
    np.testing.assert_array_equal(f(X), X * 2)
    assert "bundles are not kept" in caplog.text


def test_threads():
    f = ttc.jit(lambda x: x * 2 + 1, cores=1)
    wrong = []

    def run(number):
        for i in range(50):
            x = np.full((1 + number % 2, 3), i * 10 + number, np.float32)
            if not np.array_equal(f(x), x * 2 + 1):
                wrong.append(number)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(f.bundles) == 2


def _in_child(f, queue):
    queue.put(np.asarray(f(X)).tolist())


@pytest.mark.filterwarnings("ignore:os.fork")
def test_forks():
    f = ttc.jit(lambda x: x * 2, cores=1)
    f(X)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        # XLA's threads are not here, so the result is not read through JAX.
        plan = f._latest
        try:
            plan.calls([X])
            os.write(write, b"ran")
        except ttc._jax.jit.ttrt.UnsupportedError:
            os.write(write, b"refused")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 10) == b"refused"
    np.testing.assert_array_equal(f(X), X * 2)
    assert multiprocessing.current_process().name == "MainProcess"


def test_wrong_arguments():
    for call, kind, text in (
        (lambda: ttc.jit(3), TypeError, "ttc.jit: expected a function, found int"),
        (lambda: ttc.jit(abs, cores="x"), TypeError, "cores: expected an int, found 'x'"),
        (lambda: ttc.jit(lambda x: x, constants="y"), ValueError, r"constants: expected positions or names of parameters \('x'\), found 'y'"),
        (lambda: ttc.jit(lambda x: x, options="--a"), TypeError, "options: expected a sequence of strings"),
        (lambda: ttc.jit(lambda x: x)("text"), TypeError, "expected an array, jax.ShapeDtypeStruct or a number, found str"),
    ):  # fmt: skip
        with pytest.raises(kind, match=text):
            call()
