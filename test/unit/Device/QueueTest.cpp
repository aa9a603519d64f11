// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command queues and events through the C API.

#include "ttrt/queue.h"
#include "test/unit/Support/Loaded.h"

#include <atomic>
#include <ctime>
#include <thread>

using namespace ttrt;
using namespace ttrt::test;

namespace {

/// Cores of queue 0; queue 1 has as many.
class Queues : public testing::TestWithParam<uint32_t> {
protected:
  static ttrt_device_options options(uint32_t cores, uint32_t queues = 2) {
    ttrt_device_options options = deviceOptions(cores, queues);
    options.queue1_cores = cores;
    return options;
  }
  TemporaryFile file{sampleBundle().finish()};
  Loaded loaded{file.path(), options(GetParam())};
  ttrt_device *device = loaded.device;
  ttrt_error error{};

  void write(uint32_t queue, const std::vector<float> &data, bool blocking = false) {
    ASSERT_EQ(ttrt_enqueue_write(device, queue, 0, 0, data.data(), data.size() * sizeof(float),
                                 blocking, &error),
              TTRT_OK)
        << error.message;
  }
  void read(uint32_t queue, std::vector<float> &data, bool blocking = false) {
    ASSERT_EQ(ttrt_enqueue_read(device, queue, 0, 0, data.data(), data.size() * sizeof(float),
                                blocking, &error),
              TTRT_OK)
        << error.message;
  }
  void execute(uint32_t queue, bool blocking = false) {
    ASSERT_EQ(ttrt_enqueue_execute(device, queue, 0, blocking, &error), TTRT_OK) << error.message;
  }
  void expectItWorks(uint32_t queue) {
    std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
    write(queue, input);
    execute(queue);
    read(queue, output, /*blocking=*/true);
    EXPECT_EQ(output, sampleResult(input)) << "queue " << queue;
  }
};

struct EventHandle {
  explicit EventHandle(ttrt_device *device) {
    ttrt_error error;
    EXPECT_EQ(ttrt_event_create(device, &event, &error), TTRT_OK) << error.message;
  }
  ~EventHandle() { ttrt_event_destroy(event); }
  EventHandle(const EventHandle &) = delete;
  EventHandle &operator=(const EventHandle &) = delete;
  operator ttrt_event *() const { return event; }
  ttrt_event *event = nullptr;
};

/// Holds a queue until it is opened.
struct Gate {
  std::atomic<bool> open{false};
  int result = 0;
  static int pass(void *user) {
    auto *gate = static_cast<Gate *>(user);
    while (!gate->open.load(std::memory_order_acquire))
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return gate->result;
  }
};

TEST_P(Queues, AnyCommandOnEitherQueue) {
  EXPECT_EQ(ttrt_device_queues(device), 2u);
  for (int i = 0; i < 20; ++i)
    for (uint32_t queue : {0, 1})
      expectItWorks(queue);
}

TEST_P(Queues, HandWrittenOverlap) {
  constexpr int kIterations = 300;
  EventHandle written(device), consumed(device), produced(device), taken(device);
  std::vector<std::vector<float>> inputs, outputs(kIterations, std::vector<float>(kSampleElements));
  for (int i = 0; i < kIterations; ++i)
    inputs.push_back(sampleInput(i));
  for (int i = 0; i < kIterations; ++i) {
    ttrt_event_wait(consumed, 1, nullptr);
    write(1, inputs[i]);
    ttrt_event_record(written, 1, nullptr);
    ttrt_event_wait(written, 0, nullptr);
    ttrt_event_wait(taken, 0, nullptr);
    execute(0);
    ttrt_event_record(consumed, 0, nullptr);
    ttrt_event_record(produced, 0, nullptr);
    ttrt_event_wait(produced, 1, nullptr);
    read(1, outputs[i]);
    ttrt_event_record(taken, 1, nullptr);
  }
  ASSERT_EQ(ttrt_device_synchronize(device, &error), TTRT_OK) << error.message;
  for (int i = 0; i < kIterations; ++i)
    ASSERT_EQ(outputs[i], sampleResult(inputs[i])) << "iteration " << i;
}

TEST_P(Queues, EventsAreQueriedAndAwaited) {
  EventHandle event(device);
  EXPECT_EQ(ttrt_event_query(event, &error), TTRT_OK) << "never recorded";
  EXPECT_EQ(ttrt_event_synchronize(event, &error), TTRT_OK);
  Gate gate;
  ASSERT_EQ(ttrt_enqueue_call(device, 1, Gate::pass, &gate, &error), TTRT_OK);
  ASSERT_EQ(ttrt_event_record(event, 1, &error), TTRT_OK);
  EXPECT_EQ(ttrt_event_query(event, &error), TTRT_NOT_READY);
  EXPECT_STREQ(error.message, "the event's last record is not complete yet");
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate.open.store(true, std::memory_order_release);
  });
  EXPECT_EQ(ttrt_event_synchronize(event, &error), TTRT_OK);
  EXPECT_TRUE(gate.open);
  EXPECT_EQ(ttrt_event_query(event, &error), TTRT_OK);
  opener.join();
}

/// A wait is for what was recorded before it in the host's order, no more and no less.
TEST_P(Queues, AWaitIsForTheLastRecordBeforeIt) {
  EventHandle event(device);
  std::atomic<int> step{0};
  Gate first, second;
  auto mark = [](void *user) {
    static_cast<std::atomic<int> *>(user)->fetch_add(1);
    return 0;
  };
  ttrt_event_wait(event, 1, nullptr); // nothing recorded: over
  ttrt_enqueue_call(device, 1, mark, &step, nullptr);
  while (step != 1)
    std::this_thread::yield();
  ttrt_enqueue_call(device, 0, Gate::pass, &first, nullptr);
  ttrt_event_record(event, 0, nullptr);
  ttrt_event_wait(event, 1, nullptr);
  ttrt_enqueue_call(device, 1, mark, &step, nullptr);
  ttrt_enqueue_call(device, 0, Gate::pass, &second, nullptr);
  ttrt_event_record(event, 0, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(step, 1) << "went on before the record";
  first.open = true;
  while (step != 2) // the second record is not waited for
    std::this_thread::yield();
  EXPECT_EQ(ttrt_event_query(event, nullptr), TTRT_NOT_READY);
  second.open = true;
  EXPECT_EQ(ttrt_device_synchronize(device, &error), TTRT_OK);
}

/// A host that runs ahead is made to wait, asleep, and every command runs.
TEST_P(Queues, AFullRingHoldsTheHostBack) {
  Gate gate;
  std::atomic<int> calls{0};
  auto count = [](void *user) {
    static_cast<std::atomic<int> *>(user)->fetch_add(1);
    return 0;
  };
  ASSERT_EQ(ttrt_enqueue_call(device, 0, Gate::pass, &gate, &error), TTRT_OK);
  constexpr int kCalls = 5000;
  std::atomic<int> enqueued{0};
  std::atomic<double> cpu{0};
  std::thread host([&] {
    for (int i = 0; i < kCalls; ++i) {
      ttrt_enqueue_call(device, 0, count, &calls, nullptr);
      enqueued.store(i + 1);
    }
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    cpu = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  });
  int before = -1;
  while (before < 1000 || before != enqueued) { // until it gets no further
    before = enqueued;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LT(before, kCalls);
  EXPECT_EQ(calls, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  gate.open = true;
  host.join();
  EXPECT_LT(cpu, 0.3) << "it spun while it waited";
  EXPECT_EQ(ttrt_device_synchronize(device, &error), TTRT_OK);
  EXPECT_EQ(calls, kCalls);
}

TEST_P(Queues, AFailedCommandStopsItsQueueUntilReset) {
  Gate gate;
  gate.result = 7;
  std::vector<float> output(kSampleElements, -1.0f);
  ASSERT_EQ(ttrt_enqueue_call(device, 0, Gate::pass, &gate, &error), TTRT_OK);
  read(0, output);
  gate.open = true;
  EXPECT_EQ(ttrt_device_synchronize(device, &error), TTRT_FAILED);
  EXPECT_STREQ(error.message, "queue 0 stopped at call: the caller's function returned 7");
  EXPECT_EQ(output, std::vector<float>(kSampleElements, -1.0f)) << "left out";
  EXPECT_EQ(ttrt_enqueue_execute(device, 0, 0, 0, &error), TTRT_FAILED);
  EXPECT_STREQ(error.message, "queue 0 stopped at call: the caller's function returned 7");
  expectItWorks(1); // needs nothing of queue 0
  ASSERT_EQ(ttrt_device_reset(device, &error), TTRT_OK) << error.message;
  expectItWorks(0);
  expectItWorks(1);
}

/// Who waits for a queue that has stopped is told, on the other queue and on the host.
TEST_P(Queues, NobodyWaitsForAStoppedQueue) {
  for (int asleep = 0; asleep < 2; ++asleep) {
    EventHandle event(device);
    Gate gate;
    gate.result = 1;
    ttrt_enqueue_call(device, 0, Gate::pass, &gate, nullptr);
    ttrt_event_record(event, 0, nullptr);
    ttrt_event_wait(event, 1, nullptr);
    execute(1);
    std::thread opener([&] {
      if (asleep)
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
      gate.open.store(true, std::memory_order_release);
    });
    EXPECT_EQ(ttrt_event_synchronize(event, &error), TTRT_FAILED);
    EXPECT_STREQ(error.message, "queue 0 stopped at call: the caller's function returned 1");
    opener.join();
    EXPECT_EQ(ttrt_device_synchronize(device, &error), TTRT_FAILED);
    EXPECT_STREQ(error.message, "queue 0 stopped at call: the caller's function returned 1");
    EXPECT_EQ(ttrt_enqueue_execute(device, 1, 0, 0, &error), TTRT_FAILED) << "queue 1 waited";
    ASSERT_EQ(ttrt_device_reset(device, &error), TTRT_OK) << error.message;
    EXPECT_EQ(ttrt_event_query(event, &error), TTRT_OK) << "forgotten";
    expectItWorks(0);
    expectItWorks(1);
  }
}

/// A query never waits, whatever the other queue has come to.
TEST_P(Queues, AQueryDoesNotWaitForTheQueueThatGoesOn) {
  EventHandle event(device);
  Gate gate, failing;
  ttrt_enqueue_call(device, 1, Gate::pass, &gate, nullptr);
  ttrt_event_record(event, 1, nullptr);
  failing.result = 1;
  failing.open = true;
  ttrt_enqueue_call(device, 0, Gate::pass, &failing, nullptr);
  while (ttrt_enqueue_call(device, 0, Gate::pass, &failing, nullptr) == TTRT_OK)
    std::this_thread::yield();
  EXPECT_EQ(ttrt_event_query(event, &error), TTRT_NOT_READY); // or for ever, after the gate
  gate.open = true;
  EXPECT_EQ(ttrt_event_synchronize(event, &error), TTRT_OK) << "queue 1 has not failed";
  EXPECT_EQ(ttrt_event_query(event, &error), TTRT_OK);
  EXPECT_EQ(ttrt_device_synchronize(device, &error), TTRT_FAILED);
  ASSERT_EQ(ttrt_device_reset(device, &error), TTRT_OK) << error.message;
}

/// A function that a queue calls would wait for itself.
TEST_P(Queues, AQueueDoesNotWaitForItself) {
  struct Caller {
    ttrt_device *device;
    ttrt_event *event;
    ttrt_error errors[4];
    static int call(void *user) {
      auto &caller = *static_cast<Caller *>(user);
      ttrt_enqueue_execute(caller.device, 1, 0, /*blocking=*/1, &caller.errors[0]);
      ttrt_device_synchronize(caller.device, &caller.errors[1]);
      ttrt_event_synchronize(caller.event, &caller.errors[2]);
      ttrt_device_reset(caller.device, &caller.errors[3]);
      return 0;
    }
  };
  EventHandle event(device);
  Caller caller{device, event, {}};
  ASSERT_EQ(ttrt_enqueue_call(device, 1, Caller::call, &caller, &error), TTRT_OK);
  ttrt_event_record(event, 1, nullptr);
  ASSERT_EQ(ttrt_device_synchronize(device, &error), TTRT_OK) << error.message;
  for (const ttrt_error &its : caller.errors) {
    EXPECT_EQ(its.status, TTRT_INVALID_ARGUMENT);
    EXPECT_STREQ(its.message,
                 "called from a function that queue 1 calls; the queue would wait for itself");
  }
  expectItWorks(1);
}

/// A query does not wait, so a function that a queue calls may make it.
TEST_P(Queues, AFunctionOfAQueueMayQueryEvents) {
  struct Caller {
    ttrt_event *complete, *pending;
    std::atomic<bool> over{false};
    ttrt_status ofComplete = TTRT_INTERNAL, ofPending = TTRT_INTERNAL;
  };
  EventHandle complete(device), pending(device);
  Caller caller{complete, pending};
  ASSERT_EQ(ttrt_event_record(complete, 1, &error), TTRT_OK);
  ASSERT_EQ(ttrt_event_synchronize(complete, &error), TTRT_OK);
  ASSERT_EQ(ttrt_enqueue_call(
                device, 0,
                [](void *user) {
                  while (!static_cast<Caller *>(user)->over)
                    std::this_thread::yield();
                  return 0;
                },
                &caller, &error),
            TTRT_OK);
  ASSERT_EQ(ttrt_event_record(pending, 0, &error), TTRT_OK);
  ASSERT_EQ(ttrt_enqueue_call(
                device, 1,
                [](void *user) {
                  auto &its = *static_cast<Caller *>(user);
                  its.ofComplete = ttrt_event_query(its.complete, nullptr);
                  its.ofPending = ttrt_event_query(its.pending, nullptr);
                  its.over = true;
                  return 0;
                },
                &caller, &error),
            TTRT_OK);
  ASSERT_EQ(ttrt_device_synchronize(device, &error), TTRT_OK) << error.message;
  EXPECT_EQ(caller.ofComplete, TTRT_OK);
  EXPECT_EQ(caller.ofPending, TTRT_NOT_READY);
  expectItWorks(1);
}

/// Closing with work in flight completes it.
TEST_P(Queues, ClosingLosesNothing) {
  constexpr int kIterations = 100;
  std::vector<std::vector<float>> inputs, outputs(kIterations, std::vector<float>(kSampleElements));
  for (int i = 0; i < kIterations; ++i)
    inputs.push_back(sampleInput(i));
  {
    Loaded other(file.path(), options(GetParam()));
    EventHandle done(other.device);
    for (int i = 0; i < kIterations; ++i) {
      const uint32_t queue = i % 2;
      ttrt_event_wait(done, queue, nullptr);
      ttrt_enqueue_write(other.device, queue, 0, 0, inputs[i].data(), kSampleBytes, 0, nullptr);
      ttrt_enqueue_execute(other.device, queue, 0, 0, nullptr);
      ttrt_enqueue_read(other.device, queue, 0, 0, outputs[i].data(), kSampleBytes, 0, nullptr);
      ttrt_event_record(done, queue, nullptr);
    }
  }
  for (int i = 0; i < kIterations; ++i)
    ASSERT_EQ(outputs[i], sampleResult(inputs[i])) << "iteration " << i;
}

/// Nor does it hang when one queue has stopped and the other one waits for it, with more commands
/// after that.
TEST_P(Queues, ClosingAfterAnErrorDoesNotHang) {
  for (int opened = 0; opened < 2; ++opened) {
    const std::vector<float> untouched(kSampleElements, -1.0f);
    std::vector<float> outputs[2] = {untouched, untouched};
    Gate gate;
    gate.result = 3;
    std::thread opener;
    bool recorded = false;
    {
      Loaded other(file.path(), options(GetParam()));
      EventHandle event(other.device);
      gate.open = opened != 0;
      ttrt_enqueue_call(other.device, 0, Gate::pass, &gate, nullptr);
      // Refused if queue 0 has stopped by now; then queue 1 has nothing to wait for.
      recorded = ttrt_event_record(event, 0, nullptr) == TTRT_OK;
      ttrt_event_wait(event, 1, nullptr);
      for (uint32_t queue : {0, 1}) {
        ttrt_enqueue_execute(other.device, queue, 0, 0, nullptr);
        ttrt_enqueue_read(other.device, queue, 0, 0, outputs[queue].data(), kSampleBytes, 0,
                          nullptr);
      }
      opener = std::thread([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        gate.open.store(true, std::memory_order_release);
      });
    }
    opener.join();
    EXPECT_EQ(outputs[0], untouched) << "left out";
    EXPECT_EQ(outputs[1] == untouched, recorded) << "left out where it waited";
    EXPECT_TRUE(recorded || opened);
  }
}

TEST_P(Queues, WrongArgumentsAreNamed) {
  float data[kSampleElements];
  EXPECT_EQ(ttrt_enqueue_write(device, 2, 0, 0, data, sizeof(data), 0, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "queue 2; the device was opened with 2");
  EXPECT_EQ(ttrt_enqueue_write(device, 0, 0, 1, data, sizeof(data), 0, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "input 1; the entry point has 1");
  EXPECT_EQ(ttrt_enqueue_read(device, 0, 0, 0, data, 5, 0, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "output 'y' has 5 bytes; expected 1024");
  EXPECT_EQ(ttrt_enqueue_read(device, 0, 0, 0, nullptr, sizeof(data), 0, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_enqueue_execute(device, 0, 3, 0, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "trace 3; the bundle has 1");
  EXPECT_EQ(ttrt_enqueue_call(device, 0, nullptr, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_event_record(nullptr, 0, &error), TTRT_INVALID_ARGUMENT);
  std::vector<std::unique_ptr<EventHandle>> events;
  for (int i = 0; i < 16; ++i)
    events.push_back(std::make_unique<EventHandle>(device));
  ttrt_event *event;
  EXPECT_EQ(ttrt_event_create(device, &event, &error), TTRT_OUT_OF_MEMORY);
  EXPECT_STREQ(error.message,
               "all 16 events of the device are in use; see ttrt_device_options::events");
  ttrt_device_options three = options(1, 3);
  ttrt_device *none;
  EXPECT_EQ(ttrt_device_open(loaded.bundle, &three, &none, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "expected at most 2 queues, found 3");
}

/// A blocking run has the device to itself.
TEST_P(Queues, ARunNeedsIdleQueues) {
  Gate gate;
  ASSERT_EQ(ttrt_enqueue_call(device, 1, Gate::pass, &gate, &error), TTRT_OK);
  std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  ttrt_output out{output.data(), kSampleBytes};
  EXPECT_EQ(ttrt_run(device, 0, &in, &out, nullptr, &error), TTRT_BUSY);
  EXPECT_STREQ(error.message,
               "queue 1 has commands in flight; ttrt_device_synchronize() waits for them");
  gate.open = true;
  ASSERT_EQ(ttrt_device_synchronize(device, &error), TTRT_OK);
  EXPECT_EQ(ttrt_run(device, 0, &in, &out, nullptr, &error), TTRT_OK) << error.message;
  EXPECT_EQ(output, sampleResult(input));
  expectItWorks(0);
}

INSTANTIATE_TEST_SUITE_P(Cores, Queues, testing::Values(1, 2, 3));

} // namespace
