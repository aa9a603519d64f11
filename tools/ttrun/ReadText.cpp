// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReadText.h"

#include "Describe.h"
#include "Error.h"
#include "Printing.h"
#include "Verifier.h"
#include "Waits.h"

#include <cctype>

namespace ttrun {

using namespace ttrt;
using ull = unsigned long long;

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

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
    printLine("  %s", text(entry->name()));
    auto print = [&](const char *what, const auto *ports) {
      for (uint32_t i = 0; i < count(ports); ++i) {
        const fb::Port &port = *ports->Get(i);
        const fb::Buffer &slot = *bundle.metadata().buffers()->Get(port.buffer());
        printLine("    %s  %s, %llu bytes, slot %s at %s %s", what, portText(port).c_str(),
                  (ull)sizeOf(port), text(slot.name()), nameOf(slot.space()),
                  hexText(slot.offset()).c_str());
        for (uint32_t j = 1; j < slotsOf(port); ++j) {
          const fb::Buffer &further = *bundle.metadata().buffers()->Get(slotOf(port, j));
          printLine("            and slot %s at %s %s", text(further.name()),
                    nameOf(further.space()), hexText(further.offset()).c_str());
        }
      }
    };
    print("input ", entry->inputs());
    print("output", entry->outputs());
  }
}

void printTarget(const Bundle &bundle) {
  const fb::Target &target = *bundle.metadata().target();
  printLine("target");
  printLine("  %s: %s%s%s%s%s, %u core%s, %u queue%s, %u chip%s", text(target.name()),
            text(target.arch()), target.cpu() ? ", CPU " : "", text(target.cpu()),
            target.triple() ? ", " : "", text(target.triple()), target.cores(),
            plural(target.cores()), target.queues(), plural(target.queues()), target.chips(),
            plural(target.chips()));
  printLine("  DRAM %u x %s, alignment %u", target.dram_banks(),
            bytesText(target.dram_bank_bytes()).c_str(), target.dram_alignment());
  printLine("  L1 %s per core, alignment %u", bytesText(target.l1_bytes()).c_str(),
            target.l1_alignment());
  if (target.link_bytes_per_second())
    printLine("  link to the host %s per second",
              bytesText(target.link_bytes_per_second()).c_str());
  if (target.host_bytes())
    printLine("  host staging %s", bytesText(target.host_bytes()).c_str());
  std::string features;
  for (uint32_t i = 0; i < count(target.features()); ++i)
    features += std::string(" ") + target.features()->Get(i)->c_str();
  if (!features.empty())
    printLine("  features" + features);
  try {
    verifyFit(bundle);
    printLine("  this machine can run it");
  } catch (const Error &error) {
    printLine("  this machine cannot run it: %s", error.message.c_str());
  }
}

void printPrograms(const Bundle &bundle, bool full) {
  const auto *programs = bundle.metadata().programs();
  printLine("programs");
  printLine("  %u, code %s, largest scratch %s", count(programs),
            bytesText(bundle.segment(fb::SegmentKind::Code).size).c_str(),
            bytesText(largestScratch(bundle)).c_str());
  if (!full)
    return;
  for (uint32_t i = 0; i < count(programs); ++i) {
    const fb::Program &program = *programs->Get(i);
    std::string line = textOf("  %4u  %s  grid %llu, scratch %llu:", i, text(program.symbol()),
                              (ull)program.grid(), (ull)program.scratch_bytes());
    for (uint32_t j = 0; j < count(program.operands()); ++j) {
      const fb::Operand &operand = *program.operands()->Get(j);
      line += textOf("%s %s %llu", j ? "," : "", nameOf(operand.access()), (ull)operand.bytes());
    }
    printLine(line);
  }
}

static void printCommand(const DecodedCommand &command, size_t index) {
  std::string line = textOf("  %6zu  %s", index, nameOf(command.opcode));
  if (!command.program.empty())
    line += textOf(" %s, grid %llu", command.program.c_str(), (ull)command.grid);
  if (!command.event.empty())
    line += " " + command.event;
  if (command.opcode == Opcode::Fill)
    line += " with " + hexText(command.pattern);
  if (command.operands.empty() && !command.source.empty())
    line += "  from " + command.source;
  printLine(line);
  for (const DecodedCommand::Operand &operand : command.operands) {
    line = textOf("            %-5s %s %s", operand.role.c_str(), hexText(operand.address).c_str(),
                  operand.buffer.empty() ? "(no buffer)" : operand.buffer.c_str());
    if (operand.offset)
      line += textOf(" + %llu", (ull)operand.offset);
    if (operand.rows > 1)
      line += textOf(", %llu x %llu bytes", (ull)operand.rows, (ull)operand.row);
    else
      line += textOf(", %llu bytes", (ull)operand.bytes);
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
        "  region at dram %s, %llu bytes%s: %s", hexText(region->address()).c_str(),
        (ull)region->size(),
        banks == 1
            ? ""
            : textOf(" (%llu on each of %u banks)", (ull)traceBytesPerBank(bundle), banks).c_str(),
        streams == region->size()
            ? "exactly what the streams need"
            : textOf("more than the %llu that the streams need", (ull)streams).c_str());
  }
  for (const DecodedTrace &trace : decodeTraces(bundle)) {
    uint32_t dispatches = 0;
    for (const DecodedCommand &command : trace.commands)
      dispatches += command.opcode == Opcode::Dispatch;
    printLine("  %s at dram %s, %llu bytes, %u commands (%u dispatches)", text(trace.table->name()),
              hexText(trace.table->address()).c_str(), (ull)trace.table->size(),
              trace.table->commands(), dispatches);
    if (full)
      for (size_t i = 0; i < trace.commands.size(); ++i)
        printCommand(trace.commands[i], i);
  }
}

/// What a schedule is in one line: the steps of prologue, body and epilogue, and its waits.
static std::string stepsText(const fb::Schedule &schedule, const ScheduleWaits &waits) {
  size_t number = 0;
  for (const PartWaits *part : {&waits.prologue, &waits.body, &waits.epilogue})
    for (const std::vector<WaitInfo> &step : *part)
      number += step.size();
  return textOf("%u + %u + %u steps, %zu wait%s", count(schedule.prologue()),
                count(schedule.body()), count(schedule.epilogue()), number, number == 1 ? "" : "s");
}

void printSchedules(const Bundle &bundle, bool full) {
  printLine("schedules");
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    for (const fb::Schedule *schedule : *entry->schedules()) {
      const ScheduleWaits waits = waitsOf(bundle, *schedule);
      const bool inFull = full || schedule == entry->schedules()->Get(0);
      printLine("  %s of %s, %u queue%s%s", text(schedule->name()), text(entry->name()),
                schedule->queues(), schedule->queues() == 1 ? "" : "s",
                inFull ? "" : (": " + stepsText(*schedule, waits)).c_str());
      if (!inFull)
        continue;
      auto print = [&](const char *part, const auto *steps, const PartWaits &waits) {
        for (uint32_t i = 0; i < count(steps); ++i) {
          const fb::Step &step = *steps->Get(i);
          std::string line = textOf("    %-8s %3u  queue %u  %s %s", part, i, step.queue(),
                                    nameOf(step.kind()), stepText(bundle, *entry, step).c_str());
          if (const char *source = bundle.location(step.source()); *source)
            line += std::string("  from ") + source;
          for (const WaitInfo &wait : waits[i])
            if (wait.command < 0)
              line += ", recorded by " + wait.recordedBy;
          printLine(line);
          for (const WaitInfo &wait : waits[i])
            if (wait.command >= 0)
              printLine("                  its command %d waits for event %s, recorded by %s",
                        wait.command, wait.event.c_str(), wait.recordedBy.c_str());
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
  printLine("  %s, written by %s", bytesText(bundle.file().size()).c_str(),
            bundle.metadata().producer() ? text(bundle.metadata().producer()) : "(unknown)");
  uint64_t rest = bundle.file().size();
  for (const fb::Segment *segment : *bundle.metadata().segments()) {
    printLine("  %-10s %12llu bytes at %12llu, XXH3 %016llx",
              kNames[static_cast<size_t>(segment->kind())], (ull)segment->size(),
              (ull)segment->offset(), (ull)segment->hash());
    rest -= segment->size();
  }
  printLine("  %-10s %12llu bytes with header and padding", "metadata", (ull)rest);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// What the numbers of a type are made of, in one line.
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
    where =
        textOf("%u bank%s of %s, less TRACE at the top", target.dram_banks(),
               target.dram_banks() == 1 ? "" : "s", shortBytes(target.dram_bank_bytes()).c_str());
  else if (use.type == BufferType::L1)
    where = textOf("of each of %u core%s, %s in all", target.cores(), plural(target.cores()),
                   shortBytes(use.total * target.cores()).c_str());
  else if (use.type == BufferType::Trace)
    where = textOf("region at dram %s", hexText(use.address).c_str());
  else
    where = "staging of host steps";
  return textOf("  %-5s  %s", titleOf(use.type), where.c_str()) +
         (parts.empty() ? "" : "; " + parts);
}

static void printLives(const Block &block) {
  const std::string lives =
      block.end ? textOf("[%llu, %llu)", (ull)block.begin, (ull)block.end) : "always";
  printLine("    %12llu %14s  %-14s %-10s %s%s%s", (ull)block.size, hexText(block.offset).c_str(),
            lives.c_str(), std::string(block.kind).c_str(), block.name.c_str(),
            (block.type.empty() ? "" : " " + block.type).c_str(),
            block.shards ? textOf(", %u shards", block.shards).c_str() : "");
  if (!block.source.empty())
    printLine("%60sfrom %s", "", block.source.c_str());
}

static void printLivesHead() {
  printLine("    %12s %14s  %-14s %-10s %s", "bytes", "offset", "lifetime", "kind", "name");
}

void printMemory(const Bundle &bundle, bool full) {
  const std::vector<Point> timeline = timelineOf(bundle);
  printLine("memory, in bytes");
  printLine("  %-5s %16s %16s %16s %16s %16s", "", "total", "used", "free", "peak", "largest gap");
  std::vector<TypeUse> uses;
  for (BufferType type : kBufferTypes) {
    uses.push_back(useOf(bundle, timeline, type));
    const TypeUse &use = uses.back();
    if (!use.total)
      uses.pop_back();
    else
      printLine("  %-5s %16llu %16llu %16llu %16llu %16llu", titleOf(type), (ull)use.total,
                (ull)use.used, (ull)use.free, (ull)use.peak, (ull)use.largestGap);
  }
  for (const TypeUse &use : uses) {
    printLine(partsText(bundle, use));
    if (use.lowerBound)
      printLine("         %s: height %llu, lower bound %llu (%.3f x) at point %llu",
                use.type == BufferType::L1 ? "tensors and scratch" : "activations", (ull)use.height,
                (ull)use.lowerBound,
                static_cast<double>(use.height) / static_cast<double>(use.lowerBound),
                (ull)use.lowerBoundTime);
    if (use.moved)
      printLine("         moved by one inference: %llu, of them constants %llu", (ull)use.moved,
                (ull)use.movedConstants);
    if (!full || use.atPeak.empty())
      continue;
    printLine("         alive at the peak, point %llu: %s", (ull)use.peakTime,
              use.peakTime < timeline.size() ? pointText(timeline[use.peakTime]).c_str() : "");
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
    printLine("  %s", titleOf(type));
    printLivesHead();
    for (const Block &block : blocks)
      printLives(block);
  }
}

} // namespace ttrun
