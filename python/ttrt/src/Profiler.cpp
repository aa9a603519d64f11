// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profiler.h"

#include <chrono>
#include <thread>
#include <utility>

namespace ttrt::python {

Profiler::Profiler(nb::object folder, uint32_t programs, uint32_t interval,
                   const std::string &counters) {
  if (folder.is_none())
    return;
  const nb::bytes path = nb::cast<nb::bytes>(folder);
  ttrt_profiler_options options = TTRT_PROFILER_OPTIONS_INIT;
  options.programs = programs;
  options.read_interval = interval;
  options.counters = counters.c_str();
  ttrt_error error;
  ttrt_status status;
  requireInterpreter();
  {
    const Unlocked unlocked;
    status = ttrt_profiler_open(path.c_str(), &options, &profiler_, &error);
  }
  check(status, error);
}

Profiler::~Profiler() { closeNow(); }

void Profiler::closeNow() {
  closed_ = true;
  ttrt_profiler *profiler = std::exchange(profiler_, nullptr);
  if (!profiler)
    return;
  const Unlocked unlocked;
  ttrt_profiler_close(profiler);
}

void Profiler::close() {
  if (users_)
    raise(TTRT_BUSY, "expected the bundles that it records to be closed first, found " +
                         std::to_string(users_) + " open");
  requireInterpreter();
  closed_ = true; // no more readers
  while (readers_) {
    const Unlocked unlocked;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  closeNow();
}

ttrt_profiler *Profiler::get() const {
  if (closed_)
    raise(TTRT_INVALID_ARGUMENT, "the profiler is closed");
  return profiler_;
}

nb::object Profiler::folder() const {
  ttrt_profiler *profiler = get();
  return profiler ? nb::object(nameToStr(ttrt_profiler_folder(profiler))) : nb::none();
}

void Profiler::read() {
  ttrt_profiler *profiler = get();
  ttrt_error error;
  ttrt_status status;
  requireInterpreter();
  ++readers_;
  {
    const Unlocked unlocked;
    status = ttrt_profiler_read(profiler, &error);
  }
  --readers_;
  check(status, error);
}

} // namespace ttrt::python
