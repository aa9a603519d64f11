// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/ShapedModel.h"

#include "Formats/BundleMessage.h"
#include "Support/Error.h"
#include "Support/Suggest.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace ttrun {

/// What a call with arguments of the user says.
static void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK)
    throw UserError(error.message);
}

std::vector<std::string> ShapedModel::namesOf(const ttrt_bundle *bundle) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < ttrt_bundle_models(bundle); ++i)
    names.emplace_back(ttrt_bundle_model_name(bundle, i));
  bool hasVariants = names.size() != ttrt_bundle_entries(bundle);
  for (uint32_t i = 0; i < names.size() && !hasVariants; ++i) {
    ttrt_entry entry = TTRT_ENTRY_INIT;
    hasVariants =
        ttrt_bundle_entry(bundle, i, &entry, nullptr) == TTRT_OK && names[i] != entry.name;
  }
  return hasVariants ? names : std::vector<std::string>();
}

std::unique_ptr<ShapedModel> ShapedModel::open(const std::string &path, const ttrt_bundle *bundle,
                                               const std::string &name) {
  const std::vector<std::string> names = namesOf(bundle);
  if (std::find(names.begin(), names.end(), name) == names.end())
    return nullptr;
  ttrt_model *model;
  ttrt_error error;
  const ttrt_status status = ttrt_model_open(bundle, name.c_str(), &model, &error);
  if (status != TTRT_OK)
    throw BadBundle(bundleMessage(path, status, error.message));
  std::unique_ptr<ShapedModel> shaped(new ShapedModel(model));
  return shaped->dims_.empty() ? nullptr : std::move(shaped);
}

ShapedModel::ShapedModel(ttrt_model *model) : model_(model, ttrt_model_close) {
  ttrt_error error;
  check(ttrt_model_describe(model, &info_, &error), error);
  name_ = info_.name;
  for (uint32_t i = 0; i < info_.dims; ++i) {
    ttrt_dim dim = TTRT_DIM_INIT;
    check(ttrt_model_dim(model, i, &dim, &error), error);
    dims_.emplace_back(dim.name);
  }
}

ttrt_variant ShapedModel::describeVariant(uint32_t index) const {
  ttrt_variant variant = TTRT_VARIANT_INIT;
  ttrt_error error;
  check(ttrt_model_variant(model_.get(), index, &variant, &error), error);
  return variant;
}

std::vector<std::string> ShapedModel::inputNames() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < info_.inputs; ++i) {
    ttrt_model_port port = TTRT_MODEL_PORT_INIT;
    ttrt_error error;
    check(ttrt_model_input(model_.get(), i, &port, &error), error);
    names.emplace_back(port.name);
  }
  return names;
}

void ShapedModel::choose(const std::vector<std::string> &dims,
                         const std::vector<std::optional<std::vector<int64_t>>> &shapes) {
  std::vector<std::optional<int64_t>> known(dims_.size());
  for (const std::string &spec : dims) {
    const size_t colon = spec.rfind(':');
    int64_t value = 0;
    const char *const digits = spec.data() + (colon == std::string::npos ? 0 : colon + 1);
    const char *const end = spec.data() + spec.size();
    const auto [last, status] = std::from_chars(digits, end, value);
    if (colon == std::string::npos || digits == end || last != end || status != std::errc())
      throw UserError(fmt::format("--dim={}: expected NAME:VALUE", spec));
    const std::string dim = spec.substr(0, colon);
    const auto found = std::find(dims_.begin(), dims_.end(), dim);
    if (found == dims_.end())
      throw UserError(fmt::format("--dim={}: model '{}' has no dimension '{}'; it has {}{}", spec,
                                  name_, dim, fmt::join(dims_, ", "), ttc::suggestion(dim, dims_)));
    std::optional<int64_t> &extent = known[static_cast<size_t>(found - dims_.begin())];
    if (extent)
      throw UserError(fmt::format("--dim={}: '{}' is given twice", spec, dim));
    extent = value;
  }
  ttrt_error error;
  if (std::all_of(shapes.begin(), shapes.end(), [](const auto &shape) { return shape; })) {
    std::vector<ttrt_shaped_input> inputs;
    for (const auto &shape : shapes)
      inputs.push_back({nullptr, static_cast<uint32_t>(shape->size()), shape->data()});
    std::vector<int64_t> found(dims_.size());
    check(ttrt_model_extents(model_.get(), inputs.data(), found.data(), &error), error);
    for (size_t i = 0; i < dims_.size(); ++i) {
      if (known[i] && *known[i] != found[i])
        throw UserError(fmt::format("--dim={}:{}: the inputs have {} {}", dims_[i], *known[i],
                                    dims_[i], found[i]));
      known[i] = found[i];
    }
  }
  // The sizes of inputs that are extents.
  for (uint32_t i = 0; i < info_.inputs; ++i) {
    ttrt_model_port port = TTRT_MODEL_PORT_INIT;
    check(ttrt_model_input(model_.get(), i, &port, &error), error);
    for (uint32_t axis = 0; shapes[i] && axis < std::min<size_t>(port.rank, shapes[i]->size());
         ++axis)
      for (size_t dim = 0; dim < dims_.size(); ++dim)
        if (port.sizes[axis] == dims_[dim] && !known[dim])
          known[dim] = (*shapes[i])[axis];
  }
  extents_.assign(dims_.size(), 0);
  for (uint32_t i = info_.variants; i-- > 0;) {
    const ttrt_variant variant = describeVariant(i);
    bool holds = true;
    for (size_t dim = 0; dim < dims_.size(); ++dim) {
      extents_[dim] = known[dim].value_or(variant.high[dim]);
      holds &= variant.low[dim] <= extents_[dim] && extents_[dim] <= variant.high[dim] &&
               extents_[dim] % variant.step[dim] == 0;
    }
    if (holds)
      break;
  }
  check(ttrt_model_choose(model_.get(), extents_.data(), &variant_, &error), error);
  const ttrt_variant variant = describeVariant(variant_);
  variantName_ = variant.name;
  extentsInput_ = variant.extents;
}

std::string ShapedModel::text() const {
  std::string text;
  for (size_t i = 0; i < dims_.size(); ++i)
    text += fmt::format("{}{} {}", i ? ", " : "", dims_[i], extents_[i]);
  return text;
}

std::vector<int64_t> ShapedModel::inputShape(uint32_t input) const {
  std::vector<int64_t> shape(TTRT_MAX_RANK);
  ttrt_model_port port = TTRT_MODEL_PORT_INIT;
  ttrt_error error;
  check(ttrt_model_input(model_.get(), input, &port, &error), error);
  check(ttrt_model_input_shape(model_.get(), input, extents_.data(), shape.data(), &error), error);
  shape.resize(port.rank);
  return shape;
}

std::vector<int64_t> ShapedModel::outputShape(uint32_t output) const {
  std::vector<int64_t> shape(TTRT_MAX_RANK);
  ttrt_model_port port = TTRT_MODEL_PORT_INIT;
  ttrt_error error;
  check(ttrt_model_output(model_.get(), output, &port, &error), error);
  check(ttrt_model_output_shape(model_.get(), output, extents_.data(), shape.data(), &error),
        error);
  shape.resize(port.rank);
  return shape;
}

void ShapedModel::pack(uint32_t input, const Tensor &dense, std::vector<uint8_t> &whole) const {
  ttrt_error error;
  if (!dense.bytes.empty())
    check(ttrt_model_pack(model_.get(), variant_, input, extents_.data(), dense.bytes.data(),
                          whole.data(), whole.size(), &error),
          error);
}

void ShapedModel::unpack(uint32_t output, const void *whole, size_t bytes, Tensor &dense) const {
  ttrt_error error;
  if (!dense.bytes.empty())
    check(ttrt_model_unpack(model_.get(), variant_, output, extents_.data(), whole, bytes,
                            dense.bytes.data(), &error),
          error);
}

} // namespace ttrun
