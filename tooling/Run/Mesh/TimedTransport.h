// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport around another one, which notes when exchanges begin and end.

#ifndef TTC_TOOLING_RUN_MESH_TIMEDTRANSPORT_H
#define TTC_TOOLING_RUN_MESH_TIMEDTRANSPORT_H

#include "ttrt/transport.h"

#include <cstdint>
#include <vector>

namespace ttrun {

/// An exchange, a send or a receive, in nanoseconds of the host's steady clock, which all processes
/// of a machine share.
struct ExchangeSpan {
  uint32_t collective;
  uint64_t begin, end;
};

class TimedTransport {
public:
  explicit TimedTransport(ttrt_transport *inner);
  TimedTransport(const TimedTransport &) = delete;
  TimedTransport &operator=(const TimedTransport &) = delete;

  ttrt_transport *interface() { return &interface_; }
  ttrt_transport *inner() const { return inner_; }

  /// Between runs: from now on, notes the first `most` exchanges.
  void start(size_t most);
  void stop() { recording_ = false; }
  const std::vector<ExchangeSpan> &spans() const { return spans_; }

private:
  static TimedTransport &of(ttrt_transport *transport) {
    return *static_cast<TimedTransport *>(transport->state);
  }
  /// Notes how long an exchange, a send or a receive takes.
  template <typename Function> int timed(uint32_t collective, Function function);

  ttrt_transport interface_ = {};
  ttrt_transport *inner_;
  bool recording_ = false;
  std::vector<ExchangeSpan> spans_;
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_MESH_TIMEDTRANSPORT_H
