# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of models.py --classes: one of each kind of network, made from its architecture with random weights.

They are for kinds that no kernel was tuned on: add kinds, not variants. export.py makes them; images.py, detectors.py,
sequences.py and transformers_.py have the architectures.
"""

IMAGES = ["unet", "deeplab", "style_transfer", "espcn", "edsr", "resnet18_b8", "regnet", "mobilenet_v3", "efficientnet",
          "mlp_mixer", "poolformer", "mobilevit", "segformer", "swin", "vit_518", "conv3d", "r2plus1d", "pointnet",
          "vae_decoder"]
DETECTORS = ["yolo", "retinanet", "detr", "crnn"]
SEQUENCES = ["tcn", "conv_tasnet", "vocoder", "ecapa", "denoiser", "deepfilter", "tagger", "forecaster", "recommender"]
TRANSFORMERS = ["attention_2048", "conformer", "wav2vec", "whisper_encoder", "whisper_decoder_step", "tab_transformer",
                "patch_tst", "gpt2_256", "llama_128", "t5_encoder", "distilbert", "minilm_512"]
F32 = [*IMAGES, *DETECTORS, *SEQUENCES, *TRANSFORMERS]

# Half of them again in bytes, as quantize.py makes them: statically what convolves, dynamically what mostly multiplies matrices.
QDQ = ["unet", "deeplab", "espcn", "edsr", "resnet18_b8", "regnet", "mobilenet_v3", "efficientnet", "mobilevit", "segformer",
       "yolo", "retinanet", "tcn", "vocoder", "denoiser", "vit_518", "minilm_512"]
DYNAMIC = ["mlp_mixer", "swin", "detr", "whisper_encoder", "whisper_decoder_step", "tab_transformer", "gpt2_256", "llama_128",
           "t5_encoder", "distilbert", "minilm_512"]
QUANTIZED = [*(f"{name}_qdq" for name in QDQ), *(f"{name}_dynamic" for name in DYNAMIC)]
