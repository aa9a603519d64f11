// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session does differently for a model with dimensions.

#include "Bundle/Bundle.h"
#include "Formats/Json.h"
#include "Run/Session.h"
#include "Support/Error.h"

#include <cstring>
#include <fmt/format.h>

namespace ttrun {

std::string Session::chooseVariant(const std::string &name, const SessionOptions &options) {
  shaped_ = ShapedModel::open(path_, bundle_, name);
  if (!shaped_ && !options.dims.empty())
    throw UserError(fmt::format("--dim={}: '{}' has no dimensions", options.dims[0], name));
  if (!shaped_)
    return name;
  for (const std::string &input : shaped_->inputNames())
    inputs_.push_back({input, {}});
  std::vector<std::optional<std::vector<int64_t>>> shapes(inputs_.size());
  for (const std::string &spec : options.inputs) {
    const auto [index, file] = portOf(inputs_, "input", "input", spec);
    readNpy(file, [&shape = shapes[index]](ttrt_dtype, const std::vector<int64_t> &found) {
      shape = found;
    });
  }
  inputs_.clear();
  shaped_->choose(options.dims, shapes);
  return shaped_->variant();
}

void Session::describeShapes() {
  for (const Port &port : inputs_)
    wholeIn_.emplace_back(port.tensor.bytes.size());
  for (const Port &port : outputs_)
    wholeOut_.emplace_back(port.tensor.bytes.size());
  for (size_t i = 0; i < in_.size(); ++i)
    in_[i].data = wholeIn_[i].data();
  for (size_t i = 0; i < out_.size(); ++i)
    out_[i].data = wholeOut_[i].data();
  std::vector<uint8_t> &extents = wholeIn_[shaped_->extentsInput()];
  for (size_t i = 0; i < shaped_->extents().size(); ++i) {
    const auto extent = static_cast<int32_t>(shaped_->extents()[i]);
    memcpy(&extents[i * sizeof(extent)], &extent, sizeof(extent));
  }
  inputs_.erase(inputs_.begin() + shaped_->extentsInput());
  auto shape = [](Tensor &tensor, std::vector<int64_t> sizes) {
    tensor.shape = std::move(sizes);
    size_t bytes = sizeOf(tensor.dtype);
    for (int64_t size : tensor.shape)
      bytes *= static_cast<size_t>(size);
    tensor.bytes.assign(bytes, 0);
  };
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    Tensor &tensor = inputs_[i].tensor;
    shape(tensor, shaped_->inputShape(i));
    shapedIn_.push_back(
        {tensor.bytes.data(), static_cast<uint32_t>(tensor.shape.size()), tensor.shape.data()});
  }
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    Tensor &tensor = outputs_[i].tensor;
    shape(tensor, shaped_->outputShape(i));
    shapedOut_.push_back({tensor.bytes.data(), tensor.bytes.size(), nullptr, 0});
  }
}

void Session::packInputs() {
  for (uint32_t i = 0; i < inputs_.size(); ++i)
    shaped_->pack(i, inputs_[i].tensor, wholeIn_[i + (i >= shaped_->extentsInput())]);
}

bool Session::fillExtents(size_t input) {
  const ttrt::fb::Variant *variant =
      mesh_ ? nullptr : bundle_->bundle->metadata().entries()->Get(entry_)->variant();
  std::vector<uint8_t> &bytes = inputs_[input].tensor.bytes;
  if (!variant || variant->extents() != input ||
      bytes.size() != variant->high()->size() * sizeof(int32_t))
    return false;
  for (uint32_t i = 0; i < variant->high()->size(); ++i) {
    const auto extent = static_cast<int32_t>(variant->high()->Get(i));
    memcpy(&bytes[i * sizeof(extent)], &extent, sizeof(extent));
  }
  return true;
}

/// `outputs`: null: what out_ has.
void Session::unpackOutputs(const void *const *outputs) {
  for (uint32_t i = 0; i < outputs_.size(); ++i)
    shaped_->unpack(i, outputs ? outputs[i] : wholeOut_[i].data(), wholeOut_[i].size(),
                    outputs_[i].tensor);
}

std::string modelText(const Session &session) {
  const ShapedModel *model = session.shapedModel();
  return model ? fmt::format(" of {}: {}", model->name(), model->text()) : "";
}

void addModel(Json &json, const Session &session) {
  const ShapedModel *model = session.shapedModel();
  if (!model)
    return;
  json.field("model", model->name()).key("dims").beginArray();
  for (size_t i = 0; i < model->dims().size(); ++i)
    json.beginObject()
        .field("name", model->dims()[i])
        .field("extent", model->extents()[i])
        .endObject();
  json.endArray();
}

} // namespace ttrun
