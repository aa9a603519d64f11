# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers of texts, sounds and tables. (`transformers` is the package that has some of them.)"""
import torch
from torch import nn
from transformers import (BertConfig, BertModel, DistilBertConfig, DistilBertModel, GPT2Config, GPT2LMHeadModel, LlamaConfig,
                          LlamaModel, T5Config, T5EncoderModel, Wav2Vec2Config, Wav2Vec2Model, WhisperConfig)
from transformers.models.whisper.modeling_whisper import WhisperEncoder

from images import Output
from parts import Attention, Encoder, Lambda, Sum, ids, mlp, model


def whole(kind, config, **options):
    """A model of transformers whose attention is written as products; its first output."""
    config._attn_implementation = "eager"
    for key in ("use_cache",):
        setattr(config, key, False)
    return kind(config, **options)


@model(x=(1, 2048, 256))
def attention_2048():
    return nn.Sequential(Sum(Attention(256, 4)), Sum(Attention(256, 4)))


class ConformerBlock(nn.Module):
    def __init__(self, width=256, heads=4, kernel=31):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(5))
        self.first, self.last = (mlp(width, 4 * width, nn.SiLU) for _ in range(2))
        self.attention = Attention(width, heads)
        self.conv = nn.Sequential(nn.Conv1d(width, 2 * width, 1), nn.GLU(1),
                                  nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width),
                                  nn.BatchNorm1d(width), nn.SiLU(), nn.Conv1d(width, width, 1))

    def forward(self, x):
        x = x + self.first(self.norms[0](x)) / 2
        x = x + self.attention(self.norms[1](x))
        x = x + self.conv(self.norms[2](x).transpose(1, 2)).transpose(1, 2)
        return self.norms[4](x + self.last(self.norms[3](x)) / 2)


@model(mel=(1, 1, 400, 80))
def conformer():
    conv = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, 2), nn.ReLU())
    return nn.Sequential(conv(1, 64), conv(64, 64), Lambda(lambda x: x.transpose(1, 2).flatten(2)), nn.Linear(64 * 19, 256),
                         *(ConformerBlock() for _ in range(6)))


@model(x=(1, 16000))
def wav2vec():
    return Output(whole(Wav2Vec2Model, Wav2Vec2Config(num_hidden_layers=6)))


@model(mel=(1, 80, 3000))
def whisper_encoder():
    return Output(whole(WhisperEncoder, WhisperConfig(d_model=512, encoder_layers=6, encoder_attention_heads=8,
                                                      encoder_ffn_dim=2048)))


@model(ids=ids(1, 1), keys=(6, 1, 8, 127, 64), values=(6, 1, 8, 127, 64), memory_keys=(6, 1, 8, 1500, 64),
       memory_values=(6, 1, 8, 1500, 64))
def whisper_decoder_step():
    """One token of Whisper base: the caches are inputs, and what the step adds to them is an output."""
    class Step(nn.Module):
        def __init__(self, width=512):
            super().__init__()
            self.words, self.place = nn.Embedding(51865, width), nn.Parameter(torch.randn(width) * 0.02)
            self.layers = nn.ModuleList(Encoder(width, 8, cross=True) for _ in range(6))
            self.norm = nn.LayerNorm(width)

        @staticmethod
        def attend(attention, q, k, v):
            scores = (q @ k.transpose(-1, -2) / 8).softmax(-1)
            return attention.out((scores @ v).transpose(1, 2).flatten(2))

        def forward(self, ids, keys, values, memory_keys, memory_values):
            x, new = self.words(ids) + self.place, []
            for index, layer in enumerate(self.layers):
                own, y = layer.attention, layer.norms[0](x)
                k, v = own.split(own.k(y)), own.split(own.v(y))
                new += [k, v]
                x = x + self.attend(own, own.split(own.q(y)), torch.cat([keys[index], k], 2), torch.cat([values[index], v], 2))
                cross, y = layer.cross, layer.norms[2](x)
                x = x + self.attend(cross, cross.split(cross.q(y)), memory_keys[index], memory_values[index])
                x = x + layer.mlp(layer.norms[1](x))
            return self.norm(x) @ self.words.weight.T, torch.cat(new, 0)

    return Step()


@model(numbers=(32, 16), ids=ids(32, 10))
def tab_transformer():
    """Like FT-Transformer: each column is a token."""
    class Table(nn.Module):
        def __init__(self, width=192):
            super().__init__()
            self.scale, self.shift = nn.Parameter(torch.randn(16, width)), nn.Parameter(torch.randn(27, width))
            self.kinds, self.layers = nn.Embedding(30000, width), nn.Sequential(*(Encoder(width, 8, 256) for _ in range(3)))
            self.head = nn.Sequential(nn.LayerNorm(width), nn.ReLU(), nn.Linear(width, 2))

        def forward(self, numbers, ids):
            columns = [torch.zeros(numbers.shape[0], 1, self.scale.shape[1]), numbers.unsqueeze(-1) * self.scale, self.kinds(ids)]
            return self.head(self.layers(torch.cat(columns, 1) + self.shift)[:, 0])

    return Table()


@model(x=(7, 512))
def patch_tst():
    """A forecast of seven series by patches of 16 that overlap."""
    class Patches(nn.Module):
        def __init__(self, width=128):
            super().__init__()
            self.embed, self.places = nn.Linear(16, width), nn.Parameter(torch.randn(63, width) * 0.02)
            self.layers, self.head = nn.Sequential(*(Encoder(width, 16, 256) for _ in range(3))), nn.Linear(63 * width, 96)

        def forward(self, x):
            mean, deviation = x.mean(1, keepdim=True), x.std(1, keepdim=True) + 1e-5
            y = (x - mean) / deviation
            patches = torch.stack([y[:, i:i + 16] for i in range(0, 497, 8)], 1)
            return self.head(self.layers(self.embed(patches) + self.places).flatten(1)) * deviation + mean

    return Patches()


@model(ids=ids(1, 256))
def gpt2_256():
    return Output(whole(GPT2LMHeadModel, GPT2Config(n_layer=6)), "logits")


@model(ids=ids(1, 128))
def llama_128():
    """Grouped queries, rotary places, SwiGLU; as SmolLM2-135M, ten layers."""
    return Output(whole(LlamaModel, LlamaConfig(hidden_size=576, intermediate_size=1536, num_hidden_layers=10,
                                                num_attention_heads=9, num_key_value_heads=3, vocab_size=32000)))


@model(ids=ids(1, 128))
def t5_encoder():
    return Output(whole(T5EncoderModel, T5Config(d_ff=2048, num_layers=6)))


@model(ids=ids(1, 128))
def distilbert():
    return Output(whole(DistilBertModel, DistilBertConfig()))


@model(ids=ids(1, 512))
def minilm_512():
    return Output(whole(BertModel, BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
                                              intermediate_size=1536), add_pooling_layer=False))
