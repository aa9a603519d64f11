// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Mesh/MeshDevices.h"

#include "Run/Mesh/Completions.h"
#include "Run/Mesh/Cpus.h"
#include "Run/Mesh/Rank.h"
#include "Run/Mesh/Worker.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>

namespace ttrun {

constexpr uint32_t kNoEntry = ~uint32_t(0);

/// A device of this process.
struct MeshDevices::Local {
  explicit Local(ttrt_transport *inner) : transport(inner) {}

  TimedTransport transport;
  std::unique_ptr<Worker> worker; ///< none if it is the only one here
  ttrt_device *device = nullptr;
  uint32_t entry = kNoEntry;                         ///< its part of the entry point
  std::vector<std::vector<uint8_t>> inputs, outputs; ///< its parts of all; empty: it has none
  // In the order of its own entry point.
  std::vector<ttrt_input> in;
  std::vector<ttrt_output> out;
  std::vector<uint32_t> outputNumbers; ///< in the whole
  ttrt_timing timing = TTRT_TIMING_INIT;
  std::exception_ptr problem;
};

static void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK)
    throw MeshError(error);
}

MeshDevices::MeshDevices(const ttrt_bundle *bundle, uint32_t entry,
                         const ttrt_device_options &options, bool bind)
    : bundle_(bundle), entry_(entry), devices_(ttrt_mesh_devices(bundle)) {
  ttrt_error error;
  ttrt_entry info = TTRT_ENTRY_INIT;
  check(ttrt_mesh_entry(bundle, entry, &info, &error), error);
  auto describe = [&](uint32_t number, auto query, std::vector<ttrt_mesh_port> &ports) {
    for (uint32_t i = 0; i < number; ++i) {
      ports.push_back(TTRT_MESH_PORT_INIT);
      check(query(bundle, entry, i, &ports.back(), &error), error);
    }
  };
  describe(info.inputs, ttrt_mesh_input, inputs_);
  describe(info.outputs, ttrt_mesh_output, outputs_);

  if (ttrt_transport *rank = rankTransport()) {
    devices_ = rank->devices;
    local_.push_back(std::make_unique<Local>(rank));
  } else {
    own_.resize(devices_);
    check(ttrt_transport_open_threads(devices_, own_.data(), &error), error);
    for (ttrt_transport *transport : own_) {
      local_.push_back(std::make_unique<Local>(transport));
      local_.back()->worker = std::make_unique<Worker>();
    }
  }
  const uint32_t here = own_.empty() ? ranksHere() : devices_;
  try {
    onEach([&](Local &local) {
      const uint32_t number = local.transport.inner()->device;
      if (ttrt_mesh_part(bundle, entry_, number, &local.entry, nullptr) != TTRT_OK)
        local.entry = kNoEntry;
      auto give = [&](const std::vector<ttrt_mesh_port> &ports, auto query, auto &buffers,
                      auto &own, std::vector<uint32_t> &numbers) {
        buffers.resize(ports.size());
        for (uint32_t i = 0, at; i < ports.size(); ++i) {
          if (query(bundle, entry_, i, number, &at, nullptr) != TTRT_OK)
            continue;
          buffers[i].resize(ports[i].part_bytes);
          own.resize(std::max<size_t>(own.size(), at + 1));
          numbers.resize(own.size());
          own[at] = {buffers[i].data(), buffers[i].size()};
          numbers[at] = i;
        }
      };
      std::vector<uint32_t> inputNumbers;
      give(inputs_, ttrt_mesh_part_input, local.inputs, local.in, inputNumbers);
      give(outputs_, ttrt_mesh_part_output, local.outputs, local.out, local.outputNumbers);
      ttrt_device_options own = options;
      own.transport = local.transport.interface();
      if (local.worker && bind)
        bindToPart(own.transport->device, here);
      if (!own.cores) // a thread or rank that is bound already sees only its own CPUs
        own.cores = bind ? availableCpus() : cpusPerDevice(here);
      ttrt_error problem;
      check(ttrt_device_open(bundle, &own, &local.device, &problem), problem);
    });
  } catch (...) {
    for (auto &local : local_)
      ttrt_device_close(local->device);
    local_.clear();
    for (ttrt_transport *transport : own_)
      ttrt_transport_close(transport);
    throw;
  }
}

MeshDevices::~MeshDevices() {
  for (auto &local : local_)
    ttrt_device_close(local->device);
  local_.clear();
  for (ttrt_transport *transport : own_)
    ttrt_transport_close(transport);
}

ttrt_device *MeshDevices::device() const { return local_.front()->device; }
uint32_t MeshDevices::numberOf(size_t local) const {
  return local_[local]->transport.inner()->device;
}
const ttrt_timing &MeshDevices::timing(size_t local) const { return local_[local]->timing; }
TimedTransport &MeshDevices::transport(size_t local) { return local_[local]->transport; }

/// Calls work() for all local devices, each on its thread, and throws what the first one throws. A
/// device that fails makes the others fail, so none waits for it.
void MeshDevices::onEach(const std::function<void(Local &)> &work) {
  auto guarded = [&work](Local &local) {
    local.problem = nullptr;
    try {
      work(local);
    } catch (const std::exception &error) {
      local.problem = std::current_exception();
      local.transport.interface()->fail(local.transport.interface(), error.what());
    }
  };
  for (auto &local : local_)
    if (local->worker)
      local->worker->start([&, target = local.get()] { guarded(*target); });
    else
      guarded(*local);
  for (auto &local : local_)
    if (local->worker)
      local->worker->wait();
  for (auto &local : local_)
    if (local->problem)
      std::rethrow_exception(local->problem);
}

size_t MeshDevices::indexOf(const Local &local) const {
  return static_cast<size_t>(
      std::find_if(local_.begin(), local_.end(), [&](auto &at) { return at.get() == &local; }) -
      local_.begin());
}

void MeshDevices::onEachDevice(const std::function<void(size_t, ttrt_device *)> &work) {
  onEach([&](Local &local) { work(indexOf(local), local.device); });
}

void MeshDevices::scatter(const std::vector<ttrt_input> &inputs) {
  ttrt_error error;
  for (auto &local : local_)
    for (uint32_t i = 0; i < inputs_.size(); ++i)
      if (!local->inputs[i].empty())
        check(ttrt_mesh_scatter(bundle_, entry_, i, local->transport.inner()->device,
                                inputs[i].data, local->inputs[i].data(), &error),
              error);
}

bool MeshDevices::isEverywhere(uint32_t output) const {
  uint32_t number;
  for (uint32_t device = 0; device < devices_; ++device)
    if (ttrt_mesh_part_output(bundle_, entry_, output, device, &number, nullptr) != TTRT_OK)
      return false;
  return true;
}

void MeshDevices::collect(const std::vector<ttrt_output> &outputs) {
  ttrt_error error;
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    const size_t bytes = outputs_[i].part_bytes;
    if (outputs_[i].parts == 1 && isEverywhere(i)) {
      memcpy(outputs[i].data, local_.front()->outputs[i].data(), bytes);
      continue;
    }
    const std::vector<uint8_t> none(bytes);
    const std::vector<uint8_t> all = gather(
        [&](size_t local) {
          const std::vector<uint8_t> &mine = local_[local]->outputs[i];
          return mine.empty() ? none.data() : mine.data();
        },
        bytes);
    for (uint32_t device = 0; device < devices_; ++device)
      check(ttrt_mesh_gather(bundle_, entry_, i, device, &all[device * bytes], outputs[i].data,
                             &error),
            error);
  }
}

std::vector<uint8_t> MeshDevices::gather(const std::function<const void *(size_t)> &dataOf,
                                         size_t bytes) {
  std::vector<uint8_t> all(bytes * devices_);
  if (!own_.empty()) {
    for (size_t local = 0; local < local_.size(); ++local)
      memcpy(all.data() + local * bytes, dataOf(local), bytes);
    return all;
  }
  ttrt_transport *transport = local_.front()->transport.inner();
  if (transport->gather(transport, dataOf(0), bytes, all.data()) != 0) {
    ttrt_error error = {TTRT_FAILED, {}};
    const char *why = transport->failure(transport);
    strncpy(error.message, why ? why : "the mesh has failed", sizeof error.message - 1);
    throw MeshError(error);
  }
  return all;
}

void MeshDevices::run(const ttrt_run_options &options, const std::vector<ttrt_input> &inputs,
                      const std::vector<ttrt_output> &outputs) {
  run(
      [&](size_t local) {
        ttrt_run_options own = options;
        if (local > 0)
          own.on_command = nullptr;
        return own;
      },
      inputs, outputs);
  if (!options.timing)
    return;
  for (const auto &local : local_)
    options.timing->device = std::max(options.timing->device, local->timing.device);
}

void MeshDevices::run(const std::function<ttrt_run_options(size_t)> &optionsOf,
                      const std::vector<ttrt_input> &inputs,
                      const std::vector<ttrt_output> &outputs) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  scatter(inputs);
  onEach([&](Local &local) {
    ttrt_run_options own = optionsOf(indexOf(local));
    own.timing = &local.timing;
    local.timing = TTRT_TIMING_INIT;
    ttrt_error error;
    if (local.entry != kNoEntry)
      check(ttrt_run(local.device, local.entry, local.in.data(), local.out.data(), &own, &error),
            error);
  });
  collect(outputs);
  if (ttrt_timing *timing = optionsOf(0).timing) {
    *timing = local_.front()->timing;
    timing->total = static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - begin).count());
  }
}

namespace {
/// What a device reports of a pipeline that it has run, for gather(): when its inferences were
/// complete follows.
struct PipelineFacts {
  char schedule[64] = {}; ///< "": it has no outputs
};
} // namespace

MeshPipeline MeshDevices::runPipelined(const ttrt_pipeline_options &options, uint64_t loops,
                                       const std::vector<ttrt_input> &inputs,
                                       const std::vector<ttrt_output> &outputs, bool keepTimes) {
  constexpr uint64_t kAhead = 16; // what a pipeline holds by default
  using Pipeline = std::unique_ptr<ttrt_pipeline, void (*)(ttrt_pipeline *)>;
  scatter(inputs);
  const size_t times = keepTimes ? loops : 0;
  const size_t bytes = sizeof(PipelineFacts) + times * sizeof(uint64_t);
  std::vector<std::vector<uint8_t>> own(local_.size(), std::vector<uint8_t>(bytes));
  onEach([&](Local &local) {
    if (local.entry == kNoEntry)
      return;
    ttrt_error error;
    if (local.out.empty()) { // a stage whose results go to the next one: nothing is popped
      ttrt_run_options run = TTRT_RUN_OPTIONS_INIT;
      run.no_trace = options.no_trace;
      for (uint64_t loop = 0; loop < loops; ++loop)
        check(ttrt_run(local.device, local.entry, local.in.data(), nullptr, &run, &error), error);
      return;
    }
    ttrt_pipeline *opened = nullptr;
    ttrt_pipeline_options pipelineOptions = options;
    pipelineOptions.entry = local.entry;
    std::optional<Completions> completions;
    if (keepTimes)
      completions.emplace(pipelineOptions, local.out.size(), loops);
    check(ttrt_pipeline_open(local.device, &pipelineOptions, &opened, &error), error);
    Pipeline pipeline(opened, ttrt_pipeline_close);
    std::vector<uint8_t> &facts = own[indexOf(local)];
    strncpy(reinterpret_cast<char *>(facts.data()), ttrt_pipeline_schedule(opened),
            sizeof(PipelineFacts::schedule) - 1);
    std::vector<const void *> views(local.out.size());
    uint64_t next = 0;
    for (uint64_t loop = 0; loop < loops; ++loop) {
      for (; next < loops && next < loop + kAhead; ++next)
        check(ttrt_pipeline_enqueue(opened, local.in.data(), nullptr, TTRT_WAIT, &error), error);
      check(ttrt_pipeline_pop(opened, views.data(), TTRT_WAIT, &error), error);
      for (size_t i = 0; i < views.size(); ++i)
        memcpy(local.out[i].data, views[i], local.out[i].bytes);
    }
    pipeline.reset();
    if (keepTimes)
      memcpy(facts.data() + sizeof(PipelineFacts), completions->ends.data(),
             completions->ends.size() * sizeof(uint64_t));
  });
  collect(outputs);
  // Every rank reports the same device: the first one with outputs.
  const std::vector<uint8_t> all = gather([&](size_t local) { return own[local].data(); }, bytes);
  MeshPipeline result;
  for (uint32_t device = 0; device < devices_ && result.schedule.empty(); ++device) {
    const uint8_t *facts = &all[device * bytes];
    result.schedule = reinterpret_cast<const char *>(facts);
    if (result.schedule.empty())
      continue;
    result.ends.resize(times);
    if (keepTimes)
      memcpy(result.ends.data(), facts + sizeof(PipelineFacts), times * sizeof(uint64_t));
  }
  return result;
}

} // namespace ttrun
