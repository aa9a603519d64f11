// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Observe/Profiler.h"

#include "Base/Format.h"
#include "Bundle/Bundle.h"
#include "Observe/ProgramZones.h"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ttrt {

using namespace profile;

static constexpr uint32_t kDefaultPrograms = 1000;
static constexpr uint32_t kMaxPrograms = 1 << 20;
/// What the host's ring has room for: for each command of a core, and at least.
static constexpr uint32_t kHostMarkers = 4, kLeastHostMarkers = 1 << 14;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

static uint32_t threadNumber() noexcept {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pthread_self()) >> 6);
}

void HostRing::write(HostMarkerKind kind, uint32_t zone, uint32_t device) noexcept {
  uint64_t at = claimed.load(std::memory_order_relaxed);
  do {
    if (at - taken.load(std::memory_order_acquire) >= capacity) {
      dropped.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  } while (!claimed.compare_exchange_weak(at, at + 1, std::memory_order_relaxed));
  Slot &slot = slots[at & (capacity - 1)];
  slot.marker = {nowNs(), threadNumber(), zone, device, kind, {}};
  slot.turn.store(at + 1, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// The log
//===----------------------------------------------------------------------===//

/// Makes a folder and those that it is in, as mkdir -p.
static void makeFolders(const std::string &path) {
  for (size_t end = 1; end <= path.size(); ++end)
    if (end == path.size() || path[end] == '/')
      if (mkdir(path.substr(0, end).c_str(), 0777) != 0 && errno != EEXIST)
        fail(TTRT_IO_ERROR, "cannot make the folder {}: {}", path.substr(0, end), strerror(errno));
}

void Profiler::openLog(const char *folder) {
  makeFolders(folder);
  const time_t now = time(nullptr);
  tm local;
  char stamp[32] = "";
  if (localtime_r(&now, &local))
    strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
  const std::string base = formatText("{}/{}", folder, static_cast<const char *>(stamp));
  folder_ = base;
  for (uint32_t attempt = 1; mkdir(folder_.c_str(), 0777) != 0; ++attempt) {
    if (errno != EEXIST || attempt == 10000)
      fail(TTRT_IO_ERROR, "cannot make the folder {}: {}", folder_, strerror(errno));
    folder_ = formatText("{}-{}", base, attempt);
  }
  const std::string path = formatText("{}/{}", folder_, kLogName);
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) {
    const int error = errno;
    rmdir(folder_.c_str());
    fail(TTRT_IO_ERROR, "cannot make {}: {}", path, strerror(error));
  }
}

/// Leaves nothing of a log that could not begin.
void Profiler::discardLog() {
  close(file_);
  unlink(formatText("{}/{}", folder_, kLogName).c_str());
  rmdir(folder_.c_str());
}

void Profiler::writeLog(const void *data, size_t bytes) {
  const auto *position = static_cast<const char *>(data);
  while (bytes && !error_) {
    const ssize_t written = write(file_, position, bytes);
    if (written < 0 && errno != EINTR)
      error_ = errno;
    if (written > 0) {
      position += written;
      bytes -= static_cast<size_t>(written);
    }
  }
}

void Profiler::append(RecordKind kind,
                      std::initializer_list<std::pair<const void *, size_t>> parts) {
  size_t bytes = 0;
  for (const auto &[data, size] : parts)
    bytes += size;
  const uint64_t zeros = 0;
  const size_t padding = alignUp(bytes, 8) - bytes;
  const RecordHeader header{kind, static_cast<uint32_t>(bytes + padding)};
  writeLog(&header, sizeof(header));
  for (const auto &[data, size] : parts)
    writeLog(data, size);
  writeLog(&zeros, padding);
}

void Profiler::requireWritten() {
  if (error_)
    fail(TTRT_IO_ERROR, "cannot write {}/{}: {}", folder_, kLogName, strerror(error_));
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

/// The time stamp counter, if it counts at one speed on all CPUs, sleeping or not.
static ClockKind findDeviceClock() {
#if defined(__x86_64__)
  uint32_t a, b, c, d;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8)))
    return ClockKind::Tsc;
#endif
  return ClockKind::Host;
}

/// The host's time of a sample is the mean of one before and one after; of several tries, the one
/// with the least between them counts, which no interrupt has hit.
void Profiler::sampleClocks() {
  constexpr uint64_t kInterval = 20000; // ns
  ClockSample samples[kClockSamples];
  uint64_t next = nowNs();
  for (ClockSample &sample : samples) {
    uint64_t least = UINT64_MAX;
    for (int attempt = 0; attempt < 3; ++attempt) {
      const uint64_t before = nowNs();
      const uint64_t device = deviceTime(clock_);
      const uint64_t after = nowNs();
      if (after - before < least) {
        least = after - before;
        sample = {device, before + (after - before) / 2};
      }
    }
    next += kInterval;
    while (nowNs() < next)
      ;
  }
  append(RecordKind::Clock, {{samples, sizeof(samples)}});
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

static uint32_t choosePrograms(const ttrt_profiler_options &options) {
  if (options.programs > kMaxPrograms)
    fail(TTRT_INVALID_ARGUMENT, "expected at most {} programs, found {}", kMaxPrograms,
         options.programs);
  return options.programs ? options.programs : kDefaultPrograms;
}

Profiler::Profiler(const char *folder, const ttrt_profiler_options &options,
                   const CounterSource &source)
    : programs_(choosePrograms(options)), clock_(findDeviceClock()),
      host_(std::bit_ceil(programs_ * kHostMarkers | (kLeastHostMarkers - 1))) {
  if (options.counters && *options.counters)
    counters_.emplace(options.counters, source);
  openLog(folder);
  try {
    begin();
    requireWritten();
    if (options.read_interval)
      thread_ =
          std::thread([this, interval = options.read_interval] { readInBackground(interval); });
  } catch (const std::system_error &error) {
    discardLog();
    fail(TTRT_OUT_OF_MEMORY, "cannot start a thread: {}", error.what());
  } catch (...) {
    discardLog();
    throw;
  }
}

void Profiler::begin() {
  timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  StartRecord start{};
  memcpy(start.magic, kLogMagic, sizeof(kLogMagic));
  start.version = kLogVersion;
  start.deviceClock = clock_;
  start.pid = static_cast<uint64_t>(getpid());
  start.wallNs =
      static_cast<uint64_t>(wall.tv_sec) * 1000000000u + static_cast<uint64_t>(wall.tv_nsec);
  start.hostNs = nowNs();
  start.programs = programs_;
  strncpy(start.process, program_invocation_short_name, sizeof(start.process) - 1);
  append(RecordKind::Start, {{&start, sizeof(start)}});
  if (counters_)
    nameCounters();
  sampleClocks();
}

void Profiler::nameCounters() {
  int32_t paranoid = -100;
  const int file = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
  char text[16] = "";
  if (::read(file, text, sizeof(text) - 1) > 0) // strtoul() takes signs
    paranoid = static_cast<int32_t>(strtoul(text, nullptr, 10));
  close(file);
  for (uint32_t i = 0; i < counters_->size(); ++i) {
    const CounterSet::Counter &counter = (*counters_)[i];
    const CounterRecord record{i, counter.problem, counter.type, paranoid, counter.config};
    append(RecordKind::Counter,
           {{&record, sizeof(record)}, {counter.name, strlen(counter.name) + 1}});
  }
}

Profiler::~Profiler() {
  if (process_.isChild()) { // the log is the parent's
    abandon(std::move(thread_));
    close(file_);
    return;
  }
  if (thread_.joinable()) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  readLocked();
  sampleClocks();
  append(RecordKind::End, {});
  if (close(file_) != 0 && !error_)
    error_ = errno;
  if (error_)
    fprintf(stderr, "ttrt: profiler: cannot write %s/%s: %s\n", folder_.c_str(), kLogName,
            strerror(error_));
}

void Profiler::readInBackground(uint32_t interval) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(interval), [this] { return stop_; }))
    readLocked(); // an error shows at the next call that reads, or at the end
}

[[gnu::noinline]] static uint32_t numberIn(const char *variable) {
  uint64_t number = 0;
  if (const char *value = secure_getenv(variable))
    for (const char *digit = value; *digit; ++digit) {
      number = number * 10 + static_cast<unsigned char>(*digit - '0');
      if (static_cast<unsigned char>(*digit - '0') > 9 || number > UINT32_MAX)
        fail(TTRT_INVALID_ARGUMENT, "{}: expected a number, found '{}'", variable, value);
    }
  return static_cast<uint32_t>(number);
}

std::unique_ptr<Profiler> Profiler::fromEnvironment() {
  const char *folder = secure_getenv("TTRT_PROFILE");
  if (!folder || !*folder)
    return nullptr;
  const char *problem = "out of memory";
  Error caught;
  try {
    ttrt_profiler_options options = TTRT_PROFILER_OPTIONS_INIT;
    options.programs = numberIn("TTRT_PROFILE_PROGRAMS");
    options.read_interval = numberIn("TTRT_PROFILE_INTERVAL");
    options.counters = secure_getenv("TTRT_PROFILE_COUNTERS");
    return std::make_unique<Profiler>(folder, options);
  } catch (const Error &error) {
    caught = error;
    problem = caught.message.c_str();
  } catch (const std::bad_alloc &) {
    // The problem has its text already.
  }
  fprintf(stderr, "ttrt: TTRT_PROFILE: %s; this device is not recorded\n", problem);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

uint32_t Profiler::addDevice(DeviceInfo info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto number = static_cast<uint32_t>(devices_.size());
  FileHeader header;
  memcpy(&header, info.bundle.file().data(), sizeof(header));
  const DeviceRecord record{number,          info.cores,       info.queues,
                            info.meshDevice, info.queue1Cores, header.metadataHash};
  // Readers are elsewhere: a path that works from everywhere.
  std::string path = info.bundle.file().path();
  if (char *absolute = realpath(path.c_str(), nullptr)) {
    path = absolute;
    free(absolute);
  }
  devices_.push_back(std::move(info));
  append(RecordKind::Device, {{&record, sizeof(record)}, {path.c_str(), path.size() + 1}});
  return number;
}

MarkerRing &Profiler::addRing(uint32_t device, uint32_t queue, uint32_t core) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Markers of programs must not take the room of the commands after them.
  uint32_t perCommand = kGuaranteedMarkers;
  const auto *programs = devices_[device].bundle.metadata().programs();
  for (uint32_t i = 0; i < count(programs); ++i)
    if (programs->Get(i)->markers())
      perCommand = 2 + kProgramMarkers;
  if (counters_)
    perCommand += CounterGroup::markersOf(*counters_);
  const uint32_t capacity = std::bit_ceil(programs_ * perCommand + 64);
  rings_.push_back({std::make_unique<MarkerRing>(capacity, clock_),
                    counters_ ? std::make_unique<CounterGroup>(*counters_) : nullptr, device, queue,
                    core});
  rings_.back().markers->counters = rings_.back().counters.get();
  const RingRecord record{static_cast<uint32_t>(rings_.size() - 1), device, queue, core};
  append(RecordKind::Ring, {{&record, sizeof(record)}});
  return *rings_.back().markers;
}

void Profiler::removeDevice(uint32_t device) noexcept {
  if (process_.isChild())
    return;
  const std::lock_guard<std::mutex> lock(mutex_);
  readLocked();
  for (Ring &ring : rings_)
    if (ring.device == device) {
      ring.markers.reset();
      ring.counters.reset();
    }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

void Profiler::read() {
  if (process_.isChild())
    fail(TTRT_UNSUPPORTED, "the profiler belongs to the process that opened it, and this is a "
                           "forked child of that process");
  const std::lock_guard<std::mutex> lock(mutex_);
  readLocked();
  requireWritten();
}

void Profiler::readLocked() {
  for (uint32_t i = 0; i < rings_.size(); ++i)
    if (rings_[i].markers)
      readRing(i);
  constexpr size_t kBatch = 128;
  HostMarker batch[kBatch];
  size_t filled = 0;
  auto flush = [&] {
    if (filled)
      append(RecordKind::HostMarkers, {{batch, filled * sizeof(HostMarker)}});
    filled = 0;
  };
  host_.read([&](const HostMarker &marker) {
    batch[filled++] = marker;
    if (filled == kBatch)
      flush();
  });
  flush();
  if (const uint64_t missing = host_.takeDrops()) {
    const DroppedRecord record{kNone, kNone, kNone, Dropper::Ring, missing};
    append(RecordKind::Dropped, {{&record, sizeof(record)}});
    dropped_.fetch_add(missing, std::memory_order_relaxed);
    reportFull("host", missing, "");
  }
}

void Profiler::readRing(uint32_t number) {
  Ring &ring = rings_[number];
  ring.markers->read([&](const Marker *markers, uint64_t count) {
    const MarkersRecord record{number, static_cast<uint32_t>(count)};
    append(RecordKind::CoreMarkers, {{&record, sizeof(record)}, {markers, count * sizeof(Marker)}});
  });
  for (Dropper by : {Dropper::Ring, Dropper::Program})
    if (const Drops drops = ring.markers->takeDrops(by); drops.count)
      report(number, drops, by);
}

void Profiler::report(uint32_t number, const Drops &drops, Dropper by) {
  const Ring &ring = rings_[number];
  const DroppedRecord record{number, drops.step, drops.command, by, drops.count};
  append(RecordKind::Dropped, {{&record, sizeof(record)}});
  dropped_.fetch_add(drops.count, std::memory_order_relaxed);
  const DeviceInfo &device = devices_[ring.device];
  char where[128] = "";
  if (drops.step < device.steps.size())
    formatTo(where, ", the first at '{}'", device.steps[drops.step]);
  if (drops.step < device.steps.size() && drops.command != kNone)
    formatTo(where, ", the first at command {} of '{}'", drops.command, device.steps[drops.step]);
  char of[64];
  formatTo(of, "device {}, queue {}, core {}", ring.device, ring.queue, ring.core);
  if (by == Dropper::Ring)
    return reportFull(of, drops.count, where);
  fprintf(stderr,
          "ttrt: profiler: %s: %llu markers of programs were dropped%s: a program has room for %u "
          "in a command on a core: record fewer, or use accumulating zones\n",
          of, static_cast<unsigned long long>(drops.count), where, kOptionalMarkers);
}

void Profiler::reportFull(const char *of, uint64_t missing, const char *where) {
  fprintf(
      stderr,
      "ttrt: profiler: %s: the ring was full and %llu markers were dropped%s: read it more "
      "often (ttrt_profiler_read(), --profile-mid-run, TTRT_PROFILE_INTERVAL), or make room for "
      "more than %u commands (--profile-programs, TTRT_PROFILE_PROGRAMS)\n",
      of, static_cast<unsigned long long>(missing), where, programs_);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

uint32_t Profiler::zone(const ttrt_zone_source &source) {
  const std::string name = source.name, file = source.file ? source.file : "";
  const std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; i < zones_.size(); ++i)
    if (const Zone &zone = zones_[i]; zone.name == name && zone.file == file &&
                                      zone.line == source.line && zone.color == source.color)
      return kFirstZone + static_cast<uint32_t>(i);
  const ZoneRecord record{kFirstZone + static_cast<uint32_t>(zones_.size()), source.line,
                          source.color, 0};
  zones_.push_back({name, file, source.line, source.color});
  if (!process_.isChild())
    append(RecordKind::Zone, {{&record, sizeof(record)},
                              {name.c_str(), name.size() + 1},
                              {file.c_str(), file.size() + 1}});
  return record.zone;
}

void Profiler::text(TextKind kind, const char *first, const char *second, uint32_t color) noexcept {
  if (process_.isChild())
    return;
  const TextRecord record{nowNs(), kind, threadNumber(), color, 0};
  constexpr size_t kMost = 1 << 16;
  const size_t lengths[] = {strnlen(first, kMost), strnlen(second, kMost)};
  const std::lock_guard<std::mutex> lock(mutex_);
  append(RecordKind::Text,
         {{&record, sizeof(record)}, {first, lengths[0]}, {"", 1}, {second, lengths[1]}, {"", 1}});
}

} // namespace ttrt
