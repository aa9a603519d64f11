# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a bundle, with a zone and a signpost of the application: profiling.py MODEL.onnx"""
import sys
import tempfile

import ttc
import ttrt

folder = tempfile.mkdtemp()
path = ttc.build(sys.argv[1], f"{folder}/model.ttcb")
with ttrt.Profiler(folder) as profiler, ttrt.load(path, profiler=profiler) as bundle:
    profiler.signpost("ten runs")
    with profiler.zone("measuring"):
        print(bundle.perf(loops=10))
    print(f"ttrun report {profiler.folder}")
