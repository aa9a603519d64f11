// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether and how a convolution is computed by Winograd's algorithm.
#ifndef TTC_ANALYSIS_WINOGRADPLAN_H
#define TTC_ANALYSIS_WINOGRADPLAN_H

#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "ttc/Analysis/GemmPlan.h"

namespace mlir::ttc {

struct WinogradChoice {
  /// Lines and columns of results of one tile.
  int64_t outputs;
  /// Whether an op of its own transforms the image; otherwise each workgroup does so for its tiles.
  bool transformFirst;
  /// The register tile.
  GemmTile tile;
};

/// How many bytes of constants functions have: whether they stay in a cache from one inference to
/// the next.
class ConstantBytes {
public:
  explicit ConstantBytes(ModuleOp module);
  /// Those of the function around `op`.
  int64_t get(Operation *op) const;

private:
  llvm::DenseMap<Operation *, int64_t> functions;
};

/// A convolution as Winograd's algorithm sees it.
struct WinogradShape {
  /// 3 or 5, in spatial dimension `line` only, or in the last two.
  int64_t taps;
  std::optional<int64_t> line;
  /// Those of the taps.
  int64_t dilation;
  /// With three spatial dimensions: the taps of the first one, whose products are summed.
  int64_t frames;
  /// Whether an op of its own must transform the image.
  bool needsTransform;
};

/// Nothing if Winograd's algorithm does not compute the convolution. It does if that is
/// channels-last, without strides, with constant weights and at least 8 channels.
std::optional<WinogradShape> getWinogradShape(ConvOp op);

/// The fastest ways for channels-last convolutions of f32 by the same weights, on vectors of
/// `vectorLength` lanes: one for each, with the same `outputs` and `tile`, on which the packed
/// weights depend. Empty if the direct convolution is estimated to be about as fast for all
/// together. `constantBytes`: those of each one's function. Depends on shapes only, never on the
/// number of cores or on the caches of this machine, so that results have the same bits everywhere.
SmallVector<WinogradChoice> chooseWinograd(ArrayRef<ConvOp> ops, int64_t vectorLength,
                                           ArrayRef<int64_t> constantBytes);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_WINOGRADPLAN_H
