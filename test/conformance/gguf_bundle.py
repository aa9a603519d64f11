# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the entry points of a compiled decoder by the C API (ttrt.h, state.h), step by step, with token ids."""
import numpy as np

SAMPLING_WORDS = 64


class Decoder:
    def __init__(self, tools, bundle, cores=1, trace=True):
        self.trace, self.bundle = trace, tools.open(bundle)
        self.device = self.bundle.device(cores=cores)
        self.states, self.metadata = self.bundle.states, self.bundle.metadata
        self.read, self.write = self.device.read, self.device.write
        self.context = int(np.prod(self.states["history"][1].shape))
        self.buckets = sorted((int(name[8:]) for name in self.bundle.entries if name.startswith("prefill_")), reverse=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.device.__exit__()
        self.bundle.__exit__()

    def run(self, name, *inputs):
        entry = self.bundle.entries[name]
        return self.device.run(entry, {name: np.asarray(value, port.dtype)
                                       for (name, port), value in zip(entry.inputs.items(), inputs, strict=True)}, self.trace)

    def begin(self, prompt, buckets=None):
        """Appends all tokens of a prompt but the last, in parts as large as there are entry points for, the rest padded."""
        sampling = np.zeros(SAMPLING_WORDS, np.int32)
        sampling[0] = SAMPLING_WORDS * 4
        history = np.zeros(self.context, np.int32)
        history[: len(prompt)] = prompt
        for name, value in (("sampling", sampling), ("history", history), ("position", 0), ("token", prompt[-1])):
            self.write(name, value)
        left = list(prompt[:-1])
        buckets = self.buckets if buckets is None else buckets
        while left:
            fitting = [size for size in buckets if size <= len(left)]
            size = fitting[0] if fitting else buckets[-1]
            part, left = left[:size], left[size:]
            self.run(f"prefill_{size}", part + [0] * (size - len(part)), [len(part)])

    def step(self):
        """The next token, and the logits that it was chosen by if the bundle has them."""
        results = self.run("decode")
        return int(results["token"][0]), results.get("logits")
