# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What strangers do: odd names and texts, races with close(), forks in host functions, subinterpreters."""

import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import ttrt

NAME = "com.acme.Swish"


@pytest.fixture(scope="module")
def load(swish_bundle):
    def load(function):
        return ttrt.load(swish_bundle, cores=1, host_functions={NAME: function})

    return load


@pytest.fixture
def x():
    return np.ones((4, 16), np.float32)


@pytest.fixture
def build(tools, tmp_path):
    """Compiles nodes of ONNX and loads them."""
    onnx = pytest.importorskip("onnx")

    def build(inputs, outputs, shape, *nodes):
        def values(names):
            return [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, shape) for n in names]

        nodes = [onnx.helper.make_node(op, taken, given) for op, taken, given in nodes]
        graph = onnx.helper.make_graph(nodes, "g", values(inputs), values(outputs))
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
        # A name may be any bytes; "\xff" stands for a byte that is no UTF-8.
        (tmp_path / "m.onnx").write_bytes(model.SerializeToString().replace(b"\xc3\xbf?", b"\xff!?"))
        tools.run("ttc-translate", "--onnx-to-bundle", tmp_path / "m.onnx", "-o", tmp_path / "m.ttcb")
        return ttrt.load(tmp_path / "m.ttcb", cores=1)

    return build


def wait_until_idle(bundle, *arrays):
    while True:
        try:
            return bundle.run(*arrays)
        except ttrt.BusyError:  # a stream is being closed
            time.sleep(0.001)


# ------------------------------------------------------------------------------------------------
# Names, texts, paths
# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["class", "a.b", "self", "arrays", "a b", "ü", "ÿ?"])
def test_any_name(build, name):
    with build([name], ["y.0"], [2, 3], ("Relu", [name], ["y.0"])) as bundle:
        if name == "ÿ?":
            name = "\udcff!?"
        x = np.array([[-1, 2, -3], [4, -5, 6]], np.float32)
        expected = np.maximum(x, 0)
        assert list(bundle.inputs) == [name]
        bundle.input_slot(name)[...] = x
        for use in (
            lambda: bundle.run(**{name: x}),
            lambda: bundle.run(),
            lambda: bundle.bind({name: x})(),
            lambda: bundle.submit(**{name: x}).result(60),
            lambda: next(bundle.stream([{name: x}])),
        ):
            assert np.array_equal(use()["y.0"], expected)
        assert bundle.perf(**{name: x}, loops=1).loops == 1
        with pytest.raises(TypeError, match="has no input"):
            bundle.run(wrong=x)
        bundle.memory_map()


def test_an_input_named_out(build):
    with build(["out"], ["y"], [2], ("Relu", ["out"], ["y"])) as bundle:
        x = np.ones(2, np.float32)
        with pytest.raises(TypeError, match=r"missing input 'out' .* give this one by position, or by name to bind"):
            bundle.run(out=x)
        assert np.array_equal(bundle.run(x)["y"], x) and np.array_equal(bundle.bind({"out": x})()["y"], x)


def test_misspelt_names(digits, image):
    with ttrt.load(digits) as bundle:
        for name in ("mask", "\udc80", "image\0", "é" * 5000):
            with pytest.raises(TypeError, match="entry point 'main' has no input .*; it has: 'image'|^entry"):
                bundle.run(**{name: image})
            with pytest.raises(TypeError, match="has no output|^entry"):
                bundle.run(image, out={name: image})


def test_paths(digits, tmp_path, image, monkeypatch):
    odd = os.fsencode(tmp_path) + b"/\xff.ttcb"
    with pytest.raises(ttrt.IoError, match=r"\\xff.ttcb': No such file"):
        ttrt.load(odd)
    with open(odd, "wb") as file:
        file.write(digits.read_bytes())
    for path in (odd, os.fsdecode(odd)):
        with ttrt.load(path) as bundle:
            assert bundle.path == os.fsdecode(odd) and bundle.run(image) and bundle.check().schedules
    with pytest.raises(ValueError, match="null character"):
        ttrt.load(f"{digits}\0.txt")
    monkeypatch.chdir(digits.parent)
    with ttrt.load(digits.name) as bundle:
        monkeypatch.chdir("/")
        assert bundle.check().schedules


ARGUMENTS = [
    (lambda path, x: ttrt.load(path, cores="2"), "cores: expected an integer, found '2'"),
    (lambda path, x: ttrt.load(path, cores=2.0), "cores: expected an integer, found 2.0"),
    (lambda path, x: ttrt.load(path, host_functions=[1]), "host_functions: expected functions by name, found list"),
    (lambda path, x: ttrt.load(path).stream([x], ahead=2.5), "ahead: expected an integer, found 2.5"),
    (lambda path, x: ttrt.load(path).stream([x], None), "schedule: expected its name, found None"),
    (lambda path, x: ttrt.load(path).perf(loops="2"), "loops: expected an integer, found '2'"),
    (lambda path, x: ttrt.load(path).bind([x]), "inputs: expected a dictionary of arrays by name, found list"),
]


@pytest.mark.parametrize("use,message", ARGUMENTS, ids=[m for _, m in ARGUMENTS])
def test_wrong_arguments(digits, image, use, message):
    with pytest.raises(TypeError, match=message):
        use(digits, image)


def test_a_bundle_is_a_container(both):
    with ttrt.load(both) as bundle:
        assert list(bundle) == ["left", "right"] and len(bundle) == 2
        assert "left" in bundle and "middle" not in bundle and 0 not in bundle


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "error,text",
    [
        (Unprintable(), "Unprintable: (its str() fails)"),
        (ValueError("\udc80"), "ValueError: \\udc80"),
        (ValueError("é" * 1000), "ValueError: éé"),
        (ValueError("a" + "é" * 1000), "ValueError: aéé"),
    ],
    ids=["unprintable", "surrogate", "long", "long, odd"],
)
def test_texts_of_exceptions(load, x, error, text):
    def raises(x, *, beta):
        raise error

    with load(raises) as bundle:
        for use in (lambda: bundle.run(x), lambda: list(bundle.stream([x]))):
            with pytest.raises(ttrt.FailedError) as raised:
                use()
            assert text in str(raised.value) and raised.value.__cause__ is error


# ------------------------------------------------------------------------------------------------
# Arrays
# ------------------------------------------------------------------------------------------------


def test_odd_memory(digits, image):
    with ttrt.load(digits) as bundle:
        expected = bundle.run(image)["logits"]
        unaligned = np.frombuffer(bytearray(257), np.uint8)[1:].view(np.float32).reshape(image.shape)
        unaligned[...] = image
        out = np.frombuffer(bytearray(41), np.uint8)[1:].view(np.float32).reshape(1, 10)
        bundle.run(unaligned, out={"logits": out})
        assert np.array_equal(out, expected)
        assert np.array_equal(bundle.run(image[::-1])["logits"], expected)  # a stride of one element's extent
        for wrong in (image[:, :, ::-1], np.asfortranarray(image), np.broadcast_to(image[..., :1], image.shape)):
            with pytest.raises(ValueError, match="expected a dense, row-major array"):
                bundle.run(wrong)
        for wrong in (image.astype(">f4"), image.astype(object), image.astype("c8"), image.astype("g"), image.tobytes()):
            with pytest.raises(TypeError, match=r"expected (an array of )?f32\[1, 1, 8, 8\], found"):
                bundle.run(wrong)


def test_shared_memory(build):
    nodes = ("Add", ["a", "b"], ["s"]), ("Sub", ["a", "b"], ["d"])
    with build(["a", "b"], ["s", "d"], [4], *nodes) as bundle:
        a, b = np.arange(4, dtype=np.float32), np.full(4, 2, np.float32)
        expected = bundle.run(a, b)
        assert np.array_equal(bundle.run(b, b)["s"], b + b)
        bundle.run(a, b, out={"s": a, "d": b})  # inputs are read first
        assert np.array_equal(a, expected["s"]) and np.array_equal(b, expected["d"])
        both = np.empty(7, np.float32)
        for s, d in ((both[:4], both[:4]), (both[:4], both[3:]), (both[3:], both[:4])):
            with pytest.raises(ValueError, match="out: the arrays for 's' and 'd' overlap"):
                bundle.run(a, b, out={"s": s, "d": d})


@pytest.mark.parametrize("shape", [(0, 3), ()], ids=["empty", "scalar"])
def test_sizes(build, shape):
    with build(["x"], ["y"], shape, ("Relu", ["x"], ["y"])) as bundle:
        x = np.full(shape, 3, np.float32)
        out = np.zeros(shape, np.float32)
        bundle.run(x, out={"y": out})
        assert np.array_equal(out, x)
        given = [x] if shape else [x, np.float32(3)]
        for value in given:
            for outputs in (bundle.run(value), bundle.bind({"x": value})(), next(bundle.stream([value]))):
                assert outputs["y"].shape == shape and np.array_equal(outputs["y"], x)
        assert bundle.input_slot("x").shape == bundle.output_slot("y").shape == shape


def test_arrays_that_act(digits, image):
    """Exporting an array may execute anything."""

    class Acting:
        def __init__(self, act):
            self.act = act

        def __dlpack__(self, **options):
            self.act()
            return image.__dlpack__()

        def __dlpack_device__(self):
            return 1, 0

    bundle = ttrt.load(digits)
    expected = bundle.run(image)["logits"]
    assert np.array_equal(bundle.run(Acting(lambda: bundle.run(image)))["logits"], expected)
    with pytest.raises(TypeError, match="found Acting: division by zero"):
        bundle.run(Acting(lambda: 1 / 0))
    with pytest.raises(ttrt.InvalidArgumentError, match="the bundle is closed"):
        bundle.run(Acting(bundle.close))


# ------------------------------------------------------------------------------------------------
# Threads, cycles, forks
# ------------------------------------------------------------------------------------------------


@pytest.fixture
def restless():
    """Threads change often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def in_threads(*functions):
    failures = []

    def guarded(function):
        try:
            function()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_a_cause_is_of_ones_own_run(load, x, restless):
    class Mine(Exception):
        pass

    def raises(x, *, beta):
        raise Mine(threading.get_ident())

    def work():
        for _ in range(1000):
            with pytest.raises(ttrt.FailedError) as error:
                bundle.run(x)
            assert isinstance(error.value.__cause__, Mine)
            assert error.value.__cause__.args == (threading.get_ident(),)

    with load(raises) as bundle:
        in_threads(*[work] * 4)


def test_close_against_streams(digits, image, restless):
    """Other threads open streams, advance them, and drop them."""
    for attempt in range(60):
        bundle = ttrt.load(digits, cores=1, verify="none")

        def work():
            while True:
                try:
                    for _ in bundle.stream([image] * 3, ahead=2):
                        pass
                except ttrt.BusyError:
                    pass
                except ttrt.InvalidArgumentError:
                    return

        def close():
            time.sleep(attempt % 20 * 1e-4)
            bundle.close()

        in_threads(work, work, close)


def test_close_against_submit(digits, image, restless):
    for _ in range(30):
        bundle = ttrt.load(digits, cores=1, verify="none")

        def work():
            while True:
                try:
                    bundle.submit(image).result(60)
                except ttrt.InvalidArgumentError as error:
                    assert "the bundle is closed" in str(error)
                    return

        in_threads(work, work, bundle.close)


def sizes_of(bundle):
    return [port.bytes for port in [*bundle.inputs.values(), *bundle.outputs.values()]]


@pytest.mark.parametrize("sizes", [[], [256], [256, 20], [256, 40, 0], [40, 256]])
def test_addresses_of_other_sizes(digits, sizes):
    with ttrt.load(digits) as bundle:
        with pytest.raises(ValueError, match="expected the bytes of all inputs and outputs"):
            bundle["main"]._at_addresses(sizes)
        assert sizes_of(bundle) == [256, 40] and bundle["main"]._at_addresses([256, 40])


@pytest.mark.parametrize("kind", ["call", "stream", "addresses", "slot of a closed bundle"])
def test_cycles_through_a_function(load, x, kind):
    class Function:
        def __call__(self, x, *, beta):
            return x

    function = Function()
    bundle = load(function)
    if kind == "call":
        function.used = bundle.bind({"x": x})
        function.used()
    elif kind == "stream":
        function.used = bundle.stream([x] * 9)
        next(function.used)
    elif kind == "addresses":
        function.used = bundle["main"]._at_addresses(sizes_of(bundle))
    else:
        function.used = bundle.input_slot("x")
        bundle.close()
    alive = weakref.ref(function)
    del function, bundle
    gc.collect()
    assert alive() is None


def test_cancelled(load, x):
    import asyncio

    async def main():
        with load(lambda x, *, beta: (time.sleep(0.01), x)[1]) as bundle:
            tasks = [asyncio.ensure_future(bundle.run_async(x)) for _ in range(4)]
            await asyncio.sleep(0.005)
            tasks[0].cancel()
            tasks[2].cancel()
            found = await asyncio.gather(*tasks, return_exceptions=True)
            assert [isinstance(f, asyncio.CancelledError) for f in found] == [True, False, True, False]
            tasks = [asyncio.ensure_future(bundle.run_async(x)) for _ in range(4)]
            await asyncio.sleep(0.005)
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(f, (dict, ttrt.InvalidArgumentError)) for f in found), found

    asyncio.run(main())


def test_batches_that_use_their_stream(digits, image):
    with ttrt.load(digits, cores=1) as bundle:

        def closes():
            yield image
            stream.close()
            yield image

        def advances():
            with pytest.raises(ttrt.BusyError):
                next(stream)
            yield image

        stream = bundle.stream(closes(), ahead=1)
        with pytest.raises(ttrt.InvalidArgumentError, match="the stream is closed"):
            list(stream)
        stream = bundle.stream(advances())
        assert len(list(stream)) == 1


FORK = """
import os, sys, numpy as np, ttrt
x = np.ones((4, 16), np.float32)
def forks(operand, *, beta):
    child = os.fork()
    if child == 0:
        try:
            bundle.run(x)
        except ttrt.Error as error:
            os._exit(7 if type(error) is ttrt.UnsupportedError else 8)
        os._exit(9)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return operand
codes = []
bundle = ttrt.load(sys.argv[1], cores=1, host_functions={"com.acme.Swish": forks})
bundle.run(x)
list(bundle.stream([x]))
print(codes)
"""

SUBINTERPRETER = """
import sys, threading, numpy as np, ttrt
import _xxsubinterpreters as interpreters
bundle = ttrt.load(sys.argv[2])
image = np.zeros((1, 1, 8, 8), np.float32)
for _ in range(2):
    other = interpreters.create(isolated=False)
    interpreters.run_string(other, f'''
import sys
sys.path[:0] = {sys.path!r}
try:
    import ttrt
except ImportError as error:
    print(error, flush=True)
''')
    interpreters.destroy(other)
    thread = threading.Thread(target=lambda: print(len(bundle.run(image)), flush=True))
    thread.start()
    thread.join()
"""


def program(text, *arguments):
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(ttrt.__file__))}
    command = [sys.executable, "-c", text, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_a_function_that_forks(swish_bundle):
    assert program(FORK, swish_bundle) == "[7, 7]\n"


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module has another name")
def test_subinterpreters(swish_bundle, digits):
    said = "ttrt cannot be imported in a subinterpreter; use another process\n1\n"
    assert program(SUBINTERPRETER, swish_bundle, digits) == 2 * said


def test_ends_while_a_daemon_thread_closes(swish_bundle):
    """Closing a bundle with a stream, when another thread ends the interpreter."""
    text = """
import sys, threading, time, numpy as np, ttrt
x = np.ones((4, 16), np.float32)
def slow(operand, *, beta):
    time.sleep(0.02)
    return operand
def spin():
    while True:
        bundle = ttrt.load(sys.argv[1], cores=1, host_functions={"com.acme.Swish": slow})
        stream = bundle.stream([x] * 3)
        next(stream)
        bundle.close()
for _ in range(4):
    threading.Thread(target=spin, daemon=True).start()
time.sleep(float(sys.argv[2]))
"""
    for attempt in range(8):
        program(text, swish_bundle, 0.05 + attempt * 0.007)


# ------------------------------------------------------------------------------------------------
# Leaks
# ------------------------------------------------------------------------------------------------


def test_nothing_is_lost(digits, load, x, image):
    """References and blocks of memory, on every path, that of errors included."""
    bundle, closed = ttrt.load(digits, cores=1), ttrt.load(digits, cores=1)
    late = closed.bind({"image": image})
    closed.close()
    out, readonly = np.empty((1, 10), np.float32), np.empty((1, 10), np.float32)
    readonly.flags.writeable = False

    def odd(x, *, beta):
        raise LookupError

    good, bad, short = load(lambda x, *, beta: x), load(odd), load(lambda x, *, beta: x[0])
    call = bundle.bind({"image": image}, out={"logits": out})
    address = bundle["main"]._at_addresses(sizes_of(bundle))
    queue, profiler = bundle.queues[0], ttrt.Profiler(None)

    def call_in(zone, function):
        with zone:
            function()

    paths = {
        "run": lambda: bundle.run(image),
        "out": lambda: bundle.run(image=image, out={"logits": out}),
        "buffer": lambda: bundle.run(memoryview(image)),
        "call": call,
        "bind": lambda: bundle.bind({"image": image}),
        "addresses": lambda: address(image.ctypes.data, out.ctypes.data),
        "slots": lambda: (bundle.output_slot("logits"), good.input_slot("x")),
        "host function": lambda: good.run(x),
        "host function raises": lambda: bad.run(x),
        "host function is wrong": lambda: short.run(x),
        "stream": lambda: list(bundle.stream([image] * 3)),
        "stream raises": lambda: list(bad.stream([x] * 3)),
        "stream is dropped": lambda: next(bundle.stream([image] * 3)),
        "stream into arrays": lambda: list(bundle.stream([image] * 3, out=[{"logits": out}] * 3)),
        "stream into what is wrong": lambda: list(bundle.stream([image] * 3, out=[{"logits": readonly}] * 3)),
        "queue": lambda: (queue.write("image", image), queue.read("logits", out), bundle.synchronize()),
        "queue refuses": lambda: queue.write("image", x),
        "event": lambda: (event := bundle.event(), event.record(queue), event.wait(queue), event.synchronize()),
        "traces": lambda: (bundle.traces["main_t0"].release(), bundle.traces["main_t0"].load()),
        "states": lambda: (bundle.states.reset(), dict(bundle.states)),
        "zone": lambda: call_in(profiler.zone("zone"), call),
        "zone refuses": lambda: profiler.zone(7),
        "submit": lambda: bundle.submit(image).result(60),
        "type": lambda: bundle.run(x.astype(np.float64)),
        "shape": lambda: bundle.run(x),
        "layout": lambda: bundle.run(image[:, :, ::-1]),
        "no array": lambda: bundle.run("image"),
        "missing": lambda: bundle.run(),
        "twice": lambda: bundle.run(image, image=image),
        "unknown": lambda: bundle.run(image, mask=image),
        "read-only": lambda: bundle.run(image, out={"logits": readonly}),
        "closed": lambda: closed.run(image),
        "closed call": late,
        "no file": lambda: ttrt.load("/none"),
        "load": lambda: ttrt.load(digits, cores=1, verify="none"),
        "no function": lambda: ttrt.load(bad.path),
        "memory": lambda: (bundle.memory, bundle.schedules),
    }
    watched = [image, out, readonly, x, odd, bundle, bundle._device, bad._device, ttrt.IN_SLOT]

    def repeat(use, times):
        for _ in range(times):
            try:
                use()
            except (ttrt.Error, TypeError, ValueError):
                pass
        gc.collect()
        return [sys.getrefcount(thing) for thing in watched], sys.getallocatedblocks()

    for name, use in paths.items():
        for _ in range(3):  # other threads of this process allocate, too; a leak is there every time
            references, blocks = repeat(use, 20)
            after, more = repeat(use, 100)
            if more - blocks < 80:
                break
        assert all(abs(a - b) < 20 for a, b in zip(references, after)), name
        assert more - blocks < 80, f"{name}: {more - blocks} blocks"
