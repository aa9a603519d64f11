// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/PerfMesh.h"

#include "Bundle/Bundle.h"
#include "Describe/Timeline.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace ttrun {

using namespace ttrt;

/// Exchanges that are noted; 24 bytes each.
static constexpr size_t kMostSpans = size_t(1) << 20;

/// Whether all devices have the same clock: they are on one machine.
static bool haveOneClock(MeshDevices &mesh) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const std::vector<uint8_t> all = mesh.gather([&](size_t) { return host; }, sizeof host);
  for (uint32_t device = 1; device < mesh.devices(); ++device)
    if (memcmp(all.data(), &all[device * sizeof host], sizeof host) != 0)
      return false;
  return true;
}

/// The elements of each device, on every rank.
template <typename T>
static std::vector<std::vector<T>>
gatherVectors(MeshDevices &mesh, const std::function<const std::vector<T> &(size_t)> &of) {
  std::vector<uint64_t> own;
  for (size_t local = 0; local < mesh.localDevices(); ++local)
    own.push_back(of(local).size());
  const std::vector<uint8_t> all =
      mesh.gather([&](size_t local) { return &own[local]; }, sizeof(uint64_t));
  std::vector<uint64_t> sizes(mesh.devices());
  memcpy(sizes.data(), all.data(), all.size());
  const uint64_t most = *std::max_element(sizes.begin(), sizes.end());
  std::vector<std::vector<uint8_t>> padded; // every device gives as many bytes
  for (size_t local = 0; local < mesh.localDevices(); ++local) {
    padded.emplace_back(most * sizeof(T));
    if (own[local])
      memcpy(padded.back().data(), of(local).data(), own[local] * sizeof(T));
  }
  const std::vector<uint8_t> bytes =
      mesh.gather([&](size_t local) { return padded[local].data(); }, most * sizeof(T));
  std::vector<std::vector<T>> vectors(mesh.devices());
  for (uint32_t device = 0; device < mesh.devices(); ++device) {
    vectors[device].resize(sizes[device]);
    if (sizes[device])
      memcpy(vectors[device].data(), &bytes[device * most * sizeof(T)], sizes[device] * sizeof(T));
  }
  return vectors;
}

/// When each device begins each collective: stages of a pipeline do not take part in the same.
using Begins = std::vector<std::vector<std::vector<uint64_t>>>; ///< by device and collective

static Begins beginsOf(const std::vector<std::vector<ExchangeSpan>> &spans, size_t collectives) {
  Begins begins(spans.size(), std::vector<std::vector<uint64_t>>(collectives));
  for (size_t device = 0; device < spans.size(); ++device)
    for (const ExchangeSpan &span : spans[device])
      begins[device][span.collective].push_back(span.begin);
  return begins;
}

/// When the last device of the group begins collective `index` for the `occurrence`-th time.
static uint64_t latestBegin(const fb::Collective &collective, uint32_t index, uint32_t device,
                            size_t occurrence, const Begins &begins) {
  uint64_t latest = 0;
  for (const fb::DeviceGroup *group : *collective.groups())
    if (std::find(group->devices()->begin(), group->devices()->end(), device) !=
        group->devices()->end())
      for (uint32_t member : *group->devices())
        if (occurrence < begins[member][index].size())
          latest = std::max(latest, begins[member][index][occurrence]);
  return latest;
}

MeshShares measureMesh(Session &session, const ttrt_run_options &run, uint64_t loops) {
  MeshDevices &mesh = *session.mesh();
  MeshShares shares;
  shares.hasWaiting = haveOneClock(mesh);
  shares.devices.resize(mesh.devices());
  std::vector<double> totals(mesh.localDevices());
  uint64_t runs = 0, perRun = 0;
  // The first run tells how many exchanges there are.
  for (size_t local = 0; local < totals.size(); ++local)
    mesh.transport(local).start(kMostSpans);
  session.run(run);
  for (size_t local = 0; local < totals.size(); ++local)
    perRun = std::max<uint64_t>(perRun, mesh.transport(local).spans().size());
  // Stages have different numbers of them; all ranks run as often as each other.
  const std::vector<uint8_t> counts = mesh.gather([&](size_t) { return &perRun; }, sizeof perRun);
  for (size_t at = 0; at < counts.size(); at += sizeof perRun) {
    uint64_t theirs;
    memcpy(&theirs, &counts[at], sizeof theirs);
    perRun = std::max(perRun, theirs);
  }
  const uint64_t most = perRun ? std::max<uint64_t>(kMostSpans / perRun, 1) : loops;
  for (size_t local = 0; local < totals.size(); ++local)
    mesh.transport(local).start(kMostSpans);
  for (; runs < std::min(loops, most); ++runs) {
    session.run(run);
    for (size_t local = 0; local < totals.size(); ++local)
      totals[local] += static_cast<double>(mesh.timing(local).device);
  }
  for (size_t local = 0; local < totals.size(); ++local)
    mesh.transport(local).stop();
  const auto spans = gatherVectors<ExchangeSpan>(
      mesh, [&](size_t local) -> const auto & { return mesh.transport(local).spans(); });
  const std::vector<uint8_t> all =
      mesh.gather([&](size_t local) { return &totals[local]; }, sizeof(double));
  const auto *collectives = session.bundle().metadata().collectives();
  const Begins begins = beginsOf(spans, count(collectives));
  const double scale = 1e-3 / static_cast<double>(runs);
  for (uint32_t device = 0; device < mesh.devices(); ++device) {
    DeviceShare &share = shares.devices[device];
    memcpy(&share.total, &all[device * sizeof(double)], sizeof(double));
    share.total *= scale;
    std::vector<size_t> occurrences(count(collectives));
    for (const ExchangeSpan &span : spans[device]) {
      const uint64_t latest =
          shares.hasWaiting
              ? std::min(latestBegin(*collectives->Get(span.collective), span.collective, device,
                                     occurrences[span.collective]++, begins),
                         span.end)
              : span.begin;
      share.waiting += static_cast<double>(latest - span.begin) * scale;
      share.moving += static_cast<double>(span.end - latest) * scale;
    }
    share.computing = std::max(share.total - share.moving - share.waiting, 0.0);
  }
  return shares;
}

void printShares(const MeshShares &shares) {
  fmt::print("\n{:>6} {:>12} {:>12} {:>12} {:>12}\n", "device", "us per run", "computing", "moving",
             "waiting");
  for (size_t device = 0; device < shares.devices.size(); ++device) {
    const DeviceShare &share = shares.devices[device];
    fmt::print("{:6} {:12.2f} {:12.2f} {:12.2f} ", device, share.total, share.computing,
               share.moving);
    fmt::print("{:>12}\n", shares.hasWaiting ? fmt::format("{:.2f}", share.waiting) : "-");
  }
  if (!shares.hasWaiting)
    fmt::print("the devices are on several hosts, whose clocks differ: moving includes waiting\n");
}

void addShares(Json &json, const MeshShares &shares) {
  json.key("devices").beginArray();
  for (const DeviceShare &share : shares.devices) {
    json.beginObject()
        .field("total_us", share.total)
        .field("computing_us", share.computing)
        .field("moving_us", share.moving);
    if (shares.hasWaiting)
      json.field("waiting_us", share.waiting);
    json.endObject();
  }
  json.endArray();
}

std::string meshTimeline(Session &session) {
  MeshDevices &mesh = *session.mesh();
  std::vector<std::unique_ptr<Recording>> recordings;
  for (size_t local = 0; local < mesh.localDevices(); ++local)
    recordings.push_back(std::make_unique<Recording>(session.bundle()));
  auto optionsOf = [&](size_t local) {
    ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
    run.no_trace = 1;
    run.on_command = Recording::add;
    run.user = recordings[local].get();
    return run;
  };
  session.runMesh(optionsOf); // warms up dispatching from the host
  for (auto &recording : recordings)
    recording->start();
  session.runMesh(optionsOf);
  for (auto &recording : recordings)
    recording->stop();
  struct Times {
    uint64_t begin, end;
  };
  const auto events = gatherVectors<Recording::Event>(
      mesh, [&](size_t local) -> const auto & { return recordings[local]->recorded().events; });
  std::vector<Times> own;
  for (auto &recording : recordings)
    own.push_back({recording->recorded().begin, recording->recorded().end});
  const std::vector<uint8_t> all =
      mesh.gather([&](size_t local) { return &own[local]; }, sizeof(Times));
  std::vector<Recording::Run> devices(mesh.devices());
  for (uint32_t device = 0; device < mesh.devices(); ++device) {
    Times times;
    memcpy(&times, &all[device * sizeof times], sizeof times);
    devices[device] = {times.begin, times.end, events[device]};
  }
  return recordings.front()->json(session.entryName(), devices);
}

} // namespace ttrun
