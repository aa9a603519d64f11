# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tokens from a bundle with entry points prefill and decode, the likeliest first: generate.py BUNDLE TOKEN..."""
import argparse

import numpy as np
import ttrt


def generate(bundle, prompt, count):
    """The next `count` tokens, and the logits that each was chosen by. The caches stay on the device."""
    prefill, decode = bundle["prefill"], bundle["decode"]
    rows = prefill.inputs["tokens"].shape[1]
    for first in range(0, len(prompt), rows):
        part = prompt[first:first + rows]
        # The padding follows the prompt: later tokens overwrite it before anything reads it.
        tokens = np.zeros((1, rows), np.int64)
        tokens[0, :len(part)] = part
        logits = prefill.run(tokens=tokens, position=np.array([first]))["logits"][0, len(part) - 1]
    for position in range(len(prompt), len(prompt) + count):
        token = int(logits.argmax())
        yield token, logits
        if position < len(prompt) + count - 1:
            logits = decode.run(tokens=np.array([[token]]), position=np.array([position]))["logits"][0, 0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle")
    parser.add_argument("prompt", type=int, nargs="+", metavar="TOKEN")
    parser.add_argument("--count", type=int, default=16, help="how many tokens to generate")
    given = parser.parse_args()
    print(*(token for token, _ in generate(ttrt.load(given.bundle), given.prompt, given.count)))
