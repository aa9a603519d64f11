#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure what a call of torch.compile(backend="ttc") costs, with a model that computes nearly nothing: two linear
layers of 16 x 16. Each line is the least of several repetitions, in microseconds; what a backend adds is "the backend's
function" minus "a bound call of ttrt".

Needs a Python with torch and onnxscript (scripts/test-torch.sh makes one), and ttc and ttrt in PYTHONPATH.
"""
import timeit

import torch
from ttc import torch_backend

CALLS, REPETITIONS = 20000, 7


def microseconds(function):
    return min(timeit.repeat(function, number=CALLS, repeat=REPETITIONS)) / CALLS * 1e6


def main():
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16)).eval()
    x = torch.randn(1, 16)
    calls = []

    def recording(gm, examples):
        function = torch_backend.compile_fx(gm, examples)
        calls.append([function])

        def record(*args):
            calls[-1][1:] = [args]
            return function(*args)

        return record

    with torch.inference_mode():
        torch.compile(model, backend=recording)(x)
        function, args = calls[-1]
        bound = function._latest.bundle.bind({"input_0": x.numpy()})
        torch._dynamo.reset()
        compiled = torch.compile(model, backend=torch_backend.compile_fx)
        compiled(x)
        result = [torch.empty(1, 16)]
        torch._dynamo.reset()
        nothing = torch.compile(model, backend=lambda gm, examples: lambda *args: result)
        nothing(x)
        for name, call in (
            ("a bound call of ttrt", bound),
            ("the backend's function", lambda: function(*args)),
            ("the compiled model", lambda: compiled(x)),
            ("a compiled model whose backend does nothing", lambda: nothing(x)),
            ("the model without torch.compile", lambda: model(x)),
        ):
            print(f"{microseconds(call):8.2f} us  {name}")


if __name__ == "__main__":
    main()
