# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every architecture of GGUF files that ttc has, beside transformers' own model of it: random weights, written to a file as
converters write them."""
import needs  # noqa: F401, I001: skips the file

import dataclasses
import pathlib
import re
import sys

import numpy as np
import pytest
import torch

transformers = pytest.importorskip("transformers", reason="transformers is not installed: scripts/test-torch.sh")

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "test/conformance"))

import gguf_bundle  # noqa: E402
import gguf_file  # noqa: E402
from gguf_file import ARRAY, BOOL, F32, STRING, U32  # noqa: E402

HEADS, KV_HEADS, SIZE, WIDTH, LAYERS, VOCABULARY = 4, 2, 32, 96, 6, 250
NAMES = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    "self_attn.qkv_proj": "attn_qkv", "mlp.gate_up_proj": "ffn_up", "mlp.fc1": "ffn_up", "mlp.fc2": "ffn_down",
    "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down", "self_attn.dense": "attn_output", "model.final_layernorm": "output_norm",
    "gpt_neox.embed_in": "token_embd", "gpt_neox.final_layer_norm": "output_norm", "embed_out": "output",
    "mlp.gate": "ffn_gate_inp", "block_sparse_moe.router": "ffn_gate_inp", "mlp.shared_expert_gate": "ffn_gate_inp_shexp",
    **{f"{mlp}.experts.{name}_proj": f"ffn_{name}_exps" for mlp in ("mlp", "block_sparse_moe") for name in ("gate", "up", "down")},
    **{f"mlp.{shared}.{name}_proj": f"ffn_{name}_shexp" for shared in ("shared_expert", "shared_experts") for name in ("gate", "up", "down")},
    **{f"shared_mlp.{name}_proj": f"ffn_{name}_shexp" for name in ("gate", "up")}, "shared_mlp.output_linear": "ffn_down_shexp",
    "mlp.gate.moe_statics.e_score_correction": "exp_probs_b", "mlp.router": "ffn_gate_inp", "self_attn.sinks": "attn_sinks",
    "attention.query_key_value": "attn_qkv", "attention.dense": "attn_output", "mlp.dense_h_to_4h": "ffn_up",
    "mlp.dense_4h_to_h": "ffn_down", "mlp.gate.e_score_correction": "exp_probs_b",
    "transformer.wte": "token_embd", "transformer.wpe": "position_embd", "transformer.word_embeddings": "token_embd",
    "transformer.ln_f": "output_norm", "ln_1": "attn_norm", "ln_2": "ffn_norm", "ln_mlp": "attn_norm", "ln_attn": "attn_norm_2",
    "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "self_attention.query_key_value": "attn_qkv", "self_attention.dense": "attn_output",
}
# What the norm before the feed-forward layer is called, and those of the results.
BEFORE = {"post_attention_layernorm": "ffn_norm"}
AFTER = {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
         "post_feedforward_layernorm": "post_ffw_norm"}


LAYER = "attention.layer_norm_epsilon"


@dataclasses.dataclass
class Case:
    config: str
    model: str
    settings: dict = dataclasses.field(default_factory=dict)  # of the configuration
    keys: dict = dataclasses.field(default_factory=dict)  # of the file
    norms: dict = dataclasses.field(default_factory=lambda: BEFORE)
    has_pairs: bool = False  # converters make elements that are rotated together neighbours
    norms_add_one: bool = False
    epsilon: str = "attention.layer_norm_rms_epsilon"
    context: int = 96


def with_experts(name, settings, keys, **others):
    """Three of five experts."""
    return Case(f"{name}Config", f"{name}ForCausalLM", {"num_experts_per_tok": 3, "moe_intermediate_size": 160} | settings,
                {"expert_count": (U32, 5), "expert_used_count": (U32, 3), "expert_feed_forward_length": (U32, 160)} | keys, **others)


YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 64, "rope_theta": 150000.0, "beta_fast": 32.0, "beta_slow": 1.0}
YARN_KEYS = {"rope.scaling.type": (STRING, "yarn"), "rope.scaling.factor": (F32, 8.0), "rope.scaling.original_context_length": (U32, 64)}
GRANITE = {"attention_multiplier": 0.11, "embedding_multiplier": 12.0, "residual_multiplier": 0.22, "logits_scaling": 8.0}
GRANITE_KEYS = {"attention.scale": (F32, 0.11), "embedding_scale": (F32, 12.0), "residual_scale": (F32, 0.22), "logit_scale": (F32, 8.0)}
GPT2 = {"hidden_size": HEADS * SIZE, "n_inner": 160, "activation_function": "gelu_new"}
FALCON = {"hidden_size": HEADS * SIZE, "ffn_hidden_size": 160, "activation": "gelu_new", "bias": False, "alibi": False, "parallel_attn": True,
          "head_dim": ...}  # no setting of this configuration


def all_of(kv_heads):
    """Keys of a model as wide as its heads together."""
    return {"attention.head_count_kv": (U32, kv_heads), "embedding_length": (U32, HEADS * SIZE)}


CASES = {
    "arcee": Case("ArceeConfig", "ArceeForCausalLM", has_pairs=True),
    "mistral3": Case("Ministral3Config", "Ministral3ForCausalLM",
                     {"rope_parameters": YARN | {"mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1, "original_max_position_embeddings": 96,
                                                 "max_position_embeddings": 512}},
                     YARN_KEYS | {"rope.scaling.original_context_length": (U32, 96), "rope.scaling.yarn_log_multiplier": (F32, 1.0),
                                  "attention.temperature_scale": (F32, 0.1)}, has_pairs=True),
    # Not in transformers, but the same as what is.
    "exaone": Case("LlamaConfig", "LlamaForCausalLM"),
    "internlm2": Case("LlamaConfig", "LlamaForCausalLM", has_pairs=True),
    "xverse": Case("LlamaConfig", "LlamaForCausalLM", has_pairs=True),
    "minicpm": Case("GraniteConfig", "GraniteForCausalLM", GRANITE | {"attention_multiplier": SIZE**-0.5},
                    {name: value for name, value in GRANITE_KEYS.items() if name != "attention.scale"}, has_pairs=True),
    "orion": Case("StableLmConfig", "StableLmForCausalLM", {"partial_rotary_factor": 1.0, "hidden_size": HEADS * SIZE},
                  {"embedding_length": (U32, HEADS * SIZE)}, epsilon=LAYER),
    "dots1": with_experts("Dots1", {"n_routed_experts": 5, "n_shared_experts": 2, "first_k_dense_replace": 1, "norm_topk_prob": True,
                                    "routed_scaling_factor": 2.5, "n_group": 1, "topk_group": 1},
                          {"expert_shared_count": (U32, 2), "leading_dense_block_count": (U32, 1), "expert_weights_scale": (F32, 2.5),
                           "expert_gating_func": (U32, 2), "expert_weights_norm": (BOOL, True)}),
    "falcon": Case("FalconConfig", "FalconForCausalLM", FALCON | {"multi_query": True, "new_decoder_architecture": False}, all_of(1), epsilon=LAYER),
    "falcon, two norms": Case("FalconConfig", "FalconForCausalLM", FALCON | {"new_decoder_architecture": True, "num_kv_heads": KV_HEADS},
                              all_of(KV_HEADS), epsilon=LAYER),
    "gpt2": Case("GPT2Config", "GPT2LMHeadModel", GPT2, all_of(HEADS), epsilon=LAYER),
    "starcoder": Case("GPTBigCodeConfig", "GPTBigCodeForCausalLM", GPT2 | {"multi_query": True}, all_of(1), epsilon=LAYER),
    "llama": Case("LlamaConfig", "LlamaForCausalLM", has_pairs=True),
    "llama, mistral": Case("MistralConfig", "MistralForCausalLM", {"sliding_window": None}, has_pairs=True),
    "qwen2": Case("Qwen2Config", "Qwen2ForCausalLM"),
    "qwen3": Case("Qwen3Config", "Qwen3ForCausalLM"),
    "cohere2": Case("Cohere2Config", "Cohere2ForCausalLM", {"logit_scale": 0.25, "sliding_window": 24, "tie_word_embeddings": True},
                    {"logit_scale": (F32, 0.25), "attention.sliding_window": (U32, 24)}, epsilon=LAYER),
    "command-r": Case("CohereConfig", "CohereForCausalLM", {"logit_scale": 0.25, "tie_word_embeddings": True},
                      {"logit_scale": (F32, 0.25)}, epsilon=LAYER),
    "exaone4": Case("Exaone4Config", "Exaone4ForCausalLM", {"sliding_window": 33, "sliding_window_pattern": 4},
                    {"attention.sliding_window": (U32, 33)},
                    {"post_attention_layernorm": "post_attention_norm", "post_feedforward_layernorm": "post_ffw_norm"}),
    "exaone4, no window": Case("Exaone4Config", "Exaone4ForCausalLM", {"sliding_window": None, "layer_types": ["full_attention"] * LAYERS}, {},
                               {"post_attention_layernorm": "post_attention_norm", "post_feedforward_layernorm": "post_ffw_norm"}),
    "glm4": Case("Glm4Config", "Glm4ForCausalLM", {"partial_rotary_factor": 0.5, "attention_bias": True},
                 {"rope.dimension_count": (U32, SIZE // 2)},
                 {"post_self_attn_layernorm": "post_attention_norm", "post_attention_layernorm": "ffn_norm",
                  "post_mlp_layernorm": "post_ffw_norm"}),
    **{f"gptneox, {kind}": Case(
        "GPTNeoXConfig", "GPTNeoXForCausalLM", {"num_key_value_heads": None, "rotary_pct": 0.25, "hidden_act": "gelu_new",
                                                "use_parallel_residual": kind == "parallel", "hidden_size": HEADS * SIZE},
        {"rope.dimension_count": (U32, SIZE // 4), "use_parallel_residual": (BOOL, kind == "parallel"),
         "attention.head_count_kv": (U32, HEADS), "embedding_length": (U32, HEADS * SIZE)},
        {"post_attention_layernorm": "ffn_norm"}, epsilon=LAYER) for kind in ("parallel", "sequential")},
    "nemotron": Case("NemotronConfig", "NemotronForCausalLM", {"partial_rotary_factor": 0.5, "norm_eps": 1e-5},
                     {"rope.dimension_count": (U32, SIZE // 2)}, norms_add_one=True, epsilon=LAYER),
    "phi2": Case("PhiConfig", "PhiForCausalLM", {"partial_rotary_factor": 0.25, "hidden_act": "gelu_new", "hidden_size": HEADS * SIZE},
                 {"rope.dimension_count": (U32, SIZE // 4), "embedding_length": (U32, HEADS * SIZE)}, epsilon=LAYER),
    "phi3": Case("Phi3Config", "Phi3ForCausalLM", {"hidden_size": HEADS * SIZE, "sliding_window": 96},
                 {"embedding_length": (U32, HEADS * SIZE), "attention.sliding_window": (U32, 96)}),
    "stablelm": Case("StableLmConfig", "StableLmForCausalLM", {"partial_rotary_factor": 0.25, "use_qkv_bias": True,
                                                               "hidden_size": HEADS * SIZE},
                     {"rope.dimension_count": (U32, SIZE // 4), "embedding_length": (U32, HEADS * SIZE)}, epsilon=LAYER),
    "starcoder2": Case("Starcoder2Config", "Starcoder2ForCausalLM", {"hidden_size": HEADS * SIZE, "sliding_window": None},
                       {"embedding_length": (U32, HEADS * SIZE)}, epsilon=LAYER),
    "ernie4_5": Case("Ernie4_5Config", "Ernie4_5ForCausalLM"),
    "gemma": Case("GemmaConfig", "GemmaForCausalLM", {"hidden_activation": "gelu_pytorch_tanh"}, norms_add_one=True),
    **{f"gemma2, {layers} layers": Case(
        "Gemma2Config", "Gemma2ForCausalLM",
        {"query_pre_attn_scalar": scalar, "sliding_window": 20, "num_hidden_layers": layers, "attn_logit_softcapping": 1.5,
         "final_logit_softcapping": 4.0},
        {"attention.sliding_window": (U32, 20), "block_count": (U32, layers), "attn_logit_softcapping": (F32, 1.5),
         "final_logit_softcapping": (F32, 4.0)}, AFTER, norms_add_one=True)
       for scalar, layers in ((SIZE, LAYERS), (WIDTH // HEADS, 46))},  # the last are those of 27B
    "gemma3": Case("Gemma3TextConfig", "Gemma3ForCausalLM",
                   {"query_pre_attn_scalar": SIZE, "sliding_window": 24, "layer_types":
                    ["sliding_attention"] * 5 + ["full_attention"], "rope_parameters": {
                        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}},
                   {"attention.sliding_window": (U32, 24), "rope.freq_base": (F32, 1e6), "rope.scaling.type": (STRING, "linear"),
                    "rope.scaling.factor": (F32, 8.0)}, AFTER, norms_add_one=True),
    "gemma3, 27B": Case("Gemma3TextConfig", "Gemma3ForCausalLM",
                        {"query_pre_attn_scalar": WIDTH // HEADS, "sliding_window": 32, "num_hidden_layers": 62, "layer_types":
                         (["sliding_attention"] * 5 + ["full_attention"]) * 10 + ["sliding_attention"] * 2},
                        {"attention.sliding_window": (U32, 32), "rope.freq_base": (F32, 1e6), "block_count": (U32, 62)}, AFTER,
                        norms_add_one=True),
    "granite": Case("GraniteConfig", "GraniteForCausalLM", GRANITE, GRANITE_KEYS, has_pairs=True),
    "olmo2": Case("Olmo2Config", "Olmo2ForCausalLM", norms=AFTER),
    "olmo2, olmo3": Case("Olmo3Config", "Olmo3ForCausalLM", {"sliding_window": 31},
                         {"attention.sliding_window": (U32, 31), "attention.sliding_window_pattern":
                          ((ARRAY, BOOL), [layer % 4 != 3 for layer in range(LAYERS)])}, AFTER),
    "llama, mixtral": with_experts("Mixtral", {"num_local_experts": 5}, {}, has_pairs=True),
    "olmoe": with_experts("Olmoe", {"num_experts": 5, "num_key_value_heads": HEADS, "hidden_size": HEADS * SIZE},
                          {"attention.head_count_kv": (U32, HEADS), "embedding_length": (U32, HEADS * SIZE)}),
    "qwen2moe": with_experts("Qwen2Moe", {"num_experts": 5, "shared_expert_intermediate_size": 96, "hidden_size": HEADS * SIZE},
                             {"expert_shared_feed_forward_length": (U32, 96), "embedding_length": (U32, HEADS * SIZE)}),
    "qwen3moe": with_experts("Qwen3Moe", {"num_experts": 5, "norm_topk_prob": True}, {}),
    "granitemoe": with_experts("GraniteMoe", {"num_local_experts": 5, "hidden_size": HEADS * SIZE} | GRANITE,
                               GRANITE_KEYS | {"embedding_length": (U32, HEADS * SIZE)}, has_pairs=True),
    "granitemoe, shared": with_experts(
        "GraniteMoeShared", {"num_local_experts": 5, "shared_intermediate_size": 96, "hidden_size": HEADS * SIZE} | GRANITE,
        GRANITE_KEYS | {"expert_shared_feed_forward_length": (U32, 96), "embedding_length": (U32, HEADS * SIZE)}, has_pairs=True),
    "ernie4_5-moe": with_experts(
        "Ernie4_5_Moe", {"moe_num_experts": 5, "moe_k": 3, "moe_num_shared_experts": 2, "moe_layer_start_index": 1,
                         "moe_layer_end_index": -1, "moe_layer_interval": 2},
        {"expert_shared_feed_forward_length": (U32, 320), "expert_shared_count": (U32, 2), "leading_dense_block_count": (U32, 1),
         "interleave_moe_layer_step": (U32, 2)}),
    "gpt-oss": with_experts(
        "GptOss", {"num_local_experts": 5, "intermediate_size": 160, "sliding_window": 24, "layer_types":
                   ["sliding_attention", "full_attention"] * (LAYERS // 2), "max_position_embeddings": 512, "rope_parameters": YARN},
        {"attention.sliding_window": (U32, 24)} | YARN_KEYS, norms={"post_attention_layernorm": "post_attention_norm"}),
    "llama, yarn": Case("LlamaConfig", "LlamaForCausalLM", {"rope_parameters": YARN}, YARN_KEYS, has_pairs=True),
    "seed_oss": Case("SeedOssConfig", "SeedOssForCausalLM", {"attention_bias": True},
                     norms={"post_attention_layernorm": "post_attention_norm"}),
    "smollm3": Case("SmolLM3Config", "SmolLM3ForCausalLM", {"no_rope_layer_interval": 4}, has_pairs=True),
}


def make_model(case):
    settings = dict(vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=160, num_hidden_layers=LAYERS,
                    num_attention_heads=HEADS, num_key_value_heads=KV_HEADS, head_dim=SIZE, max_position_embeddings=512,
                    rms_norm_eps=1e-5, layer_norm_eps=1e-5, layer_norm_epsilon=1e-5, norm_epsilon=1e-5, pad_token_id=None, bos_token_id=1, eos_token_id=2, tie_word_embeddings=False)
    settings = {name: value for name, value in (settings | case.settings).items() if value is not ...}
    config = getattr(transformers, case.config)(**settings)
    config._attn_implementation = "eager"
    model = getattr(transformers, case.model)(config).float().eval()
    random = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, value in model.named_parameters():
            noise = torch.randn(value.shape, generator=random)
            if name.endswith(("_proj_bias", "sinks")):
                value.copy_(noise)
            elif value.dim() >= 2:
                value.copy_(noise * value.shape[-1] ** -0.5)
            elif name.endswith("bias"):
                value.copy_(noise / 2)
            else:
                value.copy_(noise / 5 + (not case.norms_add_one))
        # Chosen experts differ from token to token, and by more than a last bit.
        for name, value in model.named_parameters():
            if re.search(r"(mlp\.gate|router)\.weight$", name):
                value.mul_(3)
        for name, value in model.named_buffers():
            if name.endswith("e_score_correction_bias"):
                value.copy_(torch.randn(value.shape, generator=random) / 5)
    return model


def parts_of(model):
    """Its tensors with the names of single products: gates and what they multiply are one product in some models."""
    is_interleaved = model.config.model_type == "gpt_oss"
    for name, value in model.state_dict().items():
        if name.endswith("e_score_correction_bias"):
            yield name, value.reshape(-1)
        elif name.endswith("self_attn.sinks"):
            yield name + ".weight", value
        elif match := re.fullmatch(r"(.*mlp\.experts\.)gate_up_proj_bias|(.*mlp\.experts\.)gate_up_proj", name) if is_interleaved else None:
            kind = ".bias" if match.group(1) else ".weight"
            for i, part in enumerate(("gate", "up")):
                yield f"{match.group(1) or match.group(2)}{part}_proj{kind}", (value[:, i::2] if kind == ".bias" else value[..., i::2].mT)
        elif name.endswith("experts.down_proj_bias"):
            yield name.replace("_bias", ".bias"), value
        elif name.endswith("experts.down_proj") and is_interleaved:
            yield name + ".weight", value.mT
        elif match := re.fullmatch(r"(.*\.experts\.)gate_up_proj|(.*shared_mlp\.)input_linear\.weight", name):
            for part, half in zip(("gate", "up"), value.chunk(2, dim=-2)):
                yield f"{match.group(1) or match.group(2)}{part}_proj.weight", half
        else:
            yield name + (".weight" if name.endswith("experts.down_proj") else ""), value


def write(path, architecture, case, model):
    values = {"block_count": (U32, LAYERS), "context_length": (U32, 512), "embedding_length": (U32, WIDTH),
              "feed_forward_length": (U32, 160), "attention.head_count": (U32, HEADS), "attention.head_count_kv": (U32, KV_HEADS),
              case.epsilon: (F32, 1e-5), "attention.key_length": (U32, SIZE),
              "attention.value_length": (U32, SIZE), "rope.freq_base": (F32, rope_base(model.config))} | case.keys
    tensors = []
    for name, value in parts_of(model):
        layer = re.fullmatch(r"(?:(?:model|gpt_neox)\.layers|transformer\.h)\.(\d+)\.(.+)[._](weight|bias)", name)
        short, kind = layer.group(2, 3) if layer else name.rsplit(".", 1)
        if name == "lm_head.weight" and model.config.tie_word_embeddings:
            continue
        target = (f"blk.{layer.group(1)}." if layer else "") + (NAMES | case.norms)[short] + "." + kind
        array = value.numpy()
        if short == "mlp.shared_expert_gate":
            array = array[0]
        if case.has_pairs and short in ("self_attn.q_proj", "self_attn.k_proj"):
            heads = HEADS if short == "self_attn.q_proj" else KV_HEADS
            array = array.reshape(heads, 2, SIZE // 2, -1).swapaxes(1, 2).reshape(array.shape)
        if short == "attention.query_key_value":  # interleaved by heads
            array = array.reshape(HEADS, 3, SIZE, -1).swapaxes(0, 1).reshape(array.shape)
        if short == "self_attention.query_key_value" and model.config.new_decoder_architecture:  # by heads of keys
            parts = array.reshape(KV_HEADS, HEADS // KV_HEADS + 2, SIZE, -1)
            array = np.concatenate([part.reshape(-1, HEADS * SIZE) for part in (parts[:, :-2], parts[:, -2], parts[:, -1])])
        if model.config.model_type == "gpt2" and array.ndim == 2 and short not in ("transformer.wte", "transformer.wpe", "lm_head"):
            array = array.T
        if case.norms_add_one and array.ndim == 1 and kind == "weight":
            array = array + 1
        array = np.ascontiguousarray(array, np.float32)
        tensors.append(gguf_file.Tensor(target, "F32", array.shape, array.reshape(-1).view(np.uint8)))
    keys = {"general.architecture": (STRING, architecture)} | {f"{architecture}.{key}": value for key, value in values.items()}
    gguf_file.write(path, keys, tensors)


def rope_base(config):
    parameters = getattr(config, "rope_parameters", None) or {"rope_theta": getattr(config, "rope_theta", 10000.0)}
    return parameters.get("rope_theta") or parameters["full_attention"]["rope_theta"]


@pytest.mark.parametrize("name", CASES)
def test_logits(name, tools, tmp_path):
    case, architecture = CASES[name], name.split(",")[0]
    model = make_model(case)
    write(tmp_path / "model.gguf", architecture, case, model)
    bundle = tmp_path / "model.ttcb"
    tools.compile(tmp_path / "model.gguf", bundle, f"--context={case.context}", "--prefill=16", "--activations=f32", "--cache=f32",
                  "--logits")
    tokens = [int(token) for token in np.random.default_rng(2).integers(3, VOCABULARY, 60)]
    with torch.no_grad():
        expected = model(torch.tensor([tokens])).logits[0].numpy()[39:-1]
    found = []
    with gguf_bundle.Decoder(tools, bundle) as decoder:
        decoder.begin(tokens[:40])
        for token in tokens[40:]:
            found.append(decoder.step()[1][0])
            decoder.write("token", token)
    np.testing.assert_allclose(np.array(found)[:len(expected)], expected, rtol=0, atol=2e-5 * np.abs(expected).max())
