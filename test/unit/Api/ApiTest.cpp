// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Support/Loaded.h"

#include <cstring>
#include <thread>

using namespace ttrt;
using namespace ttrt::test;

namespace {

class Api : public testing::Test {
protected:
  TemporaryFile file{sampleBundle().finish()};
  Loaded loaded{file.path(), 2};
  ttrt_error error{};
};

TEST_F(Api, Describes) {
  EXPECT_EQ(ttrt_bundle_entries(loaded.bundle), 1u);
  ttrt_entry entry = TTRT_ENTRY_INIT;
  ASSERT_EQ(ttrt_bundle_entry(loaded.bundle, 0, &entry, &error), TTRT_OK);
  EXPECT_STREQ(entry.name, "main");
  EXPECT_EQ(entry.inputs, 1u);
  EXPECT_EQ(entry.outputs, 1u);
  ttrt_port port = TTRT_PORT_INIT;
  ASSERT_EQ(ttrt_bundle_input(loaded.bundle, 0, 0, &port, &error), TTRT_OK);
  EXPECT_STREQ(port.name, "x");
  EXPECT_EQ(port.dtype, TTRT_F32);
  ASSERT_EQ(port.rank, 2u);
  EXPECT_EQ(port.shape[0], 1);
  EXPECT_EQ(port.shape[1], 256);
  EXPECT_EQ(port.bytes, 1024u);
  uint32_t index = 7;
  EXPECT_EQ(ttrt_bundle_find_entry(loaded.bundle, "main", &index, &error), TTRT_OK);
  EXPECT_EQ(index, 0u);
}

TEST_F(Api, SaysWhatWasExpected) {
  uint32_t index;
  EXPECT_EQ(ttrt_bundle_find_entry(loaded.bundle, "decode", &index, &error), TTRT_NOT_FOUND);
  EXPECT_STREQ(error.message, "no entry point 'decode'; the bundle has: main");
  ttrt_port port = TTRT_PORT_INIT;
  EXPECT_EQ(ttrt_bundle_input(loaded.bundle, 0, 1, &port, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "input 1; entry point 'main' has 1");
  EXPECT_EQ(ttrt_bundle_output(loaded.bundle, 3, 0, &port, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "entry point 3; the bundle has 1");

  float data[kSampleElements] = {};
  ttrt_input input{data, 12};
  ttrt_output output{data, sizeof(data)};
  EXPECT_EQ(ttrt_run(loaded.device, 0, &input, &output, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "input 'x' has 12 bytes; expected 1024");
  input.bytes = sizeof(data);
  output.bytes = 3;
  EXPECT_EQ(ttrt_run(loaded.device, 0, &input, &output, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "output 'y' has 3 bytes; expected 1024");
  EXPECT_EQ(ttrt_run(loaded.device, 0, nullptr, &output, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_run(loaded.device, 5, &input, &output, nullptr, &error), TTRT_INVALID_ARGUMENT);
  // The error is optional, and reset on success.
  EXPECT_EQ(ttrt_run(loaded.device, 5, &input, &output, nullptr, nullptr), TTRT_INVALID_ARGUMENT);
  output.bytes = sizeof(data);
  EXPECT_EQ(ttrt_run(loaded.device, 0, &input, &output, nullptr, &error), TTRT_OK);
  EXPECT_EQ(error.status, TTRT_OK);
  EXPECT_STREQ(error.message, "");
}

TEST_F(Api, Metadata) {
  const void *value = nullptr;
  uint64_t bytes = 7;
  EXPECT_EQ(ttrt_bundle_metadata_keys(loaded.bundle), 0u);
  EXPECT_EQ(ttrt_bundle_metadata(loaded.bundle, "a", &value, &bytes, &error), TTRT_NOT_FOUND);
  EXPECT_STREQ(error.message, "no metadata 'a'; the bundle has: none");

  BundleBuilder builder = sampleBundle();
  for (const char *key : {"a", "b", "tokenizer"}) {
    builder.bundle.metadata.push_back(std::make_unique<fb::MetadatumT>());
    builder.bundle.metadata.back()->key = key;
  }
  builder.bundle.metadata[2]->value = {'x', 0, 255};
  TemporaryFile changed(builder.finish());
  ttrt_bundle *bundle;
  ASSERT_EQ(ttrt_bundle_open(changed.path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK)
      << error.message;
  ASSERT_EQ(ttrt_bundle_metadata_keys(bundle), 3u);
  EXPECT_STREQ(ttrt_bundle_metadata_key(bundle, 0), "a");
  EXPECT_STREQ(ttrt_bundle_metadata_key(bundle, 2), "tokenizer");
  EXPECT_EQ(ttrt_bundle_metadata_key(bundle, 3), nullptr);
  ASSERT_EQ(ttrt_bundle_metadata(bundle, "tokenizer", &value, &bytes, &error), TTRT_OK);
  ASSERT_EQ(bytes, 3u);
  EXPECT_EQ(memcmp(value, "x\0\xff", 3), 0);
  ASSERT_EQ(ttrt_bundle_metadata(bundle, "a", &value, &bytes, &error), TTRT_OK);
  EXPECT_EQ(bytes, 0u);
  EXPECT_NE(value, nullptr);
  EXPECT_EQ(ttrt_bundle_metadata(bundle, "c", &value, &bytes, &error), TTRT_NOT_FOUND);
  EXPECT_STREQ(error.message, "no metadata 'c'; the bundle has: a, b, tokenizer");
  ttrt_bundle_close(bundle);
}

TEST_F(Api, RejectsNull) {
  EXPECT_EQ(ttrt_bundle_metadata_keys(nullptr), 0u);
  EXPECT_EQ(ttrt_bundle_metadata_key(nullptr, 0), nullptr);
  const void *value;
  uint64_t bytes;
  EXPECT_EQ(ttrt_bundle_metadata(nullptr, "a", &value, &bytes, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_bundle_metadata(loaded.bundle, nullptr, &value, &bytes, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_bundle_metadata(loaded.bundle, "a", nullptr, &bytes, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_bundle_metadata(loaded.bundle, "a", &value, nullptr, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_bundle_open(nullptr, TTRT_VERIFY_FULL, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_device_open(nullptr, nullptr, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_run(nullptr, 0, nullptr, nullptr, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_bundle_entries(nullptr), 0u);
  EXPECT_EQ(ttrt_device_cores(nullptr), 0u);
  ttrt_bundle_close(nullptr);
  ttrt_device_close(nullptr);
  EXPECT_EQ(ttrt_query_host(nullptr, &error), TTRT_INVALID_ARGUMENT);
}

TEST_F(Api, BundleMayBeClosedBeforeItsDevice) {
  ttrt_bundle_close(loaded.bundle);
  loaded.bundle = nullptr;
  EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements),
            sampleResult(ramp(kSampleElements)));
}

TEST_F(Api, SlotsInPlace) {
  void *in;
  const void *out;
  ASSERT_EQ(ttrt_device_input_slot(loaded.device, 0, 0, &in, &error), TTRT_OK);
  ASSERT_EQ(ttrt_device_output_slot(loaded.device, 0, 0, &out, &error), TTRT_OK);
  std::vector<float> input = ramp(kSampleElements), expected = sampleResult(input);
  memcpy(in, input.data(), kSampleBytes);
  ttrt_input keep{};
  ttrt_output leave{};
  ASSERT_EQ(ttrt_run(loaded.device, 0, &keep, &leave, nullptr, &error), TTRT_OK);
  EXPECT_EQ(memcmp(out, expected.data(), kSampleBytes), 0);
  EXPECT_EQ(ttrt_device_input_slot(loaded.device, 0, 9, &in, &error), TTRT_INVALID_ARGUMENT);
}

TEST_F(Api, TwoDevicesOfOneBundleAreIndependent) {
  ttrt_device *other = nullptr;
  ttrt_device_options options = deviceOptions(1);
  options.pin = 1;
  ASSERT_EQ(ttrt_device_open(loaded.bundle, &options, &other, &error), TTRT_OK) << error.message;
  std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
  std::thread thread([&] {
    ttrt_input in{input.data(), kSampleBytes};
    ttrt_output out{output.data(), kSampleBytes};
    for (int i = 0; i < 200; ++i)
      EXPECT_EQ(ttrt_run(other, 0, &in, &out, nullptr, nullptr), TTRT_OK);
  });
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(loaded.run(input, kSampleElements), sampleResult(input));
  thread.join();
  EXPECT_EQ(output, sampleResult(input));
  ttrt_device_close(other);
}

/// Two bundles at once: the dynamic loader must not take one's code for the other's.
TEST_F(Api, TwoBundles) {
  TemporaryFile chain(chainBundle(3, true).finish());
  for (int i = 0; i < 3; ++i) {
    Loaded other(chain.path(), 2);
    EXPECT_EQ(other.run(std::vector<float>(8, 1.0f), 8), std::vector<float>(8, 4.0f));
    EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements),
              sampleResult(ramp(kSampleElements)));
  }
}

TEST_F(Api, CommandTimesAndTiming) {
  struct Seen {
    std::vector<uint32_t> commands;
    uint64_t last = 0;
  } seen;
  std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  ttrt_output out{output.data(), kSampleBytes};
  ttrt_timing timing = TTRT_TIMING_INIT;
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  options.no_trace = 1;
  options.timing = &timing;
  options.user = &seen;
  options.on_command = [](void *user, uint32_t trace, uint32_t command, uint64_t begin,
                          uint64_t end) {
    auto &seen = *static_cast<Seen *>(user);
    EXPECT_EQ(trace, 0u);
    EXPECT_LE(seen.last, begin);
    EXPECT_LE(begin, end);
    seen.last = end;
    seen.commands.push_back(command);
  };
  ASSERT_EQ(ttrt_run(loaded.device, 0, &in, &out, &options, &error), TTRT_OK);
  EXPECT_EQ(seen.commands, (std::vector<uint32_t>{0, 2, 4, 6})); // the dispatches
  EXPECT_GT(timing.total, 0u);
  EXPECT_LE(timing.device, timing.total);
}

TEST_F(Api, CallsOnOneDeviceMustNotOverlap) {
  struct Inner {
    ttrt_device *device;
    ttrt_status status;
  } inner{loaded.device, TTRT_OK};
  std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
  ttrt_input in{input.data(), kSampleBytes};
  ttrt_output out{output.data(), kSampleBytes};
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  options.no_trace = 1;
  options.user = &inner;
  options.on_command = [](void *user, uint32_t, uint32_t, uint64_t, uint64_t) {
    auto *inner = static_cast<Inner *>(user);
    ttrt_input in{};
    ttrt_output out{};
    inner->status = ttrt_run(inner->device, 0, &in, &out, nullptr, nullptr);
  };
  ASSERT_EQ(ttrt_run(loaded.device, 0, &in, &out, &options, &error), TTRT_OK);
  EXPECT_EQ(inner.status, TTRT_BUSY);
  EXPECT_EQ(output, sampleResult(input));
}

/// A run marks inputs as overwritten; a slot is not handed out at the same time.
TEST_F(Api, SlotsDuringARun) {
  struct Inner {
    ttrt_device *device;
    ttrt_status input, output;
  } inner{loaded.device, TTRT_OK, TTRT_INTERNAL};
  const std::vector<float> values = ramp(kSampleElements);
  ttrt_input in{values.data(), kSampleBytes};
  ttrt_output out{};
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  options.no_trace = 1;
  options.user = &inner;
  options.on_command = [](void *user, uint32_t, uint32_t, uint64_t, uint64_t) {
    auto *its = static_cast<Inner *>(user);
    void *in;
    const void *out;
    its->input = ttrt_device_input_slot(its->device, 0, 0, &in, nullptr);
    its->output = ttrt_device_output_slot(its->device, 0, 0, &out, nullptr);
  };
  EXPECT_EQ(ttrt_run(loaded.device, 0, &in, &out, &options, nullptr), TTRT_OK);
  EXPECT_EQ(inner.input, TTRT_BUSY);
  EXPECT_EQ(inner.output, TTRT_OK);
}

TEST_F(Api, TooManyCores) {
  ttrt_device *device;
  ttrt_device_options options = deviceOptions(100000);
  EXPECT_EQ(ttrt_device_open(loaded.bundle, &options, &device, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(device, nullptr);
}

TEST_F(Api, OutputsThatWereOverwrittenAreDiagnosed) {
  ttrt_device_options options = deviceOptions(2);
  options.check_outputs = 1;
  ttrt_device *device;
  ASSERT_EQ(ttrt_device_open(loaded.bundle, &options, &device, &error), TTRT_OK) << error.message;
  ttrt_output_view view{};
  EXPECT_EQ(ttrt_device_view_output(device, 0, 0, &view, &error), TTRT_NOT_READY);
  EXPECT_STREQ(error.message, "output 'y': entry point 'main' has not run yet");

  const std::vector<float> values = ramp(kSampleElements);
  ttrt_input input{values.data(), kSampleBytes};
  ttrt_output none{};
  ASSERT_EQ(ttrt_run(device, 0, &input, &none, nullptr, &error), TTRT_OK);
  ASSERT_EQ(ttrt_device_view_output(device, 0, 0, &view, &error), TTRT_OK);
  EXPECT_EQ(view.run, 1u);
  EXPECT_EQ(view.bytes, kSampleBytes);
  EXPECT_EQ(memcmp(view.data, sampleResult(values).data(), kSampleBytes), 0);
  EXPECT_EQ(ttrt_device_check_output(device, &view, &error), TTRT_OK);

  ASSERT_EQ(ttrt_run(device, 0, &input, &none, nullptr, &error), TTRT_OK);
  EXPECT_EQ(ttrt_device_check_output(device, &view, &error), TTRT_OVERWRITTEN);
  EXPECT_STREQ(ttrt_status_name(TTRT_OVERWRITTEN), "overwritten");
  EXPECT_NE(std::string(error.message)
                .find("output 'y' of entry point 'main' is of run 1, and run 2 has overwritten it"),
            std::string::npos)
      << error.message;
  ASSERT_EQ(ttrt_device_view_output(device, 0, 0, &view, &error), TTRT_OK);
  EXPECT_EQ(ttrt_device_check_output(device, &view, &error), TTRT_OK);
  view.output = 1;
  EXPECT_EQ(ttrt_device_check_output(device, &view, &error), TTRT_INVALID_ARGUMENT);
  ttrt_device_close(device);
}

TEST_F(Api, OutputsAreNotCheckedUnlessAskedFor) {
  ttrt_output_view view{};
  EXPECT_EQ(ttrt_device_view_output(loaded.device, 0, 0, &view, &error), TTRT_OK);
  EXPECT_EQ(view.run, 0u);
  loaded.run(ramp(kSampleElements), kSampleElements);
  EXPECT_EQ(ttrt_device_check_output(loaded.device, &view, &error), TTRT_OK);
}

TEST(Host, IsDescribed) {
  ttrt_host host = TTRT_HOST_INIT;
  ttrt_error error;
  ASSERT_EQ(ttrt_query_host(&host, &error), TTRT_OK) << error.message;
  EXPECT_GE(host.cores, 1u);
  EXPECT_GT(host.dram_bytes, uint64_t(1) << 26);
  EXPECT_GT(host.l1_bytes, 0u);
#if defined(__x86_64__)
  EXPECT_STREQ(host.arch, "x86_64");
  EXPECT_NE(std::string(host.features).find("sse2"), std::string::npos);
#if __has_builtin(__builtin_cpu_supports)
  auto has = [&](const std::string &name) {
    return ("," + std::string(host.features) + ",").find("," + name + ",") != std::string::npos;
  };
  EXPECT_EQ(has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(has("avx512vnni"), __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_EQ(has("bmi2"), __builtin_cpu_supports("bmi2") != 0);
#endif
#endif
}

} // namespace
