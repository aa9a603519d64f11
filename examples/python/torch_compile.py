# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile() with ttc: nothing else changes in a program."""
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).eval()
example = torch.rand(2, 8)
with torch.no_grad():
    fast = torch.compile(model, backend="ttc")
    print("largest difference", abs(fast(example) - model(example)).max().item())
