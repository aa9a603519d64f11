// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The digest of a host function: what it stands for in the dataflow (dataflow.h). Compiler and
// loader compute it from the same table.

#ifndef TTRT_FORMAT_HOST_DIGEST_H
#define TTRT_FORMAT_HOST_DIGEST_H

#include "ttrt/format/dataflow.h"
#include "ttrt/ttc_bundle_generated.h"

#include <cstring>

namespace ttrt::dataflow {

/// Combines numbers, and vectors of them with their lengths.
class Digester {
public:
  void add(uint64_t number) { digest = combine(digest, number); }
  void add(const flatbuffers::String *text) {
    add(text ? text->size() : 0);
    for (uint32_t i = 0; text && i < text->size(); ++i)
      add(static_cast<unsigned char>(text->c_str()[i]));
  }
  template <typename T> void add(const flatbuffers::Vector<T> *numbers) {
    add(numbers ? numbers->size() : 0);
    for (uint32_t i = 0; numbers && i < numbers->size(); ++i) {
      const T number = numbers->Get(i);
      uint64_t bits = 0;
      memcpy(&bits, &number, sizeof(number)); // little-endian, as bundles are
      add(bits);
    }
  }

  uint64_t digest = 0;
};

/// The digest of a program that a host function computes: of the function, its attributes, and
/// which operands and results of which types there are.
inline uint64_t digestOfHostFunction(const fb::Program &program) {
  const fb::HostFunction &function = *program.host_function();
  Digester all;
  all.add(static_cast<uint64_t>(Kind::HostFunction));
  all.add(function.name());
  all.add(function.version());
  // Every list begins with its length, so no two tables add the same numbers.
  const auto *attributes = function.attributes();
  all.add(attributes ? attributes->size() : 0);
  for (uint32_t i = 0; attributes && i < attributes->size(); ++i) {
    const fb::HostAttribute &attribute = *attributes->Get(i);
    all.add(attribute.name());
    all.add(attribute.is_list());
    all.add(attribute.ints());
    all.add(attribute.floats());
    all.add(attribute.strings() ? attribute.strings()->size() : 0);
    for (uint32_t j = 0; attribute.strings() && j < attribute.strings()->size(); ++j)
      all.add(attribute.strings()->Get(j));
    all.add(attribute.dtype() ? 1 + static_cast<uint64_t>(*attribute.dtype()) : 0);
    all.add(attribute.shape());
    all.add(attribute.data());
  }
  all.add(function.absent_inputs());
  all.add(function.absent_outputs());
  const auto *operands = program.operands();
  all.add(operands ? operands->size() : 0);
  for (uint32_t i = 0; operands && i < operands->size(); ++i) {
    const fb::Operand &operand = *operands->Get(i);
    all.add(static_cast<uint64_t>(operand.access()));
    all.add(operand.dtype() ? 1 + static_cast<uint64_t>(*operand.dtype()) : 0);
    all.add(operand.shape());
  }
  return all.digest;
}

} // namespace ttrt::dataflow

#endif // TTRT_FORMAT_HOST_DIGEST_H
