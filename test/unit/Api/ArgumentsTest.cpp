// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of the C API with arguments that no correct caller passes: null, indices and sizes
// out of range, sums that overflow, unknown enumerators and sizes of structs. Each is an error with
// a message, and changes nothing.

#include "AnyNumber.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"

#include <climits>
#include <functional>
#include <gtest/gtest.h>

namespace ttrt::test {
namespace {

/// What the functions are called with where the arguments are right.
struct Caller {
  TemporaryFile file{queueBundle().finish()};
  Loaded loaded{file.path(), options()};
  ttrt_bundle *bundle = loaded.bundle;
  ttrt_device *device = loaded.device;
  ttrt_event *event = nullptr;
  ttrt_pipeline *pipeline = nullptr; ///< opened by the cases that use it
  std::vector<float> x = ramp(kSampleElements), y = std::vector<float>(kSampleElements);
  ttrt_input in{x.data(), kSampleBytes};
  ttrt_output out{y.data(), kSampleBytes};
  ttrt_error *error = nullptr;

  Caller() { ttrt_event_create(device, &event, nullptr); }
  ~Caller() {
    ttrt_pipeline_close(pipeline);
    ttrt_event_destroy(event);
  }
  static ttrt_device_options options() { return deviceOptions(2, 2); }
  ttrt_pipeline *piped() {
    if (!pipeline)
      EXPECT_EQ(ttrt_pipeline_open(device, nullptr, &pipeline, nullptr), TTRT_OK);
    return pipeline;
  }
};

struct Case {
  std::string name;
  std::function<ttrt_status(Caller &)> call;
  ttrt_status expected = TTRT_INVALID_ARGUMENT;
};
void PrintTo(const Case &its, std::ostream *stream) { *stream << its.name; }

constexpr uint32_t kIndices[] = {6, 0x7fffffff, 0x80000000, UINT32_MAX - 1, UINT32_MAX};
constexpr size_t kSizes[] = {
    0,       1, kSampleBytes - 1, kSampleBytes + 1, SIZE_MAX / 2 + 1, SIZE_MAX - kSampleBytes + 1,
    SIZE_MAX};
constexpr size_t kStructSizes[] = {0, 1, sizeof(size_t) - 1, 4097, SIZE_MAX / 2 + 1, SIZE_MAX};
constexpr int kNumbers[] = {-1, 3, 9, 256, INT_MAX, INT_MIN};

class Cases {
public:
  std::vector<Case> all;

  void add(const std::string &name, std::function<ttrt_status(Caller &)> call,
           ttrt_status expected = TTRT_INVALID_ARGUMENT) {
    all.push_back({name + "_" + std::to_string(all.size()), std::move(call), expected});
  }
  template <typename T, size_t N>
  void forAll(const std::string &name, const T (&values)[N],
              std::function<ttrt_status(Caller &, T)> call,
              ttrt_status expected = TTRT_INVALID_ARGUMENT) {
    for (T value : values)
      add(name, [=](Caller &c) { return call(c, value); }, expected);
  }
  /// `call` fills in a result or reads options of that type, with a right struct otherwise.
  template <typename T>
  void structs(const std::string &name, T right, std::function<ttrt_status(Caller &, T *)> call) {
    for (size_t size : kStructSizes)
      add(name + "Size", [=](Caller &c) {
        T its = right;
        its.size = size;
        return call(c, &its);
      });
  }

  void bundles() {
    add("BundleOpenNull", [](Caller &c) {
      ttrt_bundle *opened = c.bundle;
      const ttrt_status status = ttrt_bundle_open(nullptr, TTRT_VERIFY_FULL, &opened, c.error);
      EXPECT_EQ(opened, nullptr);
      return status;
    });
    add("BundleOpenNull", [](Caller &c) {
      return ttrt_bundle_open(c.file.path(), TTRT_VERIFY_FULL, nullptr, c.error);
    });
    forAll<int>("BundleOpenVerify", kNumbers, [](Caller &c, int verify) {
      ttrt_bundle *opened = c.bundle;
      const ttrt_status status = any_bundle_open(c.file.path(), verify, &opened, c.error);
      EXPECT_EQ(opened, nullptr);
      return status;
    });
    auto query = [&]<typename T>(const std::string &name, T right, auto call) {
      add(name + "Null", [=](Caller &c) {
        T its = right;
        return call(nullptr, 0, &its, c.error);
      });
      add(name + "Null", [=](Caller &c) { return call(c.bundle, 0, nullptr, c.error); });
      structs<T>(name, right, [=](Caller &c, T *its) { return call(c.bundle, 0, its, c.error); });
    };
    auto indexed = [&]<typename T>(const std::string &name, T right, auto call) {
      query(name, right, call);
      forAll<uint32_t>(name + "Index", kIndices, [=](Caller &c, uint32_t index) {
        T its = right;
        return call(c.bundle, index, &its, c.error);
      });
    };
    indexed("Entry", ttrt_entry TTRT_ENTRY_INIT, ttrt_bundle_entry);
    indexed("Trace", ttrt_trace TTRT_TRACE_INIT, ttrt_bundle_trace);
    query("Memory", ttrt_memory TTRT_MEMORY_INIT,
          [](const ttrt_bundle *bundle, uint32_t, ttrt_memory *memory, ttrt_error *error) {
            return ttrt_bundle_memory(bundle, memory, error);
          });
    for (auto *port : {ttrt_bundle_input, ttrt_bundle_output}) {
      indexed("PortEntry", ttrt_port TTRT_PORT_INIT,
              [=](const ttrt_bundle *bundle, uint32_t entry, ttrt_port *its, ttrt_error *error) {
                return port(bundle, entry, 0, its, error);
              });
      indexed("Port", ttrt_port TTRT_PORT_INIT,
              [=](const ttrt_bundle *bundle, uint32_t index, ttrt_port *its, ttrt_error *error) {
                return port(bundle, 0, index, its, error);
              });
    }
    for (bool ofEntry : {false, true})
      indexed(
          "Schedule", ttrt_schedule TTRT_SCHEDULE_INIT,
          [=](const ttrt_bundle *bundle, uint32_t index, ttrt_schedule *its, ttrt_error *error) {
            return ttrt_bundle_schedule(bundle, ofEntry ? index : 0, ofEntry ? 0 : index, its,
                                        error);
          });
    uint32_t none = 0;
    add("FindEntryNull",
        [=](Caller &c) mutable { return ttrt_bundle_find_entry(nullptr, "main", &none, c.error); });
    add("FindEntryNull", [=](Caller &c) mutable {
      return ttrt_bundle_find_entry(c.bundle, nullptr, &none, c.error);
    });
    add("FindEntryNull",
        [](Caller &c) { return ttrt_bundle_find_entry(c.bundle, "main", nullptr, c.error); });
    add(
        "FindEntryLong",
        [=](Caller &c) mutable {
          return ttrt_bundle_find_entry(c.bundle, std::string(1 << 20, 'x').c_str(), &none,
                                        c.error);
        },
        TTRT_NOT_FOUND);
    add("QueryHostNull", [](Caller &c) { return ttrt_query_host(nullptr, c.error); });
    structs<ttrt_host>("QueryHost", TTRT_HOST_INIT,
                       [](Caller &c, ttrt_host *host) { return ttrt_query_host(host, c.error); });
  }

  void devices() {
    auto open = [](Caller &c, const ttrt_device_options *options) {
      ttrt_device *opened = c.device;
      const ttrt_status status = ttrt_device_open(c.bundle, options, &opened, c.error);
      EXPECT_EQ(opened, nullptr);
      return status;
    };
    add("DeviceOpenNull", [](Caller &c) {
      ttrt_device *opened = c.device;
      const ttrt_status status = ttrt_device_open(nullptr, nullptr, &opened, c.error);
      EXPECT_EQ(opened, nullptr);
      return status;
    });
    add("DeviceOpenNull",
        [](Caller &c) { return ttrt_device_open(c.bundle, nullptr, nullptr, c.error); });
    structs<ttrt_device_options>("DeviceOpen", TTRT_DEVICE_OPTIONS_INIT,
                                 [=](Caller &c, ttrt_device_options *o) { return open(c, o); });
    using Field = uint32_t ttrt_device_options::*;
    for (auto [field, least] : {std::pair<Field, uint32_t>{&ttrt_device_options::cores, 1025},
                                {&ttrt_device_options::queues, 3},
                                {&ttrt_device_options::queue1_cores, 1025},
                                {&ttrt_device_options::events, 65537}})
      for (uint32_t value : {least, uint32_t(0x7fffffff), uint32_t(0x80000000), UINT32_MAX})
        add("DeviceOption", [=, field = field](Caller &c) {
          ttrt_device_options options = Caller::options();
          options.*field = value;
          return open(c, &options);
        });
    auto run = [](Caller &c, const ttrt_run_options *options) {
      return ttrt_run(c.device, 0, &c.in, &c.out, options, c.error);
    };
    add("RunNull", [](Caller &c) { return ttrt_run(nullptr, 0, &c.in, &c.out, nullptr, c.error); });
    add("RunNull",
        [](Caller &c) { return ttrt_run(c.device, 0, nullptr, &c.out, nullptr, c.error); });
    add("RunNull",
        [](Caller &c) { return ttrt_run(c.device, 0, &c.in, nullptr, nullptr, c.error); });
    forAll<uint32_t>("RunEntry", kIndices, [](Caller &c, uint32_t entry) {
      return ttrt_run(c.device, entry, &c.in, &c.out, nullptr, c.error);
    });
    forAll<size_t>("RunInputBytes", kSizes, [](Caller &c, size_t bytes) {
      const ttrt_input in{c.x.data(), bytes};
      return ttrt_run(c.device, 0, &in, &c.out, nullptr, c.error);
    });
    forAll<size_t>("RunOutputBytes", kSizes, [](Caller &c, size_t bytes) {
      const ttrt_output out{c.y.data(), bytes};
      return ttrt_run(c.device, 0, &c.in, &out, nullptr, c.error);
    });
    structs<ttrt_run_options>("Run", TTRT_RUN_OPTIONS_INIT,
                              [=](Caller &c, ttrt_run_options *o) { return run(c, o); });
    structs<ttrt_timing>("RunTiming", TTRT_TIMING_INIT, [=](Caller &c, ttrt_timing *timing) {
      ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
      options.timing = timing;
      return run(c, &options);
    });

    void *in = nullptr;
    const void *out = nullptr;
    ttrt_output_view view{};
    for (bool ofEntry : {false, true})
      forAll<uint32_t>("Slot", kIndices, [=](Caller &c, uint32_t index) mutable {
        const uint32_t entry = ofEntry ? index : 0, port = ofEntry ? 0 : index;
        EXPECT_EQ(ttrt_device_input_slot(c.device, entry, port, &in, c.error),
                  TTRT_INVALID_ARGUMENT);
        EXPECT_EQ(ttrt_device_output_slot(c.device, entry, port, &out, c.error),
                  TTRT_INVALID_ARGUMENT);
        EXPECT_EQ(in, nullptr);
        EXPECT_EQ(out, nullptr);
        return ttrt_device_view_output(c.device, entry, port, &view, c.error);
      });
    add("SlotNull",
        [=](Caller &c) mutable { return ttrt_device_input_slot(nullptr, 0, 0, &in, c.error); });
    add("SlotNull",
        [](Caller &c) { return ttrt_device_input_slot(c.device, 0, 0, nullptr, c.error); });
    add("SlotNull",
        [=](Caller &c) mutable { return ttrt_device_output_slot(nullptr, 0, 0, &out, c.error); });
    add("SlotNull",
        [](Caller &c) { return ttrt_device_output_slot(c.device, 0, 0, nullptr, c.error); });
    add("ViewNull",
        [=](Caller &c) mutable { return ttrt_device_view_output(nullptr, 0, 0, &view, c.error); });
    add("ViewNull",
        [](Caller &c) { return ttrt_device_view_output(c.device, 0, 0, nullptr, c.error); });
    add("CheckNull", [=](Caller &c) { return ttrt_device_check_output(nullptr, &view, c.error); });
    add("CheckNull",
        [](Caller &c) { return ttrt_device_check_output(c.device, nullptr, c.error); });
    // Views that no call has returned, on a device that checks them.
    auto check = [](Caller &c, uint32_t entry, uint32_t output) {
      ttrt_device_options options = Caller::options();
      options.check_outputs = 1;
      ttrt_device *checked = nullptr;
      EXPECT_EQ(ttrt_device_open(c.bundle, &options, &checked, nullptr), TTRT_OK);
      const ttrt_output_view made{nullptr, SIZE_MAX, entry, output, UINT64_MAX};
      const ttrt_status status = ttrt_device_check_output(checked, &made, c.error);
      ttrt_device_close(checked);
      return status;
    };
    add("CheckEntry", [=](Caller &c) { return check(c, UINT32_MAX, 0); });
    add("CheckOutput", [=](Caller &c) { return check(c, 0, UINT32_MAX); });
    add("CheckRun", [=](Caller &c) { return check(c, 0, 0); }, TTRT_OVERWRITTEN);
  }

  void memory() {
    ttrt_memory_use right = TTRT_MEMORY_USE_INIT;
    add("DeviceMemoryNull",
        [=](Caller &c) mutable { return ttrt_device_memory(nullptr, TTRT_DRAM, &right, c.error); });
    add("DeviceMemoryNull",
        [](Caller &c) { return ttrt_device_memory(c.device, TTRT_DRAM, nullptr, c.error); });
    forAll<int>("DeviceMemoryType", kNumbers, [=](Caller &c, int type) mutable {
      return any_device_memory(c.device, type, &right, c.error);
    });
    structs<ttrt_memory_use>("DeviceMemory", right, [](Caller &c, ttrt_memory_use *use) {
      return ttrt_device_memory(c.device, TTRT_L1, use, c.error);
    });
    ttrt_huge_pages pages = TTRT_HUGE_PAGES_INIT;
    add("HugePagesNull",
        [=](Caller &c) mutable { return ttrt_device_huge_pages(nullptr, &pages, c.error); });
    add("HugePagesNull",
        [](Caller &c) { return ttrt_device_huge_pages(c.device, nullptr, c.error); });
    structs<ttrt_huge_pages>("HugePages", pages, [](Caller &c, ttrt_huge_pages *use) {
      return ttrt_device_huge_pages(c.device, use, c.error);
    });
    for (auto *call : {ttrt_trace_load, ttrt_trace_execute, ttrt_trace_release}) {
      add("TraceNull", [=](Caller &c) { return call(nullptr, 0, c.error); });
      forAll<uint32_t>("TraceIndex", kIndices,
                       [=](Caller &c, uint32_t index) { return call(c.device, index, c.error); });
    }
  }

  void queues() {
    using Enqueue = std::function<ttrt_status(Caller &, ttrt_device *, uint32_t queue,
                                              uint32_t entry, uint32_t port, size_t bytes)>;
    const Enqueue transfers[] = {
        [](Caller &c, ttrt_device *device, uint32_t queue, uint32_t entry, uint32_t port,
           size_t bytes) {
          return ttrt_enqueue_write(device, queue, entry, port, c.x.data(), bytes, 1, c.error);
        },
        [](Caller &c, ttrt_device *device, uint32_t queue, uint32_t entry, uint32_t port,
           size_t bytes) {
          return ttrt_enqueue_read(device, queue, entry, port, c.y.data(), bytes, 1, c.error);
        }};
    for (const Enqueue &call : transfers) {
      add("TransferNull", [=](Caller &c) { return call(c, nullptr, 0, 0, 0, kSampleBytes); });
      forAll<uint32_t>("TransferQueue", kIndices, [=](Caller &c, uint32_t index) {
        return call(c, c.device, index, 0, 0, kSampleBytes);
      });
      forAll<uint32_t>("TransferEntry", kIndices, [=](Caller &c, uint32_t index) {
        return call(c, c.device, 0, index, 0, kSampleBytes);
      });
      forAll<uint32_t>("TransferPort", kIndices, [=](Caller &c, uint32_t index) {
        return call(c, c.device, 0, 0, index, kSampleBytes);
      });
      forAll<size_t>("TransferBytes", kSizes,
                     [=](Caller &c, size_t bytes) { return call(c, c.device, 0, 0, 0, bytes); });
    }
    add("WriteNull", [](Caller &c) {
      return ttrt_enqueue_write(c.device, 0, 0, 0, nullptr, kSampleBytes, 1, c.error);
    });
    add("ReadNull", [](Caller &c) {
      return ttrt_enqueue_read(c.device, 0, 0, 0, nullptr, kSampleBytes, 1, c.error);
    });
    add("ExecuteNull", [](Caller &c) { return ttrt_enqueue_execute(nullptr, 0, 0, 1, c.error); });
    forAll<uint32_t>("ExecuteQueue", kIndices, [](Caller &c, uint32_t index) {
      return ttrt_enqueue_execute(c.device, index, 0, 1, c.error);
    });
    forAll<uint32_t>("ExecuteTrace", kIndices, [](Caller &c, uint32_t index) {
      return ttrt_enqueue_execute(c.device, 0, index, 1, c.error);
    });
    auto nothing = [](void *) { return 0; };
    add("CallNull",
        [=](Caller &c) { return ttrt_enqueue_call(nullptr, 0, nothing, nullptr, c.error); });
    add("CallNull",
        [](Caller &c) { return ttrt_enqueue_call(c.device, 0, nullptr, nullptr, c.error); });
    forAll<uint32_t>("CallQueue", kIndices, [=](Caller &c, uint32_t index) {
      return ttrt_enqueue_call(c.device, index, nothing, nullptr, c.error);
    });
    add("EventCreateNull", [](Caller &c) {
      ttrt_event *made = c.event;
      const ttrt_status status = ttrt_event_create(nullptr, &made, c.error);
      EXPECT_EQ(made, nullptr);
      return status;
    });
    add("EventCreateNull", [](Caller &c) { return ttrt_event_create(c.device, nullptr, c.error); });
    for (auto *call : {ttrt_event_record, ttrt_event_wait}) {
      add("EventNull", [=](Caller &c) { return call(nullptr, 0, c.error); });
      forAll<uint32_t>("EventQueue", kIndices,
                       [=](Caller &c, uint32_t index) { return call(c.event, index, c.error); });
    }
    add("QueryNull", [](Caller &c) { return ttrt_event_query(nullptr, c.error); });
    add("SynchronizeNull", [](Caller &c) { return ttrt_event_synchronize(nullptr, c.error); });
    add("SynchronizeNull", [](Caller &c) { return ttrt_device_synchronize(nullptr, c.error); });
    add("ResetNull", [](Caller &c) { return ttrt_device_reset(nullptr, c.error); });
  }

  void pipelines() {
    auto open = [](Caller &c, const ttrt_pipeline_options *options) {
      ttrt_pipeline *opened = reinterpret_cast<ttrt_pipeline *>(c.device);
      const ttrt_status status = ttrt_pipeline_open(c.device, options, &opened, c.error);
      EXPECT_EQ(opened, nullptr);
      return status;
    };
    add("PipelineOpenNull", [](Caller &c) {
      ttrt_pipeline *opened = nullptr;
      return ttrt_pipeline_open(nullptr, nullptr, &opened, c.error);
    });
    add("PipelineOpenNull",
        [](Caller &c) { return ttrt_pipeline_open(c.device, nullptr, nullptr, c.error); });
    structs<ttrt_pipeline_options>(
        "PipelineOpen", TTRT_PIPELINE_OPTIONS_INIT,
        [=](Caller &c, ttrt_pipeline_options *options) { return open(c, options); });
    auto option = [=](auto change) {
      return [=](Caller &c) {
        ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
        change(options);
        return open(c, &options);
      };
    };
    for (uint32_t entry : kIndices)
      add("PipelineEntry", option([=](auto &options) { options.entry = entry; }));
    for (uint32_t outputs : {(1u << 24) + 1, 0x7fffffffu, 0x80000000u, UINT32_MAX})
      add("PipelineOutputs", option([=](auto &options) { options.outputs = outputs; }));
    add("PipelineSchedule", option([](auto &options) { options.schedule = ""; }), TTRT_NOT_FOUND);

    forAll<int>("EnqueueWait", kNumbers, [](Caller &c, int wait) {
      const ttrt_status status = any_pipeline_enqueue(c.piped(), &c.in, wait, c.error);
      EXPECT_EQ(ttrt_pipeline_enqueued(c.pipeline), 0u);
      return status;
    });
    forAll<int>("PopWait", kNumbers, [](Caller &c, int wait) {
      const void *output = nullptr;
      return any_pipeline_pop(c.piped(), &output, wait, c.error);
    });
    add("EnqueueNull", [](Caller &c) {
      return ttrt_pipeline_enqueue(nullptr, &c.in, nullptr, TTRT_WAIT, c.error);
    });
    add("EnqueueNull", [](Caller &c) {
      return ttrt_pipeline_enqueue(c.piped(), nullptr, nullptr, TTRT_WAIT, c.error);
    });
    forAll<size_t>("EnqueueInputBytes", kSizes, [](Caller &c, size_t bytes) {
      const ttrt_input in{c.x.data(), bytes};
      return ttrt_pipeline_enqueue(c.piped(), &in, nullptr, TTRT_WAIT, c.error);
    });
    forAll<size_t>("EnqueueOutputBytes", kSizes, [](Caller &c, size_t bytes) {
      const ttrt_output out{c.y.data(), bytes};
      return ttrt_pipeline_enqueue(c.piped(), &c.in, &out, TTRT_WAIT, c.error);
    });
    add("FinishNull", [](Caller &c) { return ttrt_pipeline_finish(nullptr, c.error); });
    const void *output = nullptr;
    size_t count = 7;
    add("PopNull",
        [=](Caller &c) mutable { return ttrt_pipeline_pop(nullptr, &output, TTRT_WAIT, c.error); });
    add("PopNull",
        [](Caller &c) { return ttrt_pipeline_pop(c.piped(), nullptr, TTRT_WAIT, c.error); });
    add("PopAllNull", [=](Caller &c) mutable {
      const ttrt_status status = ttrt_pipeline_pop_all(nullptr, &output, 1, &count, c.error);
      EXPECT_EQ(count, 0u);
      return status;
    });
    add("PopAllNull", [=](Caller &c) mutable {
      return ttrt_pipeline_pop_all(c.piped(), nullptr, 1, &count, c.error);
    });
    add("PopAllNull", [=](Caller &c) mutable {
      return ttrt_pipeline_pop_all(c.piped(), &output, 1, nullptr, c.error);
    });
    add(
        "PopAllCapacity",
        [=](Caller &c) mutable {
          EXPECT_EQ(ttrt_pipeline_enqueue(c.piped(), &c.in, nullptr, TTRT_WAIT, nullptr), TTRT_OK);
          EXPECT_EQ(ttrt_pipeline_pop_all(c.piped(), &output, SIZE_MAX, &count, nullptr), TTRT_OK);
          EXPECT_EQ(count, 1u);
          return ttrt_pipeline_pop(c.piped(), &output, TTRT_WAIT, c.error);
        },
        TTRT_END);
  }
};

std::vector<Case> cases() {
  Cases cases;
  cases.bundles();
  cases.devices();
  cases.memory();
  cases.queues();
  cases.pipelines();
  return cases.all;
}

class Arguments : public testing::TestWithParam<Case> {};

TEST_P(Arguments, AreAnErrorAndChangeNothing) {
  Caller caller;
  ttrt_error error{TTRT_INTERNAL, ""};
  caller.error = &error;
  EXPECT_EQ(GetParam().call(caller), GetParam().expected) << error.message;
  EXPECT_EQ(error.status, GetParam().expected);
  EXPECT_NE(error.message[0], 0);
  EXPECT_LT(strnlen(error.message, sizeof(error.message)), sizeof(error.message));
  // The error is optional.
  caller.error = nullptr;
  EXPECT_EQ(GetParam().call(caller), GetParam().expected);
  ttrt_pipeline_close(caller.pipeline);
  caller.pipeline = nullptr;
  EXPECT_EQ(caller.loaded.run(caller.x, kSampleElements), sampleResult(caller.x));
}

INSTANTIATE_TEST_SUITE_P(All, Arguments, testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

TEST(ArgumentsOfQueries, OutOfRangeIsZeroOrNothing) {
  Caller caller;
  EXPECT_EQ(ttrt_bundle_entries(nullptr), 0u);
  EXPECT_EQ(ttrt_bundle_traces(nullptr), 0u);
  EXPECT_EQ(ttrt_bundle_schedules(nullptr, 0), 0u);
  EXPECT_EQ(ttrt_device_cores(nullptr), 0u);
  EXPECT_EQ(ttrt_device_queues(nullptr), 0u);
  EXPECT_EQ(ttrt_trace_is_loaded(nullptr, 0), 0);
  EXPECT_STREQ(ttrt_pipeline_schedule(nullptr), "");
  EXPECT_EQ(ttrt_pipeline_enqueued(nullptr), 0u);
  EXPECT_EQ(ttrt_pipeline_popped(nullptr), 0u);
  for (uint32_t index : kIndices) {
    EXPECT_EQ(ttrt_bundle_schedules(caller.bundle, index), 0u);
    EXPECT_EQ(ttrt_trace_is_loaded(caller.device, index), 0);
  }
  for (int number : {-1, TTRT_DEADLINE_EXCEEDED + 1, 1000, INT_MAX, INT_MIN})
    EXPECT_STREQ(any_status_name(number), "unknown status");
  ttrt_bundle_close(nullptr);
  ttrt_device_close(nullptr);
  ttrt_event_destroy(nullptr);
  ttrt_pipeline_close(nullptr);
}

} // namespace
} // namespace ttrt::test
