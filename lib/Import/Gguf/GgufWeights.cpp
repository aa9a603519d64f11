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

std::string mlir::ttc::getBlockFormatNames() {
  std::string names;
  const uint64_t last = getMaxEnumValForBlockFormat();
  for (uint64_t i = 0; i <= last; ++i) {
    names += i == 0 ? "" : i == last ? " or " : ", ";
    names += stringifyBlockFormat(static_cast<BlockFormat>(i)).upper();
  }
  return names;
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

/// Calls use(row in the file) for each row of a product, in the order of heads.
static void forEachRow(const GgufLinear &product, ArrayRef<int64_t> headOrder,
                       llvm::function_ref<void(int64_t)> use) {
  const auto size = static_cast<int64_t>(headOrder.size());
  for (int64_t i = 0; i < product.weight->getRows(); ++i)
    use(i < product.headRows && size ? i / size * size + headOrder[i % size] : i);
}

ElementsAttr GgufWeights::getRows(ArrayRef<const GgufLinear *> products,
                                  ArrayRef<int64_t> headOrder) {
  SmallVector<const GgufFile::Tensor *> tensors;
  bool isReordered = false;
  for (const GgufLinear *product : products) {
    tensors.push_back(product->weight);
    isReordered |= product->headRows && !headOrder.empty();
  }
  if (!isReordered)
    return getRows(tensors);
  ElementsAttr &rows = made[getName(tensors)];
  if (rows)
    return rows;
  auto joined = std::make_shared<std::vector<char>>();
  for (const GgufLinear *product : products) {
    const ArrayRef<char> bytes = product->weight->bytes;
    const size_t rowBytes = bytes.size() / product->weight->getRows();
    forEachRow(*product, headOrder, [&](int64_t row) {
      const ArrayRef<char> part = bytes.slice(row * rowBytes, rowBytes);
      joined->insert(joined->end(), part.begin(), part.end());
    });
  }
  auto type =
      RankedTensorType::get({static_cast<int64_t>(joined->size())}, IntegerType::get(context, 8));
  return rows = makeConstant(type, *joined, tensors[0]->name, [joined] {});
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

ElementsAttr GgufWeights::getBias(ArrayRef<const GgufLinear *> products,
                                  ArrayRef<int64_t> headOrder) {
  std::vector<float> values;
  std::string name;
  for (const GgufLinear *product : products) {
    if (product->bias) {
      const std::vector<float> bias = toFloats(*product->bias);
      forEachRow(*product, headOrder, [&](int64_t row) { values.push_back(bias[row]); });
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

ElementsAttr GgufWeights::getRotations(const GgufRotations &rotations, int64_t positions,
                                       StringRef name) {
  ElementsAttr &table = made[name];
  if (table)
    return table;
  const size_t pairs = rotations.frequencies.size();
  std::vector<float> values(2 * pairs * positions);
  for (int64_t position = 0; position < positions; ++position)
    for (size_t i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(position) * rotations.frequencies[i];
      const double size = i < static_cast<size_t>(rotations.pairs) ? rotations.magnitude : 1;
      float *row = values.data() + 2 * pairs * position;
      row[i] = static_cast<float>(size * std::cos(angle));
      row[pairs + i] = static_cast<float>(size * std::sin(angle));
    }
  table = makeFloats({positions, static_cast<int64_t>(2 * pairs)}, values, name);
  return table;
}
