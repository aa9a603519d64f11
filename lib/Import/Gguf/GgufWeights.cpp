// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufWeights.h"

#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

std::optional<BlockFormat> mlir::ttc::getBlockFormat(const GgmlType &type) {
  return symbolizeBlockFormat(type.name.lower());
}

/// Names of tensors joined: "blk.0.attn_q.weight+blk.0.attn_k.weight".
static std::string getName(ArrayRef<const GgufFile::Tensor *> tensors) {
  return llvm::join(
      llvm::map_range(tensors, [](const GgufFile::Tensor *tensor) { return tensor->name; }), "+");
}

ElementsAttr GgufWeights::getRows(ArrayRef<const GgufFile::Tensor *> tensors) {
  ElementsAttr &rows = made[getName(tensors)];
  if (rows)
    return rows;
  auto make = [&](ArrayRef<char> bytes, llvm::unique_function<void()> release) {
    auto type =
        RankedTensorType::get({static_cast<int64_t>(bytes.size())}, IntegerType::get(context, 8));
    rows = makeConstant(type, bytes, tensors[0]->name, std::move(release));
    return rows;
  };
  if (tensors.size() == 1 && owner)
    return make(tensors[0]->bytes, [owner = owner] {});
  auto joined = std::make_shared<std::vector<char>>();
  for (const GgufFile::Tensor *tensor : tensors)
    joined->insert(joined->end(), tensor->bytes.begin(), tensor->bytes.end());
  return make(*joined, [joined] {});
}

ElementsAttr GgufWeights::makeFloats(ArrayRef<int64_t> shape, ArrayRef<float> values,
                                     StringRef name) {
  return makeConstant(
      RankedTensorType::get(shape, Float32Type::get(context)),
      ArrayRef(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)), name);
}

ElementsAttr GgufWeights::getVector(const GgufFile::Tensor &tensor) {
  ElementsAttr &vector = made[tensor.name];
  if (!vector) {
    const std::vector<float> values = toFloats(tensor);
    vector = makeFloats({static_cast<int64_t>(values.size())}, values, tensor.name);
  }
  return vector;
}

ElementsAttr GgufWeights::getNumber(float value) {
  return DenseElementsAttr::get(RankedTensorType::get({1}, Float32Type::get(context)), value);
}

ElementsAttr GgufWeights::getBias(ArrayRef<const GgufLinear *> products) {
  std::vector<float> values;
  std::string name;
  for (const GgufLinear *product : products) {
    if (product->bias) {
      llvm::append_range(values, toFloats(*product->bias));
      name += (name.empty() ? "" : "+") + product->bias->name.str();
    } else {
      values.resize(values.size() + product->weight->getRows());
    }
  }
  if (name.empty())
    return {};
  ElementsAttr &bias = made[name];
  if (!bias)
    bias = makeFloats({static_cast<int64_t>(values.size())}, values, name);
  return bias;
}

ElementsAttr GgufWeights::getRotations(ArrayRef<double> frequencies, int64_t positions,
                                       StringRef name) {
  ElementsAttr &table = made[name];
  if (table)
    return table;
  const size_t pairs = frequencies.size();
  std::vector<float> values(2 * pairs * positions);
  for (int64_t position = 0; position < positions; ++position)
    for (size_t i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(position) * frequencies[i];
      float *row = values.data() + 2 * pairs * position;
      row[i] = static_cast<float>(std::cos(angle));
      row[pairs + i] = static_cast<float>(std::sin(angle));
    }
  table = makeFloats({positions, static_cast<int64_t>(2 * pairs)}, values, name);
  return table;
}
