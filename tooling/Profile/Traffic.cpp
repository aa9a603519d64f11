// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Traffic.h"

#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "ttrt/format/commands.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ttrun::report {

namespace {
/// Divides bytes among cores by their workgroups, so that the parts add up.
template <typename Add>
void divide(uint64_t bytes, const OpInfo &op, bool onShards, uint64_t cores, Add add) {
  const uint64_t groups = std::max<uint64_t>(op.grid, 1);
  auto before = [&](uint64_t core) {
    const unsigned __int128 workgroups =
        onShards ? std::min(core, groups)
                 : ttrt::firstWorkgroup(groups, static_cast<uint32_t>(core),
                                        static_cast<uint32_t>(cores));
    return static_cast<uint64_t>(bytes * workgroups / groups);
  };
  for (uint64_t core = 0; core < cores; ++core)
    if (const uint64_t part = before(core + 1) - before(core))
      add(core, part);
}
} // namespace

void addTraffic(Traffic &traffic, const OpInfo &op) {
  const bool onShards =
      std::any_of(op.operands.begin(), op.operands.end(),
                  [](const OperandInfo &operand) { return operand.perWorkgroup; });
  for (const OperandInfo &operand : op.operands) {
    auto count = [&](uint64_t core, uint64_t memory, uint64_t bytes) {
      if (core >= traffic.cores || memory >= traffic.memories())
        return;
      const uint64_t cell = core * traffic.memories() + memory;
      traffic.read[cell] += operand.read ? bytes : 0;
      traffic.written[cell] += operand.write ? bytes : 0;
    };
    if (operand.space == Space::Host)
      continue;
    if (operand.banks == 0) {
      const uint64_t memory = operand.space == Space::Dram ? traffic.dram() : traffic.interleaved();
      divide(operand.bytes, op, onShards, traffic.cores,
             [&](uint64_t core, uint64_t part) { count(core, memory, part); });
      continue;
    }
    const uint64_t bytes = operand.bytes / operand.banks;
    for (uint64_t bank = 0; bank < operand.banks; ++bank)
      if (operand.perWorkgroup)
        count(bank, operand.firstBank + bank, bytes);
      else
        divide(bytes, op, onShards, traffic.cores,
               [&](uint64_t core, uint64_t part) { count(core, operand.firstBank + bank, part); });
  }
}

Traffic trafficOf(const Analysis &analysis, uint32_t device) {
  const DeviceModel &model = analysis.models[device];
  Traffic traffic;
  if (!model.known || model.plannedCores > kMostTrafficCores)
    return traffic;
  std::set<const OpInfo *> ops; // by address, but only to count each once
  bool hasShards = false;
  for (const OpRun &run : analysis.ops)
    if (run.device == device)
      if (const OpInfo *op = model.op(run.step, run.command); op && ops.insert(op).second)
        for (const OperandInfo &operand : op->operands)
          hasShards |= operand.banks != 0;
  if (!hasShards)
    return traffic;
  traffic.cores = model.plannedCores;
  traffic.read.resize(traffic.cores * traffic.memories());
  traffic.written = traffic.read;
  for (const OpInfo *op : ops)
    addTraffic(traffic, *op);
  return traffic;
}

void printTraffic(const Analysis &analysis, uint32_t device) {
  const Traffic traffic = trafficOf(analysis, device);
  if (traffic.empty()) {
    printLine("traffic      device {}: no tensor is sharded over L1s", device);
    return;
  }
  fmt::print("\nbytes of one execution of each command of device {}, read and written\n", device);
  fmt::print("{:>5} {:>12} {:>12} {:>14} {:>12} {:>12} {:>12}\n", "core", "own L1", "other L1s",
             "interleaved L1", "DRAM", "read", "written");
  for (uint64_t core = 0; core < traffic.cores; ++core) {
    uint64_t own = 0, others = 0, interleaved = 0, dram = 0, read = 0, written = 0;
    for (uint64_t memory = 0; memory < traffic.memories(); ++memory) {
      const uint64_t cell = core * traffic.memories() + memory;
      uint64_t &sum = memory == core                    ? own
                      : memory < traffic.cores          ? others
                      : memory == traffic.interleaved() ? interleaved
                                                        : dram;
      sum += traffic.read[cell] + traffic.written[cell];
      read += traffic.read[cell];
      written += traffic.written[cell];
    }
    fmt::print("{:>5} {:>12} {:>12} {:>14} {:>12} {:>12} {:>12}\n", core, shortBytes(own),
               shortBytes(others), shortBytes(interleaved), shortBytes(dram), shortBytes(read),
               shortBytes(written));
  }
}

void addTrafficFields(Json &json, const Traffic &traffic) {
  json.field("cores", traffic.cores);
  for (const auto &[name, cells] :
       {std::pair("read", &traffic.read), std::pair("written", &traffic.written)}) {
    json.key(name).beginArray();
    for (uint64_t core = 0; core < traffic.cores; ++core) {
      json.beginArray(/*flat=*/true);
      for (uint64_t memory = 0; memory < traffic.memories(); ++memory)
        json.value((*cells)[core * traffic.memories() + memory]);
      json.endArray();
    }
    json.endArray();
  }
}

} // namespace ttrun::report
