# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a module of PyTorch and runs it on tensors."""
import torch
import ttc

model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).eval()
example = torch.rand(2, 8)
bundle = ttc.compile(model, (example,))
(result,) = bundle.run(example).values()
print("largest difference", abs(torch.from_numpy(result) - model(example)).max().item())
