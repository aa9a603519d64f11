# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose sizes Dynamo has made dynamic: one bundle for all of them."""
import needs  # noqa: F401, I001: skips the file

import pytest
import torch
import transformers as T
from graphs import Compiled

SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, vocab_size=200)
GPT = dict(n_embd=32, n_layer=2, n_head=4, vocab_size=200)
LLAMA = SMALL | dict(num_key_value_heads=2, use_cache=False)
TOKENS = dict(pad_token_id=0, bos_token_id=1, eos_token_id=2)
LAYERS = dict(encoder_layers=2, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
              decoder_ffn_dim=64)

MODELS = {
    "bert": lambda: T.BertModel(T.BertConfig(**SMALL), add_pooling_layer=False),
    "distilbert": lambda: T.DistilBertModel(T.DistilBertConfig(dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=200)),
    "roberta": lambda: T.RobertaModel(T.RobertaConfig(**SMALL, max_position_embeddings=514), add_pooling_layer=False),
    "albert": lambda: T.AlbertModel(T.AlbertConfig(**SMALL, embedding_size=16), add_pooling_layer=False),
    "electra": lambda: T.ElectraModel(T.ElectraConfig(**SMALL, embedding_size=16)),
    "mpnet": lambda: T.MPNetModel(T.MPNetConfig(**SMALL, max_position_embeddings=514), add_pooling_layer=False),
    "gpt2": lambda: T.GPT2Model(T.GPT2Config(**GPT, use_cache=False)),
    "llama": lambda: T.LlamaModel(T.LlamaConfig(**LLAMA)),
    "qwen2": lambda: T.Qwen2Model(T.Qwen2Config(**LLAMA)),
    "t5": lambda: T.T5EncoderModel(T.T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=200)),
    "modernbert": lambda: T.ModernBertModel(T.ModernBertConfig(
        **SMALL, **TOKENS, cls_token_id=1, sep_token_id=2, local_attention=16)),
    "deberta_v2": lambda: T.DebertaV2Model(T.DebertaV2Config(
        **SMALL, relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=32, norm_rel_ebd="layer_norm")),
    "gptneox": lambda: T.GPTNeoXModel(T.GPTNeoXConfig(**SMALL, use_cache=False)),
    "bloom": lambda: T.BloomModel(T.BloomConfig(hidden_size=32, n_layer=2, n_head=4, vocab_size=200, use_cache=False)),
    "gemma2": lambda: T.Gemma2Model(T.Gemma2Config(**LLAMA, head_dim=8, sliding_window=8)),
    "bart": lambda: T.BartModel(T.BartConfig(d_model=32, **LAYERS, vocab_size=200)).get_encoder(),
}
# Models with other inputs, and their input of a size.
OTHERS = {
    "wav2vec2": (lambda: T.Wav2Vec2Model(T.Wav2Vec2Config(
        **SMALL, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, conv_dim=(16,) * 7)),
        lambda n: torch.randn(2, 800 + 53 * n), 128),
    "whisper": (lambda: T.WhisperModel(T.WhisperConfig(
        d_model=32, **LAYERS, **TOKENS, vocab_size=200, num_mel_bins=16, max_source_positions=50)).get_encoder(),
        lambda n: torch.randn(n, 16, 100), 32),
    "vit": (lambda: T.ViTModel(T.ViTConfig(**SMALL, image_size=32, patch_size=8), add_pooling_layer=False),
            lambda n: torch.randn(n, 3, 32, 32), 32),
    "resnet": (lambda: T.ResNetModel(T.ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1])),
               lambda n: torch.randn(2, 3, 30 + n, 48), 128),
}
# A length that comes first says how long others may be.
LENGTHS = [37, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 47, 63, 64, 65, 80, 96, 100, 111, 120, 127, 128, 6, 12, 24, 50, 90]


def check(name, lengths):
    model = MODELS[name]().eval()

    def forward(input_ids, attention_mask):
        return model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    compiled = Compiled(forward, dynamic=True, cache=False)
    with torch.inference_mode():
        for length in lengths:
            ids, mask = torch.randint(3, 200, (2, length)), torch.ones(2, length, dtype=torch.int64)
            mask[1, length // 2 + 1:] = 0
            compiled(ids, mask)
    # A program may be cut into several graphs.
    assert all(graph.state == "ttc" for graph in compiled.graphs), compiled.graphs
    assert [graph.compiled for graph in compiled.graphs] == [1] * len(compiled.graphs)


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_lengths_of_a_model(name):
    check(name, LENGTHS[:6])


@pytest.mark.nightly
@pytest.mark.parametrize("name", MODELS)
def test_all_lengths(name):
    check(name, LENGTHS)


@pytest.mark.nightly
@pytest.mark.parametrize("name", OTHERS)
def test_sizes_of_other_inputs(name):
    make, make_input, most = OTHERS[name]
    model = make().eval()
    compiled = Compiled(lambda x: model(x).last_hidden_state, dynamic=True, cache=False)
    with torch.inference_mode():
        for size in [most - 3, *sorted(set(length % (most - 3) for length in LENGTHS) - {0, 1})]:
            compiled(make_input(size))
    assert [graph.compiled for graph in compiled.graphs] == [1] * len(compiled.graphs), compiled.graphs


def test_sizes_beyond_the_range():
    """Another bundle, for larger ones."""
    compiled = Compiled(lambda x: torch.softmax(x, 0) * 2, dynamic=True, cache=False)
    for size in (5, 500, 900, 7, 1000):
        compiled(torch.randn(size))
    assert [graph.compiled for graph in compiled.graphs] == [2]


def test_an_own_limit():
    compiled = Compiled(lambda x: torch.softmax(x, 0) * 2, dynamic=True, cache=False, max_size=2048)
    for size in (5, 1500, 2048):
        compiled(torch.randn(size))
    assert [graph.compiled for graph in compiled.graphs] == [1], compiled.graphs


def test_many_combinations():
    """Ranges of two lengths leave none for the batch, which is as in the first call."""
    compiled = Compiled(lambda q, k: torch.softmax(q @ k.transpose(1, 2), -1).sum(-2), dynamic=True, cache=False)
    for q, k in ((33, 18), (5, 31), (64, 2)):
        compiled(torch.randn(2, q, 8), torch.randn(2, k, 8))
    assert [graph.compiled for graph in compiled.graphs] == [1], compiled.graphs


def test_a_length_that_is_more_than_two():
    """So that x[:, 1:] has two, which a batch may have, too."""
    compiled = Compiled(lambda x: (x[:, 1:] - x[:, :-1]).sum(2), dynamic=True, cache=False)
    for batch, length in ((2, 9), (2, 3), (3, 30)):
        compiled(torch.randn(batch, length, 4))
    assert [graph.compiled for graph in compiled.graphs] == [1], compiled.graphs


def test_sizes_for_which_an_export_holds():
    """Not those of which a convolution leaves one pixel, nor that of a table's length."""
    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.table = torch.nn.Conv2d(3, 2, 3, stride=4, padding=1), torch.nn.Parameter(torch.randn(64, 4))

        def forward(self, image, words):
            return self.conv(image).relu().sum(1), words + self.table[: words.shape[1]]

    compiled = Compiled(Both().eval(), dynamic=True, cache=False)
    for height, length in ((32, 40), (9, 63), (30, 2)):
        with torch.inference_mode():
            compiled(torch.randn(2, 3, height, 24), torch.randn(2, length, 4))
    assert [graph.compiled for graph in compiled.graphs] == [1], compiled.graphs


def test_bounds_of_the_program():
    compiled = Compiled(lambda x: x.mean(0) + x.sum(), cache=False)
    for size in (40, 2, 60, 33):
        x = torch.randn(size, 4)
        torch._dynamo.mark_dynamic(x, 0, min=2, max=60)
        compiled(x)
    assert [graph.compiled for graph in compiled.graphs] == [1]


def test_outputs_by_size():
    """Numbers, views and shapes that follow from sizes."""
    compiled = Compiled(lambda x: (x.shape[0] * 2, (x * 2)[1:], x.t(), torch.cat([x, x + 1]), x[-1]), dynamic=True, cache=False)
    for size in (5, 9, 6, 5):
        compiled(torch.randn(size, 3))
    assert all(graph.state == "ttc" and graph.compiled == 1 for graph in compiled.graphs), compiled.graphs


def test_strides_that_are_not_row_major():
    """Results may have the strides of an input, so these have a bundle for each shape."""
    compiled = Compiled(lambda x: x * 2, dynamic=True, cache=False)
    for size in (5, 9):
        compiled(torch.randn(size, 3))
        compiled(torch.randn(3, size).t())
    assert all(graph.state == "ttc" for graph in compiled.graphs), compiled.graphs


def test_what_has_a_bundle_for_each_shape(caplog):
    """A size that decides what is computed."""
    caplog.set_level("INFO", "ttc.torch")
    compiled = Compiled(lambda x: torch.nn.functional.layer_norm(x, x.shape) * 2, dynamic=True, cache=False)
    for size in (4, 6, 8):
        compiled(torch.randn(size))
    assert [graph.compiled for graph in compiled.graphs] == [3] * len(compiled.graphs), compiled.graphs
    assert "a bundle for each shape, as" in caplog.text


def test_inputs_that_require_gradients():
    compiled = Compiled(lambda x: torch.tanh(x).sum(0), dynamic=True, cache=False)
    with torch.no_grad():
        for size in (4, 6, 9):
            compiled(torch.randn(size, 3, requires_grad=True))
    assert [graph.compiled for graph in compiled.graphs] == [1], compiled.graphs


def test_another_number():
    """Numbers that are no sizes are constants of the bundle."""
    compiled = Compiled(lambda x, f: x * f + 1, dynamic=True, cache=False)
    for size, factor in ((4, 0.5), (6, 0.5), (6, 1.5), (9, 0.5)):
        compiled(torch.randn(size, 2), factor)
    assert "PyTorch" not in compiled.states, compiled.graphs


def test_bundles_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TTC_CACHE_DIR", str(tmp_path))
    for first in (5, 30):  # whatever size comes first
        torch._dynamo.reset()
        compiled = Compiled(lambda x: torch.tanh(x).sum(0), dynamic=True)
        compiled(torch.randn(first))
    assert [(graph.compiled, graph.cached) for graph in compiled.graphs] == [(0, 1)]
