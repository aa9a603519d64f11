// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What queues cost the host, and how soon they hear of each other.

#include "Bench.h"
#include "Synthetic.h"
#include "ttrt/pipeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <linux/futex.h>
#include <random>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using ttrt::test::TemporaryFile;
using ttrun::Json;

namespace ttrt::bench {

namespace {

/// Holds a queue until it is opened.
int pass(void *open) {
  while (!static_cast<std::atomic<bool> *>(open)->load(std::memory_order_acquire))
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  return 0;
}
/// The same, awake.
int passSpinning(void *open) {
  while (!static_cast<std::atomic<bool> *>(open)->load(std::memory_order_acquire)) {
  }
  return 0;
}
int stampNow(void *stamp) {
  *static_cast<uint64_t *>(stamp) = ticks();
  return 0;
}

void addSpread(Json &json, const char *name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  json.key(name).beginObject(/*flat=*/true);
  json.field("p10", times[times.size() / 10]).field("median", median(times));
  json.field("p90", times[times.size() * 9 / 10]).endObject();
}

double nanoseconds(uint64_t begin, uint64_t end) {
  return (static_cast<double>(end) - static_cast<double>(begin)) * 1000 / ticksPerUs();
}

void enqueueing(Json &json) {
  Shape shape;
  shape.commands = 2;
  shape.commandUs = 0;
  shape.words = 8;
  const TemporaryFile file(syntheticBundle(shape).finish());
  Opened opened(file.path());
  ttrt_event *event, *other;
  ttrt_event_create(opened.device, &event, nullptr);
  ttrt_event_create(opened.device, &other, nullptr);
  // Against a queue that is held up, so that nothing but enqueueing is measured, and against one
  // that works them off at the same time.
  auto measure = [&](bool held, const std::function<void()> &enqueue) {
    std::vector<double> times;
    for (int round = 0; round < 301; ++round) {
      std::atomic<bool> open{!held};
      ttrt_event_record(other, 1, nullptr);
      ttrt_enqueue_call(opened.device, 0, pass, &open, nullptr);
      constexpr int kCalls = 500;
      const double begin = nowUs();
      for (int i = 0; i < kCalls; ++i)
        enqueue();
      times.push_back((nowUs() - begin) * 1000 / kCalls);
      open.store(true, std::memory_order_release);
      ttrt_device_synchronize(opened.device, nullptr);
    }
    return median(times);
  };
  for (bool held : {true, false}) {
    json.key(held ? "enqueue_ns_held" : "enqueue_ns_busy").beginObject(/*flat=*/true);
    json.field("record", measure(held, [&] { ttrt_event_record(event, 0, nullptr); }));
    json.field("wait", measure(held, [&] { ttrt_event_wait(other, 0, nullptr); }));
    json.field("execute",
               measure(held, [&] { ttrt_enqueue_execute(opened.device, 0, kMain, 0, nullptr); }));
    json.endObject();
  }
}

/// From the end of a trace's last command on queue 0 to a command of queue 1 that has waited for
/// it. The host is ahead of both. `mostUs`: the wait is longer by a random time up to that, so that
/// its end cannot be predicted.
void latency(double commandUs, uint32_t mostUs, const char *name, int repeats, Json &json) {
  Shape shape;
  shape.commands = 2;
  shape.commandUs = commandUs;
  shape.words = 8;
  const TemporaryFile file(syntheticBundle(shape).finish());
  Opened opened(file.path());
  const std::vector<uint64_t> input = inputOf(shape, 1);
  const void *slot;
  ttrt_error error;
  if (ttrt_device_output_slot(opened.device, kStamps, 0, &slot, &error) != TTRT_OK)
    die("stamps", error);
  ttrt_event *event;
  ttrt_event_create(opened.device, &event, nullptr);
  ttrt_enqueue_write(opened.device, 0, kMain, 0, input.data(), input.size() * 8, 1, nullptr);
  std::vector<double> times;
  std::minstd_rand random(1);
  for (int i = 0; i < repeats; ++i) {
    uint64_t woken = 0;
    std::atomic<bool> open{false};
    ttrt_enqueue_call(opened.device, 0, passSpinning, &open, nullptr);
    ttrt_enqueue_execute(opened.device, 0, 0, 0, nullptr);
    ttrt_event_record(event, 0, nullptr);
    ttrt_event_wait(event, 1, nullptr);
    ttrt_enqueue_call(opened.device, 1, stampNow, &woken, nullptr);
    if (mostUs)
      std::this_thread::sleep_for(std::chrono::microseconds(random() % mostUs));
    open.store(true, std::memory_order_release);
    ttrt_device_synchronize(opened.device, nullptr);
    times.push_back(nanoseconds(static_cast<const uint64_t *>(slot)[kStampWords + 1], woken));
  }
  addSpread(json, name, times);
}

/// What the machine itself takes from a store in one thread to a load, or a wake-up, in another.
void machineItself(bool sleeping, const char *name, int repeats, Json &json) {
  std::atomic<uint32_t> word{0}, seen{0};
  std::atomic<uint64_t> stamp{0};
  const uint32_t all = static_cast<uint32_t>(repeats);
  std::thread other([&] {
    for (uint32_t i = 1; i <= all; ++i) {
      while (word.load(std::memory_order_acquire) != i)
        if (sleeping)
          syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, i - 1, nullptr, nullptr, 0);
      stamp.store(ticks(), std::memory_order_relaxed);
      seen.store(i, std::memory_order_release);
    }
  });
  std::vector<double> times;
  for (uint32_t i = 1; i <= all; ++i) {
    // It computes meanwhile, as a queue does.
    for (const double end = nowUs() + (sleeping ? 3000 : 20); nowUs() < end;) {
    }
    const uint64_t begin = ticks();
    word.store(i, std::memory_order_release);
    if (sleeping)
      syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    while (seen.load(std::memory_order_acquire) != i) {
    }
    times.push_back(nanoseconds(begin, stamp.load(std::memory_order_relaxed)));
  }
  other.join();
  addSpread(json, name, times);
}

/// Two traces of a millisecond: one after the other on queue 0, and one on each queue.
void bothQueues(Json &json) {
  Shape shape;
  shape.commands = 10;
  shape.commandUs = 100;
  shape.words = 8;
  const TemporaryFile file(syntheticBundle(shape).finish());
  Opened opened(file.path());
  const std::vector<uint64_t> input = inputOf(shape, 1);
  ttrt_enqueue_write(opened.device, 0, kMain, 0, input.data(), input.size() * 8, 1, nullptr);
  std::vector<double> times[2];
  for (int round = 0; round < 21; ++round)
    for (uint32_t queue : {0, 1}) {
      const double begin = nowUs();
      ttrt_enqueue_execute(opened.device, 0, kWholeTrace, 0, nullptr);
      ttrt_enqueue_execute(opened.device, queue, kBesideTrace, 0, nullptr);
      ttrt_device_synchronize(opened.device, nullptr);
      times[queue].push_back(nowUs() - begin);
    }
  json.key("two_traces_of_1000_us").beginObject(/*flat=*/true);
  json.field("one_queue_us", median(times[0])).field("two_queues_us", median(times[1]));
  json.endObject();
}

} // namespace

void costs(Json &json) {
  enqueueing(json);
  latency(20, 0, "latency_ns_spinning", 301, json);
  machineItself(false, "machine_ns_spinning", 301, json);
  latency(3000, 0, "latency_ns_parked", 101, json);
  latency(3000, 3000, "latency_ns_parked_irregular", 101, json);
  machineItself(true, "machine_ns_parked", 101, json);
  bothQueues(json);
}

} // namespace ttrt::bench
