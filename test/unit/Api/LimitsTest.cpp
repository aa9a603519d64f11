// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices under limits of the process, and bundles that are opened without the proof.

#include "test/unit/Proof/L1Bundle.h"
#include "test/unit/Proof/ProofBundles.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/ReadFile.h"
#include "test/unit/Support/Sanitized.h"
#include "ttrt/memory.h"

#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ttrt::test {
namespace {

//===----------------------------------------------------------------------===//
// Address space
//===----------------------------------------------------------------------===//

/// The sample for a target with so much DRAM.
BundleBuilder sampleIn(uint64_t dramBytes) {
  BundleBuilder builder = sampleBundle();
  builder.bundle.target->dram_bank_bytes = dramBytes;
  return builder;
}

uint64_t addressSpaceInUse() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Runs in a child that may take this many more bytes of addresses; returns its exit status.
int inLimitedChild(uint64_t bytes, const std::function<int()> &function) {
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{addressSpaceInUse() + bytes, RLIM_INFINITY};
    _exit(setrlimit(RLIMIT_AS, &limit) == 0 ? function() : 99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class AddressSpace : public testing::Test {
protected:
  void SetUp() override {
#ifdef TTRT_TEST_SANITIZED
    GTEST_SKIP() << "the sanitizers' own reservations are larger than any limit";
#endif
  }
};

int runSample(const char *path, uint32_t cores) {
  ttrt_bundle *bundle = nullptr;
  ttrt_device *device = nullptr;
  ttrt_device_options options = deviceOptions(cores);
  ttrt_error error;
  const std::vector<float> x = ramp(kSampleElements);
  std::vector<float> y(kSampleElements);
  ttrt_input in{x.data(), kSampleBytes};
  ttrt_output out{y.data(), kSampleBytes};
  if (ttrt_bundle_open(path, TTRT_VERIFY_FULL, &bundle, &error) != TTRT_OK ||
      ttrt_device_open(bundle, &options, &device, &error) != TTRT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return error.status;
  }
  for (int i = 0; i < 3; ++i)
    if (ttrt_run(device, 0, &in, &out, nullptr, &error) != TTRT_OK || y != sampleResult(x))
      return 90;
  ttrt_device_close(device);
  // Twice: what was reserved is released.
  if (ttrt_device_open(bundle, &options, &device, &error) != TTRT_OK)
    return 91;
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
  return 0;
}

TEST_F(AddressSpace, HoldsWhatThePlanUses) {
  TemporaryFile file(sampleIn(uint64_t(1) << 40).finish());
  for (uint32_t cores : {1u, 6u})
    EXPECT_EQ(inLimitedChild(256 << 20, [&] { return runSample(file.path(), cores); }), 0);
}

TEST_F(AddressSpace, ThatIsTooSmallForThePlanIsAnError) {
  TemporaryFile file(sampleIn(uint64_t(1) << 40).finish());
  testing::internal::CaptureStderr();
  EXPECT_EQ(inLimitedChild(256 << 10, [&] { return runSample(file.path(), 1); }),
            int(TTRT_OUT_OF_MEMORY));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("of the 1099512"), std::string::npos) << said;
}

TEST_F(AddressSpace, TracesAreReleasedAndLoadedThere) {
  TemporaryFile file(sampleIn(uint64_t(1) << 40).finish());
  EXPECT_EQ(inLimitedChild(256 << 20,
                           [&] {
                             Loaded loaded(file.path(), 1);
                             ttrt_error error;
                             if (ttrt_trace_release(loaded.device, 0, &error) != TTRT_OK ||
                                 ttrt_trace_load(loaded.device, 0, &error) != TTRT_OK)
                               return 1;
                             return int(loaded.run(ramp(kSampleElements), kSampleElements) !=
                                        sampleResult(ramp(kSampleElements)));
                           }),
            0);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// A private copy whose size is sealed: the original may be truncated while the bundle is open.
TEST(File, PrivateCopyOutlivesTheOriginal) {
  TemporaryFile file(sampleBundle().finish());
  const int copy = memfd_create("bundle", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_GE(copy, 0);
  const std::vector<char> bytes = readFile(file.path());
  ASSERT_EQ(write(copy, bytes.data(), bytes.size()), ssize_t(bytes.size()));
  ASSERT_EQ(fcntl(copy, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), 0);
  Loaded loaded(("/proc/self/fd/" + std::to_string(copy)).c_str(), 2);
  close(copy);
  ASSERT_EQ(truncate(file.path(), 0), 0);
  EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements),
            sampleResult(ramp(kSampleElements)));
}

//===----------------------------------------------------------------------===//
// TTRT_VERIFY_NONE
//===----------------------------------------------------------------------===//

std::string verdictUnproved(BundleBuilder builder) {
  const TemporaryFile file(builder.finish());
  return openMessage(file.path(), TTRT_VERIFY_NONE);
}

// Words of the sample's stream: the first command (add x, w -> a) has its operands at 2, 3, 4.
BundleBuilder sampleWith(size_t word, uint64_t address) {
  BundleBuilder builder = sampleBundle();
  builder.streams[0].words[word] = address;
  return builder;
}

TEST(Unproved, GoodBundlesPass) {
  for (const NamedBundle &bundle : proofBundles())
    EXPECT_EQ(verdictUnproved(bundle.make()), "") << bundle.name;
  EXPECT_EQ(verdictUnproved(writeAheadBundle()), "");
  EXPECT_EQ(verdictUnproved(ownTracesBundle()), "");
}

TEST(Unproved, NothingWritesConstantsStreamsOrWhatIsNotMapped) {
  const uint64_t dram = sampleBundle().bundle.target->dram_bank_bytes;
  const std::string command = "command 0 of trace 'main_t0' (test_add, from Add_0): ";
  EXPECT_EQ(verdictUnproved(sampleWith(4, 0)),
            command + "operand 2 writes 0x0 + 1024 bytes, which are not all writable");
  EXPECT_EQ(verdictUnproved(sampleWith(4, dram - 4096)),
            command + "operand 2 writes 0x3fff000 + 1024 bytes, which are not all writable");
  EXPECT_EQ(verdictUnproved(sampleWith(2, dram / 2)),
            command + "operand 0 reads 0x2000000 + 1024 bytes, which are not all mapped");
  // What straddles the end of a range.
  EXPECT_EQ(verdictUnproved(sampleWith(2, dram - 512)),
            command + "operand 0 reads 0x3fffe00 + 1024 bytes, which are not all mapped");
}

/// Whatever single bit of an address is wrong: no crash.
TEST(Unproved, WrongAddressesAreRefusedOrHarmless) {
  uint32_t refused = 0, ran = 0;
  for (size_t word : {2, 3, 4})
    for (int bit = 6; bit < 64; ++bit) {
      BundleBuilder builder = sampleBundle();
      builder.streams[0].words[word] ^= uint64_t(1) << bit;
      TemporaryFile file(builder.finish());
      ttrt_error error;
      ttrt_bundle *bundle = nullptr;
      if (ttrt_bundle_open(file.path(), TTRT_VERIFY_NONE, &bundle, &error) != TTRT_OK) {
        ++refused;
        continue;
      }
      ttrt_device *device = nullptr;
      ttrt_device_options options = deviceOptions(2);
      ASSERT_EQ(ttrt_device_open(bundle, &options, &device, &error), TTRT_OK) << error.message;
      ttrt_input in{};
      ttrt_output out{};
      EXPECT_EQ(ttrt_run(device, 0, &in, &out, nullptr, &error), TTRT_OK) << error.message;
      ttrt_device_close(device);
      ttrt_bundle_close(bundle);
      ++ran;
    }
  EXPECT_GT(refused, 50u);
  EXPECT_GT(ran, 3u);
}

} // namespace
} // namespace ttrt::test
