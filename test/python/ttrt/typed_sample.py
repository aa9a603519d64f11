# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses everything that ttrt has, for mypy --strict. It is not run."""

import asyncio
from concurrent.futures import Future
from typing import Any

import numpy as np
import ttrt

Array = np.ndarray[Any, np.dtype[Any]]


def clip(x: Array, *, limit: float) -> Array:
    return np.minimum(x, np.float32(limit))


image = np.zeros((1, 1, 8, 8), np.float32)
with ttrt.load("digits.ttcb", verify="structure", host_functions={"a.Clip": clip}) as bundle:
    entry: ttrt.Entry = bundle["main"]
    port: ttrt.Port = entry.inputs["image"]
    total: int = port.bytes + bundle.memory.dram.used + bundle.check().commands
    outputs: dict[str, Array] = bundle.run(image=image)
    bundle.run(ttrt.IN_SLOT, out={"logits": ttrt.IN_SLOT})
    call: ttrt.Call = entry.bind({"image": image}, out={"logits": np.empty((1, 10), np.float32)})
    call()["logits"].sum()
    with bundle.stream([image, image], "single", ahead=2) as stream:
        for results in stream:
            print(results["logits"].shape, stream.schedule)
    future: Future[dict[str, Array]] = bundle.submit(image)
    future.result()
    asyncio.run(bundle.run_async(image))
    seconds: float = bundle.perf(image, loops=10).median
    bundle.input_slot("image")[...] = 1
    longest: int = bundle.dims["sequence"].high + bundle.variants[0].memory
    model: ttrt.Entry = bundle.models["main"]
    page: str = bundle.memory_map()
    tokenizer = ttrt.Tokenizer(bundle)
    said = [{"role": "user", "content": "Hi"}]
    prompt: list[int] = tokenizer.apply_chat_template(said) + tokenizer.encode("a", control=True)
    shown: str = tokenizer.apply_chat_template(said, tokenize=False, enable_thinking=False)
    pieces: ttrt.TextStream = tokenizer.stream()
    shown += pieces.push(prompt[0]) + pieces.finish() + tokenizer.decode(tokenizer.stop_tokens)
    try:
        bundle.run(image)
    except ttrt.FailedError as error:
        status: ttrt.Status | None = error.status
