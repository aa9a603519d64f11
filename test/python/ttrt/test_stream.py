# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams, futures and asyncio."""

import asyncio
import gc
import threading

import numpy as np
import pytest
import ttrt


def same(outputs, expected):
    outputs = list(outputs)
    return len(outputs) == len(expected) and all(
        np.array_equal(found["logits"], wanted) for found, wanted in zip(outputs, expected)
    )


def test_every_schedule(bundle, images, expected):
    assert set(bundle.schedules.values()) == {1, 2}
    for schedule, queues in bundle.schedules.items():
        for ahead in (1, 2, 7, 100):
            stream = bundle.stream(images, schedule, ahead=ahead)
            assert stream.schedule == schedule
            assert same(stream, expected)
    automatic = bundle.stream(images)
    assert bundle.schedules[automatic.schedule] == 2
    assert same(automatic, expected)


def test_batches_of_every_kind(bundle, images, expected):
    kinds = [lambda x: x, lambda x: (x,), lambda x: [x], lambda x: {"image": x}]
    assert same(bundle.stream(kinds[i % 4](x) for i, x in enumerate(images)), expected)
    assert same(bundle.stream([]), [])


def test_reads_no_further_ahead_than_said(bundle, images):
    taken = []
    stream = bundle.stream((taken.append(i) or x for i, x in enumerate(images)), ahead=3)
    assert taken == []
    for popped in range(1, 5):
        next(stream)
        assert len(taken) == popped + 2
    stream.close()
    assert len(taken) == 6


def test_outputs_are_ones_own(bundle, images, expected):
    first, *rest = bundle.stream(images)
    assert np.array_equal(first["logits"], expected[0])
    assert not any(np.shares_memory(first["logits"], other["logits"]) for other in rest)


def test_a_stream_excludes_others(bundle, images, expected):
    stream = bundle.stream(images)
    next(stream)
    for use in (lambda: bundle.run(images[0]), lambda: bundle.stream(images)):
        with pytest.raises(ttrt.BusyError, match="the device has a pipeline"):
            use()
    stream.close()
    stream.close()
    assert list(stream) == []
    assert np.array_equal(bundle.run(images[0])["logits"], expected[0])


def test_ends_by_itself(bundle, images, expected):
    for use in ("exhaust", "break", "with", "drop"):
        stream = bundle.stream(images)
        if use == "exhaust":
            assert same(stream, expected)
            assert next(stream, None) is None
        elif use == "break":
            for _ in stream:
                break
            del stream
        elif use == "with":
            with stream:
                next(stream)
        else:
            next(stream)
            del stream
        gc.collect()
        bundle.run(images[0])


def test_errors_in_a_stream(bundle, images, expected):
    def source():
        yield images[0]
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        list(bundle.stream(source(), ahead=1))
    with pytest.raises(TypeError, match=r"input 'image': expected f32\[1, 1, 8, 8\], found f64"):
        list(bundle.stream([images[0], images[1].astype(np.float64)]))
    with pytest.raises(ttrt.NotFoundError, match="no schedule 'fastest'; entry point 'main' has: single"):
        bundle.stream(images, "fastest")
    with pytest.raises(TypeError, match="not iterable"):
        bundle.stream(3)
    for ahead in (0, -1, 1 << 25):
        with pytest.raises(ValueError, match="ahead: expected a number from 1 to 16777216"):
            bundle.stream(images, ahead=ahead)
    assert same(bundle.stream(images), expected)


def test_closing_the_bundle_closes_its_stream(digits, images):
    bundle = ttrt.load(digits)
    stream = bundle.stream(images)
    next(stream)
    bundle.close()
    with pytest.raises(ttrt.InvalidArgumentError, match="closed"):
        next(stream)
    # A stream keeps the device alive.
    stream = ttrt.load(digits).stream(images)
    gc.collect()
    assert len(list(stream)) == len(images)


def test_futures(bundle, images, expected):
    futures = [bundle.submit(image) for image in images]
    assert same([future.result(60) for future in futures], expected)
    mine = np.empty((1, 10), np.float32)
    assert bundle.submit(image=images[3], out={"logits": mine}).result(60)["logits"] is mine
    assert np.array_equal(mine, expected[3])
    with pytest.raises(TypeError, match="has 1 input, found 2"):
        bundle.submit(images[0], images[1])


def test_futures_of_a_closed_bundle(digits, images):
    import concurrent.futures

    bundle = ttrt.load(digits)
    futures = [bundle.submit(images[0]) for _ in range(200)]
    bundle.close()
    assert not concurrent.futures.wait(futures, 60).not_done
    for future in futures:
        assert future.exception() is None or "the bundle is closed" in str(future.exception())
    with pytest.raises(ttrt.InvalidArgumentError, match="the bundle is closed"):
        bundle.submit(images[0])


def test_asyncio(bundle, images, expected):
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        outputs = await asyncio.gather(*(bundle.run_async(image=image) for image in images))
        ticking.cancel()
        assert ticks > 0
        return outputs

    assert same(asyncio.run(main()), expected)


def test_threads_take_turns(bundle, images, expected):
    wrong = []

    def work(index):
        call = bundle.bind({"image": images[index]})
        for _ in range(200):
            for outputs in (bundle.run(images[index]), call()):
                if not np.array_equal(outputs["logits"], expected[index]):
                    wrong.append(index)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_one_thread_uses_a_stream(bundle, images):
    """The second one gets an error, and the first continues."""
    entered, leave = threading.Event(), threading.Event()

    def source():
        yield images[0]
        entered.set()
        leave.wait(60)
        yield images[1]

    stream = bundle.stream(source(), ahead=2)
    outputs = []
    thread = threading.Thread(target=lambda: outputs.extend(stream))
    thread.start()
    entered.wait(60)
    with pytest.raises(ttrt.BusyError, match="another thread uses the stream"):
        next(stream)
    leave.set()
    thread.join()
    assert len(outputs) == 2
