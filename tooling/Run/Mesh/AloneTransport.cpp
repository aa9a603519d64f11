// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Mesh/AloneTransport.h"

#include "ttrt/format/collectives.h"

#include <algorithm>
#include <cstring>

namespace ttrun {

using namespace ttrt;

namespace {
struct Alone {
  ttrt_transport interface = {};
  const fb::Bundle *tables = nullptr;
  uint8_t *base = nullptr;
};

Alone &of(ttrt_transport *transport) { return *static_cast<Alone *>(transport->state); }

/// Copies; what would be added to a sum is left out.
int exchange(ttrt_transport *transport, uint32_t index, const uint64_t *operands) {
  const Alone &alone = of(transport);
  const fb::Collective &table = *alone.tables->collectives()->Get(index);
  for (const fb::DeviceGroup *group : *table.groups()) {
    const auto &devices = *group->devices();
    const auto found = std::find(devices.begin(), devices.end(), transport->device);
    if (found == devices.end())
      continue;
    const collectives::Shape shape{table.kind(),
                                   table.algorithm(),
                                   devices.size(),
                                   table.operands()->Get(0)->bytes(),
                                   std::max<uint64_t>(table.rows(), 1),
                                   table.root(),
                                   table.sources() ? table.sources()->data() : nullptr};
    const auto self = static_cast<uint32_t>(found - devices.begin());
    collectives::forEachMove(shape, self, [&](const collectives::Move &move) {
      uint8_t *to = alone.base + operands[static_cast<size_t>(move.to)] + move.toOffset;
      const uint8_t *from = alone.base + operands[static_cast<size_t>(move.from)] + move.fromOffset;
      for (uint64_t row = 0; row < move.rows && !move.reduce; ++row)
        memmove(to + row * move.toPitch, from + row * move.fromPitch, move.bytes);
    });
  }
  return 0;
}
} // namespace

ttrt_transport *openAlone(uint32_t device, uint32_t devices) {
  auto *alone = new Alone;
  ttrt_transport &transport = alone->interface;
  transport.size = sizeof transport;
  transport.state = alone;
  transport.device = device;
  transport.devices = devices;
  transport.prepare = [](ttrt_transport *self, const ttrt_transport_plan *plan, int *memory,
                         uint64_t *offset, ttrt_error *) {
    of(self).tables = fb::GetBundle(plan->metadata);
    *memory = -1;
    *offset = 0;
    return TTRT_OK;
  };
  transport.bind = [](ttrt_transport *self, uint8_t *base, ttrt_error *) {
    of(self).base = base;
    return TTRT_OK;
  };
  transport.unbind = [](ttrt_transport *) {};
  transport.exchange = exchange;
  transport.gather = [](ttrt_transport *self, const void *data, size_t bytes, void *all) {
    for (uint32_t i = 0; i < self->devices; ++i)
      memcpy(static_cast<uint8_t *>(all) + i * bytes, data, bytes);
    return 0;
  };
  transport.fail = [](ttrt_transport *, const char *) {};
  transport.limit = [](ttrt_transport *, uint32_t, uint64_t) {};
  transport.failure = [](ttrt_transport *) -> const char * { return nullptr; };
  transport.send = [](ttrt_transport *, uint32_t, uint64_t) { return 0; };
  transport.receive = transport.send;
  transport.offer = transport.send;
  return &transport;
}

void closeAlone(ttrt_transport *transport) { delete &of(transport); }

} // namespace ttrun
