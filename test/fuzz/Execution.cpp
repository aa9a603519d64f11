// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Execution.h"

#include "Changes.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/host.h"
#include "ttrt/mesh.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ttrt::fuzz {

static constexpr uint32_t kRuns = 3, kIterations = 7;
static constexpr uint32_t kNone = ~0u;
/// The limit of a child process; long enough that a loaded machine does not look like a hang.
static constexpr unsigned kSeconds = 20;

/// A host function for every name: results that depend on all that a call says, and on all
/// operands.
static ttrt_status hashCall(void *, const ttrt_host_call *call, ttrt_error *) {
  uint64_t hash = hashBytes(call->name, strlen(call->name)) + call->version;
  auto mix = [&](const void *data, size_t size) {
    hash = hash * 0x9e3779b97f4a7c15u + hashBytes(data, size);
  };
  auto mixTensor = [&](const ttrt_tensor &tensor) {
    mix(&tensor.dtype, sizeof(tensor.dtype));
    mix(tensor.shape, tensor.rank * sizeof(int64_t));
    mix(tensor.data, tensor.bytes);
  };
  for (uint64_t i = 0; i < call->attribute_count; ++i) {
    const ttrt_attribute &attribute = call->attributes[i];
    mix(attribute.name, strlen(attribute.name));
    mix(&attribute.kind, sizeof(attribute.kind));
    if (attribute.ints)
      mix(attribute.ints, attribute.count * sizeof(int64_t));
    if (attribute.floats)
      mix(attribute.floats, attribute.count * sizeof(float));
    for (uint32_t j = 0; attribute.strings && j < attribute.count; ++j)
      mix(attribute.strings[j], strlen(attribute.strings[j]));
    mixTensor(attribute.tensor);
  }
  for (uint32_t i = 0; i < call->operand_count; ++i)
    mixTensor(call->operands[i]);
  for (uint32_t i = 0; i < call->result_count; ++i)
    for (size_t at = 0; at < call->results[i].bytes; ++at)
      static_cast<uint8_t *>(call->results[i].data)[at] =
          static_cast<uint8_t>(hash >> (at + i) % 4 * 8) & 0x3f; // small numbers as floats, too
  return TTRT_OK;
}

/// All that a bundle wants.
struct HostFunctions {
  explicit HostFunctions(const ttrt_bundle *bundle) {
    std::set<std::string> names;
    ttrt_host_call call = TTRT_HOST_CALL_INIT;
    for (uint32_t i = 0; ttrt_bundle_host_call(bundle, i, &call, nullptr) == TTRT_OK; ++i)
      if (names.insert(call.name).second)
        functions.push_back({sizeof(ttrt_host_function), call.name, hashCall, nullptr});
    for (const ttrt_host_function &function : functions)
      list.push_back(&function);
    list.push_back(nullptr);
  }
  std::vector<ttrt_host_function> functions;
  std::vector<const ttrt_host_function *> list;
};

static PortType portOf(const auto &port) {
  return {port.name, port.dtype, {port.shape, port.shape + port.rank}, port.bytes};
}

/// Calls function(port) for each input or output, which of a mesh is a whole one.
template <typename Function>
static void forEachPort(const ttrt_bundle *bundle, uint32_t entry, const ttrt_entry &info,
                        bool inputs, Function function) {
  ttrt_port port = TTRT_PORT_INIT;
  ttrt_mesh_port whole = TTRT_MESH_PORT_INIT;
  for (uint32_t i = 0; i < (inputs ? info.inputs : info.outputs); ++i)
    if (ttrt_mesh_devices(bundle) > 1) {
      if ((inputs ? ttrt_mesh_input : ttrt_mesh_output)(bundle, entry, i, &whole, nullptr) ==
          TTRT_OK)
        function(portOf(whole));
    } else if ((inputs ? ttrt_bundle_input : ttrt_bundle_output)(bundle, entry, i, &port,
                                                                 nullptr) == TTRT_OK) {
      function(portOf(port));
    }
}

Interface interfaceOf(const ttrt_bundle *bundle) {
  Interface interface;
  const bool isMesh = ttrt_mesh_devices(bundle) > 1; // whole entry points, of all stages
  for (uint32_t e = 0; e < (isMesh ? ttrt_mesh_entries : ttrt_bundle_entries)(bundle); ++e) {
    ttrt_entry info = TTRT_ENTRY_INIT;
    (isMesh ? ttrt_mesh_entry : ttrt_bundle_entry)(bundle, e, &info, nullptr);
    EntryType &entry = interface.emplace_back();
    entry.name = info.name;
    forEachPort(bundle, e, info, true, [&](PortType port) { entry.inputs.push_back(port); });
    forEachPort(bundle, e, info, false, [&](PortType port) { entry.outputs.push_back(port); });
    for (uint32_t i = 0; !isMesh && i < ttrt_bundle_schedules(bundle, e); ++i) {
      ttrt_schedule schedule = TTRT_SCHEDULE_INIT;
      ttrt_bundle_schedule(bundle, e, i, &schedule, nullptr);
      entry.schedules.emplace_back(schedule.name);
    }
  }
  return interface;
}

//===----------------------------------------------------------------------===//
// Comparing interfaces
//===----------------------------------------------------------------------===//

/// "" if they are equal, apart from new names, which set `renamed`.
static std::string comparePorts(const std::vector<PortType> &expected,
                                const std::vector<PortType> &found, const char *what,
                                bool &renamed) {
  if (expected.size() != found.size())
    return "another number of " + std::string(what) + "s";
  std::set<std::string> names;
  for (const PortType &port : expected)
    names.insert(port.name);
  for (size_t i = 0; i < expected.size(); ++i) {
    const PortType &a = expected[i], &b = found[i];
    if (a.dtype != b.dtype || a.shape != b.shape || a.bytes != b.bytes)
      return what + (" '" + a.name + "' has another type");
    if (a.name != b.name && names.count(b.name))
      return what + (" '" + b.name + "' is at another place");
    renamed |= a.name != b.name;
  }
  return "";
}

/// Finds the original's entry points and schedules, by name where the name is still used.
Outcome Executor::match(const Interface &changed, std::vector<uint32_t> &entries,
                        std::vector<std::vector<char>> &schedules) const {
  Outcome outcome;
  bool renamed = changed.size() != interface_.size();
  for (size_t e = 0; e < interface_.size(); ++e) {
    const EntryType &expected = interface_[e];
    uint32_t at = kNone;
    for (uint32_t i = 0; i < changed.size(); ++i)
      if (changed[i].name == expected.name)
        at = i;
    renamed |= at != e;
    entries.push_back(at);
    schedules.emplace_back(expected.schedules.size());
    if (at == kNone)
      continue;
    const EntryType &found = changed[at];
    for (std::string said : {comparePorts(expected.inputs, found.inputs, "input", renamed),
                             comparePorts(expected.outputs, found.outputs, "output", renamed)})
      if (!said.empty()) {
        outcome.kind = Outcome::Kind::Wrong;
        outcome.message = "entry point '" + expected.name + "': " + said;
        return outcome;
      }
    for (size_t s = 0; s < expected.schedules.size(); ++s)
      schedules.back()[s] =
          std::count(found.schedules.begin(), found.schedules.end(), expected.schedules[s]) != 0;
    renamed |= expected.schedules != found.schedules;
  }
  if (renamed)
    outcome.kind = Outcome::Kind::Renamed;
  return outcome;
}

//===----------------------------------------------------------------------===//
// Executing
//===----------------------------------------------------------------------===//

namespace {

/// What a child process leaves for its parent.
struct Shared {
  Outcome::Kind kind;
  char message[1024];
  size_t count;
  uint64_t hashes[1 << 16];
};

/// Executes in the child process.
class Child {
public:
  Child(const Interface &interface, const std::vector<uint8_t> &inputs, bool checks, Shared &shared)
      : interface(interface), inputs(inputs), checks(checks), shared(shared) {}

  void run(const ttrt_bundle *bundle, const std::vector<uint32_t> &entries,
           const std::vector<std::vector<char>> &schedules) {
    if (ttrt_mesh_devices(bundle) > 1)
      return runMesh(bundle, entries);
    const HostFunctions functions(bundle);
    // One core and the calling thread alone; then two, and two queues.
    for (uint32_t cores : {1u, 2u}) {
      ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
      options.cores = cores;
      options.queues = cores == 1 ? 0 : 2;
      // The speed of the link is simulated: a slow one is no fault.
      options.link_bytes_per_second = uint64_t(1) << 40;
      options.checks = checks;
      options.host_functions = functions.list.data();
      for (size_t e = 0; e < entries.size(); ++e) {
        entry = entries[e];
        type = &interface[e];
        if (!onDevice(bundle, options,
                      [&](ttrt_device *device) { return runs(device, cores == 1); }))
          return;
        for (size_t s = 0; s < schedules[e].size() && cores == 2; ++s)
          if (!onDevice(bundle, options, [&](ttrt_device *device) {
                return pipeline(device, type->schedules[s].c_str(), schedules[e][s]);
              }))
            return;
      }
    }
  }

  /// Each on a device of its own: what it leaves in states must not depend on what ran before, as a
  /// mutant may lack a schedule.
  template <typename Use>
  bool onDevice(const ttrt_bundle *bundle, const ttrt_device_options &options, Use use) {
    ttrt_error error;
    ttrt_device *device = nullptr;
    if (ttrt_device_open(bundle, &options, &device, &error) != TTRT_OK) {
      say(Outcome::Kind::NotOpened, error.message);
      return false;
    }
    const bool succeeded = use(device);
    if (succeeded)
      ttrt_device_close(device);
    return succeeded;
  }

  /// All devices in this process, by whole inputs and outputs.
  void runMesh(const ttrt_bundle *bundle, const std::vector<uint32_t> &entries) {
    ttrt_device_options device = TTRT_DEVICE_OPTIONS_INIT;
    device.cores = 1;
    device.link_bytes_per_second = uint64_t(1) << 40;
    device.checks = checks;
    ttrt_mesh_options options = TTRT_MESH_OPTIONS_INIT;
    options.device = &device;
    ttrt_error error;
    if (ttrt_mesh_open(bundle, &options, &mesh, &error) != TTRT_OK)
      return say(Outcome::Kind::NotOpened, error.message);
    for (size_t e = 0; e < entries.size(); ++e) {
      entry = entries[e];
      type = &interface[e];
      if (!runs(nullptr, false))
        return;
    }
    ttrt_mesh_close(mesh);
  }

private:
  void say(Outcome::Kind kind, const char *message) {
    shared.kind = kind;
    snprintf(shared.message, sizeof(shared.message), "%s", message);
  }
  void put(uint64_t hash) {
    if (shared.count < std::size(shared.hashes))
      shared.hashes[shared.count++] = hash;
  }
  /// Hashes that stand for what is not there.
  void skip(uint32_t times) {
    for (size_t i = 0; i < times * type->outputs.size(); ++i)
      put(0);
  }

  std::vector<ttrt_input> inputsOf(uint32_t iteration) const {
    std::vector<ttrt_input> in;
    size_t at = iteration * size_t(60);
    for (const PortType &port : type->inputs) {
      in.push_back({inputs.data() + at % 4096, port.bytes});
      at += 976;
    }
    return in;
  }

  bool runs(ttrt_device *device, bool noTrace) {
    if (entry == kNone) {
      skip(kRuns);
      return true;
    }
    for (uint32_t i = 0; i < kRuns; ++i) {
      // Memory of the exact size, for the address sanitizer.
      std::vector<std::unique_ptr<uint8_t[]>> memory;
      std::vector<ttrt_output> out;
      for (const PortType &port : type->outputs) {
        memory.push_back(std::make_unique<uint8_t[]>(port.bytes));
        memset(memory.back().get(), 0xa5, port.bytes);
        out.push_back({memory.back().get(), port.bytes});
      }
      ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
      options.no_trace = noTrace && i == 1;
      ttrt_error error;
      const std::vector<ttrt_input> in = inputsOf(i);
      if ((mesh ? ttrt_mesh_run(mesh, entry, in.data(), out.data(), &options, &error)
                : ttrt_run(device, entry, in.data(), out.data(), &options, &error)) != TTRT_OK) {
        say(Outcome::Kind::Failed, error.message);
        return false;
      }
      for (const ttrt_output &output : out)
        put(hashBytes(output.data, output.bytes));
    }
    return true;
  }

  bool pipeline(ttrt_device *device, const char *schedule, bool exists) {
    if (entry == kNone || !exists) {
      skip(kIterations);
      return true;
    }
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.entry = entry;
    options.schedule = schedule;
    options.outputs = kIterations + 1;
    ttrt_error error;
    ttrt_pipeline *pipeline = nullptr;
    ttrt_status status = ttrt_pipeline_open(device, &options, &pipeline, &error);
    for (uint32_t i = 0; i < kIterations && status == TTRT_OK; ++i)
      status = ttrt_pipeline_enqueue(pipeline, inputsOf(i).data(), nullptr, TTRT_WAIT, &error);
    std::vector<const void *> out(type->outputs.size() + 1);
    for (uint32_t i = 0; i < kIterations && status == TTRT_OK; ++i)
      if ((status = ttrt_pipeline_pop(pipeline, out.data(), TTRT_WAIT, &error)) == TTRT_OK)
        for (size_t o = 0; o < type->outputs.size(); ++o)
          put(hashBytes(out[o], type->outputs[o].bytes));
    ttrt_pipeline_close(pipeline);
    // An entry point without inputs or outputs has no pipelines.
    if (status == TTRT_UNSUPPORTED) {
      skip(kIterations);
      return true;
    }
    if (status != TTRT_OK)
      say(Outcome::Kind::Failed, error.message);
    return status == TTRT_OK;
  }

  const Interface &interface;
  const std::vector<uint8_t> &inputs;
  const bool checks;
  Shared &shared;
  ttrt_mesh *mesh = nullptr; ///< instead of a device
  uint32_t entry = 0;
  const EntryType *type = nullptr;
};

} // namespace

/// One mapping for all children: only one is there at a time.
static Shared &sharedMemory() {
  static Shared *memory = [] {
    void *address =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED)
      throw std::runtime_error("cannot map memory");
    return static_cast<Shared *>(address);
  }();
  return *memory;
}

Outcome Executor::execute(const ttrt_bundle *bundle, const std::vector<uint32_t> &entries,
                          const std::vector<std::vector<char>> &schedules) const {
  Shared &shared = sharedMemory();
  shared.kind = Outcome::Kind::Equal;
  shared.message[0] = 0;
  shared.count = 0;
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error("cannot fork");
  if (child == 0) {
    // The process above may handle these in a way of its own.
    for (int number : {SIGALRM, SIGSEGV, SIGBUS, SIGILL, SIGFPE})
      signal(number, SIG_DFL);
    alarm(kSeconds);
    Child(interface_, inputs_, checks_, shared).run(bundle, entries, schedules);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  Outcome outcome;
  outcome.kind = shared.kind;
  outcome.message = shared.message;
  if (WIFSIGNALED(status)) {
    const bool hangs = WTERMSIG(status) == SIGALRM;
    outcome.kind = hangs ? Outcome::Kind::Hang : Outcome::Kind::Crash;
    outcome.message = hangs ? "does not end" : strsignal(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    outcome.kind = Outcome::Kind::Crash;
    outcome.message = "exit status " + std::to_string(WEXITSTATUS(status));
  }
  outcome.hashes.assign(shared.hashes, shared.hashes + shared.count);
  return outcome;
}

/// Which output a hash belongs to.
std::string Executor::where(size_t hash) const {
  size_t at = 0;
  for (const char *cores : {"1 core", "2 cores"})
    for (const EntryType &entry : interface_) {
      auto found = [&](const std::string &way, uint32_t times) {
        const size_t begin = at;
        at += times * entry.outputs.size();
        if (hash >= at || entry.outputs.empty())
          return std::string();
        const size_t output = (hash - begin) % entry.outputs.size();
        return "output '" + entry.outputs[output].name + "' of inference " +
               std::to_string((hash - begin) / entry.outputs.size()) + " of entry point '" +
               entry.name + "', " + way + ", " + cores;
      };
      if (std::string text = found("run", kRuns); !text.empty())
        return text;
      for (size_t s = 0; s < entry.schedules.size() && *cores == '2'; ++s)
        if (std::string text = found("schedule '" + entry.schedules[s] + "'", kIterations);
            !text.empty())
          return text;
    }
  return "?";
}

Executor::Executor(const ttrt_bundle *bundle, bool checks)
    : interface_(interfaceOf(bundle)), checks_(checks) {
  size_t bytes = 0;
  for (const EntryType &entry : interface_)
    for (const PortType &port : entry.inputs)
      bytes = std::max(bytes, port.bytes);
  // Small floats, which are also small integers in every byte but the last ones.
  inputs_.resize(bytes / 4 * 4 + 8192);
  Random random(1);
  for (size_t i = 0; i < inputs_.size(); i += 4) {
    const float value = static_cast<float>(random.below(2000)) / 1000.0f - 1.0f;
    memcpy(&inputs_[i], &value, 4);
  }
  std::vector<uint32_t> entries;
  std::vector<std::vector<char>> schedules;
  match(interface_, entries, schedules);
  expected_ = execute(bundle, entries, schedules);
  if (expected_.kind == Outcome::Kind::Equal &&
      execute(bundle, entries, schedules).hashes != expected_.hashes)
    throw std::runtime_error("the bundle's outputs change from run to run");
  if (expected_.kind != Outcome::Kind::Equal)
    throw std::runtime_error("the bundle cannot be executed: " + expected_.message);
}

Outcome Executor::compare(const ttrt_bundle *changed) const {
  std::vector<uint32_t> entries;
  std::vector<std::vector<char>> schedules;
  Outcome matched = match(interfaceOf(changed), entries, schedules);
  if (matched.kind == Outcome::Kind::Wrong)
    return matched;
  Outcome outcome = execute(changed, entries, schedules);
  if (outcome.kind != Outcome::Kind::Equal)
    return outcome;
  outcome.kind = matched.kind;
  for (size_t i = 0; i < expected_.hashes.size(); ++i)
    if (outcome.hashes[i] != expected_.hashes[i] && outcome.hashes[i] != 0) {
      outcome.kind = Outcome::Kind::Wrong;
      outcome.message = where(i) + " differs";
      break;
    }
  return outcome;
}

} // namespace ttrt::fuzz
