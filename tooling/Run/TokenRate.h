// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many tokens a second the runs of a decoder's entry point `decode` make.

#ifndef TTC_TOOLING_RUN_TOKENRATE_H
#define TTC_TOOLING_RUN_TOKENRATE_H

#include "ttrt/ttrt.h"

#include <cstdint>
#include <string>

namespace ttrun {

class MeshDevices;
class Session;

class TokenRate {
public:
  /// Finds the state `position` if the session's entry point has no input and an output `token`
  /// (docs/gguf-import.md). Without them, nothing here does anything.
  explicit TokenRate(const Session &session);

  /// Begins a text, with all states zero: a greedy choice without an end.
  void restart() const;
  /// The last `runs` of `all` runs since restart() have taken `seconds`.
  void measured(uint64_t runs, uint64_t all, double seconds);

  /// Whether it was measured.
  explicit operator bool() const { return measured_; }
  uint64_t first() const { return first_; } ///< positions of the tokens
  uint64_t last() const { return last_; }
  /// 0 if runs have made no token because the context was full.
  double perSecond() const { return perSecond_; }
  std::string text() const;

private:
  ttrt_device *device_ = nullptr;
  MeshDevices *mesh_ = nullptr; ///< that the device is in; nullptr: none
  uint32_t state_ = 0;
  bool measured_ = false;
  uint64_t first_ = 0, last_ = 0;
  double perSecond_ = 0;
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_TOKENRATE_H
