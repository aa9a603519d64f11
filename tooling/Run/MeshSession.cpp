// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session does differently for a mesh.

#include "Bundle/Bundle.h"
#include "Formats/BundleMessage.h"
#include "Run/Mesh/Cpus.h"
#include "Run/Mesh/Rank.h"
#include "Run/Session.h"
#include "Run/Trusted.h"
#include "Support/Error.h"
#include "Support/Options.h"
#include "Support/Suggest.h"

#include <fmt/format.h>

namespace ttrun {

void SessionOptions::declareMesh(OptionParser &parser) {
  constexpr uint64_t kMost = 4096;
  parser.number("devices", "N",
                "run the N devices of a mesh as threads (the default for a\nbundle with a mesh; "
                "docs/mesh.md#running)",
                devices, 1, kMost);
  parser.number(
      "processes", "N",
      "run them as processes that share memory. A mesh over\nhosts: mpirun -n N ttrun ...",
      processes, 1, kMost);
  parser.number("wait-limit", "SECONDS",
                "end with an error if a device waits longer than this for\nanother one "
                "(default: it waits for ever)",
                waitLimit, 1, 1000000);
  parser.choice(
      "bind", {"cores", "none"},
      "give each device of a mesh its own part of the CPUs,\nand with them memory of their "
      "NUMA node (default none)",
      bind);
}

/// The devices of a bundle's mesh, for messages before anything is started. 0: the bundle cannot be
/// opened, which is reported later.
static uint32_t devicesOf(const std::string &path) {
  ttrt_bundle *bundle = nullptr;
  if (ttrt_bundle_open(path.c_str(), TTRT_VERIFY_NONE, &bundle, nullptr) != TTRT_OK)
    return 0;
  const uint32_t devices = ttrt_mesh_devices(bundle);
  ttrt_bundle_close(bundle);
  return devices;
}

static void checkDevices(const std::string &path, const char *option, uint64_t given,
                         uint32_t expected) {
  if (given && given != expected)
    throw UserError(
        expected == 1
            ? fmt::format("--{}={}: expected a bundle compiled for a mesh, found {} for one device",
                          option, given, path)
            : fmt::format("--{}={}: expected {}, the devices of the mesh that {} is compiled for",
                          option, given, expected, path));
}

/// What works for one device only.
static void checkOptions(const SessionOptions &options) {
  if (options.sandbox)
    throw UserError("a sandbox has one device: expected no --sandbox with a mesh");
  if (!options.profile.empty() && (options.processes || isStartedByMpi()))
    throw UserError("a recording is of one process: expected no --profile with --processes and "
                    "mpirun; TTRT_PROFILE=FOLDER records each of them, and ttrun report FOLDER "
                    "joins the recordings");
  if (options.schedule == "auto")
    throw UserError(
        "--schedule=auto measures one device: give a schedule of ttrun read --schedules");
}

bool Session::joinMesh(const SessionOptions &options) {
  if (options.devices && options.processes)
    throw UserError("--devices are threads, --processes are processes: expected one of them");
  const bool byMpi = isStartedByMpi();
  if (byMpi && (options.devices || options.processes))
    throw UserError(
        "mpirun has started a rank for each device: expected no --devices and no --processes");
  const uint32_t devices = devicesOf(path_);
  if (!devices && !byMpi)
    return false;
  if (options.alone) {
    if (byMpi || options.devices || options.processes)
      throw UserError("--alone runs one device: expected no --devices, --processes and mpirun");
    if (devices < 2 || options.aloneDevice >= devices)
      throw UserError(fmt::format("--alone={}: expected a device of a mesh, from 0 to {}",
                                  options.aloneDevice, devices - 1));
    checkOptions(options);
    becomeAlone(static_cast<uint32_t>(options.aloneDevice), devices);
    return true;
  }
  checkDevices(path_, "devices", options.devices, devices);
  checkDevices(path_, "processes", options.processes, devices);
  if (devices < 2 && !byMpi) {
    if (options.bind == "cores")
      bindToPart(0, 1);
    return false;
  }
  checkOptions(options);
  if (options.processes)
    startProcesses(devices, options.bind == "cores");
  else if (byMpi)
    joinMpi(options.bind == "cores");
  return true;
}

template <typename Function> void Session::checkMesh(Function function) const {
  try {
    function();
  } catch (const MeshError &error) {
    if (error.status == TTRT_INVALID_ARGUMENT || error.status == TTRT_NOT_FOUND)
      throw UserError(fmt::format(
          "{}: {}{}", path_, error.what(),
          error.status == TTRT_NOT_FOUND ? ttc::suggestion(schedule_, scheduleNames()) : ""));
    throw BadBundle(bundleMessage(path_, error.status, error.what()));
  }
}

void Session::openMesh(const SessionOptions &options, const ttrt_device_options &device) {
  checkMesh([&] {
    mesh_ = std::make_unique<MeshDevices>(bundle_, whole_, device, options.bind == "cores");
  });
  device_ = mesh_->device();
  describePorts();
}

/// Sets the numbers of the entry point that has this name in the mesh, and of a part of it: that of
/// the device that runs alone, or else the first one that has outputs, because it has all
/// schedules.
ttrt_status Session::findEntry(const std::string &name, const SessionOptions &options,
                               ttrt_error *error) {
  const ttrt_status status = ttrt_mesh_find_entry(bundle_, name.c_str(), &whole_, error);
  if (status != TTRT_OK)
    return status;
  const auto alone = static_cast<uint32_t>(options.aloneDevice);
  if (options.alone)
    return ttrt_mesh_part(bundle_, whole_, alone, &entry_, error);
  const uint32_t devices = ttrt_mesh_devices(bundle_);
  bool isFound = false;
  for (uint32_t device = 0, part; device < devices; ++device) {
    if (ttrt_mesh_part(bundle_, whole_, device, &part, nullptr) != TTRT_OK)
      continue;
    ttrt_entry info = TTRT_ENTRY_INIT;
    if (ttrt_bundle_entry(bundle_, part, &info, nullptr) == TTRT_OK && info.outputs) {
      entry_ = part;
      break;
    }
    entry_ = isFound ? entry_ : part;
    isFound = true;
  }
  return TTRT_OK;
}

void Session::runMesh(const std::function<ttrt_run_options(size_t)> &optionsOf) {
  checkMesh([&] { mesh_->run(optionsOf, in_, out_); });
  if (shaped_)
    unpackOutputs(nullptr);
}

void Session::runMesh(const ttrt_run_options &options) {
  checkMesh([&] { mesh_->run(options, in_, out_); });
  if (shaped_)
    unpackOutputs(nullptr);
  readProfiler();
}

std::string Session::runPipelinedMesh(uint64_t loops, const ttrt_pipeline_options &options,
                                      std::vector<uint64_t> *ends) {
  MeshPipeline result;
  checkMesh([&] { result = mesh_->runPipelined(options, loops, in_, out_, ends != nullptr); });
  if (shaped_)
    unpackOutputs(nullptr);
  if (ends)
    *ends = std::move(result.ends);
  return result.schedule;
}

} // namespace ttrun
