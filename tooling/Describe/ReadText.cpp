// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/ReadText.h"

#include "Base/Error.h"
#include "Bundle/Verifier.h"
#include "Describe/Costs.h"
#include "Describe/Describe.h"
#include "Describe/ReadMesh.h"
#include "Describe/Waits.h"
#include "Formats/Printing.h"

#include <cctype>
#include <fmt/format.h>

namespace ttrun {

using namespace ttrt;

static std::string portText(const fb::Port &port) {
  std::string type = fb::EnumNameDType(port.dtype());
  for (char &c : type)
    c = static_cast<char>(tolower(c));
  std::string text = std::string(ttrt::text(port.name())) + " " + type + "[";
  for (uint32_t i = 0; i < count(port.shape()); ++i)
    text += (i ? ", " : "") + std::to_string(port.shape()->Get(i));
  return text + "]";
}

void printEntries(const Bundle &bundle) {
  printLine("entry points");
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    printLine("  {}", text(entry->name()));
    auto print = [&](const char *what, const auto *ports) {
      for (uint32_t i = 0; i < count(ports); ++i) {
        const fb::Port &port = *ports->Get(i);
        const fb::Buffer &slot = *bundle.metadata().buffers()->Get(port.buffer());
        printLine("    {}  {}, {} bytes, slot {} at {} {}", what, portText(port), sizeOf(port),
                  text(slot.name()), nameOf(slot.space()), hexText(slot.offset()));
        if (const std::string sharding = shardingText(bundle, port); !sharding.empty())
          printLine("            of each device: the whole is {}", sharding);
        for (uint32_t j = 1; j < slotsOf(port); ++j) {
          const fb::Buffer &further = *bundle.metadata().buffers()->Get(slotOf(port, j));
          printLine("            and slot {} at {} {}", text(further.name()),
                    nameOf(further.space()), hexText(further.offset()));
        }
      }
    };
    print("input ", entry->inputs());
    print("output", entry->outputs());
    printLine("    a run {}", costsText(costsOf(bundle, *entry)));
  }
  const auto *states = bundle.metadata().states();
  if (count(states) == 0)
    return;
  printLine("states");
  for (uint32_t i = 0; i < count(states); ++i) {
    const fb::Port &state = *states->Get(i);
    const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(state.buffer());
    const std::vector<std::string> users = entriesWithState(bundle, state);
    printLine("  {}, {} bytes at {} {}, {}", portText(state), sizeOf(state), nameOf(buffer.space()),
              hexText(buffer.offset()),
              users.empty() ? "not used" : fmt::format("of {}", fmt::join(users, ", ")));
  }
}

void printMetadata(const Bundle &bundle) {
  constexpr uint32_t kShort = 40;
  const auto *metadata = bundle.metadata().metadata();
  if (count(metadata))
    printLine("metadata of the model");
  for (uint32_t i = 0; i < count(metadata); ++i) {
    const fb::Metadatum &entry = *metadata->Get(i);
    const uint32_t bytes = count(entry.value());
    std::string line = fmt::format("  {}  {}", text(entry.key()), bytesText(bytes));
    if (bytes && bytes <= kShort)
      line += ": " + std::string(reinterpret_cast<const char *>(entry.value()->data()), bytes);
    printLine(line);
  }
}

void printTarget(const Bundle &bundle) {
  const fb::Target &target = *bundle.metadata().target();
  printLine("target");
  printLine("  {}: {}{}{}{}{}, {} core{}, {} queue{}, {} chip{}", text(target.name()),
            text(target.arch()), target.cpu() ? ", CPU " : "", text(target.cpu()),
            target.triple() ? ", " : "", text(target.triple()), target.cores(),
            plural(target.cores()), target.queues(), plural(target.queues()), target.chips(),
            plural(target.chips()));
  printLine("  DRAM {} x {}, alignment {}", target.dram_banks(),
            bytesText(target.dram_bank_bytes()), target.dram_alignment());
  printLine("  L1 {} per core, alignment {}", bytesText(target.l1_bytes()), target.l1_alignment());
  if (target.link_bytes_per_second())
    printLine("  link to the host {} per second", bytesText(target.link_bytes_per_second()));
  if (target.host_bytes())
    printLine("  host staging {}", bytesText(target.host_bytes()));
  std::string features;
  for (uint32_t i = 0; i < count(target.features()); ++i)
    features += std::string(" ") + target.features()->Get(i)->c_str();
  if (!features.empty())
    printLine("  features" + features);
  try {
    verifyFit(bundle);
    printLine("  this machine can run it");
  } catch (const Error &error) {
    printLine("  this machine cannot run it: {}", error.message);
  }
}

void printPrograms(const Bundle &bundle, bool full) {
  const auto *programs = bundle.metadata().programs();
  printLine("programs");
  printLine("  {}, code {}, largest scratch {}", count(programs),
            bytesText(bundle.segment(fb::SegmentKind::Code).size),
            bytesText(largestScratch(bundle)));
  if (!full)
    return;
  for (uint32_t i = 0; i < count(programs); ++i) {
    const fb::Program &program = *programs->Get(i);
    std::string line = fmt::format("  {:4}  {}  grid {}, scratch {}:", i, text(program.symbol()),
                                   program.grid(), program.scratch_bytes());
    if (const fb::HostFunction *function = program.host_function())
      line = fmt::format("  {:4}  {}  host function {}:", i, text(program.symbol()),
                         text(function->name()));
    for (uint32_t j = 0; j < count(program.operands()); ++j) {
      const fb::Operand &operand = *program.operands()->Get(j);
      line += fmt::format("{} {} {}", j ? "," : "", nameOf(operand.access()), operand.bytes());
    }
    printLine(line);
  }
}

static void printCommand(const DecodedCommand &command, size_t index) {
  std::string line =
      fmt::format("  {:6}  {:{}}{}", index, "", 2 * command.depth, command.info->name);
  if (!command.collective.empty())
    line += " " + command.collective;
  else if (!command.program.empty())
    line += fmt::format(" {}, grid {}", command.program, command.grid);
  if (!command.event.empty())
    line += " " + command.event;
  if (command.info->accesses == AccessShape::Fill)
    line += " with " + hexText(command.pattern);
  if (command.hasFlag)
    line += fmt::format(" while {}, at most {} times{}", hexText(command.flag), command.iterations,
                        command.failsAtLimit ? ", or the run fails" : "");
  else if (command.iterations)
    line += fmt::format(" {} times", command.iterations);
  if (command.operands.empty() && !command.source.empty())
    line += "  from " + command.source;
  printLine(line);
  for (const DecodedCommand::Operand &operand : command.operands) {
    line = fmt::format("            {:<5} {} {}", operand.role, hexText(operand.address),
                       operand.buffer.empty() ? "(no buffer)" : operand.buffer);
    if (operand.offset)
      line += fmt::format(" + {}", operand.offset);
    if (operand.rows > 1)
      line += fmt::format(", {} x {} bytes", operand.rows, operand.row);
    else
      line += fmt::format(", {} bytes", operand.bytes);
    printLine(line + (operand.perWorkgroup ? ", one for each workgroup" : ""));
  }
  if (!command.operands.empty() && !command.source.empty())
    printLine("            from " + command.source);
}

void printTraces(const Bundle &bundle, bool full) {
  const fb::Region *region = bundle.metadata().trace_region();
  printLine("traces");
  if (region) {
    const uint64_t streams = bundle.segment(fb::SegmentKind::Streams).size;
    const uint32_t banks = bundle.metadata().target()->dram_banks();
    printLine(
        "  region at dram {}, {} bytes{}: {}", hexText(region->address()), region->size(),
        banks == 1 ? ""
                   : fmt::format(" ({} on each of {} banks)", traceBytesPerBank(bundle), banks),
        streams == region->size() ? "exactly what the streams need"
                                  : fmt::format("more than the {} that the streams need", streams));
  }
  for (const DecodedTrace &trace : decodeTraces(bundle)) {
    uint32_t dispatches = 0;
    for (const DecodedCommand &command : trace.commands)
      dispatches += command.info->table == IndexedTable::Program;
    printLine("  {} at dram {}, {} bytes, {} commands ({} dispatches)", text(trace.table->name()),
              hexText(trace.table->address()), trace.table->size(), trace.table->commands(),
              dispatches);
    if (full)
      for (size_t i = 0; i < trace.commands.size(); ++i)
        printCommand(trace.commands[i], i);
  }
}

/// A schedule in one line: the number of steps of its parts, and of its waits.
static std::string stepsText(const fb::Schedule &schedule, const ScheduleWaits &waits) {
  size_t number = 0;
  for (const PartWaits *part : {&waits.prologue, &waits.body, &waits.epilogue})
    for (const std::vector<WaitInfo> &step : *part)
      number += step.size();
  return fmt::format("{} + {} + {} steps, {} wait{}", count(schedule.prologue()),
                     count(schedule.body()), count(schedule.epilogue()), number, plural(number));
}

void printSchedules(const Bundle &bundle, bool full) {
  printLine("schedules");
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    for (const fb::Schedule *schedule : *entry->schedules()) {
      const ScheduleWaits waits = waitsOf(bundle, *schedule);
      const bool inFull = full || schedule == entry->schedules()->Get(0);
      printLine("  {} of {}, {} queue{}{}", text(schedule->name()), text(entry->name()),
                schedule->queues(), plural(schedule->queues()),
                inFull ? "" : (": " + stepsText(*schedule, waits)));
      if (!inFull)
        continue;
      auto print = [&](const char *part, const auto *steps, const PartWaits &waits) {
        for (uint32_t i = 0; i < count(steps); ++i) {
          const fb::Step &step = *steps->Get(i);
          std::string line = fmt::format("    {:<8} {:3}  queue {}  {} {}", part, i, step.queue(),
                                         infoOf(step.kind()).name, stepText(bundle, *entry, step));
          if (const char *source = bundle.location(step.source()); *source)
            line += std::string("  from ") + source;
          for (const WaitInfo &wait : waits[i])
            if (wait.command < 0)
              line += ", recorded by " + wait.recordedBy;
          printLine(line);
          for (const WaitInfo &wait : waits[i])
            if (wait.command >= 0)
              printLine("                  its command {} waits for event {}, recorded by {}",
                        wait.command, wait.event, wait.recordedBy);
        }
      };
      print("prologue", schedule->prologue(), waits.prologue);
      print("body", schedule->body(), waits.body);
      print("epilogue", schedule->epilogue(), waits.epilogue);
    }
}

void printSizes(const Bundle &bundle) {
  static const char *const kNames[] = {"constants", "streams", "code"};
  printLine("file");
  printLine("  {}, written by {}", bytesText(bundle.file().size()),
            bundle.metadata().producer() ? text(bundle.metadata().producer()) : "(unknown)");
  uint64_t rest = bundle.file().size();
  for (const fb::Segment *segment : *bundle.metadata().segments()) {
    printLine("  {:<10} {:12} bytes at {:12}, XXH3 {:016x}",
              kNames[static_cast<size_t>(segment->kind())], segment->size(), segment->offset(),
              segment->hash());
    rest -= segment->size();
  }
  printLine("  {:<10} {:12} bytes with header and padding", "metadata", rest);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Where a memory is and what its bytes are used for, in one line.
static std::string partsText(const Bundle &bundle, const TypeUse &use) {
  const fb::Target &target = *bundle.metadata().target();
  std::string parts;
  auto add = [&](const char *name, uint64_t bytes) {
    if (bytes)
      parts += (parts.empty() ? "" : ", ") + std::string(name) + " " + bytesText(bytes);
  };
  add("constants", use.constants);
  add("slots", use.slots);
  add("states", use.states);
  add("host buffers", use.staging);
  add("scratch up to", use.scratch);
  add("streams", use.streams);
  std::string where;
  if (use.type == BufferType::Dram)
    where = fmt::format("{} bank{} of {}, less TRACE at the top", target.dram_banks(),
                        plural(target.dram_banks()), shortBytes(target.dram_bank_bytes()));
  else if (use.type == BufferType::L1)
    where = fmt::format("of each of {} core{}, {} in all", target.cores(), plural(target.cores()),
                        shortBytes(use.total * target.cores()));
  else if (use.type == BufferType::Trace)
    where = fmt::format("region at dram {}", hexText(use.address));
  else
    where = "staging of host steps";
  return fmt::format("  {:<5}  {}", titleOf(use.type), where) + (parts.empty() ? "" : "; " + parts);
}

static void printLives(const Block &block) {
  const std::string lives = block.end ? fmt::format("[{}, {})", block.begin, block.end) : "always";
  printLine("    {:12} {:>14}  {:<14} {:<10} {}{}{}", block.size, hexText(block.offset), lives,
            std::string(block.kind), block.name, (block.type.empty() ? "" : " " + block.type),
            block.shards ? fmt::format(", {} shards", block.shards) : "");
  if (!block.source.empty())
    printLine("{:>60}from {}", "", block.source);
}

static void printLivesHead() {
  printLine("    {:>12} {:>14}  {:<14} {:<10} {}", "bytes", "offset", "lifetime", "kind", "name");
}

void printMemory(const Bundle &bundle, bool full) {
  const std::vector<Point> timeline = timelineOf(bundle);
  printLine("memory, in bytes");
  printLine("  {:<5} {:>16} {:>16} {:>16} {:>16} {:>16}", "", "total", "used", "free", "peak",
            "largest gap");
  std::vector<TypeUse> uses;
  for (BufferType type : kBufferTypes) {
    uses.push_back(useOf(bundle, timeline, type));
    const TypeUse &use = uses.back();
    if (!use.total)
      uses.pop_back();
    else
      printLine("  {:<5} {:16} {:16} {:16} {:16} {:16}", titleOf(type), use.total, use.used,
                use.free, use.peak, use.largestGap);
  }
  for (const TypeUse &use : uses) {
    printLine(partsText(bundle, use));
    if (use.lowerBound)
      printLine("         {}: arena size {}, lower bound {} ({:.3f} x) at point {}",
                use.type == BufferType::L1 ? "tensors and scratch" : "activations", use.arenaSize,
                use.lowerBound,
                static_cast<double>(use.arenaSize) / static_cast<double>(use.lowerBound),
                use.lowerBoundTime);
    if (use.moved)
      printLine("         moved by one inference: {}, of them constants {}", use.moved,
                use.movedConstants);
    if (!full || use.atPeak.empty())
      continue;
    printLine("         alive at the peak, point {}: {}", use.peakTime,
              use.peakTime < timeline.size() ? pointText(timeline[use.peakTime]) : "");
    printLivesHead();
    for (const Block &block : use.atPeak)
      printLives(block);
  }
}

void printBuffers(const Bundle &bundle) {
  printLine("buffers");
  for (BufferType type : kBufferTypes) {
    const std::vector<Block> blocks = blocksOf(bundle, {}, type);
    if (blocks.empty())
      continue;
    printLine("  {}", titleOf(type));
    printLivesHead();
    for (const Block &block : blocks)
      printLives(block);
  }
}

} // namespace ttrun
