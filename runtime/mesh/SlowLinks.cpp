// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SlowLinks.h"

#include "Support.h"
#include "ttrt/format/collectives.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <sys/prctl.h>

namespace ttrt::mesh {

static constexpr uint64_t kSecond = 1000000000;

static const char *wantedLinks() {
  const char *wanted = secure_getenv("TTRT_EMULATE_LINKS");
  return wanted && strcmp(wanted, "") != 0 && strcmp(wanted, "0") != 0 ? wanted : nullptr;
}

uint64_t SlowLinks::bytesFor(uint32_t devices) {
  // A link for each pair of devices; pages that no link uses are never there.
  return wantedLinks() ? alignUp(uint64_t(devices) * devices * sizeof(uint64_t), kPageSize) : 0;
}

std::unique_ptr<SlowLinks> SlowLinks::create(const fb::Bundle &bundle, Peers &peers, int descriptor,
                                             uint64_t end) {
  const char *wanted = wantedLinks();
  if (!wanted || !bundle.mesh())
    return nullptr;
  if (strcmp(wanted, "1") != 0)
    mesh::fail(TTRT_INVALID_ARGUMENT, "TTRT_EMULATE_LINKS=%s: expected 0 or 1", wanted);
  if (descriptor < 0)
    mesh::fail(TTRT_UNSUPPORTED, "TTRT_EMULATE_LINKS: expected devices that are processes, found "
                                 "threads");
  return std::make_unique<SlowLinks>(bundle, peers, descriptor, end);
}

SlowLinks::SlowLinks(const fb::Bundle &bundle, Peers &peers, int descriptor, uint64_t end)
    : peers_(peers), hasLeft_(peers.devices) {
  memory_ = std::make_unique<Mapping>(descriptor, end, bytesFor(peers.devices));
  if (bundle.collectives())
    for (const fb::Collective *collective : *bundle.collectives())
      addMessages(*collective);
  for (uint32_t from = 0; from < peers.devices; ++from)
    ways_.push_back(findWay(*bundle.mesh(), from));
}

/// What this device takes from others, added up by round and device.
void SlowLinks::addMessages(const fb::Collective &collective) {
  messages_.emplace_back();
  std::vector<Message> &messages = messages_.back();
  for (const fb::DeviceGroup *group : *collective.groups()) {
    const auto &devices = *group->devices();
    const auto found = std::find(devices.begin(), devices.end(), peers_.device);
    if (found == devices.end())
      continue;
    const auto self = static_cast<uint32_t>(found - devices.begin());
    const collectives::Shape shape{collective.kind(),
                                   collective.algorithm(),
                                   devices.size(),
                                   collective.operands()->Get(0)->bytes(),
                                   std::max<uint64_t>(collective.rows(), 1),
                                   collective.root(),
                                   collective.sources() ? collective.sources()->data() : nullptr};
    collectives::forEachMove(shape, self, [&](const collectives::Move &move) {
      if (move.peer == self)
        return;
      const uint32_t device = devices.Get(move.peer);
      for (Message &message : messages)
        if (message.round == move.round && message.device == device) {
          message.bytes += move.bytes * move.rows;
          return;
        }
      messages.push_back({move.round, device, move.bytes * move.rows});
    });
  }
}

SlowLinks::Way SlowLinks::findWay(const fb::Mesh &mesh, uint32_t from) const {
  Way way;
  uint32_t stride = peers_.devices;
  for (const fb::MeshAxis *axis : *mesh.axes()) {
    const uint32_t size = axis->size();
    stride /= size;
    uint32_t at = from / stride % size;
    const uint32_t target = peers_.device / stride % size;
    while (at != target) {
      uint32_t next = target;
      if (axis->topology() == fb::LinkTopology::Line)
        next = target > at ? at + 1 : at - 1;
      if (axis->topology() == fb::LinkTopology::Ring)
        next = (at + ((target + size - at) % size * 2 <= size ? 1 : size - 1)) % size;
      const uint32_t neighbour = from + next * stride - at * stride;
      const uint64_t speed = axis->link_bytes_per_second();
      way.hops.push_back({uint64_t(from) * peers_.devices + neighbour,
                          speed ? 1 / static_cast<double>(speed) : 0});
      way.latencyNs += axis->link_latency_ns();
      from = neighbour;
      at = next;
    }
  }
  return way;
}

void SlowLinks::send(size_t collective, uint32_t round, uint32_t peer) noexcept {
  auto *busy = reinterpret_cast<std::atomic<uint64_t> *>(memory_->data());
  for (const Message &message : messages_[collective]) {
    if (message.round != round || message.device != peer)
      continue;
    const uint64_t now = nowNs();
    uint64_t carried = now;
    for (const Hop &hop : ways_[peer].hops) {
      const auto takes =
          static_cast<uint64_t>(static_cast<double>(message.bytes) * hop.secondsPerByte * 1e9);
      std::atomic<uint64_t> &until = busy[hop.link];
      uint64_t before = until.load();
      while (!until.compare_exchange_weak(before, std::max(before, now) + takes))
        ;
      carried = std::max(carried, std::max(before, now) + takes);
    }
    arrival_ = std::max(arrival_, carried + ways_[peer].latencyNs);
  }
}

/// Exactly: otherwise every wait would be 50 microseconds longer.
static void sleepUntil(uint64_t until) {
  static thread_local const bool isExact = prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0) == 0;
  static_cast<void>(isExact);
  const timespec time{static_cast<time_t>(until / kSecond), static_cast<long>(until % kSecond)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

void SlowLinks::pause() noexcept { sleepUntil(nowNs() + kSecond / 10000); }

void SlowLinks::arrive() noexcept {
  constexpr uint64_t kLook = 50000000; // a mesh that fails ends soon
  for (uint64_t now = nowNs(); now < arrival_ && !peers_.hasFailed(); now = nowNs()) {
    const uint64_t until = std::min(arrival_, now + kLook);
    sleepUntil(until);
  }
  arrival_ = 0;
}

} // namespace ttrt::mesh
