# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces, queues and events, states, and what errors call things."""

import gc
import itertools
import pathlib
import re
import threading
import weakref

import numpy as np
import pytest
import ttrt

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_traces(bundle, image):
    trace = bundle.traces["main_t0"]
    assert trace.name in bundle.traces and trace.commands > 2 and trace.bytes > 0 and trace.loaded
    expected = bundle.run(image)["logits"]
    used = bundle.memory.trace.used
    trace.release()
    assert not trace.loaded and bundle.memory.trace.used < used
    trace.release()
    with pytest.raises(ttrt.InvalidArgumentError, match="released"):
        bundle.run(image)
    with pytest.raises(ttrt.InvalidArgumentError, match="released"):
        trace.execute()
    trace.load()
    trace.load()
    assert trace.loaded and bundle.memory.trace.used == used
    bundle.input_slot("image")[...] = image
    bundle.output_slot("logits")
    trace.execute()
    assert (bundle.output_slot("logits") == expected).all()
    with bundle.stream([image]) as stream:
        next(stream)
        with pytest.raises(ttrt.BusyError):
            trace.release()
    assert repr(trace).startswith(f"<ttrt.Trace {trace.name!r}: ")


def overlapped(bundle, images, block):
    """docs/queues.md: writes on queue 1, the rest on queue 0."""
    compute, transfer = bundle.queues
    trace = bundle.traces["main_t0"]
    written, consumed = bundle.event(), bundle.event()
    outputs = []
    for image in images:
        consumed.wait(transfer)
        transfer.write("image", image, block=block)
        written.record(transfer)
        written.wait(compute)
        compute.execute(trace)
        consumed.record(compute)
        outputs.append(compute.read("logits", block=block))
    bundle.synchronize()
    assert written.done and consumed.done
    return outputs


@pytest.mark.parametrize("block", [False, True])
def test_queues(bundle, images, expected, block):
    assert len(bundle.queues) == 2
    for found, wanted in zip(overlapped(bundle, images * 3, block), expected * 3, strict=True):
        assert (found == wanted).all()
    mine = np.empty((1, 10), np.float32)
    queue = bundle.queues[0]
    queue.write("image", images[3], entry="main")
    queue.execute("main_t0")
    assert queue.read("logits", mine, block=True) is mine and (mine == expected[3]).all()


def test_queues_keep_arrays_alive(bundle, images, expected):
    """Temporaries: nothing else refers to them."""
    queue = bundle.queues[0]
    found = []
    for i in range(2000):
        queue.write("image", images[i % 20].copy())
        queue.execute("main_t0")
        found.append(queue.read("logits"))
        if i % 500 == 0:
            gc.collect()
    bundle.synchronize()
    assert all((array == expected[i % 20]).all() for i, array in enumerate(found))


def test_events(bundle, image):
    event = bundle.event()
    assert event.done
    event.synchronize()
    event.wait(bundle.queues[0])
    for _ in range(3):
        bundle.queues[0].write("image", image)
        event.record(bundle.queues[0])
    event.synchronize()
    assert event.done
    # Events that nothing refers to are used again, those in use are not.
    for _ in range(1000):
        bundle.event().record(bundle.queues[1])
    kept = [bundle.event() for _ in range(255)]
    with pytest.raises(ttrt.OutOfMemoryError, match="^all 256 events of the bundle are in use$"):
        bundle.event()
    del kept
    bundle.event()
    bundle.close()
    for call in (lambda: event.done, event.synchronize, bundle.event, bundle.synchronize, lambda: bundle.queues[0].write("image", image)):
        with pytest.raises(ttrt.InvalidArgumentError, match="^the bundle is closed$"):
            call()


def test_closing_with_commands_in_flight(digits, images):
    for _ in range(20):
        bundle = ttrt.load(digits, cores=1, verify="none")
        event = bundle.event()
        for image in images:
            bundle.queues[1].write("image", image.copy())
            event.record(bundle.queues[1])
            event.wait(bundle.queues[0])
            bundle.queues[0].read("logits")
        bundle.close()


def test_queues_of_several_threads(bundle, images):
    def enqueue(queue):
        for image in images * 20:
            queue.write("image", image)
            queue.read("logits")

    threads = [threading.Thread(target=enqueue, args=(queue,)) for queue in bundle.queues for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bundle.synchronize()


def test_a_stream_has_the_queues(bundle, images):
    with bundle.stream(images) as stream:
        next(stream)
        with pytest.raises(ttrt.BusyError):
            bundle.queues[0].write("image", images[0])


def test_a_failure_stops_a_queue(swish_bundle):
    answers = iter([ValueError("no"), None])

    def swish(x, *, beta):
        if answer := next(answers, None):
            raise answer
        return x

    with ttrt.load(swish_bundle, cores=1, host_functions={"com.acme.Swish": swish}) as bundle:
        x = np.ones((4, 16), np.float32)
        with pytest.raises(ttrt.FailedError) as failed:
            list(bundle.stream([x]))
        assert isinstance(failed.value.__cause__, ValueError)
        bundle.reset()
        bundle.run(x)


def test_wrong_arguments(bundle, both, image):
    queue = bundle.queues[0]
    with ttrt.load(both) as other:
        assert other.queues[0].write("image", image, entry="right", block=True) is None
        cases = [
            (lambda: queue.write("picture", image), KeyError, "has no input 'picture'; it has: 'image'"),
            (lambda: queue.write("image", image, entry="other"), KeyError, "no entry point 'other'"),
            (lambda: queue.write("image", image[0]), ValueError, "input 'image': expected f32"),
            (lambda: queue.read("labels"), KeyError, "has no output 'labels'"),
            (lambda: queue.read("logits", np.empty(3, np.float32)), ValueError, "output 'logits': expected f32"),
            (lambda: queue.execute("none"), KeyError, "no trace 'none'; the bundle has: 'main_t0'"),
            (lambda: queue.execute(3), TypeError, "trace: expected a str, found 3"),
            (lambda: queue.execute(other.traces["left_t0"]), ValueError, "trace: expected one of this bundle"),
            (lambda: bundle.event().record(0), TypeError, "queue: expected a Queue, found 0"),
            (lambda: bundle.event().wait(None), TypeError, "queue: expected a Queue, found None"),
        ]
        for call, kind, message in cases:
            with pytest.raises(kind, match=message):
                call()


def test_streams_into_arrays(bundle, images, expected):
    arrays = [np.empty((1, 10), np.float32) for _ in range(6)]
    seen = []
    for i, outputs in enumerate(bundle.stream(images, out=itertools.cycle({"logits": array} for array in arrays))):
        assert outputs["logits"] is arrays[i % 6] and (arrays[i % 6] == expected[i]).all()
        seen.append(i)
    assert len(seen) == 20
    all_of_them = np.empty((20, 1, 10), np.float32)
    for _ in bundle.stream(images, out=({"logits": row} for row in all_of_them)):
        pass
    assert (all_of_them == expected).all()
    mixed = list(bundle.stream(images[:2], out=[{}, {"logits": arrays[0]}]))
    assert (mixed[0]["logits"] == expected[0]).all() and mixed[1]["logits"] is arrays[0]


@pytest.mark.parametrize("out, kind, message", [
    ([{}], ValueError, "out: expected a dictionary for each batch, found fewer"),
    ({"logits": 1}, TypeError, "out: expected a dictionary of arrays for each batch, found one for all"),
    ([{"logits": ttrt.IN_SLOT}] * 3, ValueError, "out: expected arrays, found IN_SLOT"),
    ([3] * 3, TypeError, "out: expected a dictionary of arrays by the names of outputs, found int"),
    ([{"other": 1}] * 3, TypeError, "has no output 'other'"),
    ([{"logits": np.zeros(3, np.float32)}] * 3, ValueError, "output 'logits': expected f32"),
])
def test_wrong_arrays_of_streams(bundle, images, out, kind, message):
    with pytest.raises(kind, match=message):
        list(bundle.stream(images[:3], out=out))
    bundle.run(images[0])


COUNTER = """
ttc.state @sum : tensor<4xf32>
ttc.state @runs : tensor<1xi32>
func.func @main(%x: tensor<4xf32> {ttc.name = "x"}, %sum: tensor<4xf32> {ttc.state = @sum}, %runs: tensor<1xi32> {ttc.state = @runs})
    -> (tensor<4xf32> {ttc.name = "y"}, tensor<4xf32> {ttc.state = @sum}, tensor<1xi32> {ttc.state = @runs}) {
  %one = ttc.constant dense<1> : tensor<1xi32>
  %next = ttc.add %runs, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %new = ttc.add %sum, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = ttc.mul %new, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %new, %next : tensor<4xf32>, tensor<4xf32>, tensor<1xi32>
}
"""


def test_states(tools, tmp_path):
    (tmp_path / "x.mlir").write_text(COUNTER)
    tools.compile_ir(tmp_path / "x.mlir", tmp_path / "x.ttcb", execute=False)
    x = np.arange(4, dtype=np.float32)
    with ttrt.load(tmp_path / "x.ttcb") as bundle:
        states = bundle.states
        assert list(states) == ["sum", "runs"] and len(states) == 2 and states.ports["runs"].shape == (1,)
        assert not states["sum"].any()
        for _ in range(3):
            bundle.run(x)
        assert (states["sum"] == 3 * x).all() and states["runs"] == 3
        states.save(tmp_path / "states")
        states["sum"] = 10 * x
        assert (bundle.run(x)["y"] == 11 * x * x).all()
        states.reset()
        assert not states["sum"].any() and not states["runs"].any()
        states.restore(str(tmp_path / "states"))
        assert (states["sum"] == 3 * x).all() and dict(states)["runs"] == 3
        for call, kind, message in [
            (lambda: states["none"], KeyError, "no state 'none'; the bundle has: 'sum', 'runs'"),
            (lambda: states.__setitem__("sum", x[:2]), ValueError, r"state 'sum': expected f32\[4\], found f32\[2\]"),
            (lambda: states.__setitem__("sum", x.astype(int)), TypeError, "state 'sum': expected f32"),
            (lambda: states.restore(tmp_path / "none"), ttrt.IoError, "none"),
            (lambda: states.save("a\0b"), ValueError, "path: .* has a null character"),
        ]:
            with pytest.raises(kind, match=message):
                call()
    with pytest.raises(ttrt.InvalidArgumentError, match="closed"):
        states.reset()


def test_cores(digits):
    with ttrt.load(digits, cores=3) as bundle:
        assert bundle.cores == 3


def test_errors_name_what_python_has(swish_bundle, write_sample, tmp_path):
    """And not fields of C: of all messages that name some, those that this package can get are translated."""
    from ttrt._errors import _NAMES

    with pytest.raises(ttrt.NotFoundError, match=r"pass them in load\(host_functions=\.\.\.\) \(docs/host-ops.md\)$"):
        ttrt.load(swish_bundle)
    with pytest.raises(ttrt.InvalidArgumentError, match="no transport; expected ttrun run, or the C API of meshes"):
        ttrt.load(write_sample("mesh", tmp_path / "mesh.ttcb"))
    # This package passes no structs, calls none of these functions, or has its own message.
    other = re.compile(r"ttrt_(profiler_read|profiler_options|run|pipeline_finish|pipeline_options|transport)\b|ttrt_device_options::events")
    for path in sorted((ROOT / "runtime/lib").rglob("*.cpp")):
        literals = re.sub(r'"\s*\n\s*"', "", path.read_text())
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals):
            for name in re.findall(r"\bttrt_\w+(?:::\w+|\(\))", text):
                assert any(name in known for known in _NAMES) or other.search(name), f"{path.name}: {text}"


def test_a_bundle_is_closed_with_its_last_reference(digits, image):
    """Queues, events, traces and states do not keep it open in a cycle."""
    bundle = ttrt.load(digits, cores=1)
    queue, event = bundle.queues[0], bundle.event()
    queue.write("image", image)
    event.record(queue)
    device = weakref.ref(bundle._device)
    gc.disable()
    try:
        del bundle
        assert device() is not None  # the queue is in use
        event.synchronize()
        del queue, event
        assert device() is None
    finally:
        gc.enable()


def test_closing_while_others_enqueue(digits, images):
    """Each call is done, or raises that the bundle is closed."""
    for attempt in range(30):
        bundle, began = ttrt.load(digits, cores=1, verify="none"), threading.Event()
        problems = []

        def use(bundle=bundle, began=began, problems=problems):
            try:
                while True:
                    event = bundle.event()
                    bundle.queues[1].write("image", images[0].copy())
                    event.record(bundle.queues[1])
                    bundle.run(images[0]) if event.done and attempt % 2 else bundle.synchronize()
                    began.set()
            except ttrt.BusyError:
                began.set()
                use(bundle, began, problems)
            except ttrt.InvalidArgumentError as error:
                problems.append(str(error))

        threads = [threading.Thread(target=use) for _ in range(3)]
        for thread in threads:
            thread.start()
        began.wait(10)
        bundle.close()
        for thread in threads:
            thread.join()
        assert problems == ["the bundle is closed"] * 3
