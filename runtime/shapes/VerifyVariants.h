// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tables of variants must satisfy. libttrt verifies that they are tables, but nothing of
// what they say, on which only this library relies.

#ifndef TTRT_SHAPES_VERIFYVARIANTS_H
#define TTRT_SHAPES_VERIFYVARIANTS_H

#include "ttrt/ttc_bundle_generated.h"

namespace ttrt::shapes {

template <typename T> uint32_t count(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

/// The name of the model that an entry point computes.
inline const char *modelOf(const fb::EntryPoint &entry) {
  return (entry.variant() ? entry.variant()->of() : entry.name())->c_str();
}

/// Bytes of an element of a verified type.
inline uint64_t bytesOf(fb::DType dtype) {
  constexpr uint8_t bytes[] = {4, 2, 2, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
  static_assert(sizeof(bytes) == static_cast<size_t>(fb::DType::MAX) + 1);
  return bytes[static_cast<size_t>(dtype)];
}

/// The size of a port's dimension on all devices of the mesh together, if there is one.
int64_t wholeSize(const fb::Bundle &bundle, const fb::Port &port, uint32_t dimension);

/// Throws Error unless the entry point is right as a variant: bounds, the input of the extents, and
/// sizes of ports that are within the ports, and theirs at the highest extents.
void verifyVariant(const fb::Bundle &bundle, const fb::EntryPoint &entry);
/// Throws Error unless two entry points of a model agree: in the names of dimensions, and in the
/// names, types and sizes of ports.
void verifyAgreement(const fb::EntryPoint &first, const fb::EntryPoint &other);

} // namespace ttrt::shapes

#endif // TTRT_SHAPES_VERIFYVARIANTS_H
