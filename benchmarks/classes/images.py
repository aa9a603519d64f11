# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that make images of images, or classes of images, volumes and points."""
import torch
from torch import nn
from torch.nn.functional import interpolate
from transformers import (EfficientNetConfig, EfficientNetModel, MobileViTConfig, MobileViTModel, PoolFormerConfig,
                          PoolFormerModel, SegformerConfig, SegformerForSemanticSegmentation, ViTConfig, ViTModel)

from parts import Act, Encoder, Excite, Lambda, Sum, mlp, model


class Output(nn.Module):
    """One output of a model of transformers."""

    def __init__(self, inner, name="last_hidden_state"):
        super().__init__()
        self.inner, self.name = inner.eval(), name

    def forward(self, x):
        return getattr(self.inner(x), self.name)


class UNet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        double = lambda a, b: nn.Sequential(Act(a, b, 3), Act(b, b, 3))
        self.down = nn.ModuleList(double(a, b) for a, b in zip((3, *widths), widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(widths, widths[1:]))
        self.join = nn.ModuleList(double(2 * a, a) for a in widths[:-1])
        self.head = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        kept = []
        for index, block in enumerate(self.down):
            x = block(nn.functional.max_pool2d(x, 2) if index else x)
            kept.append(x)
        for skip, up, join in reversed(list(zip(kept, self.up, self.join))):
            x = join(torch.cat([skip, up(x)], 1))
        return self.head(x)


@model(x=(1, 3, 256, 256))
def unet():
    return UNet()


def residual(inputs, outputs, stride=1, groups=1, inner=None, excite=0):
    """A basic block, or with `inner` a bottleneck."""
    short = Act(inputs, outputs, 1, stride, act=None) if stride > 1 or inputs != outputs else None
    if inner is None:
        branch = [Act(inputs, outputs, 3, stride), Act(outputs, outputs, 3, act=None)]
    else:
        branch = [Act(inputs, inner), Act(inner, inner, 3, stride, groups=groups),
                  *([Excite(inner, excite)] if excite else []), Act(inner, outputs, act=None)]
    return Sum(nn.Sequential(*branch), short, nn.ReLU())


def resnet18(classes=True):
    layers = [Act(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    for inputs, outputs, stride in ((64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)):
        layers += [residual(inputs, outputs, stride), residual(outputs, outputs)]
    return nn.Sequential(*layers, *(classify(512) if classes else []))


def classify(width):
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 1000)]


@model(x=(8, 3, 224, 224))
def resnet18_b8():
    return resnet18()


@model(x=(1, 3, 224, 224))
def regnet():
    """Like RegNetY-800MF."""
    layers, width = [Act(3, 32, 3, 2)], 32
    for outputs, depth in ((64, 1), (144, 3), (320, 8), (784, 2)):
        for index in range(depth):
            layers.append(residual(width, outputs, 1 if index else 2, outputs // 16, outputs, width // 4))
            width = outputs
    return nn.Sequential(*layers, *classify(width))


class DeepLab(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(Act(3, 32, 3, 2), residual(32, 64, 2), residual(64, 128, 2), residual(128, 128))
        self.branches = nn.ModuleList([Act(128, 64), *(Act(128, 64, 3, dilation=d) for d in (6, 12, 18))])
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(128, 64, 1), nn.ReLU())
        self.head = nn.Sequential(Act(320, 64), nn.Conv2d(64, 21, 1))

    def forward(self, x):
        y = self.stem(x)
        whole = self.pool(y).expand(-1, -1, *y.shape[2:])
        y = self.head(torch.cat([*(branch(y) for branch in self.branches), whole], 1))
        return interpolate(y, scale_factor=8, mode="bilinear", align_corners=False)


@model(x=(1, 3, 320, 320))
def deeplab():
    return DeepLab()


@model(x=(1, 3, 224, 224))
def style_transfer():
    def conv(a, b, kernel, stride=1):
        return nn.Sequential(nn.ReflectionPad2d(kernel // 2), nn.Conv2d(a, b, kernel, stride),
                             nn.InstanceNorm2d(b, affine=True))

    def up(a, b):
        return nn.Sequential(nn.Upsample(scale_factor=2, mode="nearest"), conv(a, b, 3), nn.ReLU())

    body = [Sum(nn.Sequential(conv(128, 128, 3), nn.ReLU(), conv(128, 128, 3))) for _ in range(5)]
    return nn.Sequential(conv(3, 32, 9), nn.ReLU(), conv(32, 64, 3, 2), nn.ReLU(), conv(64, 128, 3, 2), nn.ReLU(), *body,
                         up(128, 64), up(64, 32), nn.ReflectionPad2d(4), nn.Conv2d(32, 3, 9))


@model(x=(1, 1, 224, 224))
def espcn():
    return nn.Sequential(nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh(),
                         nn.Conv2d(32, 9, 3, padding=1), nn.PixelShuffle(3))


@model(x=(1, 3, 96, 96))
def edsr():
    conv = lambda a, b: nn.Conv2d(a, b, 3, padding=1)
    body = [Sum(nn.Sequential(conv(64, 64), nn.ReLU(), conv(64, 64), Lambda(lambda x: x * 0.1))) for _ in range(16)]
    return nn.Sequential(conv(3, 64), Sum(nn.Sequential(*body, conv(64, 64))), conv(64, 256), nn.PixelShuffle(2), conv(64, 3))


@model(x=(1, 3, 224, 224))
def mobilenet_v3():
    """The small one."""
    def gate():
        return nn.Hardsigmoid()

    layers, width = [Act(3, 16, 3, 2, nn.Hardswish)], 16
    for kernel, inner, outputs, excite, act, stride in (
            (3, 16, 16, 1, nn.ReLU, 2), (3, 72, 24, 0, nn.ReLU, 2), (3, 88, 24, 0, nn.ReLU, 1), (5, 96, 40, 1, nn.Hardswish, 2),
            *[(5, 240, 40, 1, nn.Hardswish, 1)] * 2, (5, 120, 48, 1, nn.Hardswish, 1), (5, 144, 48, 1, nn.Hardswish, 1),
            (5, 288, 96, 1, nn.Hardswish, 2), *[(5, 576, 96, 1, nn.Hardswish, 1)] * 2):
        block = nn.Sequential(Act(width, inner, act=act), Act(inner, inner, kernel, stride, act, groups=inner),
                              *([Excite(inner, inner // 4, gate=gate)] if excite else []), Act(inner, outputs, act=None))
        layers.append(Sum(block) if stride == 1 and width == outputs else block)
        width = outputs
    return nn.Sequential(*layers, Act(96, 576, act=nn.Hardswish), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(576, 1024), nn.Hardswish(), nn.Linear(1024, 1000))


@model(x=(1, 3, 224, 224))
def efficientnet():
    config = EfficientNetConfig(image_size=224, width_coefficient=1.0, depth_coefficient=1.0, hidden_dim=1280)
    return nn.Sequential(Output(EfficientNetModel(config)), *classify(1280))


@model(x=(1, 3, 224, 224))
def mlp_mixer():
    class Mixer(nn.Module):
        def __init__(self, tokens=196, width=512):
            super().__init__()
            self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
            self.tokens, self.channels = mlp(tokens, 256), mlp(width, 2048)

        def forward(self, x):
            x = x + self.tokens(self.norms[0](x).transpose(1, 2)).transpose(1, 2)
            return x + self.channels(self.norms[1](x))

    return nn.Sequential(nn.Conv2d(3, 512, 16, 16), nn.Flatten(2), Lambda(lambda x: x.transpose(1, 2)),
                         *(Mixer() for _ in range(8)), nn.LayerNorm(512), Lambda(lambda x: x.mean(1)), nn.Linear(512, 1000))


@model(x=(1, 3, 224, 224))
def poolformer():
    return Output(PoolFormerModel(PoolFormerConfig()))


@model(x=(1, 3, 256, 256))
def mobilevit():
    return Output(MobileViTModel(MobileViTConfig()), "pooler_output")


@model(x=(1, 3, 384, 384))
def segformer():
    return Output(SegformerForSemanticSegmentation(SegformerConfig(num_labels=19)), "logits")


class SwinBlock(nn.Module):
    """Attention in windows of 7, which every second block shifts by 3; the shift is a concatenation of slices."""

    def __init__(self, side, width, heads, shift):
        super().__init__()
        self.side, self.width, self.shift = side, width, shift if side > 7 else 0
        self.encoder = Encoder(width, heads)
        self.bias = nn.Parameter(torch.randn(1, heads, 49, 49) * 0.1)

    def roll(self, x, by):
        by %= self.side
        x = torch.cat([x[:, by:], x[:, :by]], 1) if by else x
        return torch.cat([x[:, :, by:], x[:, :, :by]], 2) if by else x

    def forward(self, x):  # batch, rows, columns, channels
        count, e = self.side // 7, self.encoder
        y = self.roll(e.norms[0](x), self.shift)
        y = y.reshape(-1, count, 7, count, 7, self.width).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, self.width)
        y = e.attention(y, bias=self.bias)
        y = y.reshape(-1, count, count, 7, 7, self.width).permute(0, 1, 3, 2, 4, 5).reshape(-1, self.side, self.side, self.width)
        x = x + self.roll(y, -self.shift)
        return x + e.mlp(e.norms[1](x))


@model(x=(1, 3, 224, 224))
def swin():
    def merge(width):
        quarters = lambda x: torch.cat([x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)], -1)
        return [Lambda(quarters), nn.LayerNorm(4 * width), nn.Linear(4 * width, 2 * width, bias=False)]

    layers, side, width = [nn.Conv2d(3, 96, 4, 4), Lambda(lambda x: x.permute(0, 2, 3, 1)), nn.LayerNorm(96)], 56, 96
    for heads, depth in ((3, 2), (6, 2), (12, 6), (24, 2)):
        layers += [SwinBlock(side, width, heads, 3 * (index % 2)) for index in range(depth)]
        if heads < 24:
            layers += merge(width)
            side, width = side // 2, 2 * width
    return nn.Sequential(*layers, nn.LayerNorm(768), Lambda(lambda x: x.mean((1, 2))), nn.Linear(768, 1000))


@model(x=(1, 3, 518, 518))
def vit_518():
    """The small one, patches of 14."""
    return Output(ViTModel(ViTConfig(image_size=518, patch_size=14, hidden_size=384, num_attention_heads=6,
                                     intermediate_size=1536, attn_implementation="eager"), add_pooling_layer=False))


@model(x=(1, 3, 16, 112, 112))
def conv3d():
    def pool(*size):
        return nn.MaxPool3d(size, size)

    return nn.Sequential(Act(3, 32, 3, dims=3), pool(1, 2, 2), Act(32, 64, 3, dims=3), pool(2, 2, 2), Act(64, 128, 3, dims=3),
                         pool(2, 2, 2), Act(128, 128, 3, dims=3), pool(2, 2, 2), Act(128, 256, 3, dims=3),
                         nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(256, 101))


@model(x=(1, 3, 8, 112, 112))
def r2plus1d():
    """Like R(2+1)D-18: convolutions over the image, then over time."""
    def conv(a, b, stride=1, act=nn.ReLU):
        inner = a * b * 27 // (a * 9 + 3 * b)
        return [Act(a, inner, (1, 3, 3), (1, stride, stride), dims=3), Act(inner, b, (3, 1, 1), (stride, 1, 1), act, dims=3)]

    layers, width = [Act(3, 45, (1, 7, 7), (1, 2, 2), dims=3), Act(45, 64, (3, 1, 1), dims=3)], 64
    for outputs in (64, 128, 256, 512):
        for stride in (1 if outputs == 64 else 2, 1):
            short = Act(width, outputs, 1, stride, None, dims=3) if stride > 1 else None
            layers.append(Sum(nn.Sequential(*conv(width, outputs, stride), *conv(outputs, outputs, act=None)), short, nn.ReLU()))
            width = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(512, 101))


@model(x=(4, 3, 1024))
def pointnet():
    class PointNet(nn.Module):
        def __init__(self):
            super().__init__()
            conv = lambda a, b: Act(a, b, dims=1)
            self.turn = nn.Sequential(conv(3, 64), conv(64, 128), conv(128, 1024))
            self.matrix = nn.Sequential(nn.Linear(1024, 256), nn.ReLU(), nn.Linear(256, 9))
            self.points = nn.Sequential(conv(3, 64), conv(64, 64))
            self.whole = nn.Sequential(conv(64, 128), conv(128, 1024))
            self.head = nn.Sequential(conv(1088, 512), conv(512, 256), nn.Conv1d(256, 50, 1))

        def forward(self, x):
            turn = self.matrix(self.turn(x).amax(-1)).unflatten(-1, (3, 3)) + torch.eye(3)
            y = self.points((x.transpose(1, 2) @ turn).transpose(1, 2))
            whole = self.whole(y).amax(-1, keepdim=True).expand(-1, -1, x.shape[-1])
            return self.head(torch.cat([y, whole], 1)).log_softmax(1)

    return PointNet()


@model(x=(1, 4, 32, 32))
def vae_decoder():
    """The decoder of a latent diffusion model, an eighth as wide."""
    def block(a, b):
        branch = nn.Sequential(nn.GroupNorm(8, a), nn.SiLU(), nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(8, b), nn.SiLU(),
                               nn.Conv2d(b, b, 3, padding=1))
        return Sum(branch, nn.Conv2d(a, b, 1) if a != b else None)

    class Middle(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.norm, self.encoder = nn.GroupNorm(8, width), Encoder(width, 1)

        def forward(self, x):
            y = self.encoder.attention(self.norm(x).flatten(2).transpose(1, 2))
            return x + y.transpose(1, 2).unflatten(-1, x.shape[2:])

    up = lambda width: [nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(nn.Conv2d(4, 128, 3, padding=1), block(128, 128), Middle(128), block(128, 128), *up(128), block(128, 64),
                         *up(64), block(64, 32), nn.GroupNorm(8, 32), nn.SiLU(), nn.Conv2d(32, 3, 3, padding=1))
