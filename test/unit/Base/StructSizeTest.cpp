// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callers that were compiled against an older or a newer ttrt.h than the library.

#include "StructInit.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace ttrt;
using namespace ttrt::test;

namespace {

class StructSize : public testing::Test {
protected:
  TemporaryFile file{queueBundle().finish()};
  Loaded loaded{file.path(), optionsFor()};
  ttrt_error error{};

  static ttrt_device_options optionsFor() {
    ttrt_device_options options = deviceOptions(1, 1);
    options.huge_pages = 1; // so that there is something to say about them
    return options;
  }
  ttrt_status open(const ttrt_device_options *options) {
    ttrt_device *device;
    const ttrt_status status = ttrt_device_open(loaded.bundle, options, &device, &error);
    EXPECT_EQ(device != nullptr, status == TTRT_OK);
    ttrt_device_close(device);
    return status;
  }
  ttrt_status openPipeline(const ttrt_pipeline_options *options) {
    ttrt_pipeline *pipeline;
    const ttrt_status status = ttrt_pipeline_open(loaded.device, options, &pipeline, &error);
    EXPECT_EQ(pipeline != nullptr, status == TTRT_OK);
    ttrt_pipeline_close(pipeline);
    return status;
  }
  ttrt_status run(const ttrt_run_options *options) {
    ttrt_input in{};
    ttrt_output out{};
    return ttrt_run(loaded.device, 0, &in, &out, options, &error);
  }
};

/// A struct of a later version: eight bytes longer.
template <typename T> struct Newer {
  T known;
  uint64_t added = 0;
};

TEST_F(StructSize, MacrosMakeDefaults){
#define TTRT_EXPECT_DEFAULTS(name, macro)                                                          \
  {                                                                                                \
    name inC = name##_in_c();                                                                      \
    name inCxx = macro;                                                                            \
    EXPECT_EQ(inC.size, sizeof(name)) << #name;                                                    \
    EXPECT_EQ(inCxx.size, sizeof(name)) << #name;                                                  \
    name zero{};                                                                                   \
    zero.size = sizeof(name);                                                                      \
    EXPECT_EQ(memcmp(&inCxx, &zero, sizeof(name)), 0) << #name << ": zero is the default";         \
  }
    TTRT_SIZED_STRUCTS(TTRT_EXPECT_DEFAULTS)
#undef TTRT_EXPECT_DEFAULTS
}

TEST_F(StructSize, NullMeansDefaults) {
  EXPECT_EQ(open(nullptr), TTRT_OK) << error.message;
  EXPECT_EQ(openPipeline(nullptr), TTRT_OK) << error.message;
  EXPECT_EQ(run(nullptr), TTRT_OK) << error.message;
}

TEST_F(StructSize, AStructWithoutSizeIsRefused) {
  for (size_t size : {size_t(0), sizeof(size_t) - 1, size_t(4097), SIZE_MAX}) {
    ttrt_device_options device = TTRT_DEVICE_OPTIONS_INIT;
    device.size = size;
    EXPECT_EQ(open(&device), TTRT_INVALID_ARGUMENT) << size;
    EXPECT_EQ(error.message, "ttrt_device_options::size is " + std::to_string(size) +
                                 "; expected " + std::to_string(sizeof(device)) +
                                 ", as its ..._INIT macro sets it");
    ttrt_pipeline_options pipeline = TTRT_PIPELINE_OPTIONS_INIT;
    pipeline.size = size;
    EXPECT_EQ(openPipeline(&pipeline), TTRT_INVALID_ARGUMENT) << size;
    ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
    options.size = size;
    EXPECT_EQ(run(&options), TTRT_INVALID_ARGUMENT) << size;
    ttrt_timing timing = TTRT_TIMING_INIT;
    timing.size = size;
    options = TTRT_RUN_OPTIONS_INIT;
    options.timing = &timing;
    EXPECT_EQ(run(&options), TTRT_INVALID_ARGUMENT) << size;
    EXPECT_EQ(timing.total, 0u);
  }
}

TEST_F(StructSize, FieldsBeyondAnOlderStructHaveDefaults) {
  ttrt_device_options device = TTRT_DEVICE_OPTIONS_INIT;
  device.queues = 3; // refused if it is read
  device.size = offsetof(ttrt_device_options, queues);
  EXPECT_EQ(open(&device), TTRT_OK) << error.message;
  device.size = offsetof(ttrt_device_options, queue1_cores);
  EXPECT_EQ(open(&device), TTRT_INVALID_ARGUMENT);

  ttrt_pipeline_options pipeline = TTRT_PIPELINE_OPTIONS_INIT;
  pipeline.schedule = "none";
  pipeline.size = offsetof(ttrt_pipeline_options, schedule);
  EXPECT_EQ(openPipeline(&pipeline), TTRT_OK) << error.message;
  pipeline.size = offsetof(ttrt_pipeline_options, no_trace);
  EXPECT_EQ(openPipeline(&pipeline), TTRT_NOT_FOUND);

  ttrt_timing timing = TTRT_TIMING_INIT;
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  options.timing = &timing;
  options.size = offsetof(ttrt_run_options, timing);
  EXPECT_EQ(run(&options), TTRT_OK) << error.message;
  EXPECT_EQ(timing.total, 0u);
}

TEST_F(StructSize, UnknownOptionsOfANewerStructMustBeZero) {
  auto both = [&](auto options, const char *type, auto use) {
    Newer<decltype(options)> newer{options};
    newer.known.size = sizeof(newer);
    EXPECT_EQ(use(&newer.known), TTRT_OK) << error.message;
    newer.added = 1;
    EXPECT_EQ(use(&newer.known), TTRT_UNSUPPORTED);
    const std::string known = std::to_string(sizeof(options));
    EXPECT_EQ(error.message,
              type + (" has " + std::to_string(sizeof(newer))) + " bytes, of which libttrt " +
                  ttrt_version() + " defines " + known +
                  "; expected zero in the others, found a nonzero byte at offset " + known);
  };
  both(ttrt_device_options TTRT_DEVICE_OPTIONS_INIT, "ttrt_device_options",
       [&](auto *options) { return open(options); });
  both(ttrt_pipeline_options TTRT_PIPELINE_OPTIONS_INIT, "ttrt_pipeline_options",
       [&](auto *options) { return openPipeline(options); });
  both(ttrt_run_options TTRT_RUN_OPTIONS_INIT, "ttrt_run_options",
       [&](auto *options) { return run(options); });
}

/// Every result: as long as the library's, longer, shorter, and without a size.
TEST_F(StructSize, ResultsFitTheCallersStruct) {
  auto check = [&](auto result, const char *type, auto query) {
    using T = decltype(result);
    ASSERT_EQ(query(&result), TTRT_OK) << type << ": " << error.message;
    EXPECT_EQ(result.size, sizeof(T)) << type;
    T defaults{};
    defaults.size = sizeof(T);
    EXPECT_NE(memcmp(&result, &defaults, sizeof(T)), 0) << type << " says nothing";

    Newer<T> newer;
    memset(&newer, 0xa5, sizeof(newer));
    newer.known.size = sizeof(newer);
    EXPECT_EQ(query(&newer.known), TTRT_OK) << type << ": " << error.message;
    EXPECT_EQ(newer.added, 0u) << type;
    EXPECT_EQ(newer.known.size, sizeof(newer)) << type;

    for (size_t size = sizeof(size_t); size < sizeof(T); size += 4) {
      char older[sizeof(T)];
      memset(older, 0xa5, sizeof(older));
      memcpy(older, &size, sizeof(size));
      EXPECT_EQ(query(reinterpret_cast<T *>(older)), TTRT_OK) << type << ": " << error.message;
      EXPECT_EQ(memcmp(older, &size, sizeof(size)), 0) << type;
      EXPECT_EQ(std::count(older + size, older + sizeof(T), char(0xa5)),
                static_cast<long>(sizeof(T) - size))
          << type << " was written beyond its size of " << size;
    }

    for (size_t size : {size_t(0), sizeof(size_t) - 1, size_t(4097), SIZE_MAX}) {
      T unset{};
      unset.size = size;
      EXPECT_EQ(query(&unset), TTRT_INVALID_ARGUMENT) << type;
      EXPECT_NE(std::string(error.message).find(std::string(type) + "::size is"), std::string::npos)
          << error.message;
    }
  };
  ttrt_bundle *bundle = loaded.bundle;
  check(ttrt_entry TTRT_ENTRY_INIT, "ttrt_entry",
        [&](auto *info) { return ttrt_bundle_entry(bundle, 0, info, &error); });
  check(ttrt_port TTRT_PORT_INIT, "ttrt_port",
        [&](auto *port) { return ttrt_bundle_input(bundle, 0, 0, port, &error); });
  check(ttrt_port TTRT_PORT_INIT, "ttrt_port",
        [&](auto *port) { return ttrt_bundle_output(bundle, 0, 0, port, &error); });
  check(ttrt_memory TTRT_MEMORY_INIT, "ttrt_memory",
        [&](auto *memory) { return ttrt_bundle_memory(bundle, memory, &error); });
  check(ttrt_trace TTRT_TRACE_INIT, "ttrt_trace",
        [&](auto *info) { return ttrt_bundle_trace(bundle, 0, info, &error); });
  check(ttrt_schedule TTRT_SCHEDULE_INIT, "ttrt_schedule",
        [&](auto *info) { return ttrt_bundle_schedule(bundle, 0, 0, info, &error); });
  check(ttrt_memory_use TTRT_MEMORY_USE_INIT, "ttrt_memory_use",
        [&](auto *use) { return ttrt_device_memory(loaded.device, TTRT_DRAM, use, &error); });
  check(ttrt_huge_pages TTRT_HUGE_PAGES_INIT, "ttrt_huge_pages",
        [&](auto *use) { return ttrt_device_huge_pages(loaded.device, use, &error); });
  check(ttrt_host TTRT_HOST_INIT, "ttrt_host",
        [&](auto *host) { return ttrt_query_host(host, &error); });
  check(ttrt_timing TTRT_TIMING_INIT, "ttrt_timing", [&](auto *timing) {
    ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
    options.timing = timing;
    return run(&options);
  });
}

/// Numbers that would overflow what is computed from them.
TEST_F(StructSize, NumbersOutOfRangeAreRefused) {
  ttrt_device_options device = deviceOptions(1, 2);
  device.events = 65536;
  EXPECT_EQ(open(&device), TTRT_OK) << error.message;
  for (uint32_t events : {uint32_t(65537), UINT32_MAX - 1, UINT32_MAX}) {
    device.events = events;
    EXPECT_EQ(open(&device), TTRT_INVALID_ARGUMENT) << events;
    EXPECT_EQ(error.message, "expected at most 65536 events, found " + std::to_string(events));
  }
  device.events = 0;
  for (uint32_t cores : {uint32_t(1025), UINT32_MAX}) {
    device.cores = cores;
    EXPECT_EQ(open(&device), TTRT_INVALID_ARGUMENT);
    device.cores = 1;
    device.queue1_cores = cores;
    EXPECT_EQ(open(&device), TTRT_INVALID_ARGUMENT);
    device.queue1_cores = 0;
    device.queues = cores;
    EXPECT_EQ(open(&device), TTRT_INVALID_ARGUMENT);
    device.queues = 2;
  }
  ttrt_pipeline_options pipeline = TTRT_PIPELINE_OPTIONS_INIT;
  for (uint32_t outputs : {(1u << 24) + 1, UINT32_MAX}) {
    pipeline.outputs = outputs;
    EXPECT_EQ(openPipeline(&pipeline), TTRT_INVALID_ARGUMENT) << outputs;
  }
}

} // namespace
