# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of a model that Python computes: examples/host-ops/swish.onnx."""

import gc
import threading
import traceback
import weakref

import numpy as np
import pytest
import ttrt

NAME = "com.acme.Swish"


def swish(x, *, beta):
    return (x / (1 + np.exp(-np.float32(beta) * x))).astype(np.float32)


@pytest.fixture(scope="module")
def load(swish_bundle):
    def load(function, **options):
        return ttrt.load(swish_bundle, host_functions={NAME: function}, **options)

    return load


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(3).random((4, 16), dtype=np.float32)


def test_computes(load, x, swish_bundle, root):
    import onnx
    from onnx import numpy_helper

    calls = []

    def recorded(operand, **attributes):
        calls.append((operand, attributes, threading.get_ident()))
        return swish(operand, **attributes)

    with load(recorded) as bundle:
        y = bundle.run(x)["y"]
        assert len(calls) == 1
        operand, attributes, thread = calls[0]
        assert attributes == {"beta": 1.5} and thread == threading.get_ident()
        assert operand.shape == (4, 32) and operand.dtype == np.float32
        kept = operand.copy()
        for schedule in ("auto", "single"):
            assert all(np.array_equal(o["y"], y) for o in bundle.stream([x] * 6, schedule))
        assert calls[-1][2] != threading.get_ident()
        bundle.run(x + 1)
    assert np.array_equal(operand, kept)  # a function may keep what it gets

    # The same model, computed by numpy.
    graph = onnx.load(root / "examples/host-ops/swish.onnx").graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    values["x"] = x
    for node in graph.node:
        operands = [values[name] for name in node.input if name]
        values[node.output[0]] = {
            "MatMul": lambda a, b: a @ b,
            "Add": lambda a, b: a + b,
            "Gemm": lambda a, b, c=np.float32(0): a @ b + c,
            "Swish": lambda a: swish(a, beta=1.5),
            "Relu": lambda a: np.maximum(a, 0),
        }[node.op_type](*operands)
    np.testing.assert_allclose(y, values["y"], rtol=1e-5, atol=1e-5)


def test_missing_function(swish_bundle):
    with pytest.raises(ttrt.NotFoundError, match="'com.acme.Swish'"):
        ttrt.load(swish_bundle)
    with pytest.raises(TypeError, match="'com.acme.Swish' cannot be called"):
        ttrt.load(swish_bundle, host_functions={NAME: 3})
    with pytest.raises(TypeError, match="expected names of ops as keys, found 3"):
        ttrt.load(swish_bundle, host_functions={3: swish})


class Odd(Exception):
    pass


def test_exceptions_are_the_cause(load, x):
    state = {"raises": True}

    def sometimes(operand, *, beta):
        if state["raises"]:
            raise Odd("bad weather")
        return swish(operand, beta=beta)

    with load(sometimes) as bundle:
        uses = [lambda: bundle.run(x), bundle.bind({"x": x}), lambda: bundle.submit(x).result(60)]
        uses += [lambda s=s: list(bundle.stream([x] * 5, s)) for s in bundle.schedules]
        for use in uses:
            state["raises"] = True
            with pytest.raises(ttrt.FailedError, match="host function 'com.acme.Swish' failed: Odd: bad weather") as error:
                use()
            cause = error.value.__cause__
            assert isinstance(cause, Odd) and cause.args == ("bad weather",)
            assert traceback.extract_tb(cause.__traceback__)[-1].name == "sometimes"
            state["raises"] = False
            bundle.run(x)


def test_a_failure_that_nobody_waited_for(load, x):
    """A stream that is closed takes its failure with it."""

    def odd(operand, *, beta):
        raise Odd

    with load(odd) as bundle:
        for _ in range(20):
            stream = bundle.stream([x] * 5)
            stream._native.feed((x,), {}, None)
            stream.close()
        alive = weakref.ref(bundle.stream([x]))
        assert alive() is None
        with pytest.raises(ttrt.FailedError, match="^host function"):
            bundle.run(x)


def test_interrupts_are_passed_on(load, x):
    def interrupted(operand, *, beta):
        raise KeyboardInterrupt

    with load(interrupted) as bundle, pytest.raises(KeyboardInterrupt):
        bundle.run(x)


RESULTS = [
    (lambda x: x[0], "result 0: expected f32[4, 32], found f32[32]"),
    (lambda x: x.astype(np.float64), "result 0: expected f32[4, 32], found f64[4, 32]"),
    (lambda x: x.T, "result 0: expected f32[4, 32], found f32[32, 4]"),
    (lambda x: None, "result 0: expected an array of f32[4, 32], found NoneType"),
    (lambda x: (x, x), "expected 1 result, found 2"),
    (lambda x: (), "expected 1 result, found 0"),
]


@pytest.mark.parametrize("result,message", RESULTS, ids=[m for _, m in RESULTS])
def test_wrong_results(load, x, result, message):
    with load(lambda operand, *, beta: result(operand)) as bundle:
        for _ in range(2):
            with pytest.raises(ttrt.FailedError) as error:
                bundle.run(x)
            assert message in str(error.value)
            assert isinstance(error.value.__cause__, (TypeError, ValueError))


def test_tuples_and_lists_of_results(load, x):
    for wrap in (lambda y: (y,), lambda y: [y]):
        with load(lambda operand, *, beta: wrap(swish(operand, beta=beta))) as bundle:
            bundle.run(x)


def test_a_function_cannot_use_its_bundle(load, x):
    """It would wait for itself."""
    bundle = None
    for name, use in {
        "run": lambda: bundle.run(x),
        "close": lambda: bundle.close(),
        "stream": lambda: bundle.stream([x]),
        "slot": lambda: bundle.input_slot("x"),
    }.items():
        bundle = load(lambda operand, *, beta: use())
        for run in (lambda: bundle.run(x), lambda: list(bundle.stream([x]))):
            with pytest.raises(ttrt.FailedError) as error:
                run()
            assert isinstance(error.value.__cause__, ttrt.BusyError), name
            assert "host function" in str(error.value.__cause__)
        bundle.close()


def test_a_function_may_run_another_bundle(load, x, digits, image):
    with ttrt.load(digits) as other:
        seen = []

        def function(operand, *, beta):
            seen.append(other.run(image)["logits"])
            return swish(operand, beta=beta)

        with load(function) as bundle:
            bundle.run(x)
            list(bundle.stream([x] * 3))
        assert len(seen) == 4 and all(np.array_equal(s, other.run(image)["logits"]) for s in seen)


def test_cycles_are_collected(load, x):
    class Function:
        def __call__(self, operand, *, beta):
            return swish(operand, beta=beta)

    for use in (lambda bundle: bundle.run(x), lambda bundle: next(bundle.stream([x] * 3))):
        function = Function()
        function.bundle = load(function)
        use(function.bundle)
        alive = weakref.ref(function)
        del function
        gc.collect()
        assert alive() is None


def test_collecting_a_stream_in_its_own_function(load, x):
    """The garbage collector may run anywhere, also where closing would wait for itself."""

    class Node:
        pass

    armed = threading.Event()

    def collects(operand, *, beta):
        if armed.is_set():
            gc.collect()
        return swish(operand, beta=beta)

    bundle = load(collects)
    alive = []
    for _ in range(20):
        node = Node()
        node.node = node
        node.stream = bundle.stream([x] * 8, ahead=8)
        next(node.stream)
        alive.append(weakref.ref(node))
        armed.set()
        del node
        gc.collect()
        armed.clear()
        while True:
            try:
                bundle.run(x)
                break
            except ttrt.BusyError:
                pass
    assert all(node() is None for node in alive)
