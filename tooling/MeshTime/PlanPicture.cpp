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

enum Kind { Common, Own, Slots, Activations, States };
const std::vector<Svg::Key> kBlocks = {{fill::kGrey, "constants in common"},
                                       {fill::kAmber, "own constants"},
                                       {fill::kBlue, "inputs and outputs"},
                                       {fill::kGreen, "activations"},
                                       {fill::kPurple, "states"}};

class Drawing {
public:
  Drawing(const Bundle &bundle, const std::vector<Point> &timeline, uint32_t all, uint32_t devices)
      : bundle(bundle), timeline(timeline), all(all), devices(devices),
        bottom(kTop + static_cast<int>(devices) * kLane - (kLane - kBar)),
        blocks(blocksOf(bundle, timeline, BufferType::Dram)),
        svg(kLeft + kWidth + Svg::kRight, fmt::format("Memory of {} devices", all)) {
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
    uint64_t step = 64;
    while (end / step > 8)
      step *= 2;
    svg.beginAxis();
    for (uint64_t address = 0; address <= end; address += step)
      svg.tick(at(address), kTop, bottom, shortBytes(address));
    svg.endGroup();
    for (uint32_t device = 0; device < devices; ++device)
      lane(device);
    std::vector<Svg::Key> keys;
    for (Kind kind : used)
      keys.push_back(kBlocks[kind]);
    return svg.take(svg.legend(
        kLeft, bottom + 14, keys,
        {"addresses in DRAM from left to right, time from top to bottom" +
         (devices < all ? fmt::format("; the first {} of {} devices", devices, all) : "")}));
  }

private:
  double at(uint64_t address) const {
    return kLeft +
           kWidth * static_cast<double>(address) / static_cast<double>(std::max<uint64_t>(end, 1));
  }

  void bar(int top, uint64_t offset, uint64_t size, double from, double to, Kind kind,
           const std::string &label, const std::string &about) {
    const double x = at(offset), width = at(offset + size) - x, y = top + from * kBar,
                 height = (to - from) * kBar;
    const std::string_view fill = kBlocks[kind].fill;
    used.insert(kind);
    svg.box(x, y, std::max(width, 0.5), std::max(height, 0.5), fill, about,
            " stroke=\"#fff\" stroke-width=\"0.5\"");
    if (height > 14)
      svg.label(x, width, y + height / 2 + 4, label, fill);
  }

  void lane(uint32_t device) {
    const int top = kTop + static_cast<int>(device) * kLane;
    svg.text(8, top + kBar / 2 + 4, fmt::format("device {}", device));
    svg.line(kLeft, kLeft + kWidth, top + kBar, top + kBar, "#ccc");
    const SegmentView &common = bundle.segment(fb::SegmentKind::Constants),
                      &own = bundle.shardOf(device);
    for (const auto &[segment, kind] : {std::pair(&common, Common), std::pair(&own, Own)})
      if (segment->size)
        bar(top, segment->address, segment->size, 0, 1, kind, kBlocks[kind].name,
            fmt::format("constants {}, {}", segment == &own ? "of this device" : "in common",
                        bytesText(segment->size)));
    const auto points = static_cast<double>(std::max<size_t>(timeline.size(), 1));
    for (const Block &block : blocks) {
      const bool isAlways = block.end == 0;
      if (block.kind == "constant" || !isOn(block, device))
        continue;
      const Kind kind = block.kind == "slot" ? Slots : block.kind == "state" ? States : Activations;
      bar(top, block.offset, block.size, isAlways ? 0 : static_cast<double>(block.begin) / points,
          isAlways ? 1 : static_cast<double>(block.end) / points, kind, block.name,
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
  std::set<Kind> used;
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
