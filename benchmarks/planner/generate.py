#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write a planning problem that looks like a deep network: generate.py BUFFERS [SEED] > problem.csv

Stages, each with tensors half as large as the one before, made of blocks: plain chains, residual
blocks (the input lives to the end), dense blocks (everything lives to the end), attention (three
tensors at once, a large product) and a few skips from the first half to the mirrored place in the
second. Time is one step a buffer; a buffer lives until its last reader has run.
"""
import random
import sys


def generate(count, seed):
    rng = random.Random(seed)
    lives = []  # [begin, end, size]
    skips = []

    def make(size, readers=1):
        begin = len(lives)
        lives.append([begin, begin + 1 + readers, max(64, int(size) // 64 * 64)])
        return begin

    def read(index, at=None):
        lives[index][1] = max(lives[index][1], (len(lives) if at is None else at) + 1)

    stages = 8
    while len(lives) < count:
        done = len(lives) / count
        mirrored = min(done, 1 - done) * 2
        size = (1 << 22) / 2 ** int(mirrored * stages / 2) * rng.choice([1, 1, 1.5, 0.75])
        kind = rng.choice(["chain", "chain", "residual", "residual", "dense", "attention"])
        start = make(size)
        if done < 0.5 and rng.random() < 0.02:
            skips.append((start, int((1 - done) * count)))
        if kind == "chain":
            for _ in range(rng.randint(2, 8)):
                make(size * rng.choice([1, 1, 2, 0.5]))
        elif kind == "residual":
            for scale in (0.25, 0.25, 1):
                make(size * scale)
            read(start)
            make(size)
        elif kind == "dense":
            parts = [make(size / 8) for _ in range(rng.randint(3, 10))]
            for part in parts:
                read(part)
            make(size)
        else:
            heads = [make(size / 2) for _ in range(3)]
            for head in heads:
                read(head, len(lives) + 1)
            make(size * 2)
            make(size / 2)
            read(start)
            make(size)
    for start, end in skips:
        lives[start][1] = max(lives[start][1], min(end, count))
    for number, (begin, end, size) in enumerate(lives[:count]):
        yield f"b{number}", begin, end, size


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print("id,lower,upper,size")
    for row in generate(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0):
        print(*row, sep=",")


if __name__ == "__main__":
    main()
