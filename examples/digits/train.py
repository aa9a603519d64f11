#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Train the demo's network and write digits.onnx, images.npy and labels.npy beside this file.

needs: torch 2.13.0 (CPU), scikit-learn 1.9, onnx, onnxscript (all from PyPI). Takes about a minute.

The data are the 1797 8x8 images of the UCI digits set that scikit-learn carries. A fifth of them,
drawn with a fixed seed and equal shares of each digit, is held out: the network never sees them and
the demo classifies exactly these.

input `image`, f32, 1x1x8x8, grey values from 0 to 1; output `logits`, f32, 1x10
"""
import pathlib
import warnings

import numpy as np
import onnx
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

HERE = pathlib.Path(__file__).parent
EPOCHS = 60


class Digits(nn.Module):
    """Four 3x3 convolutions with batch normalisation, a residual one among them, and one layer."""

    def __init__(self):
        super().__init__()

        def block(inputs, outputs):
            return nn.Sequential(
                nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs)
            )

        self.stem = block(1, 16)
        self.wide = block(16, 32)
        self.residual = block(32, 32)
        self.deep = block(32, 64)
        self.pool = nn.MaxPool2d(2)
        self.dropout = nn.Dropout(0.3)
        self.classify = nn.Linear(64, 10)

    def forward(self, image):
        x = torch.relu(self.stem(image))
        x = self.pool(torch.relu(self.wide(x)))
        x = torch.relu(self.residual(x) + x)
        x = torch.relu(self.deep(x))
        x = x.mean((2, 3))
        return self.classify(self.dropout(x))


def shifted(images):
    """Each image moved by up to one pixel in each direction: more to learn from."""
    padded = nn.functional.pad(images, (1, 1, 1, 1))
    dx, dy = (int(d) for d in torch.randint(0, 3, (2,)))
    return padded[:, :, dy : dy + 8, dx : dx + 8]


def main():
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    data = load_digits()
    images = (data.images / 16).astype(np.float32)[:, None]
    train_x, test_x, train_y, test_y = train_test_split(
        images, data.target.astype(np.int64), test_size=0.2, random_state=0, stratify=data.target
    )
    model = Digits()
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.05)
    x, y = torch.from_numpy(train_x), torch.from_numpy(train_y)
    steps = EPOCHS * -(-len(x) // 64)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=steps)
    for epoch in range(EPOCHS):
        for batch in torch.randperm(len(x)).split(64):
            loss = loss_of(model(shifted(x[batch])), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    model.eval()
    with torch.no_grad():
        right = (model(torch.from_numpy(test_x)).argmax(1).numpy() == test_y).sum()
    print(f"held out: {right} of {len(test_y)} right ({right / len(test_y):.2%})")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model, (torch.zeros(1, 1, 8, 8),), HERE / "digits.onnx", input_names=["image"],
            output_names=["logits"], opset_version=20, dynamo=True, external_data=False,
        )
    saved = onnx.load(HERE / "digits.onnx")
    # Stack traces of the exporting machine are neither needed nor reproducible.
    for entry in (saved, saved.graph, *saved.graph.node, *saved.graph.value_info, *saved.graph.input,
                  *saved.graph.output, *saved.graph.initializer):
        del entry.metadata_props[:]
    onnx.save(saved, HERE / "digits.onnx")
    np.save(HERE / "images.npy", test_x)
    np.save(HERE / "labels.npy", test_y)


if __name__ == "__main__":
    main()
