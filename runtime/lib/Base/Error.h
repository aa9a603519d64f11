// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_BASE_ERROR_H
#define TTRT_LIB_BASE_ERROR_H

#include "ttrt/ttrt.h"

#include <string>

namespace ttrt {

/// Thrown while opening and loading only, by fail() and failBad() (Format.h), and caught at the C
/// boundary (Api.cpp). Nothing throws while a schedule runs.
struct Error {
  ttrt_status status;
  std::string message;
};

} // namespace ttrt

#endif // TTRT_LIB_BASE_ERROR_H
