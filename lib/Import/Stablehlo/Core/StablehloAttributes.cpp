// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StablehloAttributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ttc;

Attribute mlir::ttc::getStablehloAttr(Operation *op, StringRef name) {
  if (auto properties = dyn_cast_if_present<DictionaryAttr>(op->getPropertiesAsAttribute()))
    if (Attribute attr = properties.get(name))
      return attr;
  return op->getDiscardableAttr(name);
}

/// The text of an attribute of StableHLO, or an empty string.
static StringRef getText(Attribute attr) {
  auto opaque = dyn_cast_if_present<OpaqueAttr>(attr);
  if (!opaque || opaque.getDialectNamespace() != "stablehlo")
    return "";
  return opaque.getAttrData();
}

std::optional<StringRef> mlir::ttc::parseStablehloBody(Attribute attr, StringRef name) {
  StringRef text = getText(attr).trim();
  if (!text.consume_front(name) || !text.ltrim().starts_with("<") || !text.ends_with(">"))
    return std::nullopt;
  return text.ltrim().drop_front().drop_back().trim();
}

StringRef mlir::ttc::parseStablehloEnum(Attribute attr, StringRef kind) {
  StringRef text = getText(attr).trim();
  // MLIR keeps the brackets of `#stablehlo<...>` out of the text.
  if (!text.consume_front(kind) || text.ltrim() == text)
    return "";
  return text.trim();
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// Consumes "[1, 2]" or "3".
static bool consumeInts(StringRef &text, SmallVectorImpl<int64_t> &values) {
  auto number = [&] {
    int64_t value = 0;
    text = text.ltrim();
    if (text.consumeInteger(10, value))
      return false;
    values.push_back(value);
    return true;
  };
  text = text.ltrim();
  if (!text.consume_front("["))
    return number();
  text = text.ltrim();
  if (text.consume_front("]"))
    return true;
  do
    if (!number())
      return false;
  while ((text = text.ltrim()).consume_front(","));
  return text.consume_front("]");
}

std::optional<StablehloFields> StablehloFields::parse(Attribute attr, StringRef name) {
  std::optional<StringRef> body = parseStablehloBody(attr, name);
  if (!body)
    return std::nullopt;
  StablehloFields result;
  StringRef text = *body;
  while (!text.empty()) {
    StringRef field = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    text = text.drop_front(field.size()).ltrim();
    SmallVector<int64_t> values;
    if (field.empty() || !text.consume_front("=") || !consumeInts(text, values) ||
        !result.fields.try_emplace(field, std::move(values)).second)
      return std::nullopt;
    text = text.ltrim();
    if (!text.empty() && !text.consume_front(","))
      return std::nullopt;
    text = text.ltrim();
  }
  return result;
}

ArrayRef<int64_t> StablehloFields::getInts(StringRef field) const {
  auto it = fields.find(field);
  return it == fields.end() ? ArrayRef<int64_t>() : ArrayRef<int64_t>(it->second);
}

int64_t StablehloFields::getInt(StringRef field, int64_t defaultValue) const {
  ArrayRef<int64_t> values = getInts(field);
  return values.size() == 1 ? values.front() : defaultValue;
}

StringRef StablehloFields::findOther(ArrayRef<StringRef> known) const {
  for (StringRef field : fields.keys())
    if (!llvm::is_contained(known, field))
      return field;
  return "";
}

//===----------------------------------------------------------------------===//
// Dimensions of convolutions
//===----------------------------------------------------------------------===//

/// Whether the dimensions are 0, 1, ..., in any order.
static bool isComplete(const ConvTensorDims &dims) {
  SmallVector<int64_t> all(dims.spatial);
  all.append({dims.first, dims.second});
  llvm::sort(all);
  return llvm::all_of(llvm::enumerate(all), [](auto indexed) {
    return indexed.value() == static_cast<int64_t>(indexed.index());
  });
}

/// Consumes "[b, f, 0, 1]".
static bool consumeDims(StringRef &text, StringRef first, StringRef second, ConvTensorDims &dims) {
  text = text.ltrim();
  if (!text.consume_front("["))
    return false;
  size_t end = text.find(']');
  if (end == StringRef::npos)
    return false;
  SmallVector<StringRef> entries;
  text.take_front(end).split(entries, ',');
  text = text.drop_front(end + 1);
  if (entries.size() < 2 || entries.size() > 64)
    return false;
  dims.spatial.assign(entries.size() - 2, -1);
  for (auto [index, entry] : llvm::enumerate(entries)) {
    entry = entry.trim();
    size_t spatial = 0;
    if (entry == first)
      dims.first = index;
    else if (entry == second)
      dims.second = index;
    else if (!entry.getAsInteger(10, spatial) && spatial < dims.spatial.size())
      dims.spatial[spatial] = index;
    else
      return false;
  }
  return true;
}

std::optional<ConvDims> ConvDims::parse(Attribute attr) {
  std::optional<StringRef> body = parseStablehloBody(attr, "conv");
  if (!body)
    return std::nullopt;
  ConvDims dims;
  StringRef text = *body;
  if (text.consume_front("raw")) {
    // Parsed as fields of an attribute of another name.
    auto raw = StablehloFields::parse(
        OpaqueAttr::get(StringAttr::get(attr.getContext(), "stablehlo"),
                        ("raw<" + text + ">").str(), NoneType::get(attr.getContext())),
        "raw");
    if (!raw)
      return std::nullopt;
    auto read = [&](StringRef tensor, StringRef first, StringRef second) {
      ConvTensorDims result;
      result.first = raw->getInt((tensor + first).str(), 0);
      result.second = raw->getInt((tensor + second).str(), 0);
      result.spatial = llvm::to_vector(raw->getInts((tensor + "_spatial_dimensions").str()));
      return result;
    };
    dims = {read("input", "_batch_dimension", "_feature_dimension"),
            read("kernel", "_output_feature_dimension", "_input_feature_dimension"),
            read("output", "_batch_dimension", "_feature_dimension")};
  } else {
    if (!consumeDims(text, "b", "f", dims.input) || !(text = text.ltrim()).consume_front("x") ||
        !consumeDims(text, "o", "i", dims.kernel) || !(text = text.ltrim()).consume_front("->") ||
        !consumeDims(text, "b", "f", dims.output) || !text.trim().empty())
      return std::nullopt;
  }
  const size_t spatial = dims.input.spatial.size();
  if (dims.kernel.spatial.size() != spatial || dims.output.spatial.size() != spatial ||
      !isComplete(dims.input) || !isComplete(dims.kernel) || !isComplete(dims.output))
    return std::nullopt;
  return dims;
}
