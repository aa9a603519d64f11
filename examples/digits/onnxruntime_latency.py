# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: onnxruntime_latency.py MODEL.onnx IMAGES.npy THREADS

The same images, one at a time, in ONNX Runtime; prints the median in microseconds.
"""
import sys
import time

import numpy as np
import onnxruntime

ROUNDS = 21

onnxruntime.set_default_logger_severity(3)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[3])
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
# Bound once, as ttc's slots are: what is timed is one copy in, the inference, one copy out.
binding = session.io_binding()
image = np.empty((1, 1, 8, 8), np.float32)
logits = np.empty((1, 10), np.float32)
binding.bind_cpu_input("image", image)
binding.bind_output("logits", "cpu", 0, np.float32, logits.shape, logits.ctypes.data)
times = []
for _ in range(ROUNDS):
    for one in np.load(sys.argv[2]):
        start = time.perf_counter_ns()
        image[0] = one
        session.run_with_iobinding(binding)
        times.append(time.perf_counter_ns() - start)
print(f"  ONNX Runtime {onnxruntime.__version__:<12} {np.median(times) / 1e3:8.2f} us")
