// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files of the C API: checks of arguments, and exceptions as statuses.

#ifndef TTRT_LIB_API_APICHECKS_H
#define TTRT_LIB_API_APICHECKS_H

#include "Api/Handles.h"
#include "Base/Format.h"
#include "Base/StructSize.h"

#include <atomic>
#include <cstring>
#include <exception>
#include <new>

namespace ttrt {

/// Fills in `error`, which may be null.
ttrt_status report(ttrt_error *error, ttrt_status status, const char *message) noexcept;
/// Fills in `error`, which may be null, with TTRT_OK. Its code exists once.
[[gnu::noinline]] ttrt_status reportSuccess(ttrt_error *error) noexcept;
/// In a catch block: reports the exception as a status and a message.
ttrt_status reportException(ttrt_error *error) noexcept;

/// Runs `function` and turns exceptions into a status and a message.
template <typename Function> ttrt_status guarded(ttrt_error *error, Function function) noexcept {
  try {
    function();
  } catch (...) {
    return reportException(error);
  }
  return reportSuccess(error);
}

inline void require(bool condition, const char *what) {
  if (!condition) [[unlikely]]
    fail(TTRT_INVALID_ARGUMENT, "{}", what);
}

/// Checks that an enumerator of a caller is one of those from 0 to `last`. C callers can pass any
/// number, which C++ must not even load as an enumerator.
template <typename Enum> void requireEnumerator(const Enum &value, Enum last, const char *type) {
  static_assert(sizeof(Enum) == sizeof(uint32_t));
  uint32_t number;
  memcpy(&number, &value, sizeof(number));
  if (number > static_cast<uint32_t>(last)) [[unlikely]]
    fail(TTRT_INVALID_ARGUMENT, "expected a {} value, from 0 to {}; found {}", type,
         static_cast<uint32_t>(last), static_cast<int32_t>(number));
}

/// findName() in a table of the bundle, which may be null.
template <typename Table>
uint32_t findIn(const flatbuffers::Vector<flatbuffers::Offset<Table>> *table, const char *what,
                const char *wanted) {
  return findName(
      what, wanted, "the bundle", count(table), table,
      [](const void *all, uint32_t i) -> const char * {
        const Table &found =
            *static_cast<const flatbuffers::Vector<flatbuffers::Offset<Table>> *>(all)->Get(i);
        if constexpr (requires { found.key(); })
          return text(found.key());
        else
          return text(found.name());
      });
}

/// Describes a tensor in the caller's struct, whose size has been checked.
inline void writePort(ttrt_port *port, const fb::Port &table) noexcept {
  writeResult(port, {sizeof(ttrt_port), text(table.name()), static_cast<ttrt_dtype>(table.dtype()),
                     count(table.shape()), table.shape() ? table.shape()->data() : nullptr,
                     sizeOf(table)});
}

/// Marks an object as in use for the duration of a call.
class InUse {
public:
  InUse(std::atomic<bool> &busy, const char *other) : busy(busy) {
    if (busy.exchange(true, std::memory_order_acquire)) [[unlikely]]
      fail(TTRT_BUSY, "{} has not returned yet", other);
  }
  ~InUse() { busy.store(false, std::memory_order_release); }
  InUse(const InUse &) = delete;
  InUse &operator=(const InUse &) = delete;

private:
  std::atomic<bool> &busy;
};

/// Throws: only other devices of the mesh execute the entry point.
[[noreturn]] void failForeign(const Device &device, uint32_t entry);

inline const ResolvedEntry &entryOf(const Device &device, uint32_t entry) {
  const ResolvedEntry *found = device.entry(entry);
  if (!found) [[unlikely]]
    fail(TTRT_INVALID_ARGUMENT, "the bundle has no entry point {}", entry);
  if (!found->isHere) [[unlikely]]
    failForeign(device, entry);
  return *found;
}

inline const ResolvedPort &portOf(const std::vector<ResolvedPort> &ports, uint32_t index,
                                  const char *what) {
  if (index >= ports.size()) [[unlikely]]
    fail(TTRT_INVALID_ARGUMENT, "{} {}; the entry point has {}", what, index, ports.size());
  return ports[index];
}

inline void checkBytes(const ResolvedPort &port, size_t bytes, const char *what) {
  if (bytes != port.bytes) [[unlikely]]
    fail(TTRT_INVALID_ARGUMENT, "{} '{}' has {} bytes; expected {}", what, port.name, bytes,
         port.bytes);
}

/// `Transfer` is ttrt_input or ttrt_output.
template <typename Transfer>
void checkTransfers(const std::vector<ResolvedPort> &ports, const Transfer *transfers,
                    const char *what) {
  if (!ports.empty() && !transfers)
    fail(TTRT_INVALID_ARGUMENT, "{}s is NULL; the entry point has {}", what, ports.size());
  for (size_t i = 0; i < ports.size(); ++i)
    if (transfers[i].data)
      checkBytes(ports[i], transfers[i].bytes, what);
}

/// Throws unless the extents of a variant, as they are at `data`, are those that it computes.
void checkExtents(const Device &device, uint32_t entry, uint32_t input, const void *data);

/// The same for the inputs of a run; NULL data: what the slot holds.
inline void checkExtents(const Device &device, uint32_t entry, const ttrt_input *inputs) {
  const fb::Variant *variant = device.bundle().metadata().entries()->Get(entry)->variant();
  if (!variant) [[likely]]
    return;
  const uint32_t input = variant->extents();
  const std::vector<ResolvedPort> &ports = device.entry(entry)->inputs;
  if (input < ports.size())
    checkExtents(device, entry, input, inputs[input].data ? inputs[input].data : ports[input].slot);
}

/// A forked child has none of the device's threads.
inline void requireOwnProcess(const Device &device) {
  if (device.process().isChild()) [[unlikely]]
    fail(TTRT_UNSUPPORTED,
         "the device belongs to the process that opened it, and this is a forked child of that "
         "process; open a device in the child");
}

/// A function that a queue calls must not wait for that queue or fill its ring.
inline void requireHostThread(Device &device) {
  requireOwnProcess(device);
  for (uint32_t i = 0; i < device.queues(); ++i)
    if (device.queue(i).isOwnThread()) [[unlikely]]
      fail(TTRT_INVALID_ARGUMENT,
           "called from a function that queue {} calls; the queue would wait for itself", i);
}

/// A run on the calling thread needs core 0 and all slots for itself.
inline void requireIdleQueues(Device &device) {
  if (device.piped().load(std::memory_order_acquire))
    fail(TTRT_BUSY, "the device has a pipeline; close it first");
  for (uint32_t i = 0; i < device.queues(); ++i)
    if (!device.queue(i).isDrained())
      fail(TTRT_BUSY, "queue {} has commands in flight; ttrt_device_synchronize() waits for them",
           i);
}

/// Throws if the step executes a trace that is released, or one of other devices of the mesh.
inline void requireLoaded(const Device &device, const ResolvedStep &step) {
  if (step.kind == fb::StepKind::Execute && !device.isHere(step.index)) [[unlikely]]
    fail(TTRT_INVALID_ARGUMENT,
         "trace {}, '{}', is of entry points that device {} of the mesh does not execute",
         step.index, step.name, device.mesh().device());
  if (step.kind == fb::StepKind::Execute && !device.residency().isLoaded(step.index))
    fail(TTRT_INVALID_ARGUMENT, "trace {}, '{}', is released; ttrt_trace_load() loads it again",
         step.index, step.name);
}

/// Throws what a run has returned, unless that is null.
[[noreturn, gnu::cold]] void failRun(Device &device, const char *problem);
inline void requireSuccess(Device &device, const char *problem) {
  if (problem) [[unlikely]]
    failRun(device, problem);
}

/// Throws the error that stopped a queue.
inline void requireNoFailure(const Device &device) {
  if (const ttrt_error *failure = device.failure()) [[unlikely]]
    throw Error{failure->status, failure->message};
}

} // namespace ttrt

#endif // TTRT_LIB_API_APICHECKS_H
