// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TensorBuilder.h"

#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Interfaces/ExecutionInterfaces.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::ttc;

/// Elements of the largest result that is folded during import, which is enough for arithmetic on
/// shapes. Larger constants are left to --ttc-fold-constants, which frees its operands.
static constexpr int64_t kFoldLimit = 1 << 14;

//===----------------------------------------------------------------------===//
// Shapes and constants
//===----------------------------------------------------------------------===//

std::string mlir::ttc::printList(ArrayRef<int64_t> values, StringRef separator) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // An attribute of a file can have a million elements.
  constexpr size_t most = 64;
  llvm::interleave(values.take_front(most), os, separator);
  if (values.size() > most)
    os << separator << "... (" << values.size() << " elements)";
  return text;
}

std::optional<int64_t> mlir::ttc::getNumElementsChecked(ArrayRef<int64_t> shape) {
  // More than the memory of any device; prevents overflow in later products of sizes. TtcTypes.td
  // has the same limits.
  constexpr int64_t limit = int64_t(1) << 40;
  constexpr size_t mostDims = 64;
  if (shape.size() > mostDims)
    return std::nullopt;
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 0 || dim > limit / count)
      return std::nullopt;
    count *= std::max<int64_t>(dim, 1);
  }
  return llvm::is_contained(shape, 0) ? 0 : count;
}

template <typename T> FailureOr<SmallVector<T>> mlir::ttc::readElements(ElementsAttr attr) {
  SmallVector<char> bytes = getConstantBytes(attr);
  SmallVector<T> values;
  auto append = [&]<typename Stored>(Stored) {
    const Stored *data = reinterpret_cast<const Stored *>(bytes.data());
    values.assign(data, data + bytes.size() / sizeof(Stored));
  };
  Type type = attr.getElementType();
  if (type.isF32())
    append(float());
  else if (type.isF64())
    append(double());
  else if (type.isUnsignedInteger(64))
    append(uint64_t());
  else if (type.isUnsignedInteger(32))
    append(uint32_t());
  else if (type.isUnsignedInteger(16))
    append(uint16_t());
  else if (type.isUnsignedInteger()) // 2, 4 or 8 bits, of a byte
    append(uint8_t());
  else if (type.isInteger(64))
    append(int64_t());
  else if (type.isInteger(32))
    append(int32_t());
  else if (type.isInteger(16))
    append(int16_t());
  else if (type.isInteger(8) || type.isInteger(1))
    append(int8_t());
  else if (isa<IntegerType>(type)) // 2 or 4 bits
    for (char byte : bytes)
      values.push_back(static_cast<T>(
          llvm::SignExtend64(static_cast<uint8_t>(byte), type.getIntOrFloatBitWidth())));
  else if (auto floating = dyn_cast<FloatType>(type)) {
    const size_t size = bytes.size() / std::max<int64_t>(attr.getNumElements(), 1);
    for (size_t i = 0; i < bytes.size(); i += size) {
      uint16_t bits = 0;
      memcpy(&bits, bytes.data() + i, size);
      APFloat value(floating.getFloatSemantics(), APInt(floating.getWidth(), bits));
      values.push_back(static_cast<T>(value.convertToDouble()));
    }
  } else
    return failure();
  return values;
}

template FailureOr<SmallVector<int64_t>> mlir::ttc::readElements(ElementsAttr attr);
template FailureOr<SmallVector<double>> mlir::ttc::readElements(ElementsAttr attr);

//===----------------------------------------------------------------------===//
// Creating ops
//===----------------------------------------------------------------------===//

Attribute mlir::ttc::getNumberAttr(Type elementType, double value) {
  if (isa<FloatType>(elementType))
    return FloatAttr::get(elementType, value);
  bool isExact;
  llvm::APSInt integer(64, /*isUnsigned=*/false);
  APFloat(value).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return IntegerAttr::get(elementType, integer.getExtValue());
}

LogicalResult TensorBuilder::withContext(llvm::function_ref<LogicalResult()> action) {
  std::string message;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(context(), [&](Diagnostic &diag) {
      if (diag.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      if (!message.empty())
        message += "; ";
      message += diag.str();
      return success();
    });
    result = action();
  }
  if (failed(result))
    error() << (message.empty() ? "these operands do not fit together" : message);
  return result;
}

SmallVector<Value> TensorBuilder::createOp(OperationState &state, bool infer, bool fold) {
  if (infer) {
    auto *interface = state.name.getInterface<InferTypeOpInterface>();
    assert(interface && "only ops that infer their types are created without types");
    if (failed(withContext([&] {
          return interface->inferReturnTypes(context(), loc, state.operands,
                                             state.attributes.getDictionary(context()),
                                             state.getRawProperties(), state.regions, state.types);
        })))
      return {};
  }
  Operation *op = builder.create(state);
  if (failed(withContext([&] { return verify(op, /*verifyRecursively=*/false); }))) {
    op->erase();
    return {};
  }

  bool foldable = fold && !(unfolded && unfolded->contains(loc)) && op->getNumResults() == 1 &&
                  !state.operands.empty() &&
                  tensorType(op->getResult(0)).getNumElements() <= kFoldLimit &&
                  llvm::all_of(op->getOperands(),
                               [](Value operand) { return matchPattern(operand, m_Constant()); });
  SmallVector<Value> folded;
  // The context keeps each folded constant.
  if (foldable)
    generatedBytes += getTensorBytes(tensorType(op->getResult(0)));
  foldable &= generatedBytes <= kMostGenerated;
  if (foldable && succeeded(builder.tryFold(op, folded)) && !folded.empty()) {
    op->erase();
    return folded;
  }
  return SmallVector<Value>(op->getResults());
}

LogicalResult TensorBuilder::checkGenerated(RankedTensorType type) {
  if (!getNumElementsChecked(type.getShape()))
    return error() << "impossible shape [" << printList(type.getShape()) << "]";
  const int64_t bytes = getTensorBytes(type);
  if (bytes <= kMostGenerated && (generatedBytes += bytes) <= kMostGenerated)
    return success();
  return error() << "expected generated constants of at most " << kMostGenerated
                 << " bytes together, found " << bytes << " (" << type << ")"
                 << (bytes <= kMostGenerated ? " and those before it" : "");
}

Value TensorBuilder::constant(ElementsAttr value) {
  return value ? ConstantOp::create(builder, loc, value) : Value();
}

Value TensorBuilder::constant(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(values.size(), builder.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value TensorBuilder::scalarLike(Value like, double value) {
  if (!like)
    return {};
  auto type = RankedTensorType::get({}, elementTypeOf(like));
  return constant(DenseElementsAttr::get(type, getNumberAttr(type.getElementType(), value)));
}

Value TensorBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  if (!value)
    return {};
  auto type = RankedTensorType::get(shape, elementTypeOf(value));
  return type == value.getType() ? value : createAs<ReshapeOp>(type, value);
}

Value TensorBuilder::cast(Value value, Type elementType) {
  if (!value)
    return {};
  auto type = RankedTensorType::get(shapeOf(value), elementType);
  return type == value.getType() ? value : createAs<CastOp>(type, value);
}
