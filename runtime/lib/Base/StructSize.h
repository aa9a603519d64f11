// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs of the C API that begin with their size: how options of an older or newer caller are
// read, and how results are written to its structs (ttrt.h, "Structs that can grow").

#ifndef TTRT_LIB_BASE_STRUCTSIZE_H
#define TTRT_LIB_BASE_STRUCTSIZE_H

#include <cstddef>

namespace ttrt {

/// No struct of the API is larger, so a size beyond this is not one.
inline constexpr size_t kMaxStructSize = 4096;

/// Throws Error unless `size` can be that of a struct. `type` names it; this library's has `known`
/// bytes.
void checkStructSize(size_t size, const char *type, size_t known);
/// Copies the bytes that both structs have. Throws Error if the caller's size is wrong or if it has
/// more bytes, not all of them zero.
void copyOptions(void *options, size_t known, const void *theirs, size_t size, const char *type);
/// Copies the bytes that both structs have, less the size, and zeroes the rest of the caller's.
void copyResult(void *theirs, size_t size, const void *result, size_t known) noexcept;

/// The caller's options, as a struct of this library's; null means the defaults. Throws Error.
template <typename T> T readOptions(const T *theirs, const char *type) {
  T options{};
  if (theirs)
    copyOptions(&options, sizeof(T), theirs, theirs->size, type);
  return options;
}

/// Throws Error unless a result can be written to the caller's struct.
template <typename T> void checkResult(const T *theirs, const char *type) {
  checkStructSize(theirs->size, type, sizeof(T));
}

/// The size has been checked.
template <typename T> void writeResult(T *theirs, const T &result) noexcept {
  copyResult(theirs, theirs->size, &result, sizeof(T));
}

} // namespace ttrt

#endif // TTRT_LIB_BASE_STRUCTSIZE_H
