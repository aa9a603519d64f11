# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Embeds lines of text, up to eight at a time, and finds the most similar line before each: embed.py ENCODER.onnx < TEXTS
main.c does the same without copies."""
import sys

import numpy as np
import ttc

bundle = ttc.compile(sys.argv[1], dims={"batch": (1, 8), "sequence": (1, 512)})
texts = [line for line in sys.stdin.buffer.read().split(b"\n") if line]
known = np.empty((0, 64), np.float32)
for begin in range(0, len(texts), 8):
    batch = texts[begin : begin + 8]
    ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
    mask = np.zeros(ids.shape, np.float32)
    for row, text in enumerate(batch):
        ids[row, : len(text)] = list(text)
        mask[row, : len(text)] = 1
    for embedding in bundle.run(ids=ids, mask=mask)["embedding"]:
        line = len(known)
        if line:
            nearest = int((known @ embedding).argmax())
            print(f"{line + 1}: like {nearest + 1}, {known[nearest] @ embedding:.3f}")
        known = np.vstack([known, embedding])
