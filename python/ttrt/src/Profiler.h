// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording (ttrt/profile.h) as an object of Python.

#ifndef TTRT_PYTHON_PROFILER_H
#define TTRT_PYTHON_PROFILER_H

#include "Errors.h"
#include "Process.h"

#include "ttrt/profile.h"

namespace ttrt::python {

class Profiler {
public:
  /// Throws. Without a folder, nothing is recorded.
  Profiler(nb::object folder, uint32_t programs, uint32_t interval, const std::string &counters);
  ~Profiler();
  Profiler(const Profiler &) = delete;
  Profiler &operator=(const Profiler &) = delete;

  /// Completes the log. Throws while devices record.
  void close();
  /// Throws if it is closed.
  ttrt_profiler *get() const;
  bool isClosed() const { return closed_; }
  nb::object folder() const;
  uint64_t dropped() const { return ttrt_profiler_dropped(get()); }
  /// Moves what is recorded to the log.
  void read();

  /// Devices that record.
  void join() { ++users_; }
  void leave() { --users_; }
  uint32_t recording() const { return users_; }

private:
  void closeNow();
  // Guarded by the GIL.
  ttrt_profiler *profiler_ = nullptr;
  bool closed_ = false;
  uint32_t users_ = 0, readers_ = 0;
};

} // namespace ttrt::python

#endif // TTRT_PYTHON_PROFILER_H
