// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufModelReader.h"

using namespace mlir;
using namespace mlir::ttc;

/// Keys of an architecture that change what it computes, with the value that changes nothing.
static constexpr std::pair<StringLiteral, double> kNeutral[] = {
    {"attention.causal", 1},
    {"attention.clamp_kqv", 0},
    {"attention.max_alibi_bias", 0},
    {"attention.scale", 0},
    {"attention.sliding_window", 0},
    {"attn_logit_softcapping", 0},
    {"embedding_scale", 0},
    {"expert_count", 0},
    {"expert_used_count", 0},
    {"final_logit_softcapping", 0},
    {"logit_scale", 0},
    {"residual_scale", 0},
    {"rope.scaling.attn_factor", 1},
    // llama.cpp reads these with any type of scaling.
    {"rope.scaling.yarn_attn_factor", 1},
    {"rope.scaling.yarn_ext_factor", 0},
    {"rope.scaling.yarn_log_multiplier", 0},
    {"use_parallel_residual", 0},
};

/// Those that change nothing: they describe how the model was trained or stored, or belong to a
/// method that is refused.
static constexpr StringLiteral kHarmless[] = {"attention.layer_norm_epsilon",
                                              "attention.layer_norm_rms_epsilon",
                                              "rope.scaling.finetuned",
                                              "rope.scaling.original_context_length",
                                              "rope.scaling.yarn_beta_fast",
                                              "rope.scaling.yarn_beta_slow",
                                              "pooling_type",
                                              "tensor_data_layout",
                                              "vocab_size"};

static constexpr StringLiteral kRead[] = {
    "attention.head_count",   "attention.head_count_kv",
    "attention.key_length",   "attention.layer_norm_rms_epsilon",
    "attention.value_length", "block_count",
    "context_length",         "embedding_length",
    "feed_forward_length",    "rope.dimension_count",
    "rope.freq_base",         "rope.scale_linear",
    "rope.scaling.factor",    "rope.scaling.type"};

/// Every key of the architecture is read, or known to change nothing: what is ignored would
/// otherwise compute other numbers without a word.
llvm::Error GgufModelReader::checkKeys() {
  SmallVector<StringRef> read(std::begin(kRead), std::end(kRead));
  if (kind->hasAttentionScale)
    read.push_back("attention.scale");
  if (kind->hasScales)
    read.append({"embedding_scale", "logit_scale", "residual_scale"});
  if (kind->hasLogitScale)
    read.push_back("logit_scale");
  if (kind->hasSoftCaps)
    read.append({"attn_logit_softcapping", "final_logit_softcapping"});
  if (kind->residual == Residual::ByKey)
    read.push_back("use_parallel_residual");
  if (kind->window.period)
    read.append(
        {"attention.sliding_window", "attention.sliding_window_pattern", "rope.freq_base_swa"});
  if (kind->ignoresWindow)
    read.push_back("attention.sliding_window");
  if (hasYarn)
    read.append({"rope.scaling.original_context_length", "rope.scaling.yarn_beta_fast",
                 "rope.scaling.yarn_beta_slow"});
  if (kind->hasTemperature)
    read.append({"attention.temperature_length", "attention.temperature_scale",
                 "rope.scaling.yarn_log_multiplier"});
  if (kind->experts.isPossible)
    read.append({"expert_count", "expert_feed_forward_length", "expert_gating_func",
                 "expert_used_count", "expert_weights_norm", "expert_weights_scale"});
  if (kind->experts.hasShared)
    read.append({"expert_shared_count", "expert_shared_feed_forward_length"});
  if (kind->experts.hasDenseLayers)
    read.append({"interleave_moe_layer_step", "leading_dense_block_count"});
  for (auto [name, neutral] : kNeutral) {
    if (!file.has(key(name)) || llvm::is_contained(read, name))
      continue;
    std::optional<double> number = file.findNumber(key(name));
    if (number != neutral)
      return makeGgufError("expected '" + key(name) + "' to be " +
                           Twine(static_cast<int64_t>(neutral)) +
                           " or absent, found another value, which ttc does not support");
  }
  for (StringRef name : file.getKeys((architecture + ".").str())) {
    StringRef rest = name.drop_front(architecture.size() + 1);
    if (!llvm::is_contained(read, rest) && !llvm::is_contained(kHarmless, rest) &&
        llvm::none_of(kNeutral, [&](const auto &entry) { return entry.first == rest; }))
      return makeGgufError("expected only keys of a " + architecture +
                           " model that ttc reads, found '" + name + "'");
  }
  return llvm::Error::success();
}
