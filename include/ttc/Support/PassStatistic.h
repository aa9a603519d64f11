// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_SUPPORT_PASSSTATISTIC_H
#define TTC_SUPPORT_PASSSTATISTIC_H

#include "mlir/Pass/Pass.h"
#include <atomic>

namespace mlir::ttc {

/// What a pass has counted, shown by --mlir-pass-statistics when the pass has ended. It stands in
/// place of mlir::Pass::Statistic, which is compiled out of an LLVM that is built without
/// LLVM_ENABLE_STATS, as distributions' are: the build writes this class's name into the generated
/// declarations of passes (cmake/TtcPasses.cmake).
class PassStatistic {
public:
  /// Both texts live as long as the program.
  PassStatistic(Pass *owner, const char *name, const char *description)
      : owner(owner), name(name), description(description) {}
  PassStatistic(const PassStatistic &) = delete;
  PassStatistic &operator=(const PassStatistic &) = delete;
  /// Prints a line, if that was asked for and something was counted.
  ~PassStatistic();

  PassStatistic &operator=(int64_t other) {
    value = other;
    return *this;
  }
  PassStatistic &operator+=(int64_t more) {
    value += more;
    return *this;
  }
  PassStatistic &operator++() { return *this += 1; }

private:
  Pass *owner;
  const char *name, *description;
  std::atomic<int64_t> value = 0;
};

} // namespace mlir::ttc

#endif // TTC_SUPPORT_PASSSTATISTIC_H
