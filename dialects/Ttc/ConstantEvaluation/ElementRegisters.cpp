// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of tensor elements into registers, and stores.
#include "dialects/Ttc/ConstantEvaluation/ElementNumbers.h"
#include "dialects/Ttc/ConstantEvaluation/ElementProgram.h"
#include "dialects/Ttc/Tensors/NarrowFloats.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::ttc;

namespace {

template <typename Register, typename Element>
void loadAs(const char *elements, char *reg, size_t count) {
  auto *from = reinterpret_cast<const Element *>(elements);
  std::copy_n(from, count, as<Register>(reg));
}
template <typename Register, typename Element>
void storeAs(const char *reg, char *elements, size_t count) {
  auto *from = reinterpret_cast<const Register *>(reg);
  auto *to = reinterpret_cast<Element *>(elements);
  for (size_t i = 0; i < count; ++i)
    to[i] = static_cast<Element>(from[i]);
}

} // namespace

bool ElementProgram::isSupported(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1, 8, 16, 32, 64}, integer.getWidth());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

void ElementProgram::load(Type type, const char *elements, char *reg, size_t count) {
  if (type.isF32())
    return loadAs<float, float>(elements, reg, count);
  if (type.isF64())
    return loadAs<double, double>(elements, reg, count);
  if (type.isF16() || type.isBF16()) {
    auto *from = reinterpret_cast<const uint16_t *>(elements);
    for (size_t i = 0; i < count; ++i)
      as<float>(reg)[i] = type.isF16() ? fromF16(from[i]) : fromBF16(from[i]);
    return;
  }
  if (isNarrowInteger(type)) {
    const unsigned width = type.getIntOrFloatBitWidth();
    for (size_t i = 0; i < count; ++i)
      as<int64_t>(reg)[i] = type.isUnsignedInteger() ? int64_t(zeroExtend(elements[i], width))
                                                     : wrap(elements[i], width);
    return;
  }
  // Unsigned integers are sign-extended, too: the signedness is in the ops.
  switch (type.getIntOrFloatBitWidth()) {
  case 64:
    return loadAs<int64_t, int64_t>(elements, reg, count);
  case 32:
    return loadAs<int64_t, int32_t>(elements, reg, count);
  case 16:
    return loadAs<int64_t, int16_t>(elements, reg, count);
  default:
    return loadAs<int64_t, int8_t>(elements, reg, count);
  }
}

void ElementProgram::store(Type type, const char *reg, char *elements, size_t count) {
  if (type.isF32())
    return storeAs<float, float>(reg, elements, count);
  if (type.isF64())
    return storeAs<double, double>(reg, elements, count);
  if (type.isF16() || type.isBF16()) {
    auto *from = reinterpret_cast<const float *>(reg);
    auto *to = reinterpret_cast<uint16_t *>(elements);
    for (size_t i = 0; i < count; ++i)
      to[i] = type.isF16() ? toF16(from[i]) : toBF16(from[i]);
    return;
  }
  if (isNarrowInteger(type)) {
    // As in MLIR's attributes, the high bits of the byte are zero.
    for (size_t i = 0; i < count; ++i)
      elements[i] =
          char(zeroExtend(reinterpret_cast<const int64_t *>(reg)[i], type.getIntOrFloatBitWidth()));
    return;
  }
  switch (type.getIntOrFloatBitWidth()) {
  case 64:
    return storeAs<int64_t, int64_t>(reg, elements, count);
  case 32:
    return storeAs<int64_t, int32_t>(reg, elements, count);
  case 16:
    return storeAs<int64_t, int16_t>(reg, elements, count);
  default:
    return storeAs<int64_t, int8_t>(reg, elements, count);
  }
}
