// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model with dimensions, at the extents that --dim and the inputs give.

#ifndef TTC_TOOLING_RUN_SHAPEDMODEL_H
#define TTC_TOOLING_RUN_SHAPEDMODEL_H

#include "Formats/Npy.h"
#include "ttrt/shapes.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ttrun {

class ShapedModel {
public:
  /// The models of a bundle, if some have variants; nothing otherwise.
  static std::vector<std::string> namesOf(const ttrt_bundle *bundle);
  /// Null unless the bundle has a model of this name with dimensions. Throws BadBundle.
  static std::unique_ptr<ShapedModel> open(const std::string &path, const ttrt_bundle *bundle,
                                           const std::string &name);

  std::vector<std::string> inputNames() const;
  /// `dims`: "NAME:VALUE", as --dim gives them. `shapes`: of the inputs that are given. What both
  /// leave open is the most that the largest variant holds beside the rest. Throws UserError.
  void choose(const std::vector<std::string> &dims,
              const std::vector<std::optional<std::vector<int64_t>>> &shapes);

  const ttrt_model *model() const { return model_.get(); }
  const std::string &name() const { return name_; }
  const std::string &variant() const { return variantName_; }
  /// Input of the variant that has the extents.
  uint32_t extentsInput() const { return extentsInput_; }
  const std::vector<std::string> &dims() const { return dims_; }
  const std::vector<int64_t> &extents() const { return extents_; }
  /// "batch 3, sequence 37"
  std::string text() const;
  std::vector<int64_t> inputShape(uint32_t input) const;
  std::vector<int64_t> outputShape(uint32_t output) const;

  /// Copies between dense tensors and those of the variant.
  void pack(uint32_t input, const Tensor &dense, std::vector<uint8_t> &whole) const;
  void unpack(uint32_t output, const void *whole, size_t bytes, Tensor &dense) const;

private:
  explicit ShapedModel(ttrt_model *model);
  ttrt_variant describeVariant(uint32_t index) const;

  std::unique_ptr<ttrt_model, void (*)(ttrt_model *)> model_;
  ttrt_model_info info_ = TTRT_MODEL_INFO_INIT;
  std::string name_, variantName_;
  std::vector<std::string> dims_;
  std::vector<int64_t> extents_;
  uint32_t variant_ = 0, extentsInput_ = 0;
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_SHAPEDMODEL_H
