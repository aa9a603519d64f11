// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Error.h"
#include "Commands.h"
#include "Describe/MemoryMap.h"
#include "Describe/ReadJson.h"
#include "Describe/ReadMesh.h"
#include "Describe/ReadModels.h"
#include "Describe/ReadText.h"
#include "Describe/SchedulePicture.h"
#include "Formats/BundleMessage.h"
#include "Formats/Printing.h"
#include "MeshTime/MeshTime.h"
#include "Run/AutoSchedule.h"
#include "Support/Error.h"
#include "Support/Options.h"
#include "Support/WriteFile.h"

#include <memory>

namespace ttrun {

using namespace ttrt;

/// Prints the schedule to expect as the fastest, for a device that is not present.
static void printExpected(const Bundle &bundle, double runMs, uint64_t linkBytesPerSecond) {
  const fb::Target &target = *bundle.metadata().target();
  const uint64_t link = linkBytesPerSecond ? linkBytesPerSecond : target.link_bytes_per_second();
  if (!link)
    throw UserError("the bundle's target has no link speed; give --link-bytes-per-second");
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    std::string why;
    const std::string name = expectSchedule(*entry, target.queues(), runMs, link, why);
    fmt::print("{}: schedule {}: {}\n", printable(text(entry->name())), printable(name),
               why); // one line, however long
  }
}

/// Writes the bytes of a metadatum as they are.
static void printValue(const Bundle &bundle, const std::string &key) {
  const auto *metadata = bundle.metadata().metadata();
  std::string known;
  for (uint32_t i = 0; i < count(metadata); ++i) {
    const fb::Metadatum &entry = *metadata->Get(i);
    if (text(entry.key()) == key) {
      if (count(entry.value()))
        fwrite(entry.value()->data(), 1, count(entry.value()), stdout);
      return;
    }
    known += (i ? ", " : "") + printable(text(entry.key()));
  }
  throw UserError(fmt::format("no metadata '{}'; the bundle has: {}", printable(key),
                              known.empty() ? "none" : known));
}

int readCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun read", "BUNDLE [options]",
      "Shows the contents of a bundle: a summary, or the selected sections in full.",
      "  ttrun read digits.ttcb\n"
      "  ttrun read digits.ttcb --traces          commands with buffers and source ops\n"
      "  ttrun read digits.ttcb --memory          use of each memory, buffers at the peak\n"
      "  ttrun read digits.ttcb --memory-map map.html\n"
      "  ttrun read digits.ttcb --schedule-pictures pictures/\n"
      "  ttrun read chip.ttcb --schedule-for 0.5 --link-bytes-per-second 16000000000\n"
      "  ttrun read mesh.ttcb --mesh-time --links x:8:ring:25e9:1000\n"
      "  ttrun read digits.ttcb --json | jq .traces\n");
  Sections sections;
  bool json = false, all = false;
  std::string verify = "full", memoryMap, pictures, meshPicture, key;
  double runMs = 0;
  uint64_t linkBytesPerSecond = 0;
  parser.flag("entries", "entry points: names, types, shapes, slots, what a run\ncosts; states",
              sections.entries);
  parser.flag("target", "the target that the bundle is planned for", sections.target);
  parser.flag("programs", "every program: grid, scratch, operands", sections.programs);
  parser.flag("traces",
              "every command: program, grid, operands with buffers\nand addresses, source op",
              sections.traces);
  parser.flag("memory",
              "each memory: total, used, free, peak, largest gap, lower\nbound; the buffers "
              "alive at the peak",
              sections.memory);
  parser.flag("buffers", "every buffer: address, bytes, lifetime, source op", sections.buffers);
  parser.flag("schedules", "the steps that the host enqueues for one inference",
              sections.schedules);
  parser.flag("sizes", "the segments of the file and their hashes", sections.sizes);
  parser.flag("mesh", "the devices of a mesh: axes, collectives, what each device\nholds",
              sections.mesh);
  parser.flag("metadata", "what the bundle contains besides tensors: a tokenizer, ...",
              sections.metadata);
  parser.text("metadata-value", "KEY", "write the bytes of one of these to standard output", key);
  parser.flag("all", "every section in full", all);
  parser.flag("json",
              "print one JSON object (docs/ttrun-json.md) with all\nsections, or the "
              "selected ones",
              json);
  parser.text("memory-map", "FILE.html",
              "write the memory plan as a self-contained HTML page,\naddress against time; - for "
              "standard output",
              memoryMap);
  parser.text(
      "schedule-pictures", "FOLDER",
      "draw each schedule as SVG: what each queue does, and\nwhich record each wait refers to",
      pictures);
  parser.text("mesh-picture", "FILE.svg",
              "draw the memory plan of each device of a mesh as SVG:\naddress against time",
              meshPicture);
  parser.real("schedule-for", "RUN_MS",
              "print the schedule that should be fastest, and why, if a\nrun takes RUN_MS "
              "milliseconds; transfers are estimated from\nthe speed of the target's link",
              runMs);
  parser.number("link-bytes-per-second", "N", "the speed of the link, for --schedule-for",
                linkBytesPerSecond, 1, uint64_t(1) << 60);
  MeshTimeOptions meshTime;
  meshTime.declare(parser);
  parser.choice("verify", {"full", "structure", "none"},
                "what to verify first: structure skips the hash of the\nweights; none, for "
                "--mesh-time alone, also the proof",
                verify);
  const std::string path = parser.parseBundle(argc, argv);
  if (memoryMap == "-" && (json || all || sections.any()))
    throw UserError(
        "--memory-map=- uses standard output: give it a file, or no other output option");
  if (runMs > 0 && (json || all || sections.any()))
    throw UserError("--schedule-for cannot be combined with other output options");
  if (!key.empty() && (json || all || sections.any() || runMs > 0 || memoryMap == "-"))
    throw UserError("--metadata-value cannot be combined with other output options");
  meshTime.check();
  if (meshTime.wanted && (all || sections.any() || runMs > 0 || memoryMap == "-" || !key.empty()))
    throw UserError("--mesh-time cannot be combined with other output options but --json");
  if (verify == "none" && !meshTime.wanted)
    throw UserError("--verify=none: what is printed has to be true; expected full or structure");
  if (linkBytesPerSecond && runMs == 0)
    throw UserError("--link-bytes-per-second needs --schedule-for");
  std::unique_ptr<Bundle> bundle;
  try {
    bundle = std::make_unique<Bundle>(path.c_str(), verifyLevel(verify));
    modelsOf(*bundle); // its variants are verified
  } catch (const Error &error) {
    throw BadBundle(bundleMessage(path, error.status, error.message));
  }
  if (!memoryMap.empty())
    ttc::writeFile(memoryMap, {memoryMapPage(*bundle)});
  if (!pictures.empty())
    writeSchedulePictures(*bundle, pictures);
  if (!meshPicture.empty())
    ttc::writeFile(meshPicture, {meshPlanPicture(*bundle)});
  if (meshTime.wanted) {
    readMeshTime(*bundle, meshTime, json, verify != "none");
    return 0;
  }
  if (!key.empty()) {
    printValue(*bundle, key);
    return 0;
  }
  if (runMs > 0) {
    printExpected(*bundle, runMs, linkBytesPerSecond);
    return 0;
  }
  if ((!memoryMap.empty() || !pictures.empty() || !meshPicture.empty()) && !json &&
      !sections.any() && !all)
    return 0;
  const bool summary = !sections.any() && !all;
  if (json) {
    fmt::print("{}", bundleJson(*bundle, summary || all ? Sections::everything() : sections));
    return 0;
  }
  const bool show = summary || all;
  if (show || sections.sizes)
    printSizes(*bundle);
  if (show || sections.metadata)
    printMetadata(*bundle);
  if (show || sections.target)
    printTarget(*bundle);
  if (show || sections.mesh)
    printMesh(*bundle, !summary);
  if (show || sections.entries) {
    printModels(*bundle);
    printEntries(*bundle);
  }
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
