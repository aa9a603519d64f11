# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: peer.py onnxruntime|openvino MODEL.onnx THREADS INPUTS.npz|INPUTS.json

One inference engine in one process, for the benchmarks and ttrun bench. INPUTS.json has the names of
.npy files by those of inputs. After creating the session it prints its
facts as a line of JSON, then answers one JSON line for each it reads:
  {"loops": n}      times n inferences           {"save": folder}  writes the outputs as .npy
  {"resident": 1}   the memory it holds now
"""
import json
import os
import pathlib
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit(f"{sys.executable} has no numpy")


def resident_mb():
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


class OnnxRuntime:
    def __init__(self, model, threads):
        import onnxruntime

        self.version = onnxruntime.__version__
        onnxruntime.set_default_logger_severity(4)  # its exceptions say the same
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        start = time.perf_counter()
        self.session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"])
        self.create_ms = (time.perf_counter() - start) * 1e3
        self.names = [o.name for o in self.session.get_outputs()]

    def prepare(self, inputs):
        # Inputs and outputs bound once, so that what is timed is the inference alone.
        self.binding = self.session.io_binding()
        for name, value in inputs.items():
            self.binding.bind_cpu_input(name, value)
        for name in self.names:
            self.binding.bind_output(name, "cpu")
        self.inputs = inputs
        try:
            for _ in range(2):  # The first run allocates the outputs, the second one writes to them.
                self.session.run_with_iobinding(self.binding)
        except RuntimeError:
            # A model that declares other shapes of its outputs than it computes cannot be bound.
            self.binding = None

    def run(self):
        if self.binding is None:
            self.last = self.session.run(self.names, self.inputs)
        else:
            self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return dict(zip(self.names, self.binding.copy_outputs_to_cpu() if self.binding else self.last))


class OpenVino:
    def __init__(self, model, threads):
        import openvino

        self.version = openvino.__version__
        # Without the hint some CPUs silently compute in bf16.
        config = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads,
                  "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
        core = openvino.Core()
        start = time.perf_counter()
        self.compiled = core.compile_model(model, "CPU", config)
        self.create_ms = (time.perf_counter() - start) * 1e3
        self.request = self.compiled.create_infer_request()
        self.tensor = openvino.Tensor

    def prepare(self, inputs):
        self.inputs = inputs  # shared, not copied: they must outlive the request's tensors
        for name, value in inputs.items():
            self.request.set_tensor(name, self.tensor(value, shared_memory=True))

    def run(self):
        self.request.infer()

    def outputs(self):
        return {o.any_name: self.request.get_tensor(o).data for o in self.compiled.outputs}


def load_inputs(path):
    if path.endswith(".npz"):
        return dict(np.load(path))
    return {name: np.load(file) for name, file in json.loads(pathlib.Path(path).read_text()).items()}


def fail(text):
    """Names in messages are those of a model: a terminal must not act on them."""
    sys.exit("".join(c if c.isprintable() else "".join(f"\\x{b:02x}" for b in c.encode("utf-8", "replace")) for c in text))


def main():
    engine_name, model, threads, inputs = sys.argv[1:5]
    before = resident_mb()
    try:
        engine = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}[engine_name](model, int(threads))
    except ModuleNotFoundError as error:
        sys.exit(f"{sys.executable} has no {error.name}")
    except Exception as error:  # those of the engines have no other base
        fail(f"{engine_name} cannot load {model}: {str(error).strip().splitlines()[0]}")
    try:
        engine.prepare(load_inputs(inputs))
        engine.run()
    except Exception as error:
        fail(f"{engine_name} cannot run {model}: {str(error).strip().splitlines()[0]}")
    print(json.dumps({"create_ms": engine.create_ms, "python_mb": before, "version": engine.version}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        if "loops" in question:
            times = []
            for _ in range(question["loops"]):
                start = time.perf_counter_ns()
                engine.run()
                times.append((time.perf_counter_ns() - start) / 1e6)
            answer = {"ms": times}
        elif "save" in question:
            engine.run()
            files = {}
            for index, (name, value) in enumerate(engine.outputs().items()):
                files[name] = str(pathlib.Path(question["save"]) / f"{engine_name}_{index}.npy")
                np.save(files[name], value)
            answer = {"files": files}
        else:
            answer = {"resident_mb": resident_mb()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
