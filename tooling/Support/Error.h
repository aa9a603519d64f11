// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_SUPPORT_ERROR_H
#define TTC_TOOLING_SUPPORT_ERROR_H

#include <stdexcept>

namespace ttrun {

/// An error that the user can correct. The message is shown as it is.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A bundle that is bad or cannot run here. The message is shown as it is.
struct BadBundle : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace ttrun

#endif // TTC_TOOLING_SUPPORT_ERROR_H
