// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_SUPPORT_LOADED_H
#define TTC_TEST_UNIT_SUPPORT_LOADED_H

#include "BundleBuilder.h"
#include "ttrt/ttrt.h"

#include <gtest/gtest.h>

namespace ttrt::test {

inline ttrt_device_options deviceOptions(uint32_t cores, uint32_t queues = 0) {
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.cores = cores;
  options.queues = queues;
  return options;
}

/// A bundle on a device, through the C API; failures are test failures.
class Loaded {
public:
  Loaded(const char *path, uint32_t cores) : Loaded(path, deviceOptions(cores)) {}
  Loaded(const char *path, const ttrt_device_options &options) {
    ttrt_error error;
    EXPECT_EQ(ttrt_bundle_open(path, TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK) << error.message;
    if (bundle)
      EXPECT_EQ(ttrt_device_open(bundle, &options, &device, &error), TTRT_OK) << error.message;
  }
  ~Loaded() {
    ttrt_device_close(device);
    ttrt_bundle_close(bundle);
  }
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;

  /// One inference of an entry point with at most one input and one output.
  std::vector<float> run(const std::vector<float> &input, size_t outputElements,
                         bool noTrace = false, uint32_t entry = 0) {
    std::vector<float> output(outputElements);
    ttrt_input in{input.data(), input.size() * sizeof(float)};
    ttrt_output out{output.data(), output.size() * sizeof(float)};
    ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
    options.no_trace = noTrace;
    ttrt_error error;
    EXPECT_EQ(ttrt_run(device, entry, &in, &out, &options, &error), TTRT_OK) << error.message;
    return output;
  }

  ttrt_bundle *bundle = nullptr;
  ttrt_device *device = nullptr;
};

inline std::vector<float> ramp(size_t elements) {
  std::vector<float> values(elements);
  for (size_t i = 0; i < elements; ++i)
    values[i] = static_cast<float>(i) / static_cast<float>(elements);
  return values;
}

/// A trace of `length` tiny commands, each of which needs the one before; x + length.
BundleBuilder chainBundle(uint32_t length, bool barriers);
/// y = x, by commands that take about a hundredth of a second each.
BundleBuilder slowBundle(uint32_t commands);

/// What the runtime says to a file: opened, and if that works, put onto a device.
inline std::string verdict(const std::vector<uint8_t> &file, ttrt_status *status = nullptr) {
  TemporaryFile temporary(file);
  ttrt_error error;
  ttrt_bundle *bundle = nullptr;
  ttrt_device *device = nullptr;
  ttrt_status result = ttrt_bundle_open(temporary.path(), TTRT_VERIFY_FULL, &bundle, &error);
  if (result == TTRT_OK)
    result = ttrt_bundle_prove(bundle, &error);
  if (result == TTRT_OK) {
    const ttrt_device_options options = deviceOptions(1);
    result = ttrt_device_open(bundle, &options, &device, &error);
  }
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
  EXPECT_EQ(result, error.status);
  if (status)
    *status = result;
  return error.message;
}

/// One of many inputs of the sample.
inline std::vector<float> sampleInput(size_t i) {
  std::vector<float> input = ramp(kSampleElements);
  input[i % kSampleElements] = static_cast<float>(i);
  return input;
}

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_LOADED_H
