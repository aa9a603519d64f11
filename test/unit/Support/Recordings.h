// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixture for tests of what devices record.

#ifndef TTC_TEST_UNIT_SUPPORT_RECORDINGS_H
#define TTC_TEST_UNIT_SUPPORT_RECORDINGS_H

#include "ProfileLog.h"
#include "ttrt/profile.h"
#include "ttrt/ttrt.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace ttrt::test {

/// With a folder of its own, a profiler in it and devices that record.
class Recordings : public testing::Test {
protected:
  Recordings() {
    const char *temporary = getenv("TMPDIR");
    root = std::string(temporary ? temporary : "/tmp") + "/ttrt-profiler-test-XXXXXX";
    if (!mkdtemp(root.data()))
      throw std::runtime_error("cannot make " + root);
  }
  ~Recordings() override {
    ttrt_profiler_close(profiler);
    std::filesystem::remove_all(root);
  }
  void open(uint32_t programs = 0, uint32_t interval = 0) {
    ttrt_profiler_options options = TTRT_PROFILER_OPTIONS_INIT;
    options.programs = programs;
    options.read_interval = interval;
    ttrt_error error;
    ASSERT_EQ(ttrt_profiler_open((root + "/profile").c_str(), &options, &profiler, &error), TTRT_OK)
        << error.message;
  }
  ttrt_device_options device(uint32_t cores, uint32_t queues = 0) {
    ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
    options.cores = cores;
    options.queues = queues;
    options.profiler = profiler;
    return options;
  }
  /// Ends the recording.
  ProfileLog log() {
    const std::string folder = ttrt_profiler_folder(profiler);
    ttrt_profiler_close(profiler);
    profiler = nullptr;
    ProfileLog log(folder);
    EXPECT_TRUE(log.ended);
    return log;
  }

  std::string root;
  ttrt_profiler *profiler = nullptr;
};

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_RECORDINGS_H
