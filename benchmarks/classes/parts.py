# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the architectures share: the list of models, and layers that many have."""
import torch
from torch import nn

MODELS = {}  # name: (function that makes the module, {input: shape, or a tensor that is an example})


def model(**inputs):
    """Registers a function that makes a module, by its name; `inputs` are those of forward(), in order."""
    def register(make):
        MODELS[make.__name__.rstrip("_")] = (make, inputs)
        return make
    return register


def ids(*shape):
    return torch.randint(0, 30000, shape)


class Act(nn.Sequential):
    """A convolution with a batch norm and an activation."""

    def __init__(self, inputs, outputs, kernel=1, stride=1, act=nn.ReLU, dims=2, **options):
        conv = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[dims - 1]
        norm = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[dims - 1]
        if "padding" not in options:
            wide = kernel if isinstance(kernel, tuple) else (kernel,) * dims
            options["padding"] = tuple(k // 2 * options.get("dilation", 1) for k in wide)
        layers = [conv(inputs, outputs, kernel, stride, bias=False, **options), norm(outputs)]
        super().__init__(*layers, *([act()] if act else []))


class Sum(nn.Module):
    """x + branch(x), or shortcut(x) + branch(x)."""

    def __init__(self, branch, shortcut=None, after=None):
        super().__init__()
        self.branch, self.shortcut, self.after = branch, shortcut or nn.Identity(), after or nn.Identity()

    def forward(self, x):
        return self.after(self.shortcut(x) + self.branch(x))


class Excite(nn.Module):
    """Squeeze and excite, for images of any rank."""

    def __init__(self, channels, inner, act=nn.ReLU, gate=nn.Sigmoid, dims=2):
        super().__init__()
        conv = (nn.Conv1d, nn.Conv2d)[dims - 1]
        self.layers = nn.Sequential(conv(channels, inner, 1), act(), conv(inner, channels, 1), gate())
        self.dims = tuple(range(-dims, 0))

    def forward(self, x):
        return x * self.layers(x.mean(self.dims, keepdim=True))


class Lambda(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class Attention(nn.Module):
    """Of `heads` heads, written as products: over its own input, or over `memory`."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, memory=None, bias=None):
        memory = x if memory is None else memory
        q, k, v = self.split(self.q(x)), self.split(self.k(memory)), self.split(self.v(memory))
        scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5)
        scores = scores if bias is None else scores + bias
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


def mlp(width, inner, act=nn.GELU):
    return nn.Sequential(nn.Linear(width, inner), act(), nn.Linear(inner, width))


class Encoder(nn.Module):
    """A layer of a transformer with norms before its parts; with `cross`, it also attends to a memory."""

    def __init__(self, width, heads, inner=None, cross=False):
        super().__init__()
        self.attention, self.mlp = Attention(width, heads), mlp(width, inner or 4 * width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3 if cross else 2))
        self.cross = Attention(width, heads) if cross else None

    def forward(self, x, memory=None):
        x = x + self.attention(self.norms[0](x))
        if self.cross is not None:
            x = x + self.cross(self.norms[2](x), memory)
        return x + self.mlp(self.norms[1](x))


def initialise(module, example):
    """Weights that keep the size of values, and statistics of batch norms as random inputs have them: without both, a deep
    network's values would vanish, and slow numbers (denormals) would be measured."""
    norms = []
    for part in module.modules():
        if isinstance(part, (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d)):
            nn.init.kaiming_normal_(part.weight, nonlinearity="linear")
        if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)):
            part.momentum = None
            nn.init.uniform_(part.weight, 0.5, 1.5)
            nn.init.normal_(part.bias, std=0.2)
            norms.append(part)
    if norms:
        for part in norms:
            part.train()
        with torch.no_grad():
            module(*example)
    return module.eval()
