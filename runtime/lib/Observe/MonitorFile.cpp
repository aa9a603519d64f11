// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Observe/MonitorFile.h"

#include "Base/Format.h"
#include "Base/Sort.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ttrt {

namespace {
struct Range {
  uint64_t begin, end;
};
} // namespace

/// Addresses of a memory space that some buffer takes. Programs have their scratch at the bottom of
/// L1.
static uint64_t bytesTaken(const Bundle &bundle, fb::MemorySpace space) {
  const auto *buffers = bundle.metadata().buffers();
  const auto *programs = bundle.metadata().programs();
  const std::unique_ptr<Range[]> ranges(new Range[count(buffers) + 1]);
  size_t number = 1;
  ranges[0] = {0, 0};
  for (uint32_t i = 0; space == fb::MemorySpace::L1 && i < count(programs); ++i)
    ranges[0].end = std::max(ranges[0].end, programs->Get(i)->scratch_bytes());
  for (uint32_t i = 0; i < count(buffers); ++i)
    if (const fb::Buffer &buffer = *buffers->Get(i); buffer.space() == space)
      ranges[number++] = {buffer.offset(), buffer.offset() + buffer.size()};
  sortItems(ranges.get(), number, [](const Range &a, const Range &b) { return a.begin < b.begin; });
  uint64_t taken = 0, reached = 0;
  for (size_t i = 0; i < number; ++i) {
    taken += std::max(ranges[i].end, reached) - std::max(ranges[i].begin, reached);
    reached = std::max(reached, ranges[i].end);
  }
  return taken;
}

static void fill(const char *source, char *target, size_t size) {
  const size_t length = std::min(strlen(source), size - 1);
  memcpy(target, source, length);
  target[length] = 0;
}

std::unique_ptr<MonitorFile> MonitorFile::make(const Bundle &bundle, uint32_t cores,
                                               uint32_t queues) {
  const char *wanted = secure_getenv("TTRT_MONITOR");
  if (!wanted || !*wanted || (*wanted == '0' && !wanted[1]))
    return nullptr;
  const char *problem = "expected 0 or 1";
  std::string text;
  if (*wanted == '1' && !wanted[1])
    try {
      problem = "out of memory";
      std::unique_ptr<MonitorFile> made(new MonitorFile);
      text = made->open(bundle, cores, queues);
      if (text.empty())
        return made;
      problem = text.c_str();
    } catch (const std::bad_alloc &) {
      // The problem has its text already.
    }
  fprintf(stderr, "ttrt: TTRT_MONITOR=%s: %s; this device cannot be watched\n", wanted, problem);
  return nullptr;
}

std::string MonitorFile::open(const Bundle &bundle, uint32_t cores, uint32_t queues) {
  if (folder_.descriptor < 0)
    return folder_.problem;
  const auto pid = static_cast<uint64_t>(getpid());
  const uint64_t start = processStart(pid);
  if (!start)
    return "cannot read /proc/self/stat";

  // Filled in under a name that no reader takes; then it gets the first one that is free.
  char hidden[64];
  int file = -1;
  for (uint64_t attempt = 0; file < 0 && attempt < 1000; ++attempt) {
    formatTo(hidden, ".{}.{}", pid, attempt);
    file = openat(folder_.descriptor, hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0600);
    if (file < 0 && errno != EEXIST)
      break;
  }
  if (file < 0)
    return formatText("cannot make a file in {}: {}", folder_.path, strerror(errno));
  // Also if there is no memory for what follows.
  struct Remover {
    int folder, file;
    const char *name;
    ~Remover() {
      close(file);
      unlinkat(folder, name, 0);
    }
  } remover{folder_.descriptor, file, hidden};
  std::string problem;
  // Storage is taken now: a full file system must not kill the device later.
  if (const int error = posix_fallocate(file, 0, sizeof(MonitorRecord)))
    problem = formatText("cannot allocate a file in {}: {}", folder_.path, strerror(error));
  void *address = MAP_FAILED;
  if (problem.empty()) {
    address = mmap(nullptr, sizeof(MonitorRecord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (address == MAP_FAILED)
      problem = formatText("cannot map a file in {}: {}", folder_.path, strerror(errno));
  }
  if (problem.empty()) {
    record_ = static_cast<MonitorRecord *>(address); // all zero
    memcpy(record_->magic, kMonitorMagic, sizeof(kMonitorMagic));
    record_->version = kMonitorVersion;
    record_->size = sizeof(MonitorRecord);
    record_->pid = pid;
    record_->processStart = start;
    record_->cores = cores;
    record_->queues = queues;
    const fb::Region *region = bundle.metadata().trace_region();
    const uint64_t regionBytes = region ? region->size() : 0;
    record_->dram.total = bundle.addresses().dramBytes - regionBytes;
    record_->dram.used = bytesTaken(bundle, fb::MemorySpace::Dram);
    record_->l1.total = bundle.addresses().l1Bytes;
    record_->l1.used = bytesTaken(bundle, fb::MemorySpace::L1);
    record_->trace.total = regionBytes;
    record_->trace.used = regionBytes;
    fill(program_invocation_short_name, record_->process, sizeof(record_->process));
    const std::string &path = bundle.file().path();
    fill(path.c_str() + path.rfind('/') + 1, record_->bundle, sizeof(record_->bundle));
    problem = "too many entries of this process";
    for (record_->number = 0; record_->number < 1000; ++record_->number) {
      std::string name = formatText("{}.{}.{}{}", pid, start, record_->number, kMonitorSuffix);
      // A link, not a rename: it never takes another's name.
      if (linkat(folder_.descriptor, hidden, folder_.descriptor, name.c_str(), 0) == 0) {
        name_ = std::move(name);
        problem.clear();
        break;
      }
      if (errno != EEXIST) {
        problem = formatText("cannot name a file in {}: {}", folder_.path, strerror(errno));
        break;
      }
    }
  }
  return problem;
}

MonitorFile::~MonitorFile() {
  // In a forked child, the file is still its parent's.
  if (!name_.empty() && record_->pid == static_cast<uint64_t>(getpid()))
    unlinkat(folder_.descriptor, name_.c_str(), 0);
  if (record_)
    munmap(record_, sizeof(MonitorRecord));
}

} // namespace ttrt
