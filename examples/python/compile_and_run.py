# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles an ONNX model and runs it: compile_and_run.py MODEL.onnx"""
import sys

import numpy as np
import ttc

bundle = ttc.compile(sys.argv[1])
inputs = {name: np.ones(port.shape, port.dtype) for name, port in bundle.inputs.items()}
for name, array in bundle.run(**inputs).items():
    print(name, array)
