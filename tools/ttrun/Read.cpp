// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AutoSchedule.h"
#include "Commands.h"
#include "Error.h"
#include "MemoryMap.h"
#include "Options.h"
#include "Printing.h"
#include "ReadJson.h"
#include "ReadText.h"
#include "SchedulePicture.h"
#include "WriteFile.h"

#include <memory>

namespace ttrun {

using namespace ttrt;

/// For a device that is not here, or to see what another link would change.
static void printExpected(const Bundle &bundle, double runMs, uint64_t linkBytesPerSecond) {
  const fb::Target &target = *bundle.metadata().target();
  const uint64_t link = linkBytesPerSecond ? linkBytesPerSecond : target.link_bytes_per_second();
  if (!link)
    throw UserError("the bundle's target does not say how fast its link is; give "
                    "--link-bytes-per-second");
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    std::string why;
    const std::string name = expectSchedule(*entry, target.queues(), runMs, link, why);
    fmt::print("{}: schedule {}: {}\n", printable(text(entry->name())), printable(name),
               why); // one line, however long
  }
}

int readCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun read", "BUNDLE [options]",
      "Shows what is in a bundle: a summary, or the sections that are asked for, in full.",
      "  ttrun read digits.ttcb\n"
      "  ttrun read digits.ttcb --traces          every command, its buffers and its source op\n"
      "  ttrun read digits.ttcb --memory          use of each memory, and what lives at the peak\n"
      "  ttrun read digits.ttcb --memory-map map.html\n"
      "  ttrun read digits.ttcb --schedule-pictures pictures/\n"
      "  ttrun read chip.ttcb --schedule-for 0.5 --link-bytes-per-second 16000000000\n"
      "  ttrun read digits.ttcb --json | jq .traces\n");
  Sections sections;
  bool json = false, all = false;
  std::string verify = "full", memoryMap, pictures;
  double runMs = 0;
  uint64_t linkBytesPerSecond = 0;
  parser.flag("entries", "entry points: names, types, shapes, slots", sections.entries);
  parser.flag("target", "the machine that the bundle was planned for", sections.target);
  parser.flag("programs", "every program: grid, scratch, operands", sections.programs);
  parser.flag("traces",
              "every command: program, grid, operands with buffers and\naddresses, source op",
              sections.traces);
  parser.flag("memory",
              "per memory: total, used, free, peak, largest gap, lower\nbound; the buffers that "
              "live at the peak",
              sections.memory);
  parser.flag("buffers", "every buffer: address, bytes, lifetime, source op", sections.buffers);
  parser.flag("schedules", "what the host enqueues for one inference", sections.schedules);
  parser.flag("sizes", "segments of the file and their hashes", sections.sizes);
  parser.flag("all", "every section in full", all);
  parser.flag("json",
              "one JSON object (docs/ttrun-json.md): everything, or only\nthe sections "
              "that are asked for",
              json);
  parser.text("memory-map", "FILE.html",
              "write the plan as a page, address against time, that\nneeds nothing else; - for "
              "standard output",
              memoryMap);
  parser.text("schedule-pictures", "FOLDER",
              "draw each schedule (SVG): what each queue does, and\nwhich record each wait is for",
              pictures);
  parser.real("schedule-for", "RUN_MS",
              "which schedule should be the fastest if a run takes so many\nmilliseconds, and why: "
              "by the bytes of inputs and outputs and\nthe speed of the target's link",
              runMs);
  parser.number("link-bytes-per-second", "N", "for --schedule-for: another speed of the link",
                linkBytesPerSecond, 1, uint64_t(1) << 60);
  parser.choice("verify", {"full", "structure"},
                "what is checked before: structure leaves out the\nhash of the weights", verify);
  const std::string path = parser.parseBundle(argc, argv);
  if (memoryMap == "-" && (json || all || sections.any()))
    throw UserError("--memory-map=- takes the whole of standard output: give it a file, or ask for "
                    "nothing else");
  if (runMs > 0 && (json || all || sections.any()))
    throw UserError("--schedule-for answers one question: ask for nothing else");
  if (linkBytesPerSecond && runMs == 0)
    throw UserError("--link-bytes-per-second needs --schedule-for");
  std::unique_ptr<Bundle> bundle;
  try {
    bundle = std::make_unique<Bundle>(path.c_str(), verifyLevel(verify));
  } catch (const Error &error) {
    throw BadBundle(bundleMessage(path, error.status, error.message));
  }
  if (!memoryMap.empty())
    ttc::writeFile(memoryMap, {memoryMapPage(*bundle)});
  if (!pictures.empty())
    writeSchedulePictures(*bundle, pictures);
  if (runMs > 0) {
    printExpected(*bundle, runMs, linkBytesPerSecond);
    return 0;
  }
  if ((!memoryMap.empty() || !pictures.empty()) && !json && !sections.any() && !all)
    return 0;
  const bool summary = !sections.any() && !all;
  if (json) {
    fmt::print("{}", bundleJson(*bundle, summary || all ? Sections::everything() : sections));
    return 0;
  }
  const bool show = summary || all;
  if (show || sections.sizes)
    printSizes(*bundle);
  if (show || sections.target)
    printTarget(*bundle);
  if (show || sections.entries)
    printEntries(*bundle);
  if (show || sections.schedules)
    printSchedules(*bundle, !summary);
  if (show || sections.programs)
    printPrograms(*bundle, !summary);
  if (show || sections.traces)
    printTraces(*bundle, !summary);
  if (show || sections.memory)
    printMemory(*bundle, !summary);
  if (all || sections.buffers)
    printBuffers(*bundle);
  return 0;
}

} // namespace ttrun
