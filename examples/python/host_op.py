# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An op of the model that a Python function computes, between traces:
host_op.py examples/host-ops/swish.onnx"""
import sys

import numpy as np
import ttc


def swish(x, beta):
    return x / (1 + np.exp(-np.float32(beta) * x))


bundle = ttc.compile(sys.argv[1], options=["--host-ops=com.acme.*"], host_functions={"com.acme.Swish": swish})
inputs = {name: np.ones(port.shape, port.dtype) for name, port in bundle.inputs.items()}
print(bundle.run(**inputs))
