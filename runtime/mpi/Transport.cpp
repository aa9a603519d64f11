// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Transport.h"

#include "Segments.h"
#include "ttrt/format/commands.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace ttrt::mpi {

static ttrt_status report(ttrt_error *error, ttrt_status status, const std::string &message) {
  if (error) {
    error->status = status;
    snprintf(error->message, sizeof error->message, "%s", message.c_str());
  }
  return status;
}

Transport::Transport(MPI_Comm communicator, bool endsMpi)
    : members(std::make_unique<Members>(communicator)), endsMpi(endsMpi) {
  interface.size = sizeof interface;
  interface.state = this;
  interface.device = static_cast<uint32_t>(members->self());
  interface.devices = static_cast<uint32_t>(members->size());
  interface.prepare = [](ttrt_transport *self, const ttrt_transport_plan *plan, int *memory,
                         uint64_t *offset, ttrt_error *error) {
    *memory = -1;
    *offset = 0;
    return of(self).prepare(*plan, error);
  };
  interface.bind = [](ttrt_transport *self, uint8_t *base, ttrt_error *error) {
    return of(self).bind(base, error);
  };
  interface.unbind = [](ttrt_transport *self) { of(self).unbind(); };
  interface.exchange = [](ttrt_transport *self, uint32_t collective, const uint64_t *operands) {
    return of(self).exchange(collective, operands);
  };
  interface.send = [](ttrt_transport *self, uint32_t collective, uint64_t input) {
    return of(self).send(collective, input);
  };
  interface.receive = [](ttrt_transport *self, uint32_t collective, uint64_t output) {
    return of(self).receive(collective, output);
  };
  interface.offer = [](ttrt_transport *self, uint32_t collective, uint64_t input) {
    return of(self).offer(collective, input);
  };
  interface.gather = [](ttrt_transport *self, const void *data, size_t bytes, void *all) {
    return of(self).gather(data, bytes, all);
  };
  interface.fail = [](ttrt_transport *self, const char *message) { of(self).fail(message); };
  interface.limit = [](ttrt_transport *self, uint32_t waitMs, uint64_t deadline) {
    of(self).members->limit(waitMs, deadline);
  };
  interface.failure = [](ttrt_transport *self) { return of(self).members->failure(); };
}

Transport::~Transport() {
  unbind();
  const std::lock_guard<std::mutex> lock(mutex);
  const bool all = hasLeft ? *hasLeft : members->leaveForEver();
  members.reset();
  if (!endsMpi)
    return;
  if (all)
    MPI_Finalize();
  else
    removeSegments(); // what MPI_Finalize() would do
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

void Transport::setOwnFailure(const char *message) {
  char text[480];
  snprintf(text, sizeof text, "device %u of the mesh has failed: %s", interface.device, message);
  members->setFailure(text);
}

void Transport::fail(const char *message) {
  setOwnFailure(message ? message : "unknown reason");
  const std::lock_guard<std::mutex> lock(mutex);
  members->announceFailure();
}

template <typename Function> bool Transport::attempt(Function function) {
  if (!members->failure()) {
    try {
      if (function())
        return true;
    } catch (const MpiError &error) {
      setOwnFailure(error.what());
    } catch (const std::bad_alloc &) {
      setOwnFailure("out of memory");
    }
  }
  members->announceFailure();
  return false;
}

//===----------------------------------------------------------------------===//
// A device opens
//===----------------------------------------------------------------------===//

/// The version of the messages that ranks send each other: their sizes (Pieces.h), and how moves
/// become messages.
static constexpr uint64_t kMessagesVersion = 2;

static uint64_t devicesOf(const fb::Bundle &bundle) {
  uint64_t devices = 1;
  if (const fb::Mesh *mesh = bundle.mesh())
    for (const fb::MeshAxis *axis : *mesh->axes())
      devices *= axis->size();
  return devices;
}

ttrt_status Transport::prepare(const ttrt_transport_plan &plan, ttrt_error *error) {
  struct Facts {
    uint64_t version, hash, devices;
  };
  const fb::Bundle &found = *fb::GetBundle(plan.metadata);
  const Facts own = {kMessagesVersion, plan.metadata_hash, devicesOf(found)};
  if (bundle)
    return report(error, TTRT_BUSY, "another device uses the transport");
  try {
    std::vector<Facts> all(interface.devices);
    {
      const std::lock_guard<std::mutex> lock(mutex);
      members->enter();
    }
    if (gather(&own, sizeof own, all.data()) != 0)
      return report(error, TTRT_FAILED, members->failure());
    // All ranks see the same facts and end in the same way.
    for (uint32_t device = 0; device < interface.devices; ++device) {
      if (all[device].version != own.version)
        return report(error, TTRT_INVALID_ARGUMENT,
                      "device " + std::to_string(device) +
                          " of the mesh has another version of libttrt-mpi, whose messages differ");
      if (all[device].devices != interface.devices)
        return report(error, TTRT_INVALID_ARGUMENT,
                      "the bundle of device " + std::to_string(device) +
                          " is compiled for a mesh of " + std::to_string(all[device].devices) +
                          " device" + (all[device].devices == 1 ? "" : "s") + "; found " +
                          std::to_string(interface.devices) + " ranks");
      if (all[device].hash != all[0].hash)
        return report(error, TTRT_INVALID_ARGUMENT,
                      "device " + std::to_string(device) +
                          " of the mesh has another bundle than device 0");
    }
    exchanges.clear();
    exchanges.resize(found.collectives() ? found.collectives()->size() : 0);
    offered.assign(exchanges.size(), nullptr);
  } catch (const std::bad_alloc &) {
    return report(error, TTRT_OUT_OF_MEMORY, "out of memory for the transport");
  }
  bundle = &found;
  dramEnd = plan.dram_end;
  return TTRT_OK;
}

ttrt_status Transport::bind(uint8_t *to, ttrt_error *error) {
  const std::lock_guard<std::mutex> lock(mutex);
  base = to;
  const bool bound = attempt([&] {
    prepareStreams();
    return true;
  });
  return bound ? TTRT_OK : report(error, TTRT_FAILED, members->failure());
}

/// Makes the requests of all exchange commands. Streams that are not in memory yet are zero: theirs
/// are made when they are first executed.
void Transport::prepareStreams() {
  if (!bundle->traces())
    return;
  for (const fb::Trace *trace : *bundle->traces()) {
    if (trace->address() + trace->size() > dramEnd)
      continue;
    for (uint64_t at = 0; at + sizeof(ExchangeCommand) <= trace->size();) {
      ExchangeCommand command;
      const uint8_t *bytes = base + trace->address() + at;
      memcpy(&command, bytes, sizeof command);
      const uint64_t left = trace->size() - at;
      if (command.header.size < sizeof(CommandHeader) || command.header.size > left)
        break;
      const bool hasOperands =
          command.collective < exchanges.size() && command.operandCount <= Operands().size() &&
          command.header.size >= sizeof command + command.operandCount * sizeof(uint64_t);
      const auto *operands = reinterpret_cast<const uint64_t *>(bytes + sizeof command);
      if (command.header.opcode == Opcode::Exchange && hasOperands &&
          command.operandCount ==
              bundle->collectives()->Get(command.collective)->operands()->size())
        find(command.collective, operandsOf(command.collective, operands));
      if (command.header.opcode == Opcode::Send && hasOperands && command.operandCount == 1)
        find(command.collective, {*operands});
      if (command.header.opcode == Opcode::Receive && hasOperands && command.operandCount == 1)
        find(command.collective, {0, *operands});
      at += command.header.size;
    }
  }
}

void Transport::unbind() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (!bundle)
    return;
  // After a failure, messages that are under way may still arrive, as long as MPI is called: while
  // the device has its memory.
  if (members->failure() && !hasLeft)
    hasLeft = members->leaveForEver();
  else
    members->leave();
  exchanges.clear();
  bundle = nullptr;
  base = nullptr;
}

//===----------------------------------------------------------------------===//
// A device runs
//===----------------------------------------------------------------------===//

Operands Transport::operandsOf(uint32_t collective, const uint64_t *operands) const {
  Operands all = {};
  std::copy_n(operands, bundle->collectives()->Get(collective)->operands()->size(), all.begin());
  return all;
}

Exchange &Transport::find(uint32_t collective, const Operands &operands) {
  auto &of = exchanges[collective];
  for (const auto &exchange : of)
    if (exchange->is(collective, operands))
      return *exchange;
  of.push_back(std::make_unique<Exchange>(*bundle->collectives()->Get(collective), collective,
                                          operands, base, staging, *members));
  return *of.back();
}

int Transport::exchange(uint32_t collective, const uint64_t *operands) {
  const std::lock_guard<std::mutex> lock(mutex);
  return attempt([&] {
    return find(collective, operandsOf(collective, operands))
        .run(*members, std::exchange(offered[collective], nullptr));
  })
             ? 0
             : 1;
}

int Transport::send(uint32_t collective, uint64_t input) {
  const std::lock_guard<std::mutex> lock(mutex);
  return attempt([&] { return find(collective, {input}).run(*members); }) ? 0 : 1;
}

int Transport::receive(uint32_t collective, uint64_t output) {
  const std::lock_guard<std::mutex> lock(mutex);
  return attempt([&] { return find(collective, {0, output}).run(*members); }) ? 0 : 1;
}

/// Messages go to their receivers if MPI can send them without being called: small ones, and what
/// the receivers read by themselves.
int Transport::offer(uint32_t collective, uint64_t input) {
  const std::lock_guard<std::mutex> lock(mutex);
  return attempt([&] {
    const auto &of = exchanges[collective];
    const auto found = std::find_if(
        of.begin(), of.end(), [&](const auto &exchange) { return exchange->hasInput(input); });
    if (offered[collective] || found == of.end())
      return true;
    (*found)->offer();
    offered[collective] = found->get();
    return true;
  })
             ? 0
             : 1;
}

int Transport::gather(const void *data, size_t bytes, void *all) {
  const std::lock_guard<std::mutex> lock(mutex);
  constexpr size_t kPart = size_t(1) << 24;
  return attempt([&] {
    for (size_t at = 0; at < bytes; at += kPart)
      if (!gatherPart(static_cast<const uint8_t *>(data) + at, std::min(kPart, bytes - at),
                      static_cast<uint8_t *>(all) + at, bytes))
        return false;
    return true;
  })
             ? 0
             : 1;
}

/// The part of each device is at its place in that device's `pitch` bytes. After a failure, the
/// gather is still under way, and MPI may write where it was begun: that memory is kept.
bool Transport::gatherPart(const uint8_t *data, size_t bytes, uint8_t *all, size_t pitch) {
  auto memory = std::make_unique<uint8_t[]>(bytes * (interface.devices + 1));
  uint8_t *own = memory.get(), *parts = own + bytes;
  memcpy(own, data, bytes);
  const auto size = static_cast<int>(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  members->beginGather();
  check("MPI_Iallgather",
        MPI_Iallgather(own, size, MPI_BYTE, parts, size, MPI_BYTE, members->data(), &request));
  auto isDone = [&] {
    int done = 0;
    check("MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  };
  try {
    if (members->wait(Members::kAnybody, isDone)) {
      for (uint32_t device = 0; device < interface.devices; ++device)
        memcpy(all + device * pitch, parts + device * bytes, bytes);
      return true;
    }
  } catch (const MpiError &) {
    gathering = std::move(memory);
    throw;
  }
  gathering = std::move(memory);
  return false;
}

} // namespace ttrt::mpi
