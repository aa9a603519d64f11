// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The models of a bundle that have variants (docs/shapes.md).

#ifndef TTC_TOOLING_DESCRIBE_READMODELS_H
#define TTC_TOOLING_DESCRIBE_READMODELS_H

#include "Bundle/Bundle.h"

#include <string>
#include <vector>

namespace ttrun {

struct DimInfo {
  std::string name;
  int64_t low, high, step;
};
struct ModelPortInfo {
  std::string name, dtype;
  std::vector<std::string> sizes; ///< by the extents: "2*sequence"
};
struct VariantInfo {
  std::string entry;
  std::vector<int64_t> low, high, step;
  uint64_t slotBytes;       ///< of its inputs and outputs
  uint64_t activationBytes; ///< in DRAM: the most that are alive at one point
};
struct ModelInfo {
  std::string name;
  std::vector<DimInfo> dims;
  std::vector<ModelPortInfo> inputs, outputs;
  std::vector<VariantInfo> variants; ///< in the order in which they are tried
};

/// All models with dimensions. Throws ttrt::Error if the variants of one are wrong.
std::vector<ModelInfo> modelsOf(const ttrt::Bundle &bundle);
/// "batch 1..8, sequence 8..64 by 8", of a variant or of the model
std::string boundsText(const ModelInfo &model, const VariantInfo *variant = nullptr);
/// Prints nothing for a bundle without variants.
void printModels(const ttrt::Bundle &bundle);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_READMODELS_H
