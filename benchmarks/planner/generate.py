#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write a planning problem that looks like a deep network: generate.py BUFFERS [SEED] > problem.csv

network: stages, each with tensors half as large as the one before, made of blocks: plain chains, residual
blocks (the input lives to the end), dense blocks (everything lives to the end), attention (three
tensors at once, a large product) and a few skips from the first half to the mirrored place in the
second. Time is one step a buffer; a buffer lives until its last reader has run.

The other kinds are harder: sizes without any order, and skip: some buffers live long; mirrored: a
third of all live until the mirrored place in the second half, so that nearly all overlap; tail: lives
and sizes with long tails; crowd: forty of very different sizes are alive at any time.
"""
import argparse
import random


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


def scattered(life, size):
    """Lifetimes by life(rng, index, count), sizes by size(rng)."""

    def generate(count, seed):
        rng = random.Random(seed)
        for index in range(count):
            begin, length = life(rng, index, count)
            yield f"b{index}", begin, begin + max(1, length), size(rng)

    return generate


def skips(rng, index, count):
    return index, rng.randint(20, 1000) if rng.random() < 0.05 else rng.randint(1, 4)


def mirror(rng, index, count):
    other = count - 1 - index
    isLong = index < other and rng.random() < 0.3
    return index, other - index + 1 if isLong else rng.randint(1, 6)


def tails(rng, index, count):
    begin = rng.randrange(count)
    return begin, int(min(count - begin, 1 + rng.paretovariate(0.8) * 3))


def crowds(rng, index, count):
    return index, rng.choice([1, 2, 2, 3, 40, 200])


def magnitudes(rng):
    return int(2 ** rng.uniform(10, 20)) // 64 * 64


KINDS = {
    "network": generate,
    "skip": scattered(skips, lambda rng: 64 * rng.choice([1, 2, 4, 8, 16, 32, 64, 128]) * rng.randint(1, 64)),
    "mirrored": scattered(mirror, magnitudes),
    "tail": scattered(tails, magnitudes),
    "crowd": scattered(crowds, lambda rng: rng.randint(1, 1 << 16)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("buffers", type=int, help="how many")
    parser.add_argument("seed", type=int, nargs="?", default=0, help="of the random numbers (default 0)")
    parser.add_argument("--kind", choices=KINDS, default="network", help="of lifetimes (default network)")
    args = parser.parse_args()
    print("id,lower,upper,size")
    for row in KINDS[args.kind](args.buffers, args.seed):
        print(*row, sep=",")


if __name__ == "__main__":
    main()
