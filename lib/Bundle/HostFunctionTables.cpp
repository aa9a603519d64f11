// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostFunctionTables.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "ttc/Support/ElementTypes.h"
#include "ttrt/format/host_digest.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;

//===--- writing ----------------------------------------------------------------------===//

static LogicalResult writeValue(ProgramOp program, NamedAttribute attribute,
                                fb::HostAttributeT &table) {
  Attribute value = attribute.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    table.ints.push_back(integer.getInt());
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    table.floats.push_back(number.getValue().convertToFloat());
  } else if (auto string = dyn_cast<StringAttr>(value)) {
    table.strings.push_back(string.str());
  } else if (auto ints = dyn_cast<DenseI64ArrayAttr>(value)) {
    table.is_list = true;
    table.ints.assign(ints.asArrayRef().begin(), ints.asArrayRef().end());
  } else if (auto floats = dyn_cast<DenseF32ArrayAttr>(value)) {
    table.is_list = true;
    table.floats.assign(floats.asArrayRef().begin(), floats.asArrayRef().end());
  } else if (auto strings = dyn_cast<ArrayAttr>(value)) {
    table.is_list = true;
    for (auto element : strings.getAsRange<StringAttr>())
      table.strings.push_back(element.str());
  } else {
    auto elements = cast<ElementsAttr>(value);
    ShapedType type = elements.getShapedType();
    std::optional<fb::DType> dtype = toDType(type.getElementType());
    if (!dtype || type.getNumElements() == 0)
      return program.emitError("expected attribute ")
             << attribute.getName() << " of " << program.getHostFunctionAttr().getName()
             << " to have elements of a type that the bundle format has, found " << type;
    SmallVector<char> bytes = getConstantBytes(elements);
    table.dtype = *dtype;
    table.shape.assign(type.getShape().begin(), type.getShape().end());
    table.data.resize(llvm::divideCeil(bytes.size(), sizeof(uint64_t)));
    memcpy(table.data.data(), bytes.data(), bytes.size());
  }
  return success();
}

FailureOr<std::unique_ptr<fb::HostFunctionT>> mlir::ttc::writeHostFunction(ProgramOp program) {
  HostFunctionAttr function = program.getHostFunctionAttr();
  auto table = std::make_unique<fb::HostFunctionT>();
  table->name = function.getName();
  table->version = function.getVersion();
  if (function.getAttributes())
    for (NamedAttribute attribute : function.getAttributes()) { // sorted by name
      auto entry = std::make_unique<fb::HostAttributeT>();
      entry->name = attribute.getName().str();
      if (failed(writeValue(program, attribute, *entry)))
        return failure();
      table->attributes.push_back(std::move(entry));
    }
  for (auto [absent, positions] : {std::pair(function.getAbsentInputs(), &table->absent_inputs),
                                   std::pair(function.getAbsentOutputs(), &table->absent_outputs)})
    if (absent)
      positions->assign(absent.asArrayRef().begin(), absent.asArrayRef().end());
  return table;
}

uint64_t mlir::ttc::digestOfHostFunction(const fb::ProgramT &program) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Program::Pack(builder, &program));
  return ttrt::dataflow::digestOfHostFunction(
      *flatbuffers::GetRoot<fb::Program>(builder.GetBufferPointer()));
}

//===--- reading ----------------------------------------------------------------------===//

/// Null if it has no equivalent in the IR.
static RankedTensorType readType(flatbuffers::Optional<fb::DType> dtype,
                                 const flatbuffers::Vector<int64_t> *shape, MLIRContext *context) {
  SmallVector<int64_t> sizes;
  int64_t bytes = 8; // of the largest element: the bytes of the tensor must not overflow
  for (uint32_t i = 0; shape && i < shape->size(); ++i) {
    sizes.push_back(shape->Get(i));
    if (sizes.back() < 1 || llvm::MulOverflow(bytes, sizes.back(), bytes))
      return {};
  }
  if (!dtype || *dtype > fb::DType::MAX)
    return {};
  Type element = fromDType(*dtype, context);
  return element ? RankedTensorType::get(sizes, element) : RankedTensorType();
}

RankedTensorType mlir::ttc::readHostType(const fb::Operand &operand, MLIRContext *context) {
  return readType(operand.dtype(), operand.shape(), context);
}

/// Null if the table is damaged.
static Attribute readValue(const fb::HostAttribute &table, Builder &builder) {
  auto toVector = [](const auto *values, auto example) {
    SmallVector<decltype(example)> result;
    for (uint32_t i = 0; values && i < values->size(); ++i)
      result.push_back(values->Get(i));
    return result;
  };
  if (table.dtype()) {
    RankedTensorType type = readType(table.dtype(), table.shape(), builder.getContext());
    if (!type)
      return {};
    SmallVector<uint64_t> words = toVector(table.data(), uint64_t());
    uint64_t bytes = getTensorBytes(type);
    if (words.size() * sizeof(uint64_t) < bytes)
      return {};
    ArrayRef<char> raw(reinterpret_cast<const char *>(words.data()), bytes);
    return makeConstant(type, raw, table.name()->c_str());
  }
  SmallVector<int64_t> ints = toVector(table.ints(), int64_t());
  SmallVector<float> floats = toVector(table.floats(), float());
  SmallVector<Attribute> strings;
  for (uint32_t i = 0; table.strings() && i < table.strings()->size(); ++i)
    strings.push_back(builder.getStringAttr(
        StringRef(table.strings()->Get(i)->c_str(), table.strings()->Get(i)->size())));
  if (table.is_list())
    return !floats.empty()    ? Attribute(builder.getDenseF32ArrayAttr(floats))
           : !strings.empty() ? Attribute(builder.getArrayAttr(strings))
                              : Attribute(builder.getDenseI64ArrayAttr(ints));
  return !ints.empty()      ? Attribute(builder.getI64IntegerAttr(ints[0]))
         : !floats.empty()  ? Attribute(builder.getF32FloatAttr(floats[0]))
         : !strings.empty() ? strings[0]
                            : Attribute();
}

HostFunctionAttr mlir::ttc::readHostFunction(const fb::HostFunction &table, MLIRContext *context,
                                             function_ref<InFlightDiagnostic()> emitError) {
  Builder builder(context);
  SmallVector<NamedAttribute> attributes;
  const auto *entries = table.attributes();
  for (uint32_t i = 0; entries && i < entries->size(); ++i) {
    StringRef name(entries->Get(i)->name()->c_str());
    Attribute value = readValue(*entries->Get(i), builder);
    if (!value || name.empty()) {
      emitError() << "host function '" << table.name()->c_str() << "': attribute '" << name
                  << "' is damaged";
      return {};
    }
    attributes.push_back(builder.getNamedAttr(name, value));
  }
  auto positions = [&](const flatbuffers::Vector<uint32_t> *absent) -> DenseI64ArrayAttr {
    if (!absent || absent->size() == 0)
      return {};
    return builder.getDenseI64ArrayAttr(SmallVector<int64_t>(absent->begin(), absent->end()));
  };
  NamedAttrList list(attributes);
  if (list.findDuplicate()) {
    emitError() << "host function '" << table.name()->c_str()
                << "': expected attributes of different names";
    return {};
  }
  return HostFunctionAttr::getChecked(
      emitError, context, StringRef(table.name()->c_str()), static_cast<int64_t>(table.version()),
      attributes.empty() ? DictionaryAttr() : list.getDictionary(context),
      positions(table.absent_inputs()), positions(table.absent_outputs()));
}
