# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: torch_worker.py eager|ttc|inductor|freezing|openvino MODEL THREADS

One backend of torch.compile() with one model in one process, for torch_backends.py: backends change
Dynamo's settings. After the first call it prints its facts as a line of JSON, then answers one JSON
line for each it reads:
  {"loops": n}      times n calls          {"save": folder}  writes the outputs as .npy
"""
import json
import pathlib
import sys
import time

import numpy as np
import torch
import torch_models


def compiled(model, backend, threads):
    if backend == "eager":
        return model
    if backend == "openvino":
        import openvino.torch  # noqa: F401: registers the backend

        config = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": str(threads),
                  "NUM_STREAMS": "1", "PERFORMANCE_HINT": "LATENCY"}
        # Without aot_autograd, this backend fails in PyTorch 2.13.
        options = {"device": "CPU", "aot_autograd": True, "config": config}
        return torch.compile(model, backend="openvino", dynamic=False, options=options)
    if backend == "ttc":
        from ttc import torch_backend

        return torch.compile(model, backend=torch_backend.compile_fx)
    if backend == "freezing":
        from torch._inductor import config

        config.freezing = True
    return torch.compile(model, backend="inductor")


def main():
    backend, name, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    torch.set_num_threads(threads)
    model, args, kwargs = torch_models.MODELS[name]()
    model.requires_grad_(False)
    with torch.no_grad():
        run = compiled(model, backend, threads)
        start = time.perf_counter()
        run(*args, **kwargs)
        facts = {"first_s": time.perf_counter() - start}
        for _ in range(3):
            run(*args, **kwargs)
        if backend == "ttc":
            from ttc import torch_backend

            graphs = torch_backend.graphs()
            facts["not_taken"] = [f"{g.place}: {g.reason}" for g in graphs if g.state != "ttc"]
            facts["compiled"] = sum(g.compiled for g in graphs)
        print(json.dumps(facts), flush=True)
        for line in sys.stdin:
            question = json.loads(line)
            if "loops" in question:
                times = []
                for _ in range(question["loops"]):
                    start = time.perf_counter_ns()
                    run(*args, **kwargs)
                    times.append((time.perf_counter_ns() - start) / 1e6)
                answer = {"ms": times}
            else:
                files = []
                for index, tensor in enumerate(torch_models.tensors(run(*args, **kwargs))):
                    files.append(str(pathlib.Path(question["save"]) / f"{backend}_{index}.npy"))
                    np.save(files[-1], tensor.numpy())
                answer = {"files": files}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
