// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_TEXT_ERROR_H
#define TTRT_TEXT_ERROR_H

#include <stdexcept>

namespace ttrun {

/// What is wrong with a vocabulary, a chat template, or JSON. The message is shown as it is.
struct TextError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace ttrun

#endif // TTRT_TEXT_ERROR_H
