// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_ERROR_H
#define TTRT_LIB_ERROR_H

#include "ttrt/ttrt.h"

#include <string>

namespace ttrt {

/// Thrown while opening and loading only, and caught at the C boundary (Api.cpp). Nothing on the
/// way of a run throws.
struct Error {
  ttrt_status status;
  std::string message;
};

[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);

[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] void fail(ttrt_status status,
                                                             const char *pattern, ...);

/// fail(TTRT_BAD_BUNDLE, ...), which is what almost every check says.
[[noreturn, gnu::cold, gnu::format(printf, 1, 2)]] void failBad(const char *pattern, ...);

} // namespace ttrt

#endif // TTRT_LIB_ERROR_H
