# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of torch_backends.py and test/python/torch: of torchvision, and of transformers made from
configurations. Weights are random, nothing is downloaded.

MODELS[name]() returns a module in eval mode, its positional arguments and its keyword arguments.
"""
import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch

SEED = 20

# Where scripts/test-torch.sh puts torchvision.
sys.path.append(os.path.join(sys.prefix, "vision"))


def _declare_torchvision_ops():
    """torchvision's compiled ops need the PyTorch that they were built with (PyPI's has CUDA). Its
    models use none of them, but importing it fails unless these two are at least declared."""
    try:
        import torchvision  # noqa: F401
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        for name in ("nms", "qnms"):
            torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")


def _vision(name, size=224, **arguments):
    def make():
        _declare_torchvision_ops()
        import torchvision

        torch.manual_seed(SEED)
        model = getattr(torchvision.models, name)(weights=None, **arguments).eval()
        _calibrate(model, size)
        return model, (torch.randn(1, 3, size, size),), {}

    return make


def _calibrate(model, size):
    """Gives batch normalisations the statistics of some noise: with random weights and the initial
    statistics, activations of deep models fade away or explode."""
    norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    if not norms:
        return
    for norm in norms:
        norm.train()
        norm.momentum = 1.0
    with torch.no_grad():
        model(torch.randn(2, 3, size, size))
    for norm in norms:
        norm.eval()
        norm.momentum = 0.1


def _text(model, config, tokens, **arguments):
    return _transformer(model, config, lambda c: {
        "input_ids": torch.randint(0, c.vocab_size, (1, tokens)),
        "attention_mask": torch.ones(1, tokens, dtype=torch.int64),
    }, **arguments)


def _image(model, config, **arguments):
    return _transformer(model, config, lambda c: {"pixel_values": torch.randn(1, 3, 224, 224)}, **arguments)


def _transformer(model, config, inputs, part=None, **arguments):
    def make():
        _declare_torchvision_ops()
        import transformers

        torch.manual_seed(SEED)
        made = getattr(transformers, config)(**arguments)
        module = getattr(transformers, model)(made).eval()
        return (getattr(module, part) if part else module), (), inputs(made)

    return make


_SMALL = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
_ALBERT = {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072}

MODELS = {
    "resnet18": _vision("resnet18"),
    "resnet50": _vision("resnet50"),
    "mobilenet_v2": _vision("mobilenet_v2"),
    "mobilenet_v3": _vision("mobilenet_v3_small"),
    "efficientnet_b0": _vision("efficientnet_b0"),
    "squeezenet": _vision("squeezenet1_1"),
    "shufflenet": _vision("shufflenet_v2_x1_0"),
    "densenet121": _vision("densenet121"),
    "vgg11": _vision("vgg11"),
    "googlenet": _vision("googlenet", init_weights=False),
    "regnet": _vision("regnet_y_400mf"),
    "convnext_tiny": _vision("convnext_tiny"),
    "swin_t": _vision("swin_t"),
    "vit": _image("ViTModel", "ViTConfig", **_SMALL),
    "deit": _image("DeiTModel", "DeiTConfig", **_SMALL),
    "clip_vision": _image("CLIPVisionModel", "CLIPVisionConfig"),
    "clip_text": _text("CLIPTextModel", "CLIPTextConfig", 77),
    "bert": _text("BertModel", "BertConfig", 64),
    "distilbert": _text("DistilBertModel", "DistilBertConfig", 64),
    "roberta": _text("RobertaModel", "RobertaConfig", 64),
    "minilm": _text("BertModel", "BertConfig", 64, **_SMALL),
    "albert": _text("AlbertModel", "AlbertConfig", 64, **_ALBERT),
    "electra": _text("ElectraModel", "ElectraConfig", 64),
    "t5": _text("T5EncoderModel", "T5Config", 64),
    "gpt2": _text("GPT2Model", "GPT2Config", 64, use_cache=False),
    "whisper": _transformer("WhisperModel", "WhisperConfig",
                            lambda c: {"input_features": torch.randn(1, 80, 3000)}, part="encoder"),
}

# The 20 of the table: of each kind, small ones and large ones.
TABLE = [
    "resnet18", "resnet50", "mobilenet_v2", "mobilenet_v3", "efficientnet_b0", "squeezenet", "shufflenet",
    "densenet121", "vgg11", "googlenet", "regnet", "convnext_tiny", "swin_t", "vit",
    "bert", "distilbert", "minilm", "t5", "gpt2", "whisper",
]


def tensors(outputs):
    """The tensors of a model's outputs, in order."""
    return [leaf for leaf in torch.utils._pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor)]
