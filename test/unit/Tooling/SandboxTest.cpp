// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A confined process computes what an unconfined one computes, and can do nothing else. Whatever it
// does, this process continues.

#include "Run/Sandbox.h"

#include "Support/Error.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/ReadFile.h"

#include <cstring>
#include <functional>
#include <memory>
#include <sys/syscall.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

/// The sample, whose first program is another one.
class Confined {
public:
  explicit Confined(const char *symbol = "test_add", uint32_t cores = 2,
                    const std::function<void(BundleBuilder &)> &change = {}) {
    BundleBuilder builder = sampleBundle();
    builder.code = readFile<decltype(builder.code)>(TTRT_HOSTILE_CODE);
    builder.bundle.programs[0]->symbol = symbol;
    if (change)
      change(builder);
    file = std::make_unique<TemporaryFile>(builder.finish());
    ttrt_error error;
    EXPECT_EQ(ttrt_bundle_open(file->path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK)
        << error.message;
    options.cores = cores;
    inputs.push_back({input.data(), kSampleBytes});
    outputs.push_back({output.data(), kSampleBytes});
  }
  ~Confined() {
    sandbox.reset();
    ttrt_bundle_close(bundle);
  }

  void start() {
    sandbox = std::make_unique<ttrun::Sandbox>(file->path(), bundle, 0, options, inputs, outputs);
  }
  void run(bool noTrace = false) { sandbox->run(noTrace); }
  /// What start() and run() say.
  std::string failure() {
    try {
      start();
      run();
    } catch (const ttrun::BadBundle &error) {
      return error.what();
    }
    return "";
  }

  std::vector<float> input = ramp(kSampleElements), output = std::vector<float>(kSampleElements);
  std::unique_ptr<ttrun::Sandbox> sandbox;

private:
  std::unique_ptr<TemporaryFile> file;
  ttrt_bundle *bundle = nullptr;
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  std::vector<ttrt_input> inputs;
  std::vector<ttrt_output> outputs;
};

TEST(Sandbox, ComputesTheSame) {
  for (uint32_t cores : {1, 2, 5}) {
    Confined confined("test_add", cores);
    confined.start();
    EXPECT_EQ(confined.sandbox->cores(), cores);
    for (size_t i = 0; i < 50; ++i) {
      const std::vector<float> input = sampleInput(i);
      confined.input.assign(input.begin(), input.end());
      confined.run(/*noTrace=*/i % 2);
      EXPECT_EQ(confined.output, sampleResult(input));
    }
  }
}

TEST(Sandbox, StartsAndEndsAtOnce) {
  for (int i = 0; i < 20; ++i) {
    Confined confined("test_add", 4);
    confined.start();
  }
}

struct Call {
  const char *symbol;
  long number;
};

class Forbidden : public testing::TestWithParam<Call> {};

TEST_P(Forbidden, IsAnErrorOfTheRun) {
  for (uint32_t cores : {1, 3}) {
    Confined confined(GetParam().symbol, cores);
    const std::string message = confined.failure();
    const std::string part = "its code made system call " + std::to_string(GetParam().number) +
                             ", which the sandbox forbids; expected none";
    EXPECT_NE(message.find(part), std::string::npos) << message;
    // No inference follows.
    EXPECT_THROW(confined.run(), ttrun::BadBundle);
  }
  Confined next; // this process is as before
  next.start();
  next.run();
  EXPECT_EQ(next.output, sampleResult(ramp(kSampleElements)));
}

INSTANTIATE_TEST_SUITE_P(
    , Forbidden,
    testing::Values(Call{"hostile_open", SYS_open}, Call{"hostile_openat", SYS_openat},
                    Call{"hostile_read", SYS_read}, Call{"hostile_write", SYS_write},
                    Call{"hostile_socket", SYS_socket}, Call{"hostile_execve", SYS_execve},
                    Call{"hostile_fork", SYS_fork}, Call{"hostile_clone", SYS_clone},
                    Call{"hostile_kill", SYS_kill}, Call{"hostile_ptrace", SYS_ptrace},
                    Call{"hostile_prctl", SYS_prctl}, Call{"hostile_mmap", SYS_mmap},
                    Call{"hostile_mprotect", SYS_mprotect}, Call{"hostile_seccomp", SYS_seccomp},
                    Call{"hostile_io_uring", 425}, Call{"hostile_memfd", SYS_memfd_create},
                    Call{"hostile_requeue", SYS_futex},
                    Call{"hostile_x32", 0x40000000 + SYS_getpid}),
    [](const auto &info) { return std::string(info.param.symbol); });

TEST(Sandbox, CrashesAreErrors) {
  const std::string crash = Confined("hostile_crash").failure();
  EXPECT_NE(crash.find("its code crashed: Segmentation fault"), std::string::npos) << crash;
  // Without support for 32-bit programs, the system takes the instruction for a fault.
  const std::string compat = Confined("hostile_compat").failure();
  EXPECT_NE(compat.find("its code crashed: "), std::string::npos) << compat;
  const std::string ended = Confined("hostile_exit").failure();
  EXPECT_NE(ended.find("its code ended the process, with status 7; expected it to return"),
            std::string::npos)
      << ended;
}

/// The confined process is a copy of this one, with its addresses.
TEST(Sandbox, EnvironmentIsWiped) {
  ASSERT_EQ(setenv("TTRT_TEST_SECRET", "nobody shall know", 1), 0);
  const char *secret = getenv("TTRT_TEST_SECRET");
  // The first command copies to "a", the last one reverses what the others made of it: so only the
  // first command is kept.
  Confined confined("hostile_peek", 1, [](BundleBuilder &builder) {
    const uint64_t x = builder.dataBegin(), y = x + kSampleBytes;
    StreamBuilder stream;
    stream.dispatch(0, {x, 0, y});
    stream.end();
    builder.streams = {stream};
    builder.bundle.traces[0]->commands = stream.commands;
    builder.bundle.traces[0]->sources = {0, 0};
    std::erase_if(builder.bundle.buffers,
                  [](const auto &b) { return b->kind == fb::BufferKind::Activation; });
  });
  memcpy(confined.input.data(), &secret, sizeof(secret));
  confined.output.assign(kSampleElements, 1);
  confined.start();
  confined.run();
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(confined.output.data()), 17),
            std::string(17, 0));
  EXPECT_STREQ(secret, "nobody shall know");
}

TEST(Sandbox, DeviceThatCannotBeOpened) {
  const std::string message = Confined("test_add", 1, [](BundleBuilder &builder) {
                                builder.bundle.target->features = {"no-such-thing"};
                              }).failure();
  EXPECT_NE(message.find("unsupported: bundle is compiled for CPU '' and needs features"),
            std::string::npos)
      << message;
}

} // namespace
