// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Budget.h"

#include "text/Template/Value.h"

#include <fmt/format.h>

namespace ttrt::language::chat {

void Budget::failSteps() const {
  throw Failure(fmt::format("expected at most {} steps, found more", mostSteps));
}

void Budget::failBytes() const {
  throw Failure(
      fmt::format("expected values of at most {} bytes in total, found {}", mostBytes, held));
}

void Budget::failLevels() {
  throw Failure(fmt::format("expected evaluation at most {} levels deep, found more", kDeepest));
}

} // namespace ttrt::language::chat
