// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport over MPI: the functions of ttrt/transport.h.

#ifndef TTRT_MPI_TRANSPORT_H
#define TTRT_MPI_TRANSPORT_H

#include "Exchange.h"
#include "ttrt/transport.h"

#include <memory>
#include <mutex>
#include <optional>

namespace ttrt::mpi {

class Transport {
public:
  /// Collective. Throws MpiError.
  Transport(MPI_Comm communicator, bool endsMpi);
  /// Ends MPI if this transport began it and all ranks come here.
  ~Transport();
  Transport(const Transport &) = delete;
  Transport &operator=(const Transport &) = delete;

  ttrt_transport interface = {};

private:
  ttrt_status prepare(const ttrt_transport_plan &plan, ttrt_error *error);
  ttrt_status bind(uint8_t *base, ttrt_error *error);
  void unbind();
  int exchange(uint32_t collective, const uint64_t *operands);
  int send(uint32_t collective, uint64_t input);
  int receive(uint32_t collective, uint64_t output);
  int offer(uint32_t collective, uint64_t input);
  int gather(const void *data, size_t bytes, void *all);
  void fail(const char *message);

  bool gatherPart(const uint8_t *data, size_t bytes, uint8_t *all, size_t pitch);
  Operands operandsOf(uint32_t collective, const uint64_t *operands) const;
  Exchange &find(uint32_t collective, const Operands &operands);
  void prepareStreams();
  /// The mesh fails because of this device.
  void setOwnFailure(const char *message);
  /// Calls function(), which throws MpiError, and returns whether it has succeeded: it returned
  /// true.
  template <typename Function> bool attempt(Function function);

  static Transport &of(ttrt_transport *transport) {
    return *static_cast<Transport *>(transport->state);
  }

  /// Held during every call of MPI. fail() waits for it, not a thread that is in exchange(): that
  /// one sees the failure.
  std::mutex mutex;
  std::unique_ptr<Members> members;
  Staging staging;
  const fb::Bundle *bundle = nullptr;
  uint64_t dramEnd = 0;
  uint8_t *base = nullptr;
  std::vector<std::vector<std::unique_ptr<Exchange>>> exchanges; ///< by collective
  std::vector<Exchange *> offered; ///< by collective: what has been sent and not received; nullptr
  std::unique_ptr<uint8_t[]> gathering; ///< of a gather that has failed; freed after MPI's end
  bool endsMpi;
  std::optional<bool> hasLeft; ///< for ever, after a failure; whether MPI can be ended
};

} // namespace ttrt::mpi

#endif // TTRT_MPI_TRANSPORT_H
