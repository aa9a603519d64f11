// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufArchitecture.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::ttc;

// Converters to GGUF reorder the rows of queries and keys of some architectures, so that pairs that
// are rotated are neighbours: those do not rotate halves.
static constexpr GgufArchitecture kArchitectures[] = {
    {.name = "cohere2",
     .rotatesHalves = false,
     .hasLayerNorms = true,
     .residual = Residual::Parallel,
     .window = {.period = 4, .rotatesOthers = false, .isRequired = true},
     .hasLogitScale = true},
    {.name = "command-r",
     .rotatesHalves = false,
     .hasLayerNorms = true,
     .residual = Residual::Parallel,
     .hasLogitScale = true},
    {.name = "ernie4_5", .rotatesHalves = false},
    {.name = "exaone4",
     .rotatesHalves = true,
     .queryKeyNorm = QueryKeyNorm::EachHead,
     .hasNormsBefore = false,
     .hasNormsAfter = true,
     .window = {.period = 4, .rotatesOthers = false}},
    {.name = "gemma",
     .rotatesHalves = true,
     .activation = Activation::Gelu,
     .multipliesByRootOfWidth = true},
    {.name = "gemma3",
     .rotatesHalves = true,
     .queryKeyNorm = QueryKeyNorm::EachHead,
     .hasNormsAfter = true,
     .activation = Activation::Gelu,
     .multipliesByRootOfWidth = true,
     .window = {.period = 6, .rotaryBase = 10000, .isScaled = false, .isRequired = true},
     .wideScaleLayers = 62},
    {.name = "glm4", .rotatesHalves = false, .hasNormsAfter = true},
    {.name = "gptneox",
     .rotatesHalves = true,
     .hasLayerNorms = true,
     .hasGate = false,
     .activation = Activation::Gelu,
     .residual = Residual::ByKey},
    {.name = "granite", .rotatesHalves = false, .hasAttentionScale = true, .hasScales = true},
    {.name = "llama", .rotatesHalves = false, .hasAttentionScale = true},
    {.name = "nemotron",
     .rotatesHalves = true,
     .hasLayerNorms = true,
     .hasGate = false,
     .activation = Activation::ReluSquared},
    {.name = "olmo2",
     .rotatesHalves = true,
     .queryKeyNorm = QueryKeyNorm::AllHeads,
     .hasNormsBefore = false,
     .hasNormsAfter = true,
     .window = {.period = 4, .isScaled = false}},
    {.name = "phi2",
     .rotatesHalves = true,
     .hasLayerNorms = true,
     .hasGate = false,
     .activation = Activation::Gelu,
     .residual = Residual::Parallel},
    {.name = "phi3", .rotatesHalves = true, .window = {.period = 1}},
    {.name = "qwen2", .rotatesHalves = true},
    {.name = "qwen3", .rotatesHalves = true, .queryKeyNorm = QueryKeyNorm::EachHead},
    {.name = "seed_oss",
     .rotatesHalves = true,
     .feedForwardNorm = "post_attention_norm",
     .hasAttentionScale = true},
    {.name = "smollm3", .rotatesHalves = false, .unrotatedPeriod = 4, .hasAttentionScale = true},
    {.name = "stablelm", .rotatesHalves = true, .hasLayerNorms = true},
    {.name = "starcoder2",
     .rotatesHalves = true,
     .hasLayerNorms = true,
     .hasGate = false,
     .activation = Activation::Gelu},
};

const GgufArchitecture *mlir::ttc::findGgufArchitecture(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      kArchitectures, [&](const GgufArchitecture &known) { return known.name == name; });
  return found == std::end(kArchitectures) ? nullptr : found;
}

llvm::ArrayRef<GgufArchitecture> mlir::ttc::getGgufArchitectures() { return kArchitectures; }
