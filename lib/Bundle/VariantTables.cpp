// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VariantTables.h"
#include "dialects/Ttc/Layout/ValidSize.h"

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;

//===--- writing ----------------------------------------------------------------------===//

namespace {

bool isSameSum(const auto &a, const auto &b) {
  return a->multipliers == b->multipliers && a->offset == b->offset && a->divisor == b->divisor;
}

bool isSame(const std::unique_ptr<fb::ExtentT> &a, const std::unique_ptr<fb::ExtentT> &b) {
  return isSameSum(a, b) &&
         llvm::equal(a->products, b->products, [](const auto &left, const auto &right) {
           return left->times == right->times &&
                  llvm::equal(left->factors, right->factors,
                              [](const auto &x, const auto &y) { return isSameSum(x, y); });
         });
}
/// Whether ports of two variants differ in nothing but the sizes at `high`.
bool isSamePort(const fb::PortT &a, const fb::PortT &b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape.size() == b.shape.size() &&
         llvm::equal(a.dims, b.dims, isSame) && (!a.dims.empty() || a.shape == b.shape);
}

using Ports = std::vector<std::unique_ptr<fb::PortT>>;
/// The name of the first port that differs. Nothing if all agree.
std::optional<StringRef> findOther(const Ports &a, const Ports &b) {
  for (auto [i, port] : llvm::enumerate(a))
    if (i >= b.size() || !isSamePort(*port, *b[i]))
      return port->name;
  return a.size() == b.size() ? std::optional<StringRef>() : b[a.size()]->name;
}

} // namespace

LogicalResult mlir::ttc::writeVariant(EntryOp entry,
                                      ArrayRef<std::unique_ptr<fb::EntryPointT>> others,
                                      fb::EntryPointT &table) {
  auto variant = entry->getAttrOfType<VariantAttr>(kVariantAttrName);
  StringRef model = variant ? variant.getOf() : entry.getSymName();
  for (const std::unique_ptr<fb::EntryPointT> &other : others) {
    if (model != (other->variant ? other->variant->of : other->name))
      continue;
    auto fail = [&]() -> InFlightDiagnostic {
      return entry.emitError("expected variants of model '")
             << model << "' that agree, found '" << other->name << "' and '" << entry.getSymName()
             << "'";
    };
    if (!variant || !other->variant)
      return fail() << ", of which one has no '" << kVariantAttrName << "'";
    if (!llvm::equal(variant.getDims(), other->variant->dims,
                     [](StringAttr a, const std::string &b) { return a.getValue() == b; }))
      return fail() << " with other dimensions";
    std::optional<StringRef> port = findOther(table.inputs, other->inputs);
    if (!port)
      port = findOther(table.outputs, other->outputs);
    if (port)
      return fail() << ", which differ in '" << *port << "'";
  }
  if (!variant)
    return success();
  auto written = std::make_unique<fb::VariantT>();
  written->of = variant.getOf().str();
  for (StringAttr dim : variant.getDims())
    written->dims.push_back(dim.str());
  written->low.assign(variant.getLow().begin(), variant.getLow().end());
  written->high.assign(variant.getHigh().begin(), variant.getHigh().end());
  written->step.assign(variant.getStep().begin(), variant.getStep().end());
  for (auto [i, input] : llvm::enumerate(table.inputs))
    if (input->name == kExtentsName)
      written->extents = i;
  table.variant = std::move(written);
  return success();
}

template <typename Table> static void writeSize(const ValidSize &size, Table &table) {
  table.multipliers.assign(size.multipliers.begin(), size.multipliers.end());
  table.offset = size.offset;
  table.divisor = size.divisor;
}

void mlir::ttc::writeDims(Operation *port, fb::PortT &table) {
  auto dims = port->getAttrOfType<AffineMapAttr>(kDimsAttrName);
  if (!dims)
    return;
  AffineMap map = dims.getValue();
  for (AffineExpr expr : map.getResults()) {
    ValidSize size = *ValidSize::get(expr, map.getNumSymbols());
    auto extent = std::make_unique<fb::ExtentT>();
    writeSize(size, *extent);
    for (const ValidSize::Product &product : size.products) {
      auto written = std::make_unique<fb::ExtentProductT>();
      written->times = product.times;
      for (const ValidSize &factor : product.factors)
        writeSize(factor, *written->factors.emplace_back(std::make_unique<fb::ExtentFactorT>()));
      extent->products.push_back(std::move(written));
    }
    table.dims.push_back(std::move(extent));
  }
}

//===--- reading ----------------------------------------------------------------------===//

namespace {

SmallVector<int64_t> toNumbers(const flatbuffers::Vector<uint64_t> *vector) {
  return vector ? SmallVector<int64_t>(vector->begin(), vector->end()) : SmallVector<int64_t>();
}

StringRef toText(const flatbuffers::String *text) { return {text->c_str(), text->size()}; }

} // namespace

LogicalResult mlir::ttc::readVariant(EntryOp entry, const fb::EntryPoint &table,
                                     function_ref<InFlightDiagnostic()> emitError) {
  const fb::Variant *from = table.variant();
  if (!from)
    return success();
  Builder builder(entry.getContext());
  SmallVector<StringAttr> dims;
  for (const flatbuffers::String *dim : *from->dims())
    dims.push_back(builder.getStringAttr(toText(dim)));
  auto variant = VariantAttr::getChecked(
      emitError, entry.getContext(), toText(from->of()), ArrayRef<StringAttr>(dims),
      ArrayRef<int64_t>(toNumbers(from->low())), ArrayRef<int64_t>(toNumbers(from->high())),
      ArrayRef<int64_t>(toNumbers(from->step())));
  if (!variant)
    return failure();
  const auto *inputs = table.inputs();
  if (!inputs || from->extents() >= inputs->size() ||
      toText(inputs->Get(from->extents())->name()) != kExtentsName)
    return emitError() << "expected the extents of '" << table.name()->c_str() << "' as an input '"
                       << kExtentsName << "', found input " << from->extents();
  entry->setAttr(kVariantAttrName, variant);
  return success();
}

template <typename Table>
static std::optional<ValidSize> readSize(const Table &table, unsigned numDims) {
  ValidSize size;
  if (table.multipliers())
    size.multipliers.assign(table.multipliers()->begin(), table.multipliers()->end());
  size.offset = table.offset();
  size.divisor = table.divisor();
  if (size.multipliers.size() != numDims || size.divisor == 0)
    return std::nullopt;
  return size;
}

LogicalResult mlir::ttc::readDims(Operation *port, const fb::Port &table,
                                  function_ref<InFlightDiagnostic()> emitError) {
  if (!table.dims() || table.dims()->size() == 0)
    return success();
  auto variant = port->getParentOp()->getAttrOfType<VariantAttr>(kVariantAttrName);
  auto fail = [&]() -> LogicalResult {
    return emitError() << "expected valid sizes of '" << table.name()->c_str()
                       << "' by the extents of a variant, found others";
  };
  SmallVector<AffineExpr> results;
  for (const fb::Extent *extent : *table.dims()) {
    const unsigned numDims = variant ? variant.getNumDims() : 0;
    std::optional<ValidSize> size = readSize(*extent, numDims);
    if (!variant || !size)
      return fail();
    for (uint32_t i = 0; extent->products() && i < extent->products()->size(); ++i) {
      const fb::ExtentProduct &from = *extent->products()->Get(i);
      ValidSize::Product product{from.times(), {}};
      for (uint32_t j = 0; from.factors() && j < from.factors()->size(); ++j) {
        std::optional<ValidSize> factor = readSize(*from.factors()->Get(j), numDims);
        if (!factor)
          return fail();
        product.factors.push_back(std::move(*factor));
      }
      if (product.factors.size() < 2)
        return fail();
      size->products.push_back(std::move(product));
    }
    results.push_back(size->getExpr(port->getContext()));
  }
  port->setAttr(kDimsAttrName, AffineMapAttr::get(AffineMap::get(0, variant.getNumDims(), results,
                                                                 port->getContext())));
  return success();
}
