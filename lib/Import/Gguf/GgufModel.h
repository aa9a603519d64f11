// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GGUF file as a decoder: its sizes, and the weights of each layer, whose shapes agree with them.
#ifndef TTC_LIB_IMPORT_GGUF_GGUFMODEL_H
#define TTC_LIB_IMPORT_GGUF_GGUFMODEL_H

#include "GgufArchitecture.h"
#include "GgufFile.h"
#include "GgufRotary.h"

namespace mlir::ttc {

/// A product's weights, and its bias if it has one.
struct GgufLinear {
  const GgufFile::Tensor *weight = nullptr;
  const GgufFile::Tensor *bias = nullptr;
  /// The first rows that belong to heads whose elements are reordered (GgufModel::headOrder).
  int64_t headRows = 0;
};

/// The weights of a norm, null where there is none, and its bias if it has one.
struct GgufNorm {
  const GgufFile::Tensor *weight = nullptr;
  const GgufFile::Tensor *bias = nullptr;
};

/// The experts of a layer. Their weights are [experts][rows][columns].
struct GgufExperts {
  GgufLinear router;                            ///< a row for each expert
  const GgufFile::Tensor *choiceBias = nullptr; ///< added to the scores by which they are chosen
  GgufLinear gate, up, down;
  /// The expert of all tokens, if there is one, as GgufLayer::up and down.
  SmallVector<GgufLinear, 2> sharedUp;
  GgufLinear sharedDown;
  GgufLinear sharedWeight; ///< of one row, whose sigmoid weighs its result; null if nothing does
};

struct GgufLayer {
  GgufNorm attentionNorm, feedForwardNorm;
  GgufNorm attentionPostNorm, feedForwardPostNorm; ///< of the results
  GgufNorm queryNorm, keyNorm;
  /// Of queries, keys and values: three products, or one with all rows.
  SmallVector<GgufLinear, 3> heads;
  /// Of the gate, if there is one, and what it multiplies: two products, or one with all rows.
  SmallVector<GgufLinear, 2> up;
  GgufLinear output, down;
  std::optional<GgufExperts> experts; ///< instead of `up` and `down`
  /// A vector of a score for each head, which counts as one more in each softmax; null if there is
  /// none.
  const GgufFile::Tensor *sinks = nullptr;
  /// Indexes GgufModel::rotations; nothing if the layer rotates no queries and keys.
  std::optional<size_t> rotations;
  bool hasWindow = false; ///< of the model's size
};

struct GgufModel {
  const GgufArchitecture *architecture;
  int64_t width;                      ///< of the embeddings
  int64_t hidden;                     ///< of the feed-forward layers
  int64_t experts, usedExperts;       ///< of a layer, and of a token; 0: there are none
  int64_t expertHidden, sharedHidden; ///< of an expert, and of the one of all tokens
  ExpertScores expertScores;
  float expertScale; ///< of the sum of their results
  int64_t heads, kvHeads, headSize;
  int64_t vocabulary;
  int64_t context; ///< that the model was trained for; 0: unknown
  /// The most positions that ttc computes, and what there is to say of more: "for which ..."; 0: no
  /// limit.
  int64_t mostPositions;
  std::string limit;
  float epsilon;   ///< of the norms
  bool isParallel; ///< attention and feed-forward layer read the same
  int64_t window;  ///< the last positions, which some layers see only; 0: all layers see all
  float attentionScale;
  float embeddingScale, residualScale, logitScale; ///< factors of these
  float scoreCap, logitCap;                        ///< x becomes cap * tanh(x / cap); 0: none
  /// In layers that see all positions, and in those that have a window.
  GgufRotations rotations[2];
  /// Which element of a head in the file is element i of a head in the products, so that those
  /// rotated together are headSize / 2 apart where only a part of a head is rotated. Queries and
  /// keys are reordered alike, which changes none of their products. Empty: as in the file.
  SmallVector<int64_t> headOrder;
  std::vector<GgufLayer> layers;
  const GgufFile::Tensor *embedding;
  const GgufFile::Tensor *positions; ///< a row is added to the embedding at its position, or null
  GgufNorm outputNorm;
  /// The embedding where it is tied.
  GgufLinear output;

  /// Fails where the file lacks something, has something that the architecture does not have, or
  /// the sizes contradict each other.
  static llvm::Expected<GgufModel> read(const GgufFile &file);
};

/// The elements of a tensor of floats (F32, F16, BF16).
std::vector<float> toFloats(const GgufFile::Tensor &tensor);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_GGUF_GGUFMODEL_H
