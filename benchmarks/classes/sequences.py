# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks on sound, text and tables that are not transformers."""
import torch
from torch import nn

from parts import Act, Excite, Lambda, Sum, ids, model


@model(x=(1, 64, 1000))
def tcn():
    def block(a, b, dilation):
        pad = Lambda(lambda x: nn.functional.pad(x, (2 * dilation, 0)))
        branch = nn.Sequential(pad, nn.Conv1d(a, b, 3, dilation=dilation), nn.ReLU(),
                               pad, nn.Conv1d(b, b, 3, dilation=dilation), nn.ReLU())
        return Sum(branch, nn.Conv1d(a, b, 1) if a != b else None, nn.ReLU())

    return nn.Sequential(*(block(64 if i == 0 else 128, 128, 2 ** i) for i in range(6)), nn.Conv1d(128, 10, 1))


@model(x=(1, 1, 16000))
def conv_tasnet():
    class TasNet(nn.Module):
        def __init__(self, width=256, inner=512):
            super().__init__()
            self.encode, self.decode = nn.Conv1d(1, width, 16, 8, bias=False), nn.ConvTranspose1d(width, 1, 16, 8, bias=False)

            def block(dilation):
                return Sum(nn.Sequential(nn.Conv1d(128, inner, 1), nn.PReLU(), nn.GroupNorm(1, inner),
                                         nn.Conv1d(inner, inner, 3, padding=dilation, dilation=dilation, groups=inner),
                                         nn.PReLU(), nn.GroupNorm(1, inner), nn.Conv1d(inner, 128, 1)))

            self.masks = nn.Sequential(nn.GroupNorm(1, width), nn.Conv1d(width, 128, 1), *(block(2 ** (i % 6)) for i in range(12)),
                                       nn.PReLU(), nn.Conv1d(128, 2 * width, 1), nn.Sigmoid())

        def forward(self, x):
            y = self.encode(x).relu()
            masks = self.masks(y).unflatten(1, (2, -1))
            return torch.cat([self.decode(y * masks[:, 0]), self.decode(y * masks[:, 1])], 1)

    return TasNet()


@model(mel=(1, 80, 100))
def vocoder():
    """Like HiFi-GAN, small."""
    def block(width, kernel):
        conv = lambda d: nn.Conv1d(width, width, kernel, padding=kernel // 2 * d, dilation=d)
        return [Sum(nn.Sequential(nn.LeakyReLU(0.1), conv(d), nn.LeakyReLU(0.1), conv(1))) for d in (1, 3)]

    layers, width = [nn.Conv1d(80, 128, 7, padding=3)], 128
    for stride, kernel in ((8, 16), (8, 16), (2, 4), (2, 4)):
        layers += [nn.LeakyReLU(0.1), nn.ConvTranspose1d(width, width // 2, kernel, stride, (kernel - stride) // 2)]
        width //= 2
        layers += [*block(width, 3), *block(width, 7)]
    return nn.Sequential(*layers, nn.LeakyReLU(), nn.Conv1d(width, 1, 7, padding=3), nn.Tanh())


@model(mel=(1, 80, 300))
def ecapa():
    class Res2(nn.Module):
        def __init__(self, width, dilation, scale=8):
            super().__init__()
            self.scale = scale
            self.convs = nn.ModuleList(Act(width // scale, width // scale, 3, dims=1, dilation=dilation) for _ in range(scale - 1))

        def forward(self, x):
            first, *rest = x.chunk(self.scale, 1)
            done = [first]
            for index, (conv, part) in enumerate(zip(self.convs, rest)):
                done.append(conv(part + done[-1] if index else part))
            return torch.cat(done, 1)

    class Ecapa(nn.Module):
        def __init__(self, width=512):
            super().__init__()
            act = lambda a, b, kernel=1: Act(a, b, kernel, dims=1)
            self.first = act(80, width, 5)
            self.blocks = nn.ModuleList(Sum(nn.Sequential(act(width, width), Res2(width, d), act(width, width),
                                                          Excite(width, 128, dims=1))) for d in (2, 3, 4))
            self.join = act(3 * width, 1536)
            self.weigh = nn.Sequential(nn.Conv1d(3 * 1536, 128, 1), nn.Tanh(), nn.Conv1d(128, 1536, 1))
            self.last = nn.Linear(3072, 192)

        def forward(self, x):
            x, kept = self.first(x), []
            for block in self.blocks:
                x = block(x)
                kept.append(x)
            x = self.join(torch.cat(kept, 1))
            mean, deviation = x.mean(2, keepdim=True), x.std(2, keepdim=True)
            weights = self.weigh(torch.cat([x, mean.expand_as(x), deviation.expand_as(x)], 1)).softmax(2)
            mean = (x * weights).sum(2)
            deviation = ((x * x * weights).sum(2) - mean * mean).clamp(min=1e-6).sqrt()
            return self.last(torch.cat([mean, deviation], 1))

    return Ecapa()


class Denoiser(nn.Module):
    """Convolutions over time and frequency, a GRU between them, transposed convolutions back."""

    def __init__(self, widths=(1, 16, 32, 64), bins=64):
        super().__init__()
        self.down = nn.ModuleList(Act(a, b, 3, (1, 2), nn.ELU) for a, b in zip(widths, widths[1:]))
        size = widths[-1] * bins // 2 ** (len(widths) - 1)
        self.gru, self.back = nn.GRU(size, 128, batch_first=True), nn.Linear(128, size)
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * b, a, (3, 4), (1, 2), (1, 1)) for a, b in zip(widths, widths[1:]))

    def forward(self, x):
        kept, y = [], x
        for conv in self.down:
            y = conv(y)
            kept.append(y)
        flat = y.transpose(1, 2).flatten(2)
        y = self.back(self.gru(flat)[0]).unflatten(-1, (y.shape[1], y.shape[3])).transpose(1, 2)
        for index, (up, skip) in enumerate(reversed(list(zip(self.up, kept)))):
            y = up(torch.cat([y, skip], 1))
            y = nn.functional.elu(y) if index < 2 else y
        return x * y.sigmoid()


@model(x=(1, 1, 100, 64))
def denoiser():
    return Denoiser()


@model(bands=(1, 1, 100, 32), bins=(1, 2, 100, 96))
def deepfilter():
    """Like DeepFilterNet: an encoder of two inputs, a gain for each band, and filters of five frames for the lowest bins."""
    class DeepFilter(nn.Module):
        def __init__(self, width=32, hidden=128):
            super().__init__()

            def conv(a, b, stride):  # separable
                return nn.Sequential(nn.Conv2d(a, b, (3, 3), (1, stride), (1, 1), groups=min(a, b), bias=False), Act(b, b))

            self.bands = nn.ModuleList([conv(1, width, 1), conv(width, width, 2), conv(width, width, 2)])
            self.bins = nn.ModuleList([conv(2, width, 1), conv(width, width, 2)])
            self.join = nn.Linear(width * 8 + width * 48, hidden)
            self.gru = nn.GRU(hidden, hidden, batch_first=True)
            self.gains = nn.GRU(hidden, hidden, batch_first=True)
            self.to_gains = nn.Linear(hidden, width * 8)
            self.up = nn.ModuleList(nn.ConvTranspose2d(width, width, (1, 2), (1, 2)) for _ in range(2))
            self.gain = nn.Conv2d(width, 1, 3, padding=1)
            self.filters, self.coefficients = nn.GRU(hidden, hidden, batch_first=True), nn.Linear(hidden, 96 * 10)

        def forward(self, bands, bins):
            kept, x, y = [], bands, bins
            for conv in self.bands:
                x = conv(x)
                kept.append(x)
            for conv in self.bins:
                y = conv(y)
            flat = lambda z: z.transpose(1, 2).flatten(2)
            code = self.gru(self.join(torch.cat([flat(x), flat(y)], -1)).relu())[0]
            z = self.to_gains(self.gains(code)[0]).unflatten(-1, (x.shape[1], 8)).transpose(1, 2)
            for up, skip in zip(self.up, (kept[2], kept[1])):
                z = up((z + skip).relu())
            gains = self.gain(z + kept[0]).sigmoid()
            filters = self.coefficients(self.filters(code)[0]).tanh().unflatten(-1, (5, 2, 96))
            frames = nn.functional.pad(bins, (0, 0, 4, 0))
            windows = torch.stack([frames[:, :, i:i + 100] for i in range(5)], 2)  # 1, 2, 5, 100, 96
            re, im = windows[:, 0], windows[:, 1]
            a, b = filters[..., 0, :].transpose(1, 2), filters[..., 1, :].transpose(1, 2)
            clean = torch.stack([(re * a - im * b).sum(1), (re * b + im * a).sum(1)], 1)
            return bands * gains, clean

    return DeepFilter()


@model(ids=ids(1, 64))
def tagger():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.head = nn.Embedding(30000, 128), nn.Linear(512, 20)
            self.lstm = nn.LSTM(128, 256, num_layers=2, bidirectional=True, batch_first=True)

        def forward(self, x):
            return self.head(self.lstm(self.words(x))[0])

    return Tagger()


@model(x=(16, 96, 8))
def forecaster():
    class Forecaster(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = nn.LSTM(8, 128, num_layers=2, batch_first=True), nn.Linear(128, 24)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    return Forecaster()


@model(dense=(64, 13), ids=ids(64, 8))
def recommender():
    """Like DLRM: embeddings, all their products, and two towers."""
    class Recommender(nn.Module):
        def __init__(self, width=64):
            super().__init__()
            tower = lambda *sizes: nn.Sequential(*(x for a, b in zip(sizes, sizes[1:]) for x in (nn.Linear(a, b), nn.ReLU())))
            self.bottom, self.top = tower(13, 512, 256, width), tower(width + 36, 512, 256)
            self.tables, self.last = nn.Embedding(30000, width), nn.Linear(256, 1)
            rows, columns = torch.tril_indices(9, 9, -1)
            self.register_buffer("pairs", rows * 9 + columns)

        def forward(self, dense, ids):
            x = self.bottom(dense)
            every = torch.cat([x.unsqueeze(1), self.tables(ids)], 1)
            pairs = (every @ every.transpose(1, 2)).flatten(1).index_select(1, self.pairs)
            return self.last(self.top(torch.cat([x, pairs], 1))).sigmoid()

    return Recommender()
