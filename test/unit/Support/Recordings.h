// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixture for tests of what devices record.

#ifndef TTC_TEST_UNIT_SUPPORT_RECORDINGS_H
#define TTC_TEST_UNIT_SUPPORT_RECORDINGS_H

#include "Loaded.h"
#include "ProfileLog.h"
#include "TemporaryFolder.h"
#include "ttrt/profile.h"
#include "ttrt/ttrt.h"

#include <gtest/gtest.h>
#include <string>

namespace ttrt::test {

/// With a folder of its own, a profiler in it and devices that record.
class Recordings : public testing::Test {
protected:
  ~Recordings() override { ttrt_profiler_close(profiler); }
  void open(uint32_t programs = 0, uint32_t interval = 0) {
    ttrt_profiler_options options = TTRT_PROFILER_OPTIONS_INIT;
    options.programs = programs;
    options.read_interval = interval;
    ttrt_error error;
    ASSERT_EQ(ttrt_profiler_open((root + "/profile").c_str(), &options, &profiler, &error), TTRT_OK)
        << error.message;
  }
  ttrt_device_options device(uint32_t cores, uint32_t queues = 0) {
    ttrt_device_options options = deviceOptions(cores, queues);
    options.profiler = profiler;
    return options;
  }
  /// Ends the recording.
  ProfileLog log() {
    ProfileLog log(close());
    EXPECT_TRUE(log.ended);
    return log;
  }
  /// Returns the recording's folder.
  std::string close() {
    const std::string folder = ttrt_profiler_folder(profiler);
    ttrt_profiler_close(profiler);
    profiler = nullptr;
    return folder;
  }

  TemporaryFolder folder;
  const std::string &root = folder.path;
  ttrt_profiler *profiler = nullptr;
};

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_RECORDINGS_H
