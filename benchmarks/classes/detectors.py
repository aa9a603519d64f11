# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that find objects and texts."""
import torch
from torch import nn
from torch.nn.functional import interpolate

from images import resnet18
from parts import Act, Encoder, Sum, model


class C2f(nn.Module):
    def __init__(self, inputs, outputs, depth, short=True):
        super().__init__()
        half = outputs // 2
        act = nn.SiLU
        make = lambda: nn.Sequential(Act(half, half, 3, act=act), Act(half, half, 3, act=act))
        self.first, self.last = Act(inputs, outputs, act=act), Act((2 + depth) * half, outputs, act=act)
        self.blocks = nn.ModuleList(Sum(make()) if short else make() for _ in range(depth))

    def forward(self, x):
        parts = list(self.first(x).chunk(2, 1))
        for block in self.blocks:
            parts.append(block(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Yolo(nn.Module):
    """Like YOLOv8n: pyramid pooling, a pyramid up and down, heads with a softmax over distances."""

    def __init__(self):
        super().__init__()
        conv = lambda a, b, kernel=3, stride=2: Act(a, b, kernel, stride, nn.SiLU)
        self.stem = nn.Sequential(conv(3, 16), conv(16, 32), C2f(32, 32, 1), conv(32, 64), C2f(64, 64, 2))
        self.four = nn.Sequential(conv(64, 128), C2f(128, 128, 2))
        self.five = nn.Sequential(conv(128, 256), C2f(256, 256, 1))
        self.narrow, self.wide = conv(256, 128, 1, 1), conv(512, 256, 1, 1)
        self.up4, self.up3 = C2f(384, 128, 1, False), C2f(192, 64, 1, False)
        self.to4, self.to5 = conv(64, 64), conv(128, 128)
        self.down4, self.down5 = C2f(192, 128, 1, False), C2f(384, 256, 1, False)
        head = lambda c, inner, out: nn.Sequential(conv(c, inner, 3, 1), conv(inner, inner, 3, 1), nn.Conv2d(inner, out, 1))
        self.boxes = nn.ModuleList(head(c, 64, 64) for c in (64, 128, 256))
        self.classes = nn.ModuleList(head(c, 80, 80) for c in (64, 128, 256))

    def forward(self, x):
        three = self.stem(x)
        four = self.four(three)
        five = self.narrow(self.five(four))
        pooled = [five]
        for _ in range(3):
            pooled.append(nn.functional.max_pool2d(pooled[-1], 5, 1, 2))
        five = self.wide(torch.cat(pooled, 1))
        up = lambda y: interpolate(y, scale_factor=2, mode="nearest")
        four = self.up4(torch.cat([up(five), four], 1))
        three = self.up3(torch.cat([up(four), three], 1))
        four = self.down4(torch.cat([self.to4(three), four], 1))
        five = self.down5(torch.cat([self.to5(four), five], 1))
        levels = (three, four, five)
        boxes = torch.cat([head(y).flatten(2) for head, y in zip(self.boxes, levels)], 2)
        classes = torch.cat([head(y).flatten(2) for head, y in zip(self.classes, levels)], 2)
        distances = boxes.unflatten(1, (4, 16)).softmax(2)
        distances = (distances * torch.arange(16.0).reshape(1, 1, 16, 1)).sum(2)
        return torch.cat([distances, classes.sigmoid()], 1)


@model(x=(1, 3, 320, 320))
def yolo():
    return Yolo()


class Stages(nn.Module):
    """The images of ResNet-18 at an eighth, a sixteenth and a 32nd of the size."""

    def __init__(self):
        super().__init__()
        layers = list(resnet18(classes=False))
        self.stages = nn.ModuleList(nn.Sequential(*layers[a:b]) for a, b in ((0, 6), (6, 8), (8, 10)))

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
            yield x


@model(x=(1, 3, 320, 320))
def retinanet():
    class RetinaNet(nn.Module):
        def __init__(self, width=96):
            super().__init__()
            self.backbone = Stages()
            self.side = nn.ModuleList(nn.Conv2d(c, width, 1) for c in (128, 256, 512))
            self.smooth = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(3))
            tower = lambda: [x for _ in range(3) for x in (nn.Conv2d(width, width, 3, padding=1), nn.ReLU())]
            self.heads = nn.ModuleList(nn.Sequential(*tower(), nn.Conv2d(width, 9 * k, 3, padding=1)) for k in (20, 4))

        def forward(self, x):
            levels = [side(y) for side, y in zip(self.side, self.backbone(x))]
            for index in (1, 0):
                levels[index] = levels[index] + interpolate(levels[index + 1], scale_factor=2, mode="nearest")
            levels = [smooth(y) for smooth, y in zip(self.smooth, levels)]
            flat = lambda head, k: torch.cat([head(y).permute(0, 2, 3, 1).reshape(1, -1, k) for y in levels], 1)
            return flat(self.heads[0], 20).sigmoid(), flat(self.heads[1], 4)

    return RetinaNet()


@model(x=(1, 3, 384, 384))
def detr():
    class Detr(nn.Module):
        def __init__(self, width=256, queries=100):
            super().__init__()
            self.backbone, self.narrow = resnet18(classes=False), nn.Conv2d(512, width, 1)
            self.places = nn.Parameter(torch.randn(1, 144, width) * 0.1)
            self.queries = nn.Parameter(torch.randn(1, queries, width))
            self.encoder = nn.Sequential(*(Encoder(width, 8, 1024) for _ in range(4)))
            self.decoder = nn.ModuleList(Encoder(width, 8, 1024, cross=True) for _ in range(4))
            self.classes = nn.Linear(width, 92)
            self.boxes = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4), nn.Sigmoid())

        def forward(self, x):
            memory = self.encoder(self.narrow(self.backbone(x)).flatten(2).transpose(1, 2) + self.places)
            y = self.queries
            for layer in self.decoder:
                y = layer(y, memory)
            return self.classes(y), self.boxes(y)

    return Detr()


@model(x=(1, 1, 32, 160))
def crnn():
    class Crnn(nn.Module):
        def __init__(self):
            super().__init__()
            pool = lambda *size: nn.MaxPool2d(size, size)
            self.conv = nn.Sequential(Act(1, 64, 3), pool(2, 2), Act(64, 128, 3), pool(2, 2), Act(128, 256, 3), Act(256, 256, 3),
                                      pool(2, 1), Act(256, 512, 3), pool(2, 1), Act(512, 512, 2, padding=0))
            self.lstm = nn.LSTM(512, 256, num_layers=2, bidirectional=True, batch_first=True)
            self.head = nn.Linear(512, 96)

        def forward(self, x):
            y = self.conv(x).squeeze(2).transpose(1, 2)
            return self.head(self.lstm(y)[0]).log_softmax(-1)

    return Crnn()
