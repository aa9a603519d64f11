// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What differs between the decoders of GGUF files. One row of a table per architecture; the reader
// of models and the builder of graphs ask for properties, never for names.
#ifndef TTC_LIB_IMPORT_GGUF_GGUFARCHITECTURE_H
#define TTC_LIB_IMPORT_GGUF_GGUFARCHITECTURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::ttc {

/// An RMS norm of queries and of keys before they are rotated.
enum class QueryKeyNorm : uint8_t {
  None,
  EachHead, ///< with the same weights for all heads
  AllHeads, ///< of all queries together, and of all keys
};

enum class GgufActivation : uint8_t {
  Silu,
  Gelu,        ///< with tanh
  ReluSquared, ///< max(x, 0)^2
  /// x sigmoid(1.702 x), of x up to 7; what it multiplies is limited to -7 and 7, and 1 is added.
  LimitedSwish,
};

/// What the feed-forward layer reads, and what its result is added to.
enum class Residual : uint8_t {
  Sequential, ///< the sum after the attention
  Parallel,   ///< what the attention reads, in its norm or in one of its own
  ByKey,      ///< either, as `use_parallel_residual` says
};

/// How layers that attend to a window of the last positions only alternate with others. The file
/// may say otherwise.
struct WindowPattern {
  int64_t period = 0;        ///< every period-th layer sees all positions; 0: no layer has a window
  double rotaryBase = 0;     ///< of layers with a window; 0: as others
  bool isScaled = true;      ///< whether they have the file's scaling of positions, too
  bool rotatesOthers = true; ///< whether the others are rotated, where there are windows
  bool isRequired = false;   ///< whether the file must give the window's size
  int64_t size = 0;          ///< where the file gives none; 0: no layer has a window then
  int64_t sizeLayers = 0;    ///< such files have this number of layers; 0: any
};

/// The scores by which experts are chosen, and their results weighed: those of
/// `expert_gating_func`.
enum class ExpertScores : uint8_t {
  Softmax = 1, ///< over all of them
  Sigmoid = 2,
  ChosenSoftmax = 3, ///< over the chosen ones
};

/// Layers with several feed-forward layers, the experts, of which each token is sent to a few.
struct ExpertRouting {
  bool isPossible = false;        ///< whether a file may have experts
  bool isRequired = false;        ///< whether it must
  bool normalizesWeights = false; ///< of the results of the chosen experts, by their sum
  ExpertScores scores = ExpertScores::Softmax; ///< where the file does not say
  bool hasBiases = false;                      ///< all products of experts
  bool hasShared = false;      ///< whether the file may have an expert for all tokens
  bool weighsShared = false;   ///< its result, by the sigmoid of a product of its own
  bool hasDenseLayers = false; ///< whether keys may say that only some layers have experts
};

struct GgufArchitecture {
  llvm::StringLiteral name;
  /// Whether element i of a head is rotated with i + headSize / 2 rather than with its neighbour.
  bool rotatesHalves;
  /// Whether norms subtract the mean, and may have a bias; else they are RMS norms.
  bool hasLayerNorms = false;
  QueryKeyNorm queryKeyNorm = QueryKeyNorm::None;
  bool hasNormsBefore = true; ///< of the attention and of the feed-forward layer
  bool hasNormsAfter = false; ///< of their results, before these are added to the residual
  llvm::StringLiteral feedForwardNorm = "ffn_norm"; ///< the tensor of the norm before
  bool hasGate = true;                              ///< activation(gate) * up, else activation(up)
  GgufActivation activation = GgufActivation::Silu;
  Residual residual = Residual::Sequential;
  bool multipliesByRootOfWidth = false; ///< embeddings, by sqrt(width)
  int64_t unrotatedPeriod = 0;          ///< every such layer rotates nothing; 0: all rotate
  bool hasLearnedPositions = false;     ///< a table of vectors, which are added to the embeddings
  WindowPattern window = {};
  /// Whether the file may give a window that no layer has. A warning says so where it would leave
  /// positions out.
  bool ignoresWindow = false;
  /// With this number of layers, scores are divided by sqrt(width / heads) instead of the size of a
  /// head. No key says so.
  int64_t wideScaleLayers = 0;
  ExpertRouting experts = {};
  bool hasSinks = false; ///< of the attention
  /// Whether queries grow with the position beyond the context that was trained before YaRN, as
  /// `attention.temperature_scale` says. YaRN then scales angles only.
  bool hasTemperature = false;
  /// Factors that the file gives.
  bool hasAttentionScale = false;
  bool hasScales = false;     ///< of embeddings and residuals, and a divisor of logits
  bool hasLogitScale = false; ///< a factor of logits
  bool hasSoftCaps = false;   ///< of scores and of logits
};

/// Null for an architecture that ttc does not have.
const GgufArchitecture *findGgufArchitecture(llvm::StringRef name);
/// All of them, by name.
llvm::ArrayRef<GgufArchitecture> getGgufArchitectures();

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_GGUF_GGUFARCHITECTURE_H
