// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufModelReader.h"

using namespace mlir;
using namespace mlir::ttc;

static constexpr int64_t kMostExperts = 1 << 16;

llvm::Error GgufModelReader::readExpertSizes(GgufModel &model) {
  const ExpertRouting &routing = kind->experts;
  model.expertScale = 1;
  std::optional<int64_t> none;
  if (!routing.isRequired)
    none = 0;
  if (llvm::Error error =
          readSize(model.experts, "expert_count", routing.isRequired, kMostExperts, none))
    return error;
  if (!model.experts)
    return llvm::Error::success();
  if (llvm::Error error = readSize(model.usedExperts, "expert_used_count", 1, model.experts))
    return error;
  if (llvm::Error error = readSize(model.expertHidden, "expert_feed_forward_length", 1,
                                   kMostGgufWidth, model.hidden))
    return error;
  if (routing.hasShared) {
    // Without a size of their own, shared experts have together that of as many others.
    int64_t shared;
    if (llvm::Error error = readSize(shared, "expert_shared_count", 0, kMostExperts, 0))
      return error;
    if (llvm::Error error = readSize(model.sharedHidden, "expert_shared_feed_forward_length", 0,
                                     kMostGgufWidth, shared * model.expertHidden))
      return error;
  }
  for (int64_t size : {model.expertHidden, model.width})
    if (size % 16 != 0)
      return makeGgufError("expected experts of a multiple of 16 rows, found " + Twine(size));
  int64_t scores;
  if (llvm::Error error =
          readSize(scores, "expert_gating_func", 1, 3, static_cast<int64_t>(routing.scores)))
    return error;
  model.expertScores = static_cast<ExpertScores>(scores);
  llvm::Expected<bool> normalizes =
      file.getBool(key("expert_weights_norm"), routing.normalizesWeights);
  if (!normalizes)
    return normalizes.takeError();
  if (*normalizes != routing.normalizesWeights)
    return makeGgufError("expected '" + key("expert_weights_norm") + "' to be " +
                         (routing.normalizesWeights ? "true" : "false") +
                         " or absent, found another value, which ttc does not support");
  if (!file.has(key("expert_weights_scale")))
    return llvm::Error::success();
  llvm::Expected<double> scale = file.getNumber(key("expert_weights_scale"), -1e30, 1e30);
  if (!scale)
    return scale.takeError();
  if (*scale != 0) // none, as llama.cpp reads it
    model.expertScale = static_cast<float>(*scale);
  return llvm::Error::success();
}

llvm::Error GgufModelReader::readExperts(const GgufModel &model, GgufExperts &experts,
                                         const std::string &prefix) {
  auto findAll = [&](StringRef name, int64_t inputs, int64_t outputs,
                     GgufLinear &found) -> llvm::Error {
    if (llvm::Error error =
            find(prefix + name + ".weight", {inputs, outputs, model.experts}, found.weight))
      return error;
    return kind->experts.hasBiases
               ? findFloats(prefix + name + ".bias", {outputs, model.experts}, found.bias)
               : llvm::Error::success();
  };
  if (llvm::Error error = findLinear(prefix + "ffn_gate_inp", model.width, model.experts,
                                     experts.router, kind->experts.hasBiases))
    return error;
  if (llvm::Error error = findVector(prefix + "exp_probs_b.bias", model.experts, experts.choiceBias,
                                     /*optional=*/true))
    return error;
  if (llvm::Error error = findAll("ffn_gate_exps", model.width, model.expertHidden, experts.gate))
    return error;
  if (llvm::Error error = findAll("ffn_up_exps", model.width, model.expertHidden, experts.up))
    return error;
  if (llvm::Error error = findAll("ffn_down_exps", model.expertHidden, model.width, experts.down))
    return error;
  if (!model.sharedHidden)
    return llvm::Error::success();
  experts.sharedUp.resize(2);
  for (auto [name, inputs, outputs, linear] :
       {std::tuple("ffn_gate_shexp", model.width, model.sharedHidden, &experts.sharedUp[0]),
        {"ffn_up_shexp", model.width, model.sharedHidden, &experts.sharedUp[1]},
        {"ffn_down_shexp", model.sharedHidden, model.width, &experts.sharedDown}})
    if (llvm::Error error = findLinear(prefix + name, inputs, outputs, *linear, false))
      return error;
  if (!kind->experts.weighsShared)
    return llvm::Error::success();
  return findVector(prefix + "ffn_gate_inp_shexp.weight", model.width, experts.sharedWeight.weight);
}
