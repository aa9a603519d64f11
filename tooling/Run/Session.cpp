// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Session.h"

#include "Bundle/Bundle.h"
#include "Formats/BundleMessage.h"
#include "Formats/Printing.h"
#include "Profile/Report.h"
#include "Run/AutoSchedule.h"
#include "Run/Mesh/Completions.h"
#include "Run/Mesh/Rank.h"
#include "Run/Trusted.h"
#include "Support/Error.h"
#include "Support/Options.h"
#include "Support/Suggest.h"
#include "ttrt/format/steps.h"
#include "ttrt/state.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace ttrun {

void SessionOptions::declare(OptionParser &parser) {
  parser.text("entry", "NAME", "entry point (default: the only one, or main)", entry);
  parser.list("input", "NAME=FILE.npy", "read an input; type and shape must match the bundle's",
              inputs);
  declareDims(parser);
  parser.flagOrNumber(
      "random", "SEED",
      "use random values for inputs that are not given:\nfloats in [0, 1), integers 0 or 1", random,
      seed);
  declareDevice(parser);
  declareMesh(parser);
  parser.text(
      "schedule", "NAME",
      "run a pipeline with this schedule of the bundle (see\nttrun read --schedules), or with "
      "the fastest one: auto",
      schedule);
  parser.number("queues", "N", "run a pipeline with the bundle's first schedule for\nN queues",
                queues, 1, 2);
  parser.number(
      "link-bytes-per-second", "N",
      "emulate a bus of this speed for inputs and outputs\n(default: the target's link, if it "
      "has a speed)",
      linkBytesPerSecond, 1, uint64_t(1) << 60);
  parser.list("host-library", "FILE.so",
              "load host functions from a shared library (docs/host-ops.md)", hostLibraries);
  declareProfile(parser);
  parser.verify(verify);
  declareTrusted(parser, trusted);
}

void SessionOptions::declareDims(OptionParser &parser) {
  parser.list("dim", "NAME:VALUE",
              "the extent of a dimension of the model, for inputs that are\nnot given; repeatable "
              "(docs/shapes.md)",
              dims);
}

void SessionOptions::declareDevice(OptionParser &parser) {
  parser.number("cores", "N", "number of threads that compute (default: all CPUs)", cores, 1, 1024);
  parser.flag("pin", "pin each worker to a CPU", pin);
  parser.flag("huge-pages",
              "copy the weights into huge pages, if the system has them\n"
              "(docs/performance.md#huge-pages)",
              hugePages);
  parser.flag("flush-denormals",
              "count subnormal numbers as zero: faster where a model computes\nwith them, but not "
              "the same bits",
              flushDenormals);
  parser.real("deadline", "SECONDS",
              "end with an error what is not complete SECONDS after the\nbundle is loaded",
              deadline);
  parser.flag("no-trace", "dispatch one command at a time from the host", noTrace);
}

void SessionOptions::declareProfile(OptionParser &parser) {
  parser.text("profile", "FOLDER",
              "record the device and make a report in FOLDER/<date>\n(docs/profiling.md)", profile);
  parser.number("profile-programs", "N",
                "commands of each core that the recording has room for\n(default 1000; with "
                "--profile-mid-run 65536)",
                profilePrograms, 1, 1 << 20);
  parser.flag("profile-mid-run",
              "move the recording to its file while the bundle runs,\nso that it has room for all",
              profileMidRun);
  parser.text("profile-counters", "LIST",
              "count in each command: cycles,instructions,...; default,\nflops "
              "(docs/profiling.md#counters)",
              profileCounters);
}

/// `suggest` adds to the message about a name that was not found.
static void check(
    const std::string &path, ttrt_status status, const ttrt_error &error,
    const std::function<std::string()> &suggest = [] { return std::string(); }) {
  if (status == TTRT_INVALID_ARGUMENT || status == TTRT_NOT_FOUND)
    throw UserError(
        fmt::format("{}: {}{}", path, error.message, status == TTRT_NOT_FOUND ? suggest() : ""));
  if (status != TTRT_OK)
    throw BadBundle(bundleMessage(path, status, error.message));
}

std::vector<std::string> Session::entryNames() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < ttrt_mesh_entries(bundle_); ++i)
    if (ttrt_entry info = TTRT_ENTRY_INIT; ttrt_mesh_entry(bundle_, i, &info, nullptr) == TTRT_OK)
      names.emplace_back(info.name);
  return names;
}

std::string Session::metadata(const std::string &key) const {
  const void *value = nullptr;
  uint64_t bytes = 0;
  if (ttrt_bundle_metadata(bundle_, key.c_str(), &value, &bytes, nullptr) != TTRT_OK)
    return "";
  return {static_cast<const char *>(value), bytes};
}

std::vector<std::string> Session::scheduleNames() const {
  std::vector<std::string> names = {"auto"};
  ttrt_schedule info = TTRT_SCHEDULE_INIT;
  for (uint32_t i = 0; ttrt_bundle_schedule(bundle_, entry_, i, &info, nullptr) == TTRT_OK; ++i)
    names.emplace_back(info.name);
  return names;
}

/// The most commands that one run of an entry point makes a core execute; steps count too.
static uint64_t commandsOf(const ttrt::fb::EntryPoint &entry, const ttrt::Bundle &bundle) {
  const auto &schedule = *entry.schedules()->Get(0);
  uint64_t commands = 0;
  for (const auto *part : {schedule.prologue(), schedule.body(), schedule.epilogue()})
    for (uint32_t i = 0; i < ttrt::count(part); ++i) {
      const ttrt::Action action = ttrt::actionOf(*part->Get(i));
      commands += 2;
      if (action.info->role == ttrt::OrderRole::Execute)
        commands += bundle.metadata().traces()->Get(action.index)->commands();
    }
  return std::max<uint64_t>(commands, 1);
}

/// What is not read between two runs has to have room until a thread reads it. The memory is taken
/// when it is used.
static uint64_t programsToRecord(const SessionOptions &options) {
  if (options.profilePrograms)
    return options.profilePrograms;
  return options.profileMidRun ? 1 << 16 : 1000;
}

/// The only one that is not the values of another one, or main.
static std::string defaultEntry(const std::vector<std::string> &names) {
  const auto isValuesOf = [&](const std::string &name) { return name == names[0] + ".values"; };
  return std::all_of(names.begin() + 1, names.end(), isValuesOf) ? names[0] : "main";
}

Session::Session(const std::string &path, const SessionOptions &options)
    : path_(path), schedule_(options.schedule) {
  try {
    if (options.sandbox && (!options.schedule.empty() || options.queues))
      throw UserError("--sandbox runs one inference at a time: expected no --schedule and no "
                      "--queues");
    if (options.sandbox && !options.hostLibraries.empty())
      throw UserError("--sandbox confines all that runs: expected no --host-library");
    if (options.sandbox && !options.profile.empty())
      throw UserError("--sandbox has the device in another process: expected no --profile");
    const bool hasDeadline = options.deadline != INFINITY;
    if (options.sandbox && hasDeadline)
      throw UserError("--sandbox has the device in another process: expected no --deadline");
    if (!(options.deadline > 0))
      throw UserError(fmt::format("--deadline={}: expected a positive number", options.deadline));
    if (options.sandbox && options.hugePages)
      throw UserError("--sandbox has the device in another process: expected no --huge-pages");
    if (options.profile.empty() &&
        (options.profilePrograms || options.profileMidRun || !options.profileCounters.empty()))
      throw UserError(fmt::format("--profile-{} needs --profile=FOLDER",
                                  options.profileMidRun     ? "mid-run"
                                  : options.profilePrograms ? "programs"
                                                            : "counters"));
    if (!options.profile.empty() && options.schedule == "auto")
      throw UserError(
          "--schedule=auto tries several schedules, which --profile would record: expected "
          "the schedule that it takes");
    const bool isMesh = joinMesh(options);
    openProfiler(options);
    ttrt_error error;
    const auto begin = std::chrono::steady_clock::now();
    check(path, openBundle(path, options.trusted, verifyLevel(options.verify), &bundle_, &error),
          error);
    const std::vector<std::string> models = ShapedModel::namesOf(bundle_);
    const std::string wanted =
        chooseVariant(options.entry.empty() ? defaultEntry(models.empty() ? entryNames() : models)
                                            : options.entry,
                      options);
    const bool hasOther = !options.orEntry.empty() &&
                          findEntry(wanted, options, nullptr) == TTRT_NOT_FOUND &&
                          findEntry(options.orEntry, options, nullptr) == TTRT_OK;
    if (!hasOther)
      check(path, findEntry(wanted, options, &error), error,
            [&] { return ttc::suggestion(wanted, entryNames()); });
    if (options.opened)
      options.opened(bundle_);
    ttrt_device_options device = TTRT_DEVICE_OPTIONS_INIT;
    device.cores = static_cast<uint32_t>(options.cores);
    device.pin = options.pin;
    device.huge_pages = options.hugePages;
    device.flush_denormals = options.flushDenormals;
    device.wait_limit_ms = static_cast<uint32_t>(options.waitLimit * 1000);
    device.queues = chooseQueues(options);
    device.link_bytes_per_second = options.linkBytesPerSecond;
    if (options.sandbox && ttrt_bundle_host_calls(bundle_) != 0)
      throw UserError(path + ": the bundle wants host functions, which are not available with "
                             "--sandbox; see ttrun check");
    device.profiler = profiler_;
    hostLibraries_ = std::make_unique<HostLibraries>(options.hostLibraries);
    device.host_functions = hostLibraries_->functions();
    if (isMesh) {
      openMesh(options, device);
    } else if (options.sandbox) {
      describePorts();
      sandbox_ = std::make_unique<Sandbox>(path, bundle_, entry_, device, in_, out_);
    } else {
      check(path, ttrt_device_open(bundle_, &device, &device_, &error), error,
            [] { return std::string("; ttrun takes them from --host-library=FILE.so"); });
    }
    loadMs_ =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    uint64_t commands = 1;
    const auto &entries = *bundle_->bundle->metadata().entries();
    for (uint32_t i = 0; i < entries.size(); ++i) // on a mesh, devices may run different ones
      if (isMesh || i == entry_)
        commands = std::max(commands, commandsOf(*entries.Get(i), *bundle_->bundle));
    runsPerRead_ = std::max<uint64_t>(programsToRecord(options) / commands, 1);
    if (!options.sandbox && !isMesh)
      describePorts();
    if (options.hugePages)
      noteHugePages();
    // Ranks that do not agree would compute a mixture.
    requireSameOnRanks("the entry point", entryName_);
    requireSameOnRanks("--schedule and --queues",
                       fmt::format("{} {}", options.schedule, options.queues));
    requireSameOnRanks("--flush-denormals", fmt::format("{}", options.flushDenormals));
    if (hasDeadline)
      setDeadline(options.deadline);
  } catch (const std::exception &problem) {
    failRank(problem.what());
    release();
    throw;
  } catch (...) {
    release();
    throw;
  }
}

Session::~Session() { release(); }

const ttrt::Bundle &Session::bundle() const { return *bundle_->bundle; }

void Session::release() {
  sandbox_.reset();
  if (mesh_)
    mesh_.reset();
  else
    ttrt_device_close(device_);
  const std::string unfinished = profileFolder();
  ttrt_profiler_close(profiler_);
  ttrt_bundle_close(bundle_);
  if (!unfinished.empty())
    discardProfile(unfinished);
}

/// What has failed leaves no folder.
void Session::discardProfile(const std::string &folder) const {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  const fs::path made = madeForProfile_;
  for (fs::path at = fs::path(folder).parent_path();
       !made.empty() && at.native().size() >= made.native().size(); at = at.parent_path())
    if (!fs::remove(at, ignored)) // something else is there
      return;
}

void Session::setDeadline(double seconds) {
  constexpr double kMost = 1e9; // years
  const auto nanoseconds = static_cast<uint64_t>(std::min(seconds, kMost) * 1e9);
  ttrt_error error;
  if (mesh_)
    mesh_->onEachDevice([&](size_t, ttrt_device *device) {
      ttrt_device_set_deadline(device, nanoseconds, nullptr);
    });
  else
    check(path_, ttrt_device_set_deadline(device_, nanoseconds, &error), error);
}

ttrt_huge_pages Session::hugePages() const {
  ttrt_huge_pages pages = TTRT_HUGE_PAGES_INIT;
  ttrt_error error;
  if (ttrt_device_huge_pages(device_, &pages, &error) != TTRT_OK)
    throw UserError(error.message);
  return pages;
}

void Session::checkStates(const char *option) const {
  if (mesh_)
    throw UserError(
        fmt::format("each device of a mesh has its own states: expected no --{}", option));
  if (!device_)
    throw UserError(
        fmt::format("--sandbox has the device in another process: expected no --{}", option));
}

void Session::restoreState(const std::string &file) {
  ttrt_error error;
  checkStates("restore-state");
  if (ttrt_state_restore(device_, file.c_str(), &error) != TTRT_OK)
    throw UserError(fmt::format("--restore-state: {}", error.message));
}

void Session::saveState(const std::string &file) {
  ttrt_error error;
  checkStates("save-state");
  if (ttrt_state_save(device_, file.c_str(), &error) != TTRT_OK)
    throw UserError(fmt::format("--save-state: {}", error.message));
}

/// The device works in any case: says where --huge-pages changes nothing.
void Session::noteHugePages() const {
  const ttrt_huge_pages pages = hugePages();
  if (pages.problem)
    fmt::print(stderr, "note: --huge-pages: the weights stay pages of the file: {}\n",
               pages.problem);
  else if (pages.huge == 0)
    fmt::print(stderr, "note: --huge-pages: the weights were copied, but the kernel has found no "
                       "free huge pages\n");
}

void Session::openProfiler(const SessionOptions &options) {
  if (options.profile.empty())
    return;
  ttrt_profiler_options profiler = TTRT_PROFILER_OPTIONS_INIT;
  profiler.programs = static_cast<uint32_t>(programsToRecord(options));
  constexpr uint32_t kMilliseconds = 20;
  profiler.read_interval = options.profileMidRun ? kMilliseconds : 0;
  profiler.counters = options.profileCounters.c_str();
  hasCounters_ = !options.profileCounters.empty();
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (fs::path at = options.profile; !at.empty() && !fs::exists(at, ignored);
       at = at.parent_path())
    madeForProfile_ = at.native();
  ttrt_error error;
  const ttrt_status status =
      ttrt_profiler_open(options.profile.c_str(), &profiler, &profiler_, &error);
  if (status != TTRT_OK && !madeForProfile_.empty())
    fs::remove_all(madeForProfile_, ignored);
  // ttrun's other arguments of this call are right.
  if (status == TTRT_INVALID_ARGUMENT)
    throw UserError(
        fmt::format("--profile-counters={}: {}", options.profileCounters, error.message));
  if (status != TTRT_OK)
    throw UserError(error.message);
}

/// Reading takes time between two runs: it happens only when the rings would be full.
void Session::readProfiler() {
  if (!profiler_ || ++runsSinceRead_ < runsPerRead_)
    return;
  runsSinceRead_ = 0;
  ttrt_error error;
  if (ttrt_profiler_read(profiler_, &error) != TTRT_OK)
    throw UserError(error.message);
}

void Session::signpost(const char *header, const std::string &message) {
  ttrt_signpost(profiler_, header, message.c_str());
}

void Session::finishProfile(const ReportOptions &given) {
  if (!profiler_)
    return;
  const std::string folder = ttrt_profiler_folder(profiler_);
  if (mesh_)
    mesh_.reset();
  else
    ttrt_device_close(device_);
  device_ = nullptr;
  ttrt_profiler_close(profiler_);
  profiler_ = nullptr;
  ReportOptions options = given;
  options.counters |= hasCounters_;
  if (options.print)
    fmt::print("\n");
  try {
    makeReport(folder, options);
  } catch (...) {
    discardProfile(folder);
    throw;
  }
}

void Session::describePorts() {
  ttrt_error error;
  ttrt_entry info = TTRT_ENTRY_INIT;
  check(path_,
        mesh_ ? ttrt_mesh_entry(bundle_, whole_, &info, &error)
              : ttrt_bundle_entry(bundle_, entry_, &info, &error),
        error);
  entryName_ = info.name;
  auto describe = [&](uint32_t number, auto described, auto query, uint32_t entry,
                      std::vector<Port> &ports) {
    for (uint32_t i = 0; i < number; ++i) {
      auto port = described;
      check(path_, query(bundle_, entry, i, &port, &error), error);
      Tensor tensor{port.dtype, {port.shape, port.shape + port.rank}, {}};
      tensor.bytes.resize(port.bytes);
      ports.push_back({port.name, std::move(tensor)});
    }
  };
  if (mesh_) {
    const ttrt_mesh_port port = TTRT_MESH_PORT_INIT;
    describe(info.inputs, port, ttrt_mesh_input, whole_, inputs_);
    describe(info.outputs, port, ttrt_mesh_output, whole_, outputs_);
  } else {
    const ttrt_port port = TTRT_PORT_INIT;
    describe(info.inputs, port, ttrt_bundle_input, entry_, inputs_);
    describe(info.outputs, port, ttrt_bundle_output, entry_, outputs_);
  }
  for (Port &port : inputs_)
    in_.push_back({port.tensor.bytes.data(), port.tensor.bytes.size()});
  for (Port &port : outputs_)
    out_.push_back({port.tensor.bytes.data(), port.tensor.bytes.size()});
  if (shaped_)
    describeShapes();
}

std::vector<std::string> Session::namesOf(const std::vector<Port> &ports) {
  std::vector<std::string> names;
  for (const Port &port : ports)
    names.push_back(port.name);
  return names;
}

std::vector<std::string> Session::inputNames() const { return namesOf(inputs_); }

std::vector<std::string> Session::outputNames() const { return namesOf(outputs_); }

/// "the inputs are 'a', 'b'"
static std::string listOf(const char *what, const std::vector<std::string> &names) {
  if (names.empty())
    return fmt::format("the entry point has no {}s", what);
  return fmt::format("the {}{} '{}'", what, names.size() == 1 ? " is" : "s are",
                     fmt::join(names, "', '"));
}

std::pair<size_t, std::string> Session::portOf(const std::vector<Port> &ports, const char *what,
                                               const std::string &option, const std::string &spec) {
  // Names and files may contain '=': the longest name that fits is taken.
  size_t best = ports.size();
  std::vector<std::string> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string &name = ports[i].name;
    names.push_back(name);
    if (spec.starts_with(name + "=") &&
        (best == ports.size() || name.size() > ports[best].name.size()))
      best = i;
  }
  const size_t equals = spec.find('=');
  if (best < ports.size()) {
    if (std::string file = spec.substr(names[best].size() + 1); !file.empty())
      return {best, file};
    throw UserError(fmt::format("--{}={}: expected a file after '='", option, spec));
  }
  if (equals == std::string::npos && ports.size() == 1)
    return {0, spec};
  if (equals == std::string::npos)
    throw UserError(
        fmt::format("--{}={}: expected NAME=FILE.npy; {}", option, spec, listOf(what, names)));
  const std::string given = spec.substr(0, equals);
  throw UserError(fmt::format("--{}={}: no {} '{}'; {}{}", option, spec, what, given,
                              listOf(what, names),
                              names.size() > 1 ? ttc::suggestion(given, names) : ""));
}

std::pair<size_t, std::string> Session::outputOf(const std::string &option,
                                                 const std::string &spec) const {
  return portOf(outputs_, "output", option, spec);
}

void Session::fillInputs(const SessionOptions &options) {
  std::vector<bool> filled(inputs_.size());
  for (const std::string &spec : options.inputs) {
    auto [index, file] = portOf(inputs_, "input", "input", spec);
    Port &port = inputs_[index];
    if (filled[index])
      throw UserError("input '" + port.name + "' is given twice");
    Tensor tensor = readNpy(
        file,
        [&](ttrt_dtype dtype, const std::vector<int64_t> &shape) {
          const bool sameType =
              dtype == port.tensor.dtype ||
              (port.tensor.dtype == TTRT_BF16 && dtype == TTRT_U16); // NumPy has no bf16
          if (!sameType || shape != port.tensor.shape)
            throw UserError("input '" + port.name + "' is " +
                            describe(port.tensor.dtype, port.tensor.shape) + "; " + file +
                            " holds " + describe(dtype, shape));
        },
        port.tensor.dtype);
    // in_ points at these bytes: copy instead of replacing the vector.
    memcpy(port.tensor.bytes.data(), tensor.bytes.data(), tensor.bytes.size());
    filled[index] = true;
  }
  std::string missing;
  uint64_t state = options.seed;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (filled[i])
      continue;
    if (options.random && !shaped_ && fillExtents(i))
      continue;
    if (options.random)
      fillRandom(inputs_[i].tensor, state);
    else
      missing += (missing.empty() ? "" : ", ") + inputs_[i].name + " " +
                 describe(inputs_[i].tensor.dtype, inputs_[i].tensor.shape);
  }
  if (!missing.empty())
    throw UserError("missing input: " + missing + "; give --input=NAME=FILE.npy or --random");
  for (const Port &input : inputs_)
    requireSameOnRanks(fmt::format("input '{}'", input.name), input.tensor.bytes.data(),
                       input.tensor.bytes.size());
  if (shaped_)
    packInputs();
}

void Session::run(const ttrt_run_options &options) {
  if (mesh_)
    return runMesh(options);
  if (sandbox_) {
    sandbox_->run(options.no_trace != 0);
    if (shaped_)
      unpackOutputs(nullptr);
    return;
  }
  ttrt_error error;
  check(path_,
        shaped_ ? ttrt_run_shaped(device_, shaped_->model(), shapedIn_.data(), shapedOut_.data(),
                                  &options, &error)
                : ttrt_run(device_, entry_, in_.data(), out_.data(), &options, &error),
        error);
  readProfiler();
}

/// As many queues as the schedule uses; the most of any schedule for "auto". A schedule that does
/// not exist is reported later, when the pipeline is opened.
uint32_t Session::chooseQueues(const SessionOptions &options) const {
  if (options.schedule.empty() && !options.queues && !options.mostQueues)
    return 0;
  const auto asked = static_cast<uint32_t>(options.queues);
  uint32_t most = 1;
  bool hasAsked = false;
  ttrt_schedule info = TTRT_SCHEDULE_INIT;
  for (uint32_t i = 0; ttrt_bundle_schedule(bundle_, entry_, i, &info, nullptr) == TTRT_OK; ++i) {
    most = std::max(most, info.queues);
    hasAsked |= info.queues == asked;
    if (options.schedule != info.name)
      continue;
    if (asked && asked != info.queues)
      throw UserError(fmt::format("--queues={}: schedule '{}' uses {} queue{}", asked, info.name,
                                  info.queues, plural(info.queues)));
    return info.queues;
  }
  if (asked && options.schedule.empty() && !hasAsked)
    throw UserError(
        fmt::format("--queues={}: the bundle has no schedule for this number of queues; see "
                    "ttrun read --schedules",
                    asked));
  return asked ? asked : options.schedule == "auto" || options.mostQueues ? most : 1;
}

std::string Session::runPipelined(uint64_t loops, bool noTrace,
                                  const std::function<bool(uint64_t)> &popped,
                                  std::vector<uint64_t> *ends) {
  if (mesh_) {
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.entry = entry_;
    options.schedule = schedule_.empty() ? nullptr : schedule_.c_str();
    options.no_trace = noTrace;
    const std::string schedule = runPipelinedMesh(loops, options, ends);
    popped(loops - 1);
    return schedule;
  }
  if (schedule_ == "auto" && ttrt_bundle_states(bundle_) != 0) {
    schedule_.clear();
    fmt::print(stderr, "schedule auto: not measured, because runs change the bundle's states\n");
  } else if (schedule_ == "auto") {
    std::string why;
    schedule_ = chooseSchedule(*bundle_->bundle->metadata().entries()->Get(entry_), entry_, device_,
                               in_, noTrace, why);
    fmt::print(stderr, "schedule {}: {}\n", schedule_, why);
  }
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.entry = entry_;
  options.schedule = schedule_.empty() ? nullptr : schedule_.c_str();
  options.no_trace = noTrace;
  std::optional<Completions> completions;
  if (ends)
    completions.emplace(options, outputs_.size(), loops);
  ttrt_pipeline *opened;
  ttrt_error error;
  check(path_, ttrt_pipeline_open(device_, &options, &opened, &error), error,
        [&] { return ttc::suggestion(schedule_, scheduleNames()); });
  std::unique_ptr<ttrt_pipeline, void (*)(ttrt_pipeline *)> pipeline(opened, ttrt_pipeline_close);
  std::vector<const void *> outputs(outputs_.size());
  const uint64_t ahead = 16; // what the pipeline holds by default
  uint64_t next = 0;
  for (uint64_t loop = 0; loop < loops; ++loop) {
    for (; next < loops && next < loop + ahead; ++next)
      check(path_, ttrt_pipeline_enqueue(opened, in_.data(), nullptr, TTRT_WAIT, &error), error);
    check(path_, ttrt_pipeline_pop(opened, outputs.data(), TTRT_WAIT, &error), error);
    if (shaped_)
      unpackOutputs(outputs.data());
    for (size_t i = 0; i < outputs_.size() && !shaped_; ++i)
      memcpy(outputs_[i].tensor.bytes.data(), outputs[i], outputs_[i].tensor.bytes.size());
    if (!popped(loop))
      break;
  }
  const std::string schedule = ttrt_pipeline_schedule(opened);
  pipeline.reset();
  if (ends)
    *ends = std::move(completions->ends);
  return schedule;
}

} // namespace ttrun
