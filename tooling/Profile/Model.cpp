// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Model.h"

#include "Base/Error.h"
#include "Bundle/Bundle.h"
#include "Bundle/Verifier.h"
#include "Describe/FloatOps.h"
#include "Describe/MemoryUse.h"
#include "Formats/BundleMessage.h"
#include "Support/Error.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace ttrun::report {

using namespace ttrt;

std::string kindOf(const std::string &symbol) {
  // What follows the last underscore is a number or a shape: "13x13x64".
  size_t end = symbol.size();
  for (size_t last; (last = symbol.rfind('_', end - 1)) != std::string::npos && last > 0;
       end = last)
    if (last + 1 == end || symbol[last + 1] == 'x' ||
        symbol.find_first_not_of("0123456789x", last + 1) < end)
      break;
  return symbol.substr(0, end);
}

const StepInfo *DeviceModel::step(uint32_t number) const {
  return number < steps.size() ? &steps[number] : nullptr;
}

const OpInfo *DeviceModel::op(uint32_t number, uint32_t command) const {
  const StepInfo *found = step(number);
  return found && found->ops && command < found->ops->size() ? &(*found->ops)[command] : nullptr;
}

std::string DeviceModel::stepText(uint32_t number) const {
  const StepInfo *found = step(number);
  return found ? found->text : fmt::format("step {}", number);
}

std::string DeviceModel::opName(uint32_t number, uint32_t command) const {
  const OpInfo *found = op(number, command);
  return found ? found->name : fmt::format("step {} command {}", number, command);
}

std::string DeviceModel::eventText(uint32_t number) const {
  return number < events.size() ? events[number] : fmt::format("event {}", number);
}

bool DeviceModel::hasWork(const OpInfo *op, uint32_t core, uint32_t cores) const {
  if (!op)
    return true;
  return op->work && core < cores &&
         firstWorkgroup(op->grid, core, cores) < firstWorkgroup(op->grid, core + 1, cores);
}

namespace {
/// Bytes in use around each point of the timeline.
struct MemoryCurve {
  std::vector<uint64_t> before, during, after;

  MemoryCurve(const Bundle &bundle, const std::vector<Point> &timeline, BufferType type) {
    const size_t points = timeline.size();
    std::vector<int64_t> changesBefore(points + 1), changesDuring(points + 1),
        changesAfter(points + 1);
    auto add = [&](std::vector<int64_t> &changes, uint64_t begin, uint64_t end, uint64_t size) {
      if (begin >= end || begin >= points)
        return;
      changes[begin] += static_cast<int64_t>(size);
      changes[std::min<uint64_t>(end, points)] -= static_cast<int64_t>(size);
    };
    for (const Block &block : blocksOf(bundle, timeline, type)) {
      // Alive before its point: not made there. Alive after it: not used last there.
      const bool always = block.end == 0;
      add(changesBefore, always ? 0 : block.begin + 1, always ? points : block.end, block.size);
      add(changesDuring, block.begin, always ? points : block.end, block.size);
      add(changesAfter, always ? 0 : block.begin, always ? points : block.end - 1, block.size);
    }
    int64_t sumBefore = 0, sumDuring = 0, sumAfter = 0;
    for (size_t i = 0; i < points; ++i) {
      before.push_back(static_cast<uint64_t>(sumBefore += changesBefore[i]));
      during.push_back(static_cast<uint64_t>(sumDuring += changesDuring[i]));
      after.push_back(static_cast<uint64_t>(sumAfter += changesAfter[i]));
    }
  }
};

/// Fills in a DeviceModel.
class Naming {
public:
  Naming(const Bundle &bundle, DeviceModel &model)
      : bundle(bundle), model(model), facts(findFacts(bundle.segment(fb::SegmentKind::Code))) {}

  void run() {
    const fb::Bundle &tables = bundle.metadata();
    model.known = true;
    model.bundle = bundle.file().path();
    model.target = text(tables.target()->name());
    model.dramBytes = bundle.addresses().dramBytes;
    model.l1Bytes = bundle.addresses().l1Bytes;
    model.plannedCores = bundle.addresses().cores;
    for (uint32_t i = 0; i < count(tables.events()); ++i)
      model.events.push_back(text(tables.events()->Get(i)->name()));
    for (uint32_t i = 0; i < count(tables.zone_names()); ++i) {
      const std::string name = text(tables.zone_names()->Get(i));
      model.zones.emplace(profile::nameHash(name.data(), name.size()), name);
    }
    for (uint32_t i = 0; i < count(tables.collectives()); ++i) {
      auto &groups = model.collectives.emplace_back();
      for (const fb::DeviceGroup *group : *tables.collectives()->Get(i)->groups())
        groups.emplace_back(group->devices()->begin(), group->devices()->end());
    }
    for (const DecodedTrace &trace : decodeTraces(bundle)) {
      traces.push_back(opsOf(trace));
      model.traces.push_back(text(trace.table->name()));
    }
    for (const fb::EntryPoint *entry : *tables.entries())
      addEntry(*entry);
    for (uint32_t i = 0; i < traces.size(); ++i)
      addExecute(i);
  }

private:
  std::shared_ptr<const std::vector<OpInfo>> opsOf(const DecodedTrace &trace) {
    auto ops = std::make_shared<std::vector<OpInfo>>();
    const auto number = static_cast<uint32_t>(traces.size());
    uint32_t command = 0;
    forEachCommand(bundle.stream(number), [&](const CommandHeader &header) {
      const DecodedCommand &decoded = trace.commands[command++];
      OpInfo op = opOf(actionOf(header), nullptr);
      op.source = decoded.source;
      for (size_t i = 0; i < std::min(op.operands.size(), decoded.operands.size()); ++i)
        op.operands[i].buffer = decoded.operands[i].buffer;
      if (decoded.time < dram.before.size()) {
        op.usesKnown = true;
        op.dramBefore = dram.before[decoded.time];
        op.dramDuring = dram.during[decoded.time];
        op.dramAfter = dram.after[decoded.time];
        op.l1Before = l1.before[decoded.time];
        op.l1During = l1.during[decoded.time];
        op.l1After = l1.after[decoded.time];
      }
      ops->push_back(std::move(op));
    });
    return ops;
  }

  OpInfo opOf(const Action &action, const fb::EntryPoint *entry) const {
    OpInfo op;
    op.work = action.info->role == OrderRole::Work;
    op.action = action.info->name;
    op.name = op.kind = op.action;
    op.grid = gridOf(bundle.metadata(), action);
    if (action.info->table == IndexedTable::Program) {
      op.name = text(bundle.metadata().programs()->Get(action.index)->symbol());
      op.kind = kindOf(op.name);
      op.flops = bundle.metadata().programs()->Get(action.index)->flops();
      op.multipliesBytes = multipliesBytes(facts, action.index);
    } else if (action.info->table == IndexedTable::Event) {
      op.name += " " + model.eventText(action.index);
      op.signals = action.info->role == OrderRole::Record;
      op.waits = action.info->role == OrderRole::Wait;
      op.event = action.index;
    }
    op.exchanges = action.info->inCollective != CollectiveRole::None;
    if (op.exchanges && action.info->inCollective != CollectiveRole::Offer)
      op.collective = action.index;
    forEachAccess(bundle, entry, action,
                  [&](const Access &access) { addAccess(op, action, access); });
    return op;
  }

  void addAccess(OpInfo &op, const Action &action, const Access &access) const {
    const AddressMap &map = bundle.addresses();
    const uint64_t rows =
        access.row < access.bytes ? (access.bytes - access.row) / access.pitch + 1 : 1;
    OperandInfo operand;
    operand.read = access.read;
    operand.write = access.write;
    operand.bytes = rows * access.row;
    Space space = Space::L1;
    if (access.address < map.dramBytes) {
      space = Space::Dram;
      operand.memory = "DRAM";
    } else if (map.isInCore(access.address)) {
      operand.memory = "L1 sharded";
      operand.firstBank = (access.address - map.dramBytes) / map.l1Bytes;
      operand.banks = access.pitch == map.l1Bytes ? rows : 1;
      operand.perWorkgroup = access.perWorkgroup;
    } else if (access.address < map.interleavedAddress()) {
      space = Space::Host;
      operand.memory = "host";
    } else {
      operand.memory = "L1 interleaved";
    }
    operand.space = space;
    const auto index = static_cast<size_t>(space);
    op.read[index] += access.read ? operand.bytes : 0;
    op.written[index] += access.write ? operand.bytes : 0;
    if (access.address < bundle.segment(fb::SegmentKind::Constants).size)
      op.constants += operand.bytes;
    if (action.info->table == IndexedTable::Program)
      describe(operand, action.index, access.operand);
    op.operands.push_back(std::move(operand));
  }

  /// Type and shape, from the facts.
  void describe(OperandInfo &operand, uint32_t program, uint32_t number) const {
    const fb::Program *found = nullptr;
    if (facts && program < count(facts->programs()))
      found = facts->programs()->Get(program);
    if (!found || number >= count(found->operands()))
      return;
    const fb::Operand &fact = *found->operands()->Get(number);
    if (!fact.dtype())
      return;
    operand.dtype = dtypeText(*fact.dtype());
    for (uint32_t i = 0; i < count(fact.shape()); ++i)
      operand.shape += (i ? "x" : "") + std::to_string(fact.shape()->Get(i));
    if (operand.shape.empty())
      operand.shape = "scalar";
  }

  void addEntry(const fb::EntryPoint &entry) {
    for (const fb::Schedule *schedule : *entry.schedules())
      forEachStep(*schedule, [&](const fb::Step &step) {
        StepInfo info = stepOf(entry, actionOf(step));
        info.schedule = text(schedule->name());
        info.source = bundle.location(step.source());
        if (std::string words = ttrun::stepText(bundle, entry, step); !words.empty())
          info.text = info.kind + " " + words;
        model.steps.push_back(std::move(info));
      });
    addTransfers(entry, entry.inputs(), "write", "input");
    addTransfers(entry, entry.outputs(), "read", "output");
  }

  StepInfo stepOf(const fb::EntryPoint &entry, const Action &action) const {
    StepInfo info;
    info.entry = text(entry.name());
    info.kind = info.text = action.info->name;
    if (action.info->role == OrderRole::Execute) {
      info.role = StepRole::Stream;
      info.trace = action.index;
      info.ops = traces.at(action.index);
      return info;
    }
    if (action.info->role != OrderRole::Work)
      return info;
    OpInfo op = opOf(action, &entry);
    if (action.info->onCores) {
      OpInfo end;
      end.action = end.name = end.kind = "end";
      info.role = StepRole::Stream;
      info.ops = std::make_shared<std::vector<OpInfo>>(std::vector<OpInfo>{op, end});
    } else {
      const bool moves = action.info->accesses != AccessShape::Operands;
      info.role = moves ? StepRole::Transfer : StepRole::HostWork;
      for (size_t i = 0; i < kSpaces; ++i)
        info.bytes += moves ? std::max(op.read[i], op.written[i]) : 0;
      info.out = action.info->table == IndexedTable::Output ||
                 op.written[static_cast<size_t>(Space::Host)] > 0;
      if (action.info->accesses == AccessShape::Copy)
        info.bytes = action.bytes;
    }
    return info;
  }

  void addTransfers(const fb::EntryPoint &entry,
                    const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *ports,
                    const char *kind, const char *noun) {
    for (uint32_t i = 0; i < count(ports); ++i) {
      StepInfo info;
      info.role = StepRole::Transfer;
      info.kind = kind;
      info.text = fmt::format("{} {} {}", kind, noun, text(ports->Get(i)->name()));
      info.entry = text(entry.name());
      info.bytes = sizeOf(*ports->Get(i));
      info.out = ports == entry.outputs();
      model.steps.push_back(std::move(info));
    }
  }

  void addExecute(uint32_t trace) {
    StepInfo info;
    info.role = StepRole::Stream;
    info.kind = "execute";
    info.text = "execute " + model.traces[trace];
    info.trace = trace;
    info.ops = traces[trace];
    model.steps.push_back(std::move(info));
  }

  const Bundle &bundle;
  DeviceModel &model;
  const fb::Facts *facts;
  const std::vector<Point> timeline = timelineOf(bundle);
  const MemoryCurve dram{bundle, timeline, BufferType::Dram}, l1{bundle, timeline, BufferType::L1};
  std::vector<std::shared_ptr<const std::vector<OpInfo>>> traces;
};
} // namespace

/// The hash of a bundle's metadata, from its header. "" on success, else what is wrong.
static std::string readHash(const std::string &path, uint64_t &hash) {
  FileHeader header;
  // The log names the file, and may be anyone's: opening a pipe would wait for its writer.
  std::error_code error;
  if (const auto type = std::filesystem::status(path, error).type();
      type != std::filesystem::file_type::regular &&
      type != std::filesystem::file_type::not_found && !error)
    return path + " is no file";
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return fmt::format("cannot read {}: {}", path, strerror(errno));
  if (!file.read(reinterpret_cast<char *>(&header), sizeof(header)) ||
      memcmp(header.magic, kFileMagic, sizeof(header.magic)) != 0)
    return path + " is no bundle";
  hash = header.metadataHash;
  return "";
}

static DeviceModel modelOf(const Device &device, const std::string &path) {
  DeviceModel model;
  uint64_t hash = 0;
  model.problem = readHash(path, hash);
  if (model.problem.empty() && hash != device.info.metadataHash)
    model.problem = path + " is not the bundle that was recorded: it has changed since";
  if (!model.problem.empty())
    return model;
  try {
    const Bundle bundle(path.c_str(), TTRT_VERIFY_STRUCTURE);
    Naming(bundle, model).run();
  } catch (const Error &error) {
    model = {};
    model.problem = bundleMessage(path, error.status, error.message);
  }
  return model;
}

std::vector<DeviceModel> modelsOf(const Log &log, const std::string &moved) {
  uint64_t movedHash = 0;
  if (!moved.empty())
    if (const std::string problem = readHash(moved, movedHash); !problem.empty())
      throw UserError("--bundle=" + moved + ": " + problem);
  bool isUsed = moved.empty();
  std::vector<DeviceModel> models;
  for (const Device &device : log.devices) {
    const bool replaces = !moved.empty() && movedHash == device.info.metadataHash;
    isUsed |= replaces;
    const auto same =
        std::find_if(log.devices.begin(), log.devices.end(), [&](const Device &other) {
          return other.bundle == device.bundle &&
                 other.info.metadataHash == device.info.metadataHash;
        });
    const auto index = static_cast<size_t>(same - log.devices.begin());
    models.push_back(index < models.size() ? models[index]
                                           : modelOf(device, replaces ? moved : device.bundle));
  }
  if (!isUsed)
    throw UserError(
        fmt::format("--bundle={}: no device of the recording has run this bundle", moved));
  return models;
}

} // namespace ttrun::report
