// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/Device.h"

#include "Base/Format.h"
#include "Base/ParallelHash.h"
#include "Bundle/MeshTables.h"
#include "Bundle/Verifier.h"
#include "Device/FloatingPoint.h"
#include "Device/SkippableTail.h"

#include <algorithm>
#include <cstring>

namespace ttrt {

namespace {

uint32_t chooseCores(uint32_t wanted) {
  if (wanted > Cores::kMaxCores)
    fail(TTRT_INVALID_ARGUMENT, "expected at most {} cores, found {}", Cores::kMaxCores, wanted);
  return wanted ? wanted : std::min<uint32_t>(usableCpus(), Cores::kMaxCores);
}

const std::shared_ptr<const Bundle> &checkFit(const std::shared_ptr<const Bundle> &bundle) {
  verifyFit(*bundle);
  return bundle;
}

} // namespace

/// The L1s of queue 1's cores follow those of the plan and of queue 0's cores, because each core
/// needs its own scratch.
static uint32_t firstL1OfMoreCores(const Bundle &bundle, const ttrt_device_options &options) {
  return std::max<uint32_t>(chooseCores(options.cores), bundle.addresses().cores);
}

static uint32_t coresOfQueue1(const ttrt_device_options &options) {
  if (options.queue1_cores > Cores::kMaxCores)
    fail(TTRT_INVALID_ARGUMENT, "expected at most {} cores for queue 1, found {}", Cores::kMaxCores,
         options.queue1_cores);
  return options.queues < 2 ? 0 : std::max<uint32_t>(options.queue1_cores, 1);
}

static uint32_t l1Count(const Bundle &bundle, const ttrt_device_options &options) {
  return firstL1OfMoreCores(bundle, options) + coresOfQueue1(options);
}

static uint32_t chooseQueues(const ttrt_device_options &options) {
  if (options.queues > kMaxQueues)
    fail(TTRT_INVALID_ARGUMENT, "expected at most {} queues, found {}", kMaxQueues, options.queues);
  return options.queues;
}

static uint32_t chooseEvents(const Bundle &bundle, const ttrt_device_options &options) {
  constexpr uint32_t kMaxEvents = 65536; // of the caller; keeps the sum below 2^32, too
  if (options.events > kMaxEvents)
    fail(TTRT_INVALID_ARGUMENT, "expected at most {} events, found {}", kMaxEvents, options.events);
  const uint32_t wanted = options.queues == 0 ? 0 : options.events ? options.events : 16;
  return count(bundle.metadata().events()) + wanted;
}

Device::Device(std::shared_ptr<const Bundle> bundle, const ttrt_device_options &options,
               bool &joined)
    : bundle_(checkFit(bundle)), mesh_(*bundle_, options, process_, joined),
      memory_(*bundle_, l1Count(*bundle_, options), options.huge_pages != 0, mesh_),
      residency_(*bundle_, memory_), watch_(*bundle_, options.check_outputs != 0), code_(*bundle_),
      queueCount_(chooseQueues(options)), eventCount_(chooseEvents(*bundle_, options)),
      events_(new Event[eventCount_]), taken_(new std::atomic<bool>[eventCount_]()),
      site_{process_,
            *bundle_,
            events_.get(),
            eventCount_,
            HostLink(options.link_bytes_per_second
                         ? options.link_bytes_per_second
                         : bundle_->metadata().target()->link_bytes_per_second()),
            stop_,
            options.checks != 0},
      waitLimitMs_(options.wait_limit_ms),
      cores_(*bundle_, memory_, code_, process_, stop_, chooseCores(options.cores), 0,
             options.pin != 0, options.flush_denormals != 0) {
  entries_.reserve(bundle_->metadata().entries()->size());
  const HostFunctionTable functions(*bundle_, options.host_functions);
  for (const fb::EntryPoint *entry : *bundle_->metadata().entries())
    entries_.push_back(resolveEntry(*bundle_, memory_, code_, functions, *entry));
  for (uint32_t i = 0; i < count(bundle_->metadata().traces()); ++i)
    executes_.push_back(resolveExecute(*bundle_, memory_, i));
  resolveParts();
  if (queueCount_ > 0)
    resolveSkippableTails();
  if (queueCount_ > 1)
    moreCores_ = std::make_unique<Cores>(
        *bundle_, memory_, code_, process_, stop_, coresOfQueue1(options),
        firstL1OfMoreCores(*bundle_, options), options.pin != 0, cores_.flushes());
  monitor_ = MonitorFile::make(*bundle_, cores(), queueCount_);
  if (monitor_)
    site_.lanes = monitor_->lanes();
  for (uint32_t i = 0; i < queueCount_; ++i)
    queues_[i] = std::make_unique<Queue>(site_, i, i ? *moreCores_ : cores_, ringCapacity());
  if (queueCount_ > 1) {
    queues_[0]->setPeer(*queues_[1]);
    queues_[1]->setPeer(*queues_[0]);
  }
  record(options.profiler);
  mesh_.bind(memory_.base(), waitLimitMs_);
  cores_.first().transport = mesh_.transport();
  if (moreCores_)
    moreCores_->first().transport = mesh_.transport();
}

/// Tells the entry points of other devices.
void Device::resolveParts() {
  const auto &tables = *bundle_->metadata().entries();
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    entries_[i].isHere = isExecutedBy(*tables.Get(i), mesh_.device());
    if (!entries_[i].isHere)
      foreign_.assign(executes_.size(), 1);
  }
  for (uint32_t i = 0; i < entries_.size() && !foreign_.empty(); ++i)
    for (const ResolvedSchedule &schedule : entries_[i].schedules)
      for (const auto *part : {&schedule.prologue, &schedule.body, &schedule.epilogue})
        for (const ResolvedStep &step : *part)
          if (step.kind == fb::StepKind::Execute && entries_[i].isHere)
            foreign_[step.index] = 0;
}

/// Numbers the steps as profile_log.h says, and gives every core a ring.
void Device::record(ttrt_profiler *profiler) {
  if (!profiler)
    recording_.own = Profiler::fromEnvironment();
  Profiler *chosen = profiler ? profiler->profiler.get() : recording_.own.get();
  if (!chosen)
    return;
  std::vector<const char *> names;
  auto number = [&](std::vector<ResolvedStep> &steps) {
    for (ResolvedStep &step : steps) {
      step.number = static_cast<uint32_t>(names.size());
      names.push_back(step.name);
    }
  };
  for (ResolvedEntry &entry : entries_) {
    for (ResolvedSchedule &schedule : entry.schedules)
      for (auto *part : {&schedule.prologue, &schedule.body, &schedule.epilogue})
        number(*part);
    number(entry.writes);
    number(entry.reads);
  }
  number(executes_);
  const uint32_t device =
      chosen->addDevice({*bundle_, cores(), queueCount_, moreCores_ ? moreCores_->count() : 0,
                         mesh_.device(), std::move(names)});
  recording_.device = device;
  recording_.profiler = chosen;
  for (uint32_t i = 0; i < cores_.count(); ++i)
    cores_.setMarkers(i, chosen->addRing(device, 0, i));
  for (uint32_t i = 0; moreCores_ && i < moreCores_->count(); ++i)
    moreCores_->setMarkers(i, chosen->addRing(device, 1, i));
}

/// A run can end in the middle of a body only if the body has several inferences.
void Device::resolveSkippableTails() {
  for (uint32_t i = 0; i < entries_.size(); ++i)
    for (uint32_t j = 0; j < entries_[i].schedules.size(); ++j) {
      uint32_t inferences = 0;
      for (const ResolvedStep &step : entries_[i].schedules[j].body)
        inferences += step.kind == fb::StepKind::Read && step.index == 0;
      if (inferences < 2)
        continue;
      entries_[i].schedules[j].skippableTails = findSkippableTails(*bundle_, bundle_->plan(), i, j);
    }
}

/// Both queues must be empty before either is destroyed, since one may wait for the other.
Device::~Device() {
  if (!process_.isChild())
    drain();
  mesh_.leave(); // while the memory is there
}

/// Room for at least 16 inferences.
uint32_t Device::ringCapacity() const {
  size_t longest = 1;
  for (const ResolvedEntry &entry : entries_)
    for (const ResolvedSchedule &schedule : entry.schedules) {
      size_t steps = 0;
      for (const ResolvedStep &step : schedule.body)
        steps += 1 + step.waits.size();
      longest = std::max(longest, steps);
    }
  constexpr size_t kMaxSteps = 1 << 24; // tickets are compared modulo 2^31
  if (longest > kMaxSteps)
    fail(TTRT_UNSUPPORTED, "expected at most {} commands in the body of a schedule, found {}",
         kMaxSteps, longest);
  uint32_t capacity = 1024;
  while (capacity < 16 * longest)
    capacity *= 2;
  return capacity;
}

uint32_t Device::callerEvents() const { return eventCount_ - count(bundle_->metadata().events()); }

Event *Device::takeEvent() noexcept {
  for (uint32_t i = count(bundle_->metadata().events()); i < eventCount_; ++i)
    if (!taken_[i].exchange(true, std::memory_order_acquire)) {
      events_[i].reset();
      return &events_[i];
    }
  return nullptr;
}

void Device::giveBack(Event &event) noexcept {
  taken_[&event - events_.get()].store(false, std::memory_order_release);
}

const ttrt_error *Device::failure() const noexcept {
  return site_.anyStopped.load(std::memory_order_acquire) ? &site_.failure.get() : nullptr;
}

void Device::drain() noexcept {
  for (uint32_t i = 0; i < queueCount_; ++i)
    queues_[i]->drain();
}

void Device::reset() noexcept {
  stop_.clear();
  mesh_.limit(waitLimitMs_, 0);
  site_.failure.clear();
  site_.anyStopped.store(false, std::memory_order_relaxed);
  for (uint32_t i = 0; i < eventCount_; ++i)
    events_[i].reset();
  for (uint32_t i = 0; i < queueCount_; ++i)
    queues_[i]->restart();
}

void Device::cancel() noexcept {
  stop_.cancel();
  site_.failure.set(stop_.status(), stop_.message());
  site_.anyStopped.store(true, std::memory_order_release);
  site_.fed.poke(); // threads of the host may wait for each other
  site_.freed.poke();
  mesh_.fail(stop_.message());
}

void Device::setDeadline(uint64_t nanoseconds) noexcept {
  uint64_t when = 0;
  if (nanoseconds != UINT64_MAX && __builtin_add_overflow(nowNs(), nanoseconds, &when))
    when = 0; // in centuries
  mesh_.limit(waitLimitMs_, when);
  stop_.setDeadline(when);
}

/// Replaces replay: the host dispatches each command, or a loop as a whole, and waits for it, so
/// barriers and events have nothing left to do.
const char *Device::dispatchFromHost(const ResolvedStep &step,
                                     const ttrt_run_options &options) noexcept {
  const char *problem = nullptr;
  forEachOuterCommand(step.stream, [&](const CommandHeader &header, uint32_t command) {
    const OrderRole role = infoOf(header.opcode).role;
    if (role == OrderRole::Work || role == OrderRole::Repeat) {
      const uint64_t begin = options.on_command ? nowNs() : 0;
      if (const char *why = cores_.run(step, header, command)) [[unlikely]]
        problem = why;
      if (options.on_command)
        options.on_command(options.user, step.index, command, begin, nowNs());
    }
  });
  return problem;
}

void Device::setLoaded(uint32_t trace, bool loaded) {
  cores_.settle(); // a thread that is late still reads a stream
  if (moreCores_)
    moreCores_->settle();
  residency_.set(trace, loaded);
  if (monitor_)
    monitor_->setTraceBytes(residency_.use(TTRT_TRACE).used);
}

const char *Device::whyStopped() noexcept {
  return stop_.isMade(/*watches=*/true) ? mesh_.fail(stop_.message()) : nullptr;
}

const char *Device::replay(const ResolvedStep &step) noexcept {
  OwnFloatingPoint guard(cores_.flushes());
  MonitoredWork work(site_.lanes);
  const char *problem = cores_.execute(step, nullptr);
  if (!problem)
    problem = whyStopped();
  work.count();
  return problem;
}

const char *Device::run(const ResolvedEntry &entry, const ttrt_input *inputs,
                        const ttrt_output *outputs, const ttrt_run_options &options) noexcept {
  OwnFloatingPoint guard(cores_.flushes());
  MonitoredWork work(site_.lanes);
  const bool timed = options.timing != nullptr;
  const uint64_t begin = timed ? nowNs() : 0;
  uint64_t transfers = 0;
  for (const ResolvedStep *pointer : entry.steps) {
    const ResolvedStep &step = *pointer;
    if (const char *why = whyStopped()) [[unlikely]]
      return why;
    if (!step.isTransfer()) {
      const bool fromHost = options.no_trace && step.kind == fb::StepKind::Execute;
      if (const char *problem = fromHost ? dispatchFromHost(step, options)
                                         : cores_.execute(step, nullptr)) [[unlikely]]
        return mesh_.fail(problem);
      continue;
    }
    const MarkedStep marked(cores_.first().markers, step.number);
    const uint64_t start = timed ? nowNs() : 0;
    if (step.kind == fb::StepKind::Write && inputs[step.index].data)
      site_.link.move(step.dst, inputs[step.index].data, step.bytes);
    if (step.kind == fb::StepKind::Read && outputs[step.index].data)
      site_.link.move(outputs[step.index].data, step.src, step.bytes);
    transfers += timed ? nowNs() - start : 0;
  }
  if (timed) {
    options.timing->total = nowNs() - begin;
    options.timing->device = options.timing->total - transfers;
  }
  work.count();
  return whyStopped(); // the last command may have been skipped
}

} // namespace ttrt
