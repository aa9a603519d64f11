// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bundle/HostFunction.h"

#include "Base/Format.h"
#include "Bundle/Bundle.h"

#include <cstring>

namespace ttrt {

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The bytes of a tensor; 0 if there is no such tensor.
static uint64_t bytesOf(flatbuffers::Optional<fb::DType> dtype,
                        const flatbuffers::Vector<int64_t> *shape) {
  uint64_t bytes = dtype && *dtype <= fb::DType::MAX ? sizeOf(*dtype) : 0;
  for (uint32_t i = 0; i < count(shape); ++i)
    if (shape->Get(i) < 1 ||
        __builtin_mul_overflow(bytes, static_cast<uint64_t>(shape->Get(i)), &bytes))
      return 0;
  return bytes;
}

/// Whether the positions ascend and are below that of the last of `present` values.
static bool areBeforeLast(const flatbuffers::Vector<uint32_t> *absent, uint32_t present) {
  for (uint32_t i = 0; i < count(absent); ++i)
    if (absent->Get(i) + uint64_t(1) >= uint64_t(present) + count(absent) ||
        (i > 0 && absent->Get(i) <= absent->Get(i - 1)))
      return false;
  return count(absent) <= kMaxOperands;
}

static void verifyAttribute(const char *name, const fb::HostAttribute &attribute) {
  const uint32_t counts[] = {count(attribute.ints()), count(attribute.floats()),
                             count(attribute.strings())};
  const uint32_t values = counts[0] + counts[1] + counts[2];
  const bool isOne = (counts[0] != 0) + (counts[1] != 0) + (counts[2] != 0) == 1;
  const uint64_t bytes = bytesOf(attribute.dtype(), attribute.shape());
  // An empty list has no elements of any kind.
  if (attribute.dtype() ? values == 0 && bytes != 0 && bytes <= UINT64_MAX - 7 &&
                              (bytes + 7) / 8 == count(attribute.data())
                        : count(attribute.data()) == 0 &&
                              (attribute.is_list() ? isOne || values == 0 : isOne && values == 1))
    return;
  failBad("host function '{}', attribute '{}' has {} integers, {} numbers, {} strings and {} words "
          "of a tensor of {} bytes; expected one of them",
          name, text(attribute.name()), counts[0], counts[1], counts[2], count(attribute.data()),
          bytes);
}

void verifyHostFunction(const fb::Program &program) {
  const fb::HostFunction &function = *program.host_function();
  const char *name = text(function.name());
  uint32_t results = 0;
  const uint32_t operands = count(program.operands());
  for (uint32_t i = 0; i < operands; ++i) {
    const fb::Operand &operand = *program.operands()->Get(i);
    const bool isResult = operand.access() == fb::Access::Write;
    const uint64_t bytes = bytesOf(operand.dtype(), operand.shape());
    // Results come last.
    if (operand.access() == fb::Access::ReadWrite || isResult != (results > 0 || isResult) ||
        bytes == 0 || bytes != operand.bytes() || operand.row_bytes() || operand.per_workgroup() ||
        count(operand.in_place_of()))
      failBad(
          "host function '{}', operand {}: {} bytes of a tensor of {}; expected a contiguous one, "
          "results last",
          name, i, operand.bytes(), bytes);
    results += isResult;
  }
  if (!*name || results == 0 || program.grid() != 1 || program.scratch_bytes() != 0 ||
      !areBeforeLast(function.absent_inputs(), operands - results) ||
      !areBeforeLast(function.absent_outputs(), results))
    failBad(
        "program '{}', host function '{}': {} results, {} workgroups, {} bytes of scratch, {} + {} "
        "absent; expected a name, results, one workgroup, no scratch, and absent ones before the "
        "last",
        text(program.symbol()), name, results, program.grid(), program.scratch_bytes(),
        count(function.absent_inputs()), count(function.absent_outputs()));
  for (uint32_t i = 0; i < count(function.attributes()); ++i) {
    const fb::HostAttribute &attribute = *function.attributes()->Get(i);
    verifyAttribute(name, attribute);
    // Functions may search for a name.
    if (const char *previous = i ? text(function.attributes()->Get(i - 1)->name()) : "";
        strcmp(previous, text(attribute.name())) >= 0)
      failBad("host function '{}': attribute '{}' follows '{}'; expected ascending names", name,
              text(attribute.name()), previous);
  }
}

//===----------------------------------------------------------------------===//
// HostFunction
//===----------------------------------------------------------------------===//

static ttrt_tensor describe(flatbuffers::Optional<fb::DType> dtype,
                            const flatbuffers::Vector<int64_t> *shape) {
  return {static_cast<ttrt_dtype>(*dtype), count(shape), count(shape) ? shape->data() : nullptr,
          static_cast<size_t>(bytesOf(dtype, shape)), nullptr};
}

static ttrt_attribute describe(const fb::HostAttribute &attribute) {
  ttrt_attribute result{};
  result.name = text(attribute.name());
  if (attribute.dtype()) {
    result.kind = TTRT_ATTRIBUTE_TENSOR;
    result.count = 1;
    result.tensor = describe(attribute.dtype(), attribute.shape());
    result.tensor.data = const_cast<uint64_t *>(attribute.data()->data());
    return result;
  }
  int kind = TTRT_ATTRIBUTE_INT;
  if (const uint32_t floats = count(attribute.floats())) {
    kind = TTRT_ATTRIBUTE_FLOAT;
    result.count = floats;
    result.floats = attribute.floats()->data();
  } else if (const uint32_t strings = count(attribute.strings())) {
    kind = TTRT_ATTRIBUTE_STRING;
    result.count = strings;
  } else if (const uint32_t ints = count(attribute.ints())) {
    result.count = ints;
    result.ints = attribute.ints()->data();
  }
  constexpr int kLists = TTRT_ATTRIBUTE_INTS - TTRT_ATTRIBUTE_INT;
  result.kind = static_cast<ttrt_attribute_kind>(kind + (attribute.is_list() ? kLists : 0));
  return result;
}

HostFunction::HostFunction(const fb::Program &table, uint32_t number) : program(number) {
  const fb::HostFunction &function = *table.host_function();
  // The values that are there, in order, with omitted ones between them.
  uint32_t next = 0;
  auto add = [&](const auto *absent, fb::Access access) {
    uint32_t position = 0, omitted = 0;
    auto fill = [&] {
      for (; omitted < count(absent) && absent->Get(omitted) == position; ++omitted, ++position)
        tensors.push_back({});
    };
    for (; next < count(table.operands()) && table.operands()->Get(next)->access() == access;
         ++next, ++position) {
      fill();
      const fb::Operand &operand = *table.operands()->Get(next);
      tensors.push_back(describe(operand.dtype(), operand.shape()));
    }
  };
  add(function.absent_inputs(), fb::Access::Read);
  const auto operands = static_cast<uint32_t>(tensors.size());
  add(function.absent_outputs(), fb::Access::Write);

  size_t texts = 0;
  for (uint32_t i = 0; i < count(function.attributes()); ++i)
    texts += count(function.attributes()->Get(i)->strings());
  strings.reserve(texts); // attributes point into it
  for (uint32_t i = 0; i < count(function.attributes()); ++i) {
    const fb::HostAttribute &attribute = *function.attributes()->Get(i);
    attributes.push_back(describe(attribute));
    if (count(attribute.strings()))
      attributes.back().strings = strings.data() + strings.size();
    for (uint32_t j = 0; j < count(attribute.strings()); ++j)
      strings.push_back(text(attribute.strings()->Get(j)));
  }
  call = {sizeof(call),
          text(function.name()),
          function.version(),
          operands,
          static_cast<uint32_t>(tensors.size()) - operands,
          tensors.data(),
          tensors.data() + operands,
          attributes.data(),
          attributes.size()};
}

std::vector<HostFunction> findHostFunctions(const fb::Bundle &bundle) {
  std::vector<HostFunction> functions;
  for (uint32_t i = 0; i < count(bundle.programs()); ++i)
    if (bundle.programs()->Get(i)->host_function())
      functions.emplace_back(*bundle.programs()->Get(i), i);
  return functions;
}

} // namespace ttrt
