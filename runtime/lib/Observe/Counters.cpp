// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Observe/Counters.h"

#include "Base/Format.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ttrt {

using profile::kMaxCounters;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static int openEvent(uint32_t type, uint64_t config, int leader) noexcept {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = type;
  attributes.config = config;
  attributes.exclude_kernel = attributes.exclude_hv = type != PERF_TYPE_SOFTWARE;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  for (;;) {
    const auto event = static_cast<int>(syscall(SYS_perf_event_open, &attributes, /*thread=*/0,
                                                /*cpu=*/-1, leader, PERF_FLAG_FD_CLOEXEC));
    // Without privileges, page faults in user mode can be counted. Context switches happen in the
    // kernel: they would be counted as none.
    if (event >= 0 || errno != EACCES || attributes.exclude_kernel ||
        config != PERF_COUNT_SW_PAGE_FAULTS)
      return event;
    attributes.exclude_kernel = 1;
  }
}

static ptrdiff_t readEvents(int leader, uint64_t *words, size_t bytes) noexcept {
  return ::read(leader, words, bytes);
}

static void closeEvent(int event) noexcept { ::close(event); }

static CounterCpu thisCpu() noexcept {
  CounterCpu cpu;
#if defined(__x86_64__)
  uint32_t a, b, c, d;
  if (__get_cpuid(0, &a, &b, &c, &d))
    cpu.vendor = b == signature_INTEL_ebx ? CounterCpu::Vendor::Intel
                 : b == signature_AMD_ebx ? CounterCpu::Vendor::Amd
                                          : CounterCpu::Vendor::Other;
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    cpu.family = (a >> 8) & 15;
    cpu.model = ((a >> 4) & 15) | ((a >> 12) & 0xf0);
    if (cpu.family == 15)
      cpu.family += (a >> 20) & 0xff;
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
    cpu.adx = b & (1u << 19);
#endif
  return cpu;
}

const CounterSource kPerfEvents = {openEvent, readEvents, closeEvent, thisCpu};

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

namespace {
enum FloatingPoint : uint64_t { Packed256, Packed512, Operations };
// Instead of a type: kUsage, and events that differ between CPUs.
constexpr int8_t kClock = -1, kFloatingPoint = -2;
static_assert(static_cast<uint32_t>(kClock) == CounterSet::kUsage);

struct NamedEvent {
  char name[17];
  int8_t type;
  uint8_t config;
};
} // namespace

static constexpr NamedEvent kEvents[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    // As an event, the clock is up to date only as the leader of its group.
    {"task-clock", kClock, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"fp-256", kFloatingPoint, Packed256},
    {"fp-512", kFloatingPoint, Packed512},
    {"fp-ops", kFloatingPoint, Operations},
};
static constexpr char kDefault[] =
    "cycles,instructions,cache-misses,branch-misses,context-switches";

/// Event select and unit mask; 0: the CPU has none, or it is not known.
static uint64_t floatingPointEvent(uint64_t wanted, const CounterCpu &cpu) noexcept {
  // FP_ARITH_INST_RETIRED: since Broadwell, whose first new instructions these are. Cores of the
  // Atom line count otherwise; some CPUs have no others.
  const bool isAtom = cpu.model == 0xbe || cpu.model == 0xaf || cpu.model == 0xb6;
  if (cpu.vendor == CounterCpu::Vendor::Intel && cpu.family == 6 && cpu.adx && !isAtom)
    return wanted == Packed256 ? 0x20c7 : wanted == Packed512 ? 0x80c7 : 0;
  // Retired SSE and AVX FLOPs of all types, since Zen.
  if (cpu.vendor == CounterCpu::Vendor::Amd && cpu.family >= 0x17)
    return wanted == Operations ? 0x0f03 : 0;
  return 0;
}

void CounterSet::add(const char *name, size_t length, const CounterCpu &cpu) {
  Counter counter{{}, 0, PERF_TYPE_RAW, 0};
  memcpy(counter.name, name, std::min(length, sizeof(counter.name) - 1));
  for (uint32_t i = 0; i < size_; ++i)
    if (strcmp(counters_[i].name, counter.name) == 0)
      return;
  const NamedEvent *found = nullptr;
  for (const NamedEvent &event : kEvents)
    if (strcmp(counter.name, event.name) == 0)
      found = &event;
  bool isKnown = length != 0;
  if (!found) {
    constexpr size_t kPrefix = sizeof("raw:0x") - 1;
    char *end = counter.name;
    // strtoull() takes spaces, signs and 0x.
    if (length <= kPrefix + 16 && memcmp(counter.name, "raw:0x", kPrefix) == 0 &&
        counter.name[kPrefix] > '/' && counter.name[kPrefix + 1] != 'x')
      counter.config = strtoull(counter.name + kPrefix, &end, 16);
    isKnown &= *end == 0;
  } else if (found->type == kFloatingPoint) {
    counter.config = floatingPointEvent(found->config, cpu);
    counter.problem = counter.config ? 0 : profile::kUnknownEvent;
  } else {
    counter.type = static_cast<uint32_t>(found->type);
    counter.config = found->config;
  }
  static_assert(kMaxCounters == 16);
  if (!isKnown || size_ == kMaxCounters)
    fail(TTRT_INVALID_ARGUMENT,
         "expected up to 16 of cycles, instructions, cache-misses, branch-misses, fp-256, fp-512, "
         "fp-ops, raw:0xNNNN, task-clock, page-faults, context-switches, migrations, flops or "
         "default; found '{}'",
         std::string_view(name, length));
  counters_[size_++] = counter;
}

void CounterSet::addAll(const char *list, const CounterCpu &cpu) {
  for (;; ++list) {
    const char *name = list;
    while (*list && *list != ',')
      ++list;
    const auto length = static_cast<size_t>(list - name);
    if (length == 7 && memcmp(name, "default", length) == 0)
      addAll(kDefault, cpu);
    else if (length == 5 && memcmp(name, "flops", length) == 0)
      addAll(cpu.vendor == CounterCpu::Vendor::Intel ? "fp-256,fp-512" : "fp-ops", cpu);
    else
      add(name, length, cpu);
    if (!*list)
      return;
  }
}

CounterSet::CounterSet(const char *list, const CounterSource &source) : source_(source) {
  addAll(list, source.cpu());
  tryAll();
}

void CounterSet::tryAll() {
  int fds[kMaxCounters];
  for (uint32_t i = 0; i < size_; ++i) {
    Counter &counter = counters_[i];
    if (counter.problem || counter.type == kUsage)
      continue;
    fds[grouped_] = source_.open(counter.type, counter.config, grouped_ ? fds[0] : -1);
    if (fds[grouped_] >= 0)
      numbers_[grouped_++] = i;
    else
      counter.problem = errno;
  }
  for (uint32_t i = grouped_; i > 0; --i)
    source_.close(fds[i - 1]);
  // Where events are forbidden, most of those of the kernel are known in another way.
  events_ = grouped_;
  for (uint32_t i = 0; i < size_; ++i) {
    Counter &counter = counters_[i];
    if (counter.problem && counter.type == PERF_TYPE_SOFTWARE &&
        counter.config != PERF_COUNT_SW_CPU_MIGRATIONS) {
      counter.type = kUsage;
      counter.problem = 0;
    }
    if (counter.type == kUsage)
      numbers_[events_++] = i;
  }
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

void CounterGroup::close() noexcept {
  // The leader last.
  for (; opened_; --opened_)
    set_.source().close(fds_[opened_ - 1]);
}

void CounterGroup::bind() noexcept {
  const int64_t thread = syscall(SYS_gettid);
  if (thread == thread_) [[likely]]
    return;
  close();
  thread_ = thread;
  for (uint32_t i = 0; i < set_.grouped(); ++i) {
    const CounterSet::Counter &counter = set_.event(i);
    fds_[i] = set_.source().open(counter.type, counter.config, i ? fds_[0] : -1);
    if (fds_[i] < 0) // such as too many open files: nothing is counted
      return close();
    opened_ = i + 1;
  }
}

bool CounterGroup::read(Reading &reading) const noexcept {
  const uint32_t grouped = set_.grouped();
  if (grouped) {
    uint64_t words[3 + kMaxCounters];
    const size_t bytes = (3 + grouped) * sizeof(words[0]);
    if (!opened_ || set_.source().read(fds_[0], words, bytes) != static_cast<ptrdiff_t>(bytes))
      return false;
    reading.enabled = words[1];
    reading.ran = words[2];
    memcpy(reading.values, words + 3, grouped * sizeof(words[0]));
  } else {
    reading.enabled = reading.ran = nowNs();
  }
  for (uint32_t i = grouped; i < set_.events(); ++i) {
    const uint64_t wanted = set_.event(i).config;
    if (wanted == PERF_COUNT_SW_TASK_CLOCK) {
      timespec time;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      reading.values[i] =
          static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
    } else {
      rusage usage;
      getrusage(RUSAGE_THREAD, &usage);
      reading.values[i] = static_cast<uint64_t>(wanted == PERF_COUNT_SW_PAGE_FAULTS
                                                    ? usage.ru_minflt + usage.ru_majflt
                                                    : usage.ru_nvcsw + usage.ru_nivcsw);
    }
  }
  return true;
}

void CounterGroup::begin(MarkerRing &ring, uint32_t command) noexcept {
  // The time of a command is without that of reading its counters.
  before_.isRead = read(before_);
  ring.begin(MarkerKind::CommandBegin, command, ring.turn, markersOf(set_));
}

void CounterGroup::end(MarkerRing &ring, uint32_t command) noexcept {
  const uint64_t time = ring.time();
  Reading after;
  // If the calling thread has reused the number of a thread that has ended, that one's events do
  // not continue. What is not counted must not look like a count of 0: no time has been enabled
  // then.
  const bool isCounted = before_.isRead && read(after) && after.enabled > before_.enabled;
  if (!isCounted)
    thread_ = 0;
  const uint64_t enabled = isCounted ? after.enabled - before_.enabled : 0;
  Marker markers[1 + kMaxCounters];
  markers[0] = {isCounted ? after.ran - before_.ran : 0, static_cast<uint32_t>(enabled),
                static_cast<uint16_t>(enabled >> 32), MarkerKind::CounterTime, 0};
  for (uint32_t i = 0; i < set_.events(); ++i)
    markers[1 + i] = {isCounted ? after.values[i] - before_.values[i] : 0, set_.numberOf(i), 0,
                      MarkerKind::Counter, 0};
  ring.end(command, time, markers, markersOf(set_));
}

} // namespace ttrt
