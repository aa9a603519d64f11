// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_SUPPORT_PASSCOUNTER_H
#define TTC_SUPPORT_PASSCOUNTER_H

#include "mlir/Pass/Pass.h"
#include <atomic>

namespace mlir::ttc {

/// A number that a pass reports. A counter is a member of the pass; when the pass is destroyed, it
/// prints one line if --mlir-pass-statistics was given and it is not zero:
///
///   struct Fuse : impl::FuseBase<Fuse> {
///     PassCounter numFusions{*this, "fusions", "Fusions made"};
///
/// mlir::Pass::Statistic does not work here: distributions build LLVM without LLVM_ENABLE_STATS,
/// which makes statistics no-ops, and with NDEBUG, which changes the layout of that class. So no
/// Passes.td may declare `statistics`.
class PassCounter {
public:
  /// `name` and `description` must be string literals.
  PassCounter(const Pass &pass, StringRef name, StringRef description)
      : pass(pass.getArgument()), name(name), description(description) {}
  /// The counter of a cloned pass starts at zero.
  PassCounter(const PassCounter &other)
      : pass(other.pass), name(other.name), description(other.description) {}
  PassCounter &operator=(const PassCounter &) = delete;
  ~PassCounter();

  PassCounter &operator=(int64_t other) {
    value = other;
    return *this;
  }
  PassCounter &operator+=(int64_t more) {
    value += more;
    return *this;
  }
  PassCounter &operator++() { return *this += 1; }

private:
  StringRef pass, name, description;
  std::atomic<int64_t> value = 0;
};

} // namespace mlir::ttc

#endif // TTC_SUPPORT_PASSCOUNTER_H
