// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/MemoryUse.h"
#include "Formats/Printing.h"
#include "Formats/Svg.h"
#include "MeshTime/MeshTime.h"
#include "Support/Error.h"

#include <algorithm>
#include <map>
#include <set>

namespace ttrun {

using namespace ttrt;

namespace {

constexpr int kLeft = 64, kWidth = 900, kTop = 56, kLane = 80, kBar = 64;

/// What a lane shows, with its colour.
struct Colour {
  const char *name, *fill;
};
constexpr Colour kCommon = {"constants in common", "#9a9a9a"}, kOwn = {"own constants", "#b85c0a"},
                 kSlots = {"inputs and outputs", "#4c78a8"},
                 kActivations = {"activations", "#3d7d39"}, kStates = {"states", "#7b4ea3"};

class Drawing {
public:
  Drawing(const Bundle &bundle, const std::vector<Point> &timeline, uint32_t all, uint32_t devices)
      : bundle(bundle), timeline(timeline), all(all), devices(devices),
        bottom(kTop + static_cast<int>(devices) * kLane - (kLane - kBar)),
        blocks(blocksOf(bundle, timeline, BufferType::Dram)),
        svg(kLeft + kWidth + 16, bottom + 52, fmt::format("Memory of {} devices", all)) {
    for (const Block &block : blocks)
      end = std::max(end, block.offset + block.size);
    for (const fb::Segment *segment : *bundle.metadata().segments())
      if (segment->kind() == fb::SegmentKind::Constants)
        end = std::max(end, segment->address() + segment->size());
    for (const fb::EntryPoint *entry : *bundle.metadata().entries())
      for (uint32_t i = 0; i < count(entry->devices()); ++i)
        devicesOf[text(entry->name())].insert(entry->devices()->Get(i));
  }

  std::string draw() {
    uint64_t tick = 64;
    while (end / tick > 8)
      tick *= 2;
    for (uint64_t address = 0; address <= end; address += tick)
      svg.text(at(address), kTop - 8, shortBytes(address), Svg::kCentredNote);
    for (uint32_t device = 0; device < devices; ++device)
      lane(device);
    int x = kLeft;
    for (const Colour &colour : {kCommon, kOwn, kSlots, kActivations, kStates}) {
      if (!used.contains(colour.name))
        continue;
      svg.key(x, bottom + 14, colour.fill, colour.name);
      x += 140;
    }
    svg.text(kLeft, bottom + 44,
             "addresses in DRAM from left to right, time from top to bottom" +
                 (devices < all ? fmt::format("; the first {} of {} devices", devices, all) : ""),
             Svg::kNote);
    return svg.take();
  }

private:
  double at(uint64_t address) const {
    return kLeft +
           kWidth * static_cast<double>(address) / static_cast<double>(std::max<uint64_t>(end, 1));
  }

  void bar(int top, uint64_t offset, uint64_t size, double from, double to, const Colour &colour,
           const std::string &label, const std::string &about) {
    const double x = at(offset), width = at(offset + size) - x, y = top + from * kBar,
                 height = (to - from) * kBar;
    used.insert(colour.name);
    svg.box(x, y, std::max(width, 0.5), std::max(height, 0.5), colour.fill, about,
            " stroke=\"#fff\" stroke-width=\"0.5\"");
    if (height > 11)
      svg.label(x, width, y + height / 2 + 4, label);
  }

  void lane(uint32_t device) {
    const int top = kTop + static_cast<int>(device) * kLane;
    svg.text(8, top + kBar / 2 + 4, fmt::format("device {}", device));
    svg.line(kLeft, kLeft + kWidth, top + kBar, top + kBar, "#ccc");
    const SegmentView &common = bundle.segment(fb::SegmentKind::Constants),
                      &own = bundle.shardOf(device);
    for (const auto &[segment, colour] : {std::pair(&common, kCommon), std::pair(&own, kOwn)})
      if (segment->size)
        bar(top, segment->address, segment->size, 0, 1, colour, colour.name,
            fmt::format("constants {}, {}", segment == &own ? "of this device" : "in common",
                        bytesText(segment->size)));
    const auto points = static_cast<double>(std::max<size_t>(timeline.size(), 1));
    for (const Block &block : blocks) {
      const bool isAlways = block.end == 0;
      if (block.kind == "constant" || !isOn(block, device))
        continue;
      const Colour &colour = block.kind == "slot"    ? kSlots
                             : block.kind == "state" ? kStates
                                                     : kActivations;
      bar(top, block.offset, block.size, isAlways ? 0 : static_cast<double>(block.begin) / points,
          isAlways ? 1 : static_cast<double>(block.end) / points, colour, block.name,
          fmt::format("{} {}, {}{}", block.kind, block.name, bytesText(block.size),
                      block.source.empty() ? "" : ", from " + block.source));
    }
  }

  /// Whether the entry point of the block's lifetime runs on the device.
  bool isOn(const Block &block, uint32_t device) const {
    if (block.end == 0 || block.begin >= timeline.size())
      return true;
    const auto found = devicesOf.find(timeline[block.begin].entry);
    return found == devicesOf.end() || found->second.contains(device);
  }

  const Bundle &bundle;
  const std::vector<Point> &timeline;
  const uint32_t all, devices; ///< `devices` are drawn
  const int bottom;
  const std::vector<Block> blocks;
  std::map<std::string, std::set<uint32_t>> devicesOf; ///< of entry points of some devices
  uint64_t end = 0;
  std::set<std::string> used;
  Svg svg;
};

} // namespace

std::string meshPlanPicture(const Bundle &bundle, uint32_t most) {
  if (!bundle.metadata().mesh())
    throw UserError("--mesh-picture: expected a bundle for a mesh, found one for one device");
  uint32_t devices = 1;
  for (const fb::MeshAxis *axis : *bundle.metadata().mesh()->axes())
    devices *= axis->size();
  const std::vector<Point> timeline = timelineOf(bundle);
  return Drawing(bundle, timeline, devices, std::min(devices, most)).draw();
}

} // namespace ttrun
