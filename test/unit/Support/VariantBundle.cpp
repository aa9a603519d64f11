// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VariantBundle.h"

namespace ttrt::test {

std::unique_ptr<fb::ExtentT> extentOf(std::vector<int32_t> multipliers, int64_t offset,
                                      uint32_t divisor) {
  auto extent = std::make_unique<fb::ExtentT>();
  extent->multipliers = std::move(multipliers);
  extent->offset = offset;
  extent->divisor = divisor;
  return extent;
}

std::unique_ptr<fb::ExtentT> productOf(int64_t times,
                                       const std::vector<std::vector<int32_t>> &factors) {
  std::unique_ptr<fb::ExtentT> extent = extentOf({0, 0});
  auto &product = *extent->products.emplace_back(std::make_unique<fb::ExtentProductT>());
  product.times = times;
  for (const std::vector<int32_t> &multipliers : factors)
    product.factors.emplace_back(std::make_unique<fb::ExtentFactorT>())->multipliers = multipliers;
  return extent;
}

BundleBuilder variantBundle(const std::vector<Bounds> &variants) {
  BundleBuilder builder;
  std::vector<uint64_t> sizes;
  for (const Bounds &bounds : variants) {
    const int64_t size[] = {bounds.highBatch, bounds.highSequence};
    sizes.push_back(builder.constant("size" + std::to_string(sizes.size()), size, sizeof(size)));
  }
  uint64_t next = builder.dataBegin();
  for (size_t i = 0; i < variants.size(); ++i) {
    const Bounds &bounds = variants[i];
    const int64_t batch = bounds.highBatch, sequence = bounds.highSequence;
    const std::string name = "main." + std::to_string(batch) + "x" + std::to_string(sequence);
    struct Made {
      const char *name;
      std::vector<int64_t> shape;
      fb::DType type;
      uint64_t bytes;
    };
    const int64_t half = (sequence + 1) / 2;
    const Made ports[] = {
        {"x", {batch, sequence, kVariantDepth}, fb::DType::F32, uint64_t(4 * batch * sequence * 3)},
        {"mask", {batch, sequence}, fb::DType::I8, uint64_t(batch * sequence)},
        {"w", {kVariantDepth}, fb::DType::F32, 12},
        {"extents", {2}, fb::DType::I32, 8},
        {"y", {batch}, fb::DType::F32, uint64_t(4 * batch)},
        {"z", {batch, half, kVariantDepth}, fb::DType::F32, uint64_t(4 * batch * half * 3)}};
    std::vector<uint64_t> operands, inputBytes, outputBytes;
    fb::EntryPointT &entry = builder.entry(name);
    for (const Made &port : ports) {
      const bool isInput = operands.size() < 4;
      const uint32_t slot =
          builder.buffer(name + "." + port.name, fb::BufferKind::Slot, next, port.bytes);
      builder.port(isInput ? entry.inputs : entry.outputs, port.name, port.shape, slot, port.type);
      operands.push_back(next);
      (isInput ? inputBytes : outputBytes).push_back(port.bytes);
      next += alignUp(port.bytes, kBufferAlignment);
    }
    operands.insert(operands.begin() + 4, sizes[i]);
    inputBytes.push_back(2 * sizeof(int64_t));
    StreamBuilder stream;
    stream.dispatch(
        builder.program("test_variant_" + std::to_string(i), 1, inputBytes, outputBytes), operands);
    stream.end();
    builder.run(entry, {builder.trace(name + "_t0", stream)});

    auto &inputs = entry.inputs, &outputs = entry.outputs;
    for (const auto &port : {inputs[0].get(), inputs[1].get(), outputs[0].get(), outputs[1].get()})
      port->dims.push_back(extentOf({1, 0}));
    inputs[0]->dims.push_back(extentOf({0, 1}));
    inputs[0]->dims.push_back(extentOf({0, 0}, kVariantDepth));
    inputs[1]->dims.push_back(extentOf({0, 1}));
    outputs[1]->dims.push_back(extentOf({0, 1}, 1, 2));
    outputs[1]->dims.push_back(extentOf({0, 0}, kVariantDepth));
    auto variant = std::make_unique<fb::VariantT>();
    variant->of = "main";
    variant->dims = {"batch", "sequence"};
    variant->low = {uint64_t(bounds.lowBatch), uint64_t(bounds.lowSequence)};
    variant->high = {uint64_t(batch), uint64_t(sequence)};
    if (bounds.step != 1)
      variant->step = {1, uint64_t(bounds.step)};
    variant->extents = 3;
    entry.variant = std::move(variant);
  }
  return builder;
}

} // namespace ttrt::test
