#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Export vision models with random weights to ONNX (f32, 1 x 3 x 224 x 224, opset 20).

usage: export_vision.py OUTDIR [convnext_tiny | vit_base ...]
needs: torch 2.13.0, transformers, onnx, onnxscript (all from PyPI)

input: `x`; output: `y`, the logits of ConvNeXt-T, the last hidden state of ViT-B/16
"""
import os
import sys
import warnings

warnings.filterwarnings("ignore")
import torch
from transformers import ConvNextConfig, ConvNextForImageClassification, ViTConfig, ViTModel


class ConvNext(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = ConvNextForImageClassification(ConvNextConfig(num_labels=1000)).eval()

    def forward(self, x):
        return self.model(pixel_values=x).logits


class Vit(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = ViTModel(ViTConfig(attn_implementation="eager"), add_pooling_layer=False).eval()

    def forward(self, x):
        return self.model(pixel_values=x).last_hidden_state


MODELS = {"convnext_tiny": ConvNext, "vit_base": Vit}


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        torch.manual_seed(0)
        path = os.path.join(out, name + ".onnx")
        torch.onnx.export(MODELS[name](), (torch.randn(1, 3, 224, 224),), path, input_names=["x"],
                          output_names=["y"], dynamo=True, external_data=False, opset_version=20)
        print(f"{name}: {os.path.getsize(path) >> 20} MiB")


if __name__ == "__main__":
    main()
