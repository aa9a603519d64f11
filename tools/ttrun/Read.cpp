// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Describe.h"
#include "Error.h"
#include "Options.h"
#include "ReadJson.h"
#include "Verifier.h"

#include <cstdio>
#include <memory>

namespace ttrun {

using namespace ttrt;
using ull = unsigned long long;

namespace {
/// What to print in full; the others get a line or so.
struct Sections {
  bool entries = false, target = false, programs = false, traces = false, memory = false,
       schedules = false, sizes = false;
  bool any() const {
    return entries || target || programs || traces || memory || schedules || sizes;
  }
};
} // namespace

static std::string portText(const fb::Port &port) {
  std::string type = fb::EnumNameDType(port.dtype());
  for (char &c : type)
    c = static_cast<char>(tolower(c));
  std::string text = std::string(ttrt::text(port.name())) + " " + type + "[";
  for (uint32_t i = 0; i < count(port.shape()); ++i)
    text += (i ? ", " : "") + std::to_string(port.shape()->Get(i));
  return text + "]";
}

static void printEntries(const Bundle &bundle) {
  printf("entry points\n");
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    printf("  %s\n", text(entry->name()));
    auto print = [&](const char *what, const auto *ports) {
      for (uint32_t i = 0; i < count(ports); ++i) {
        const fb::Port &port = *ports->Get(i);
        const fb::Buffer &slot = *bundle.metadata().buffers()->Get(port.buffer());
        printf("    %s  %s, %llu bytes, slot %s at %s %s\n", what, portText(port).c_str(),
               (ull)sizeOf(port), text(slot.name()), nameOf(slot.space()),
               hexText(slot.offset()).c_str());
      }
    };
    print("input ", entry->inputs());
    print("output", entry->outputs());
  }
}

static void printTarget(const Bundle &bundle) {
  const fb::Target &target = *bundle.metadata().target();
  printf("target\n  %s: %s%s%s%s%s, %u cores, %u queues, %u chips\n", text(target.name()),
         text(target.arch()), target.cpu() ? ", CPU " : "", text(target.cpu()),
         target.triple() ? ", " : "", text(target.triple()), target.cores(), target.queues(),
         target.chips());
  printf("  DRAM %u x %s, alignment %u\n", target.dram_banks(),
         bytesText(target.dram_bank_bytes()).c_str(), target.dram_alignment());
  printf("  L1 %s per core, alignment %u\n", bytesText(target.l1_bytes()).c_str(),
         target.l1_alignment());
  if (target.host_bytes())
    printf("  host staging %s\n", bytesText(target.host_bytes()).c_str());
  if (count(target.features())) {
    printf("  features");
    for (uint32_t i = 0; i < count(target.features()); ++i)
      printf(" %s", target.features()->Get(i)->c_str());
    printf("\n");
  }
  try {
    verifyFit(bundle);
    printf("  this machine can run it\n");
  } catch (const Error &error) {
    printf("  this machine cannot run it: %s\n", error.message.c_str());
  }
}

static void printPrograms(const Bundle &bundle, bool full) {
  const auto *programs = bundle.metadata().programs();
  printf("programs\n  %u, code %s, largest scratch %s\n", count(programs),
         bytesText(bundle.segment(fb::SegmentKind::Code).size).c_str(),
         bytesText(largestScratch(bundle)).c_str());
  if (!full)
    return;
  for (uint32_t i = 0; i < count(programs); ++i) {
    const fb::Program &program = *programs->Get(i);
    printf("  %4u  %s  grid %llu, scratch %llu:", i, text(program.symbol()), (ull)program.grid(),
           (ull)program.scratch_bytes());
    for (uint32_t j = 0; j < count(program.operands()); ++j) {
      const fb::Operand &operand = *program.operands()->Get(j);
      printf("%s %s %llu", j ? "," : "", nameOf(operand.access()), (ull)operand.bytes());
    }
    printf("\n");
  }
}

static void printCommand(const DecodedCommand &command, size_t index) {
  printf("  %6zu  %s", index, nameOf(command.opcode));
  if (!command.program.empty())
    printf(" %s, grid %llu", command.program.c_str(), (ull)command.grid);
  if (!command.event.empty())
    printf(" %s", command.event.c_str());
  if (command.opcode == Opcode::Fill)
    printf(" with %s", hexText(command.pattern).c_str());
  for (const DecodedCommand::Operand &operand : command.operands) {
    printf("\n            %-5s %s %s", operand.role.c_str(), hexText(operand.address).c_str(),
           operand.buffer.empty() ? "(no buffer)" : operand.buffer.c_str());
    if (operand.offset)
      printf(" + %llu", (ull)operand.offset);
    printf(", %llu bytes", (ull)operand.bytes);
  }
  if (!command.source.empty())
    printf("%s from %s", command.operands.empty() ? " " : "\n           ", command.source.c_str());
  printf("\n");
}

static void printTraces(const Bundle &bundle, bool full) {
  const fb::Region *region = bundle.metadata().trace_region();
  printf("traces\n");
  if (region)
    printf("  region at dram %s, %llu bytes: exactly what the streams need\n",
           hexText(region->address()).c_str(), (ull)region->size());
  for (const DecodedTrace &trace : decodeTraces(bundle)) {
    uint32_t dispatches = 0;
    for (const DecodedCommand &command : trace.commands)
      dispatches += command.opcode == Opcode::Dispatch;
    printf("  %s at dram %s, %llu bytes, %u commands (%u dispatches)\n", text(trace.table->name()),
           hexText(trace.table->address()).c_str(), (ull)trace.table->size(),
           trace.table->commands(), dispatches);
    if (full)
      for (size_t i = 0; i < trace.commands.size(); ++i)
        printCommand(trace.commands[i], i);
  }
}

static void printBuffer(const Bundle &bundle, const fb::Buffer &buffer) {
  printf("  %-10s %-4s %12s %12llu  ", nameOf(buffer.kind()), nameOf(buffer.space()),
         hexText(buffer.offset()).c_str(), (ull)buffer.size());
  if (buffer.end())
    printf("[%llu, %llu)", (ull)buffer.begin(), (ull)buffer.end());
  else
    printf("always");
  printf("  %s", text(buffer.name()));
  if (buffer.type())
    printf(" %s", text(buffer.type()));
  if (const char *source = bundle.location(buffer.source()); *source)
    printf("  from %s", source);
  printf("\n");
}

static void printMemory(const Bundle &bundle, bool full) {
  const SpaceUse dram = useOf(bundle, fb::MemorySpace::Dram);
  printf("memory\n  DRAM  %s\n", bytesText(dram.total).c_str());
  printf("    constants    %s\n", bytesText(dram.constants).c_str());
  printf("    slots        %s\n", bytesText(dram.slots).c_str());
  printf("    activations  %s, largest sum alive %s at point %llu\n",
         bytesText(dram.activations).c_str(), bytesText(dram.peak).c_str(), (ull)dram.peakTime);
  if (dram.other)
    printf("    other        %s\n", bytesText(dram.other).c_str());
  printf("    TRACE        %s\n", bytesText(dram.trace).c_str());
  const SpaceUse l1 = useOf(bundle, fb::MemorySpace::L1);
  printf("  L1    %s per core\n    scratch      %s\n    activations  %s\n",
         bytesText(l1.total).c_str(), bytesText(largestScratch(bundle)).c_str(),
         bytesText(l1.activations).c_str());
  const SpaceUse host = useOf(bundle, fb::MemorySpace::Host);
  if (host.total)
    printf("  host  %s\n", bytesText(host.total).c_str());
  if (!full)
    return;
  printf("  alive at the peak of DRAM\n");
  for (const fb::Buffer *buffer : dram.atPeak)
    printBuffer(bundle, *buffer);
  printf("  all buffers\n  %-10s %-4s %12s %12s  lifetime  name\n", "kind", "in", "offset",
         "bytes");
  for (uint32_t i = 0; i < count(bundle.metadata().buffers()); ++i)
    printBuffer(bundle, *bundle.metadata().buffers()->Get(i));
}

std::string stepText(const Bundle &bundle, const fb::EntryPoint &entry, const fb::Step &step) {
  const fb::Bundle &tables = bundle.metadata();
  switch (step.kind()) {
  case fb::StepKind::Write:
    return std::string("input ") + text(entry.inputs()->Get(step.index())->name());
  case fb::StepKind::Read:
    return std::string("output ") + text(entry.outputs()->Get(step.index())->name());
  case fb::StepKind::Execute:
    return text(tables.traces()->Get(step.index())->name());
  case fb::StepKind::HostDispatch:
  case fb::StepKind::Dispatch:
    return text(tables.programs()->Get(step.index())->symbol());
  case fb::StepKind::Copy:
    return std::to_string(step.bytes()) + " bytes from " + hexText(step.src()) + " to " +
           hexText(step.dst());
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    return std::string("event ") + text(tables.events()->Get(step.index())->name());
  }
  return "";
}

static void printSchedules(const Bundle &bundle) {
  printf("schedules\n");
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    for (const fb::Schedule *schedule : *entry->schedules()) {
      printf("  %s of %s, %u queue%s\n", text(schedule->name()), text(entry->name()),
             schedule->queues(), schedule->queues() == 1 ? "" : "s");
      auto print = [&](const char *part, const auto *steps) {
        for (uint32_t i = 0; i < count(steps); ++i) {
          const fb::Step &step = *steps->Get(i);
          printf("    %-8s  queue %u  %s %s", part, step.queue(), nameOf(step.kind()),
                 stepText(bundle, *entry, step).c_str());
          if (const char *source = bundle.location(step.source()); *source)
            printf("  from %s", source);
          printf("\n");
        }
      };
      print("prologue", schedule->prologue());
      print("body", schedule->body());
      print("epilogue", schedule->epilogue());
    }
}

static void printSizes(const Bundle &bundle) {
  static const char *const kNames[] = {"constants", "streams", "code"};
  printf("file\n  %s, written by %s\n", bytesText(bundle.file().size()).c_str(),
         bundle.metadata().producer() ? text(bundle.metadata().producer()) : "(unknown)");
  uint64_t rest = bundle.file().size();
  for (const fb::Segment *segment : *bundle.metadata().segments()) {
    printf("  %-10s %12llu bytes at %12llu, XXH3 %016llx\n",
           kNames[static_cast<size_t>(segment->kind())], (ull)segment->size(),
           (ull)segment->offset(), (ull)segment->hash());
    rest -= segment->size();
  }
  printf("  %-10s %12llu bytes with header and padding\n", "metadata", (ull)rest);
}

int readCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun read", "BUNDLE [options]",
      "Shows what is in a bundle: a summary, or the sections that are asked for, in full.",
      "  ttrun read digits.ttcb\n"
      "  ttrun read digits.ttcb --traces          every command, its buffers and its source op\n"
      "  ttrun read digits.ttcb --json | jq .traces\n");
  Sections sections;
  bool json = false, all = false;
  std::string verify = "full";
  parser.flag("entries", "entry points: names, types, shapes, slots", sections.entries);
  parser.flag("target", "the machine that the bundle was planned for", sections.target);
  parser.flag("programs", "every program: grid, scratch, operands", sections.programs);
  parser.flag("traces",
              "every command: program, grid, operands with buffers and\naddresses, source op",
              sections.traces);
  parser.flag("memory", "use per memory, the buffers at the peak, every buffer", sections.memory);
  parser.flag("schedules", "what the host enqueues for one inference", sections.schedules);
  parser.flag("sizes", "segments of the file and their hashes", sections.sizes);
  parser.flag("all", "every section in full", all);
  parser.flag("json", "everything, as one JSON object", json);
  parser.choice("verify", {"full", "structure"},
                "what is checked before: structure leaves out the\nhash of the weights", verify);
  std::vector<std::string> files = parser.parse(argc, argv);
  if (files.size() != 1)
    throw UserError("expected one bundle; see ttrun read --help");
  std::unique_ptr<Bundle> bundle;
  try {
    bundle = std::make_unique<Bundle>(files[0].c_str(),
                                      verify == "full" ? TTRT_VERIFY_FULL : TTRT_VERIFY_STRUCTURE);
  } catch (const Error &error) {
    fprintf(stderr, "ttrun read: %s: %s: %s\n", files[0].c_str(), ttrt_status_name(error.status),
            error.message.c_str());
    return 1;
  }
  if (json) {
    fputs(bundleJson(*bundle).c_str(), stdout);
    return 0;
  }
  const bool summary = !sections.any();
  const bool show = summary || all;
  if (show || sections.sizes)
    printSizes(*bundle);
  if (show || sections.target)
    printTarget(*bundle);
  if (show || sections.entries)
    printEntries(*bundle);
  if (show || sections.schedules)
    printSchedules(*bundle);
  if (show || sections.programs)
    printPrograms(*bundle, sections.programs || all);
  if (show || sections.traces)
    printTraces(*bundle, sections.traces || all);
  if (show || sections.memory)
    printMemory(*bundle, sections.memory || all);
  return 0;
}

} // namespace ttrun
