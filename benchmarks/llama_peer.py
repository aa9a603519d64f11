# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: llama_peer.py MODEL.gguf THREADS CONTEXT

llama.cpp in a process of its own, through its C API (PyPI's llama-cpp-python), asked by lines of JSON on standard
input. It prints a line when it is ready, and one for each question:

  {"prefill": N}                ms to compute a prompt of N tokens, with the logits of the last one
  {"decode": N, "position": P}  ms to generate a token after a prompt of P, always the most likely: the median of N
  {"first": "TEXT"}             when (by the monotonic clock, in seconds) the first token after a text was known

Python does nothing in the measured loops but call llama_decode() and llama_sampler_sample().
"""
import json
import statistics
import sys
import time

STARTED = time.monotonic()

import ctypes  # noqa: E402

import llama_cpp as ll  # noqa: E402

from generate_tokens import tokens_of  # noqa: E402


class Engine:
    def __init__(self, model, threads, context):
        ll.llama_backend_init()
        self.silence = ll.llama_log_callback(lambda *_: None)
        ll.llama_log_set(self.silence, ctypes.c_void_p(0))
        self.model = ll.llama_model_load_from_file(model.encode(), ll.llama_model_default_params())
        options = ll.llama_context_default_params()
        options.n_ctx, options.n_threads, options.n_threads_batch = context, threads, threads
        self.context = ll.llama_init_from_model(self.model, options)
        self.settings = {"n_batch": options.n_batch, "n_ubatch": options.n_ubatch, "type_k": options.type_k,
                         "type_v": options.type_v, "flash_attn_type": getattr(options, "flash_attn_type", None)}
        self.sampler = ll.llama_sampler_chain_init(ll.llama_sampler_chain_default_params())
        ll.llama_sampler_chain_add(self.sampler, ll.llama_sampler_init_greedy())
        self.vocabulary = ll.llama_model_get_vocab(self.model)

    def forget(self):
        ll.llama_memory_clear(ll.llama_get_memory(self.context), True)

    def compute(self, tokens):
        """Returns the likeliest next token."""
        array = (ll.llama_token * len(tokens))(*tokens)
        if ll.llama_decode(self.context, ll.llama_batch_get_one(array, len(tokens))) != 0:
            sys.exit("llama_decode failed")
        return ll.llama_sampler_sample(self.sampler, self.context, -1)

    def prompt(self, tokens):
        self.forget()
        for begin in range(0, len(tokens), self.settings["n_batch"]):
            last = self.compute(tokens[begin:begin + self.settings["n_batch"]])
        return last

    def prefill(self, count):
        tokens = tokens_of(count)
        begin = time.perf_counter()
        self.prompt(tokens)
        return 1e3 * (time.perf_counter() - begin)

    def decode(self, count, position):
        token = self.prompt(tokens_of(position))
        times = []
        for _ in range(count):
            begin = time.perf_counter()
            token = self.compute([token])
            times.append(1e3 * (time.perf_counter() - begin))
        return statistics.median(times)

    def first(self, text):
        data = text.encode()
        array = (ll.llama_token * (len(data) + 8))()
        count = ll.llama_tokenize(self.vocabulary, data, len(data), array, len(array), True, True)
        self.prompt(list(array[:count]))
        return time.monotonic()


def main():
    imported = time.monotonic()
    engine = Engine(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    print(json.dumps({"started": STARTED, "imported": imported, "settings": engine.settings}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        if "prefill" in question:
            answer = {"ms": engine.prefill(question["prefill"])}
        elif "decode" in question:
            answer = {"ms": engine.decode(question["decode"], question["position"])}
        else:
            answer = {"at": engine.first(question["first"])}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
