// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Monitor/MonitorScan.h"

#include "Observe/MonitorFolder.h"
#include "ttrt/format/monitor.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ttrun {

using namespace ttrt;

double WatchedMemory::percent() const {
  if (!total)
    return 0;
  return std::min(100.0, 100.0 * static_cast<double>(used) / static_cast<double>(total));
}

static uint64_t monotonicNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

/// Reads an entry instead of mapping it: truncating the file then causes a short read, not a
/// signal.
static bool readRecord(int folder, const char *name, MonitorRecord &record) {
  const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return false;
  struct stat status;
  const bool whole = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                     status.st_uid == geteuid() && status.st_size == sizeof(record) &&
                     pread(file, static_cast<void *>(&record), sizeof(record), 0) == sizeof(record);
  close(file);
  return whole && memcmp(record.magic, kMonitorMagic, sizeof(kMonitorMagic)) == 0 &&
         record.version == kMonitorVersion && record.size == sizeof(record);
}

/// Whether the file's name, <pid>.<start>.<number>.monitor, agrees with the record.
static bool isNamed(const std::string &name, const MonitorRecord &record) {
  return name == std::to_string(record.pid) + "." + std::to_string(record.processStart) + "." +
                     std::to_string(record.number) + kMonitorSuffix;
}

static std::string textOf(const char *field, size_t size) { return {field, strnlen(field, size)}; }

static WatchedDevice deviceOf(const std::string &name, const MonitorRecord &record) {
  auto load = [](const std::atomic<uint64_t> &value) {
    return value.load(std::memory_order_relaxed);
  };
  WatchedDevice device;
  device.memories[0] = {"DRAM", "dram", record.dram.total, load(record.dram.used), false};
  device.memories[1] = {"L1", "l1", record.l1.total, load(record.l1.used), false};
  device.memories[2] = {"TRACE", "trace", record.trace.total, load(record.trace.used), true};
  device.file = name;
  device.pid = record.pid;
  device.number = record.number;
  device.process = textOf(record.process, sizeof(record.process));
  device.bundle = textOf(record.bundle, sizeof(record.bundle));
  device.cores = record.cores;
  device.queues = record.queues;
  for (const MonitorLane &lane : record.lanes) {
    const uint64_t begun = load(lane.begun), done = load(lane.done);
    device.iterations += done;
    device.busy |= begun != done;
  }
  return device;
}

std::vector<WatchedDevice> MonitorScan::scan() {
  std::vector<WatchedDevice> devices;
  const MonitorFolder folder(/*create=*/false);
  problem_ = folder.problem;
  path_ = folder.path;
  if (folder.descriptor < 0)
    return devices;
  const int copy = fcntl(folder.descriptor, F_DUPFD_CLOEXEC, 0);
  DIR *listing = copy < 0 ? nullptr : fdopendir(copy);
  if (!listing) {
    if (copy >= 0)
      close(copy);
    problem_ = "cannot list " + folder.path + ": " + strerror(errno);
    return devices;
  }
  std::vector<std::string> names;
  constexpr size_t kMostNames = 65536;
  while (const dirent *entry = names.size() < kMostNames ? readdir(listing) : nullptr)
    names.emplace_back(entry->d_name);
  closedir(listing);
  std::sort(names.begin(), names.end());

  std::map<std::string, Before> now;
  for (const std::string &name : names) {
    MonitorRecord record;
    if (!name.ends_with(kMonitorSuffix)) {
      // An unfinished entry: .<pid>.<attempt>
      if (name.size() > 1 && name[0] == '.' && isdigit(static_cast<unsigned char>(name[1])) &&
          !processStart(strtoull(name.c_str() + 1, nullptr, 10)))
        unlinkat(folder.descriptor, name.c_str(), 0);
      continue;
    }
    if (!readRecord(folder.descriptor, name.c_str(), record) || !isNamed(name, record))
      continue;
    if (processStart(record.pid) != record.processStart) {
      unlinkat(folder.descriptor, name.c_str(), 0);
      continue;
    }
    WatchedDevice device = deviceOf(name, record);
    const uint64_t time = monotonicNs();
    const auto before = before_.find(name);
    if (before != before_.end() && time > before->second.time &&
        device.iterations >= before->second.iterations)
      device.perSecond = 1e9 * static_cast<double>(device.iterations - before->second.iterations) /
                         static_cast<double>(time - before->second.time);
    now[name] = {device.iterations, time};
    devices.push_back(std::move(device));
  }
  before_ = std::move(now);
  std::sort(devices.begin(), devices.end(), [](const WatchedDevice &a, const WatchedDevice &b) {
    return a.pid != b.pid ? a.pid < b.pid : a.number < b.number;
  });
  return devices;
}

} // namespace ttrun
