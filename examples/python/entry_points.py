# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several models, or one with several shapes, as entry points of one bundle, which has equal weights
once: entry_points.py MODEL.onnx"""
import sys

import ttc

bundle = ttc.compile({"first": sys.argv[1], "second": sys.argv[1]})
for name, entry in bundle.entries.items():
    print(name, entry.perf(loops=10))
print(f"{bundle.memory.dram_bytes} bytes for both")
