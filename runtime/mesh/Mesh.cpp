// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All devices of a mesh in one process: a thread opens, runs and closes each.

#include "ttrt/mesh.h"
#include "CpuParts.h"
#include "Ports.h"
#include "Support.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <sched.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ttrt::mesh;

namespace {

/// The arguments of ttrt_mesh_run().
struct Run {
  uint32_t entry;
  const ttrt_input *inputs;
  const ttrt_output *outputs;
  ttrt_run_options options;
};

/// A device's part of a whole entry point.
struct Part {
  uint32_t entry = kNone;                ///< that it executes
  std::vector<uint32_t> inputs, outputs; ///< of the whole, in the order of its own
};

/// Binds this thread; if that fails, it is only slower.
void bindToPart(uint32_t index, uint32_t parts) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  const cpu_set_t mine = partOfCpus(allowed, index, parts);
  sched_setaffinity(0, sizeof(mine), &mine);
}

} // namespace

struct ttrt_mesh {
  ttrt_mesh(const ttrt_bundle *bundle, const ttrt_mesh_options &options);
  ~ttrt_mesh();

  void run(uint32_t entry, const ttrt_input *inputs, const ttrt_output *outputs,
           const ttrt_run_options &options);

  /// Whether this is a forked child of the process that has the threads.
  bool isChild() const { return process != getpid(); }

  const uint32_t devices;
  std::vector<ttrt_device *> opened;

private:
  enum class Job : uint32_t { Open, Run, Close };

  void work(uint32_t index, bool bind);
  bool perform(Job job, uint32_t index, ttrt_error &error);
  ttrt_status runOne(uint32_t index, ttrt_error &error);
  bool order(Job job);
  void closeTransports();
  [[noreturn]] void throwFirst() const;

  const pid_t process = getpid();
  const ttrt_bundle *const bundle;
  ttrt_device_options deviceOptions = TTRT_DEVICE_OPTIONS_INIT;
  std::vector<ttrt_transport *> transports; ///< empty without a mesh
  std::vector<ttrt_error> errors;
  std::vector<ttrt_timing> timings;
  // The arguments of the run, and of each device's part of it.
  std::vector<std::vector<DividedPort>> inputPorts, outputPorts; ///< by whole entry point
  std::vector<std::vector<Part>> parts;                          ///< the same, and by device
  std::vector<std::vector<ttrt_input>> inputParts;               ///< by device
  std::vector<std::vector<ttrt_output>> outputParts;
  Run current{};
  std::atomic<bool> busy{false};
  std::atomic<Job> job{Job::Open};
  std::atomic<uint32_t> ordered{0}, done{0};
  std::vector<std::thread> threads;
};

static ttrt_device_options copyDeviceOptions(const ttrt_device_options *theirs) {
  const ttrt_device_options options = readOptions(theirs, "ttrt_device_options");
  require(!options.transport, "expected no transport in the options of a mesh's devices");
  return options;
}

ttrt_mesh::ttrt_mesh(const ttrt_bundle *bundle, const ttrt_mesh_options &options)
    : devices(devicesOf(tablesOf(bundle))), opened(devices), bundle(bundle),
      deviceOptions(copyDeviceOptions(options.device)), errors(devices),
      timings(devices, ttrt_timing TTRT_TIMING_INIT), inputParts(devices), outputParts(devices) {
  ttrt_host host = TTRT_HOST_INIT;
  if (deviceOptions.cores == 0 && devices > 1 && ttrt_query_host(&host, nullptr) == TTRT_OK)
    deviceOptions.cores = std::max<uint32_t>(1, host.cores / devices);
  size_t mostInputs = 0, mostOutputs = 0;
  for (uint32_t i = 0; i < Whole::count(tablesOf(bundle)); ++i) {
    const Whole whole(tablesOf(bundle), i);
    auto ports = [&](bool isInput) {
      std::vector<DividedPort> result;
      for (uint32_t j = 0; j < whole.ports(isInput); ++j)
        result.emplace_back(bundle, i, j, isInput);
      return result;
    };
    inputPorts.push_back(ports(true));
    outputPorts.push_back(ports(false));
    mostInputs = std::max(mostInputs, inputPorts.back().size());
    mostOutputs = std::max(mostOutputs, outputPorts.back().size());
    parts.emplace_back(devices);
    for (uint32_t device = 0; device < devices; ++device) {
      Part &part = parts.back()[device];
      part.entry = whole.partOf(device);
      auto numbers = [&](const std::vector<DividedPort> &ports) {
        std::vector<uint32_t> result;
        for (uint32_t j = 0; j < ports.size(); ++j)
          if (const uint32_t number = ports[j].numberOn(device); number != kNone) {
            result.resize(std::max<size_t>(result.size(), number + 1));
            result[number] = j;
          }
        return result;
      };
      part.inputs = numbers(inputPorts.back());
      part.outputs = numbers(outputPorts.back());
    }
  }
  for (uint32_t i = 0; i < devices; ++i) {
    inputParts[i].resize(mostInputs + 1);
    outputParts[i].resize(mostOutputs + 1);
  }
  if (devices > 1 || tablesOf(bundle).mesh()) {
    transports.resize(devices);
    ttrt_error error;
    if (ttrt_transport_open_threads(devices, transports.data(), &error) != TTRT_OK)
      throw Error{error.status, error.message};
  }
  try {
    for (uint32_t i = 0; i < devices; ++i)
      threads.emplace_back([this, i, bind = options.bind != 0] { work(i, bind); });
  } catch (const std::system_error &error) {
    const auto started = static_cast<uint32_t>(threads.size());
    order(Job::Close); // of those that run
    for (std::thread &thread : threads)
      thread.join();
    closeTransports();
    fail(TTRT_OUT_OF_MEMORY, "cannot start %u threads, only %u: %s", devices, started,
         error.what());
  }
  if (!order(Job::Open)) {
    order(Job::Close);
    for (std::thread &thread : threads)
      thread.join();
    closeTransports();
    throwFirst();
  }
}

ttrt_mesh::~ttrt_mesh() {
  order(Job::Close);
  for (std::thread &thread : threads)
    thread.join();
  closeTransports();
}

void ttrt_mesh::closeTransports() {
  for (ttrt_transport *transport : transports)
    ttrt_transport_close(transport);
  transports.clear();
}

/// Has all threads do something; false if one has failed.
bool ttrt_mesh::order(Job what) {
  done.store(0, std::memory_order_relaxed);
  job.store(what, std::memory_order_relaxed);
  ordered.fetch_add(1, std::memory_order_release);
  ordered.notify_all();
  const auto all = static_cast<uint32_t>(threads.size());
  for (uint32_t count; (count = done.load(std::memory_order_acquire)) != all;)
    done.wait(count, std::memory_order_acquire);
  return std::all_of(errors.begin(), errors.end(),
                     [](const ttrt_error &error) { return error.status == TTRT_OK; });
}

void ttrt_mesh::work(uint32_t index, bool bind) {
  if (bind)
    bindToPart(index, devices);
  for (uint32_t orders = 0;; ++orders) {
    ordered.wait(orders, std::memory_order_acquire);
    const Job what = job.load(std::memory_order_relaxed);
    if (what != Job::Close) // which does not fail; the errors before it are still to be reported
      errors[index].status = TTRT_OK;
    if (!perform(what, index, errors[index]) && !transports.empty())
      transports[index]->fail(transports[index], errors[index].message);
    done.fetch_add(1, std::memory_order_release);
    done.notify_all();
    if (what == Job::Close)
      return;
  }
}

bool ttrt_mesh::perform(Job what, uint32_t index, ttrt_error &error) {
  if (what == Job::Run)
    return runOne(index, error) == TTRT_OK;
  if (what == Job::Close) {
    ttrt_device_close(opened[index]);
    return true;
  }
  ttrt_device_options options = deviceOptions;
  options.transport = transports.empty() ? nullptr : transports[index];
  return ttrt_device_open(bundle, &options, &opened[index], &error) == TTRT_OK;
}

/// The failure that is the cause of the others.
void ttrt_mesh::throwFirst() const {
  const ttrt_error *first = nullptr;
  for (const ttrt_error &error : errors)
    if (error.status != TTRT_OK && (!first || first->status == TTRT_FAILED) &&
        (!first || error.status != TTRT_FAILED))
      first = &error;
  throw Error{first->status, first->message};
}

/// Divided inputs are copied to the device's slots, and divided outputs from them: once, as for
/// those that are not divided.
ttrt_status ttrt_mesh::runOne(uint32_t index, ttrt_error &error) {
  const Part &part = parts[current.entry][index];
  timings[index] = TTRT_TIMING_INIT;
  if (part.entry == kNone)
    return TTRT_OK;
  const auto &inputs = inputPorts[current.entry];
  const auto &outputs = outputPorts[current.entry];
  ttrt_status status = TTRT_OK;
  for (uint32_t i = 0; i < part.inputs.size(); ++i) {
    const DividedPort &port = inputs[part.inputs[i]];
    const ttrt_input &given = current.inputs[part.inputs[i]];
    inputParts[index][i] = given;
    if (!given.data || port.whole().parts == 1)
      continue;
    void *slot;
    status = ttrt_device_input_slot(opened[index], part.entry, i, &slot, &error);
    if (status != TTRT_OK)
      return status;
    port.scatter(index, static_cast<const uint8_t *>(given.data), static_cast<uint8_t *>(slot));
    inputParts[index][i].data = nullptr;
  }
  for (uint32_t i = 0; i < part.outputs.size(); ++i) {
    const DividedPort &port = outputs[part.outputs[i]];
    outputParts[index][i] = current.outputs[part.outputs[i]];
    if (port.whole().parts > 1 || !port.isFirst(index))
      outputParts[index][i].data = nullptr;
  }
  ttrt_run_options options = current.options;
  options.timing = &timings[index];
  if (index != 0)
    options.on_command = nullptr;
  status = ttrt_run(opened[index], part.entry, inputParts[index].data(), outputParts[index].data(),
                    &options, &error);
  for (uint32_t i = 0; status == TTRT_OK && i < part.outputs.size(); ++i) {
    const DividedPort &port = outputs[part.outputs[i]];
    const ttrt_output &given = current.outputs[part.outputs[i]];
    if (!given.data || port.whole().parts == 1 || !port.isFirst(index))
      continue;
    const void *slot;
    status = ttrt_device_output_slot(opened[index], part.entry, i, &slot, &error);
    if (status == TTRT_OK)
      port.gather(index, static_cast<const uint8_t *>(slot), static_cast<uint8_t *>(given.data));
  }
  return status;
}

template <typename Transfer>
static void checkSizes(const std::vector<DividedPort> &ports, const Transfer *transfers,
                       const char *what) {
  if (!ports.empty() && !transfers)
    fail(TTRT_INVALID_ARGUMENT, "%ss is NULL; the entry point has %zu", what, ports.size());
  for (size_t i = 0; i < ports.size(); ++i)
    if (transfers[i].data && transfers[i].bytes != ports[i].whole().bytes)
      fail(TTRT_INVALID_ARGUMENT, "%s '%s' of the whole mesh has %zu bytes; expected %zu", what,
           ports[i].whole().name, transfers[i].bytes, ports[i].whole().bytes);
}

void ttrt_mesh::run(uint32_t entry, const ttrt_input *inputs, const ttrt_output *outputs,
                    const ttrt_run_options &options) {
  if (isChild())
    fail(TTRT_UNSUPPORTED, "the mesh belongs to the process that opened it, and this is a forked "
                           "child of that process");
  if (entry >= inputPorts.size())
    fail(TTRT_INVALID_ARGUMENT, "the bundle has no entry point %u", entry);
  checkSizes(inputPorts[entry], inputs, "input");
  checkSizes(outputPorts[entry], outputs, "output");
  if (busy.exchange(true, std::memory_order_acquire))
    fail(TTRT_BUSY, "another run of this mesh has not returned yet");
  current = {entry, inputs, outputs, options};
  const auto begin = std::chrono::steady_clock::now();
  const bool good = order(Job::Run);
  const std::chrono::nanoseconds total = std::chrono::steady_clock::now() - begin;
  busy.store(false, std::memory_order_release);
  if (!good)
    throwFirst();
  if (!options.timing)
    return;
  ttrt_timing timing = TTRT_TIMING_INIT;
  timing.total = static_cast<uint64_t>(total.count());
  for (const ttrt_timing &one : timings)
    timing.device = std::max(timing.device, one.device);
  writeResult(options.timing, timing, "ttrt_timing");
}

extern "C" {

ttrt_status ttrt_mesh_bind(uint32_t part, uint32_t parts, ttrt_error *error) {
  return guarded(error, [&] {
    if (part >= parts)
      fail(TTRT_INVALID_ARGUMENT, "part %u of %u; expected one below", part, parts);
    bindToPart(part, parts);
  });
}

ttrt_status ttrt_mesh_open(const ttrt_bundle *bundle, const ttrt_mesh_options *options,
                           ttrt_mesh **mesh, ttrt_error *error) {
  if (mesh)
    *mesh = nullptr;
  return guarded(error, [&] {
    require(bundle && mesh, "bundle or mesh is NULL");
    const auto chosen = readOptions(options, "ttrt_mesh_options");
    *mesh = new ttrt_mesh(bundle, chosen);
  });
}

void ttrt_mesh_close(ttrt_mesh *mesh) {
  if (mesh && !mesh->isChild()) // a child has none of the threads, and keeps the memory
    delete mesh;
}

ttrt_device *ttrt_mesh_device(ttrt_mesh *mesh, uint32_t device) {
  return mesh && device < mesh->devices ? mesh->opened[device] : nullptr;
}

ttrt_status ttrt_mesh_run(ttrt_mesh *mesh, uint32_t entry, const ttrt_input *inputs,
                          const ttrt_output *outputs, const ttrt_run_options *options,
                          ttrt_error *error) {
  return guarded(error, [&] {
    require(mesh != nullptr, "mesh is NULL");
    const auto chosen = readOptions(options, "ttrt_run_options");
    mesh->run(entry, inputs, outputs, chosen);
  });
}

} // extern "C"
