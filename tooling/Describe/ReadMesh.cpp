// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/ReadMesh.h"

#include "Describe/Describe.h"
#include "Describe/ReadStages.h"
#include "Formats/Printing.h"
#include "ttrt/format/collectives.h"
#include "ttrt/format/commands.h"

#include <cctype>
#include <fmt/format.h>
#include <map>

namespace ttrun {

using namespace ttrt;

namespace {
/// What the devices of a mesh share and what they do not.
struct DeviceUse {
  uint32_t device = 0;
  std::vector<uint32_t> coordinates;
  uint64_t common = 0, own = 0; ///< bytes of constants
  uint32_t shard = 0;           ///< k + 1: the segments with shard k; 0: none
};

struct CollectiveUse {
  const fb::Collective *table;
  uint64_t exchanges = 0; ///< commands; a send with its receive counts as one
  bool isSent = false;
  uint64_t received = 0; ///< bytes that a device takes from others in one exchange; the most of any
};
} // namespace

/// "AllReduce" as "all_reduce".
static std::string snakeCase(const char *name) {
  std::string text;
  for (const char *c = name; *c; ++c) {
    if (isupper(*c) && !text.empty())
      text += '_';
    text += static_cast<char>(tolower(*c));
  }
  return text;
}

static uint32_t devicesOf(const fb::Mesh &mesh) {
  uint32_t devices = 1;
  for (const fb::MeshAxis *axis : *mesh.axes())
    devices *= axis->size();
  return devices;
}

std::string axesText(const fb::Mesh &mesh) {
  std::string axes;
  for (const fb::MeshAxis *axis : *mesh.axes())
    axes += fmt::format("{}{}: {}", axes.empty() ? "" : ", ", text(axis->name()), axis->size());
  return axes;
}

std::string shardingText(const Bundle &bundle, const fb::Port &port) {
  const fb::Mesh *mesh = bundle.metadata().mesh();
  std::string dimensions;
  bool isDivided = false;
  for (uint32_t i = 0; mesh && i < count(port.sharding()); ++i) {
    std::string axes;
    const fb::AxisList &list = *port.sharding()->Get(i);
    for (uint32_t j = 0; j < count(list.axes()); ++j)
      axes += fmt::format("{}{}", j ? " and " : "",
                          text(mesh->axes()->Get(list.axes()->Get(j))->name()));
    if (!axes.empty())
      dimensions += fmt::format("{}dimension {} by {}", isDivided ? ", " : "", i, axes);
    isDivided |= !axes.empty();
  }
  return isDivided ? "divided in " + dimensions : "";
}

static std::vector<DeviceUse> devicesOf(const Bundle &bundle) {
  const fb::Mesh &mesh = *bundle.metadata().mesh();
  std::vector<DeviceUse> devices(devicesOf(mesh));
  for (uint32_t device = 0; device < devices.size(); ++device) {
    DeviceUse &use = devices[device];
    use.device = device;
    use.shard = device < count(mesh.shards()) ? mesh.shards()->Get(device) + 1 : 0;
    uint32_t rest = device;
    use.coordinates.resize(mesh.axes()->size());
    for (uint32_t axis = mesh.axes()->size(); axis-- > 0;) {
      use.coordinates[axis] = rest % mesh.axes()->Get(axis)->size();
      rest /= mesh.axes()->Get(axis)->size();
    }
    for (const fb::Segment *segment : *bundle.metadata().segments())
      if (segment->kind() == fb::SegmentKind::Constants && segment->shard() == 0)
        use.common += segment->size();
      else if (segment->kind() == fb::SegmentKind::Constants && segment->shard() == use.shard)
        use.own += segment->size();
  }
  return devices;
}

static std::vector<CollectiveUse> collectivesOf(const Bundle &bundle) {
  std::vector<CollectiveUse> uses;
  const auto *tables = bundle.metadata().collectives();
  for (uint32_t i = 0; i < count(tables); ++i) {
    const fb::Collective &table = *tables->Get(i);
    CollectiveUse use = {&table};
    const collectives::Shape shape = {table.kind(),
                                      table.algorithm(),
                                      count(table.groups()->Get(0)->devices()),
                                      table.operands()->Get(0)->bytes(),
                                      table.rows(),
                                      table.root(),
                                      table.sources() ? table.sources()->data() : nullptr};
    for (uint32_t self = 0; self < shape.devices; ++self) {
      uint64_t received = 0;
      collectives::forEachMove(shape, self, [&](const collectives::Move &move) {
        if (move.peer != self)
          received += move.bytes * move.rows;
      });
      use.received = std::max(use.received, received);
    }
    uses.push_back(use);
  }
  const auto *traces = bundle.metadata().traces();
  for (uint32_t trace = 0; trace < count(traces); ++trace) {
    const uint8_t *position = bundle.stream(trace);
    for (uint32_t i = 0; i < traces->Get(trace)->commands(); ++i) {
      const auto &header = *reinterpret_cast<const CommandHeader *>(position);
      if (header.opcode == Opcode::Exchange || header.opcode == Opcode::Send) {
        CollectiveUse &use = uses[reinterpret_cast<const ExchangeCommand &>(header).collective];
        ++use.exchanges;
        use.isSent = header.opcode == Opcode::Send;
      }
      position += header.size;
    }
  }
  return uses;
}

static uint64_t exchangesOf(const std::vector<CollectiveUse> &uses) {
  uint64_t exchanges = 0;
  for (const CollectiveUse &use : uses)
    exchanges += use.exchanges;
  return exchanges;
}

std::string meshSummary(const Bundle &bundle) {
  const fb::Mesh &mesh = *bundle.metadata().mesh();
  const std::vector<CollectiveUse> uses = collectivesOf(bundle);
  const uint64_t exchanges = exchangesOf(uses);
  uint64_t sends = 0;
  for (const CollectiveUse &use : uses)
    sends += use.isSent ? use.exchanges : 0;
  std::string summary = fmt::format(
      "mesh of {} devices ({}), {} collective{}, {} exchange{}", devicesOf(mesh), axesText(mesh),
      uses.size(), plural(uses.size()), exchanges - sends, plural(exchanges - sends));
  if (sends)
    summary += fmt::format(", {} send{}", sends, plural(sends));
  return summary;
}

static std::string groupsText(const fb::Collective &collective) {
  std::string groups;
  for (const fb::DeviceGroup *group : *collective.groups())
    groups += fmt::format("{}{{{}}}", groups.empty() ? "" : ", ",
                          fmt::join(group->devices()->begin(), group->devices()->end(), ", "));
  return groups;
}

static bool isReduction(fb::CollectiveKind kind) {
  return kind == fb::CollectiveKind::AllReduce || kind == fb::CollectiveKind::ReduceScatter;
}

static void printCollective(const CollectiveUse &use, bool full) {
  const fb::Collective &table = *use.table;
  std::string line = fmt::format(
      "  {}  {} {}{}, {} of {} to {} bytes, {} {}{}", text(table.name()),
      snakeCase(fb::EnumNameCollectiveKind(table.kind())),
      snakeCase(fb::EnumNameCollectiveAlgorithm(table.algorithm())),
      isReduction(table.kind()) ? " " + snakeCase(fb::EnumNameReduction(table.reduction())) : "",
      snakeCase(fb::EnumNameDType(table.dtype())), table.operands()->Get(0)->bytes(),
      table.operands()->Get(1)->bytes(), use.exchanges, use.isSent ? "send" : "exchange",
      plural(use.exchanges));
  printLine(line);
  if (!full)
    return;
  line =
      fmt::format("      groups {}; a device receives {} bytes", groupsText(table), use.received);
  if (table.rows() > 1)
    line += fmt::format("; {} rows", table.rows());
  if (table.kind() == fb::CollectiveKind::Broadcast)
    line += fmt::format("; from member {}", table.root());
  printLine(line);
}

void printMesh(const Bundle &bundle, bool full) {
  const fb::Mesh *mesh = bundle.metadata().mesh();
  if (!mesh)
    return;
  printLine("mesh");
  printLine("  {}", meshSummary(bundle));
  for (const fb::MeshAxis *axis : *mesh->axes()) {
    std::string line = fmt::format("  axis {}: {} devices, {}", text(axis->name()), axis->size(),
                                   snakeCase(fb::EnumNameLinkTopology(axis->topology())));
    if (axis->link_bytes_per_second())
      line += fmt::format(", links of {} per second", shortBytes(axis->link_bytes_per_second()));
    if (axis->link_latency_ns())
      line += fmt::format(", latency {} ns", axis->link_latency_ns());
    printLine(line);
  }
  const std::vector<CollectiveUse> uses = collectivesOf(bundle);
  uint64_t received = 0;
  for (const CollectiveUse &use : uses) {
    printCollective(use, full);
    received += use.exchanges * use.received;
  }
  printStages(bundle, full);
  printLine("  the exchanges of all traces: a device receives at most {}", bytesText(received));
  const std::vector<DeviceUse> devices = devicesOf(bundle);
  if (!full) {
    uint64_t most = 0;
    for (const DeviceUse &use : devices)
      most = std::max(most, use.own);
    printLine("  every device has constants of {}, and of its own at most {}",
              bytesText(devices[0].common), bytesText(most));
    return;
  }
  for (const DeviceUse &use : devices)
    printLine("  device {} at ({}): constants {} in common, {} of its own{}", use.device,
              fmt::join(use.coordinates, ", "), bytesText(use.common), bytesText(use.own),
              use.shard ? fmt::format(" (shard {})", use.shard - 1) : "");
}

template <typename Values>
static void addNumbers(Json &json, const char *key, const Values &values) {
  json.key(key).beginArray(/*flat=*/true);
  for (auto value : values)
    json.value(uint64_t(value));
  json.endArray();
}

void addMesh(Json &json, const Bundle &bundle) {
  const fb::Mesh *mesh = bundle.metadata().mesh();
  if (!mesh)
    return;
  json.key("mesh").beginObject().field("devices", uint64_t(devicesOf(*mesh)));
  json.key("axes").beginArray();
  for (const fb::MeshAxis *axis : *mesh->axes())
    json.beginObject()
        .field("name", text(axis->name()))
        .field("size", uint64_t(axis->size()))
        .field("topology", snakeCase(fb::EnumNameLinkTopology(axis->topology())))
        .field("link_bytes_per_second", axis->link_bytes_per_second())
        .field("link_latency_ns", axis->link_latency_ns())
        .endObject();
  json.endArray().key("holds").beginArray();
  for (const DeviceUse &use : devicesOf(bundle)) {
    json.beginObject().field("device", uint64_t(use.device));
    addNumbers(json, "coordinates", use.coordinates);
    json.field("common_constants", use.common).field("own_constants", use.own);
    if (use.shard)
      json.field("shard", uint64_t(use.shard - 1));
    json.endObject();
  }
  json.endArray();
  addStages(json, bundle);
  json.endObject().key("collectives").beginArray();
  for (const CollectiveUse &use : collectivesOf(bundle)) {
    const fb::Collective &table = *use.table;
    json.beginObject()
        .field("name", text(table.name()))
        .field("kind", snakeCase(fb::EnumNameCollectiveKind(table.kind())))
        .field("algorithm", snakeCase(fb::EnumNameCollectiveAlgorithm(table.algorithm())))
        .field("dtype", snakeCase(fb::EnumNameDType(table.dtype())));
    if (isReduction(table.kind()))
      json.field("reduction", snakeCase(fb::EnumNameReduction(table.reduction())));
    if (table.kind() == fb::CollectiveKind::Broadcast)
      json.field("root", uint64_t(table.root()));
    if (count(table.sources()))
      addNumbers(json, "sources", *table.sources());
    json.field("rows", table.rows()).key("groups").beginArray();
    for (const fb::DeviceGroup *group : *table.groups()) {
      json.beginArray(/*flat=*/true);
      for (uint32_t device : *group->devices())
        json.value(uint64_t(device));
      json.endArray();
    }
    json.endArray();
    std::vector<uint64_t> bytes;
    for (const fb::Operand *operand : *table.operands())
      bytes.push_back(operand->bytes());
    addNumbers(json, "operand_bytes", bytes);
    json.field("received_bytes", use.received).field("exchanges", use.exchanges).endObject();
  }
  json.endArray();
}

} // namespace ttrun
