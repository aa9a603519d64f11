// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Mesh/TimedTransport.h"

#include <ctime>

namespace ttrun {

static uint64_t steadyNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

template <typename Function> int TimedTransport::timed(uint32_t collective, Function function) {
  if (!recording_ || spans_.size() == spans_.capacity()) [[likely]]
    return function();
  const uint64_t begin = steadyNs();
  const int status = function();
  spans_.push_back({collective, begin, steadyNs()});
  return status;
}

TimedTransport::TimedTransport(ttrt_transport *inner) : inner_(inner) {
  interface_.size = sizeof interface_;
  interface_.state = this;
  interface_.device = inner->device;
  interface_.devices = inner->devices;
  interface_.prepare = [](ttrt_transport *self, const ttrt_transport_plan *plan, int *memory,
                          uint64_t *offset, ttrt_error *error) {
    ttrt_transport *inner = of(self).inner_;
    return inner->prepare(inner, plan, memory, offset, error);
  };
  interface_.bind = [](ttrt_transport *self, uint8_t *base, ttrt_error *error) {
    ttrt_transport *inner = of(self).inner_;
    return inner->bind(inner, base, error);
  };
  interface_.unbind = [](ttrt_transport *self) { of(self).inner_->unbind(of(self).inner_); };
  interface_.exchange = [](ttrt_transport *self, uint32_t collective, const uint64_t *operands) {
    ttrt_transport *inner = of(self).inner_;
    return of(self).timed(collective, [&] { return inner->exchange(inner, collective, operands); });
  };
  interface_.send = [](ttrt_transport *self, uint32_t collective, uint64_t input) {
    ttrt_transport *inner = of(self).inner_;
    return of(self).timed(collective, [&] { return inner->send(inner, collective, input); });
  };
  interface_.receive = [](ttrt_transport *self, uint32_t collective, uint64_t output) {
    ttrt_transport *inner = of(self).inner_;
    return of(self).timed(collective, [&] { return inner->receive(inner, collective, output); });
  };
  interface_.offer = [](ttrt_transport *self, uint32_t collective, uint64_t input) {
    return of(self).inner_->offer(of(self).inner_, collective, input);
  };
  interface_.gather = [](ttrt_transport *self, const void *data, size_t bytes, void *all) {
    ttrt_transport *inner = of(self).inner_;
    return inner->gather(inner, data, bytes, all);
  };
  interface_.fail = [](ttrt_transport *self, const char *message) {
    of(self).inner_->fail(of(self).inner_, message);
  };
  interface_.limit = [](ttrt_transport *self, uint32_t waitMs, uint64_t deadline) {
    of(self).inner_->limit(of(self).inner_, waitMs, deadline);
  };
  interface_.failure = [](ttrt_transport *self) {
    return of(self).inner_->failure(of(self).inner_);
  };
}

void TimedTransport::start(size_t most) {
  spans_.clear();
  spans_.reserve(most);
  recording_ = true;
}

} // namespace ttrun
