#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Export models of models.py --classes with random weights to ONNX (f32, opset 18).

usage: export.py OUTDIR [NAME ...]
needs: torch 2.13.0, transformers, onnx, onnxscript (all from PyPI)
"""
import os
import sys
import warnings

warnings.filterwarnings("ignore")
import torch

import detectors, images, sequences, transformers_  # noqa: E401, F401: they register their models
from parts import MODELS, initialise


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        torch.manual_seed(0)
        make, inputs = MODELS[name]
        example = tuple(x if isinstance(x, torch.Tensor) else torch.randn(x) for x in inputs.values())
        module = initialise(make().eval(), example)
        path = os.path.join(out, name + ".onnx")
        part = path + ".part"  # a model that is there is whole
        torch.onnx.export(module, example, part, input_names=list(inputs), dynamo=True, external_data=False,
                          opset_version=18, verbose=False)
        os.replace(part, path)
        print(f"{name}: {os.path.getsize(path) >> 20} MiB")


if __name__ == "__main__":
    main()
