# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams batches through a pipeline with two queues, which transfers one while it computes another:
streaming.py MODEL.onnx"""
import sys

import numpy as np
import ttc

bundle = ttc.compile(sys.argv[1], options=["--slots=2"])
port = next(iter(bundle.inputs.values()))
batches = (np.full(port.shape, i, port.dtype) for i in range(5))
for outputs in bundle.stream(batches):
    print({name: array.shape for name, array in outputs.items()})
