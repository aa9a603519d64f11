// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights copied into huge pages: what is copied, what it costs, and systems that have none.

#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/ReadFile.h"
#include "test/unit/Support/Sanitized.h"
#include "ttrt/memory.h"

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <set>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ttrt::test {
namespace {

constexpr uint64_t kHuge = 2 << 20;
constexpr uint64_t kWeightBytes = (5 << 20) + 4096 + 256; // two whole huge pages, and more
constexpr uint64_t kInputBytes = 8 << 20;
constexpr uint64_t kPages = kWeightBytes / 4096, kSums = kPages + 1;

/// Copies of weights from each of their pages, doubled, and the end of a large input.
BundleBuilder weightsBundle() {
  BundleBuilder builder;
  builder.bundle.target->dram_bank_bytes = 1 << 30;
  std::vector<float> weights(kWeightBytes / sizeof(float));
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(i % 1009) * 0.25f;
  const uint64_t w = builder.constant("w", weights.data(), kWeightBytes);
  const uint64_t y = builder.dataBegin(), x = y + kSums * kSampleBytes;
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSums * kSampleBytes);
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kInputBytes);
  const uint32_t add = builder.program("test_add", 1, {kSampleBytes, kSampleBytes}, {kSampleBytes});
  StreamBuilder stream;
  for (uint64_t i = 0; i < kPages; ++i)
    stream.dispatch(add, {w + i * 4096, w + i * 4096, y + i * kSampleBytes});
  stream.dispatch(add, {x + kInputBytes - kSampleBytes, w, y + kPages * kSampleBytes});
  stream.end();
  const uint32_t trace = builder.trace("t", stream);
  builder.entry("main", {"x", {int64_t(kInputBytes / sizeof(float))}, in},
                {"y", {int64_t(kSums * kSampleElements)}, out}, {trace});
  return builder;
}

ttrt_device_options wanted(uint32_t cores = 1) {
  ttrt_device_options options = deviceOptions(cores);
  options.huge_pages = 1;
  return options;
}

ttrt_huge_pages pagesOf(const ttrt_device *device) {
  ttrt_huge_pages pages = TTRT_HUGE_PAGES_INIT;
  ttrt_error error;
  EXPECT_EQ(ttrt_device_huge_pages(device, &pages, &error), TTRT_OK) << error.message;
  return pages;
}

std::vector<float> run(Loaded &loaded) {
  return loaded.run(ramp(kInputBytes / sizeof(float)), kSums * kSampleElements);
}

/// In a child, so that what a test limits ends with it; its exit status.
int inChild(const std::function<int()> &function) {
  const pid_t child = fork();
  if (child == 0)
    _exit(function());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The bundle is open; its device is opened by the tests.
class HugePages : public testing::Test {
protected:
  HugePages() {
    ttrt_error error;
    EXPECT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK)
        << error.message;
  }
  ~HugePages() override {
    ttrt_device_close(device);
    ttrt_bundle_close(bundle);
  }
  ttrt_status open() {
    const ttrt_device_options options = wanted();
    return ttrt_device_open(bundle, &options, &device, &error);
  }
  /// Whether this machine has them; the tests of copies need that.
  bool hasPages() {
    Loaded loaded(file.path(), wanted());
    return !pagesOf(loaded.device).problem;
  }
  /// Changes a byte of the weights in the file.
  void changeWeights() {
    const auto bytes = readFile<std::string>(file.path());
    // The only place of the ramp 1008, 0, 1 ...: its second occurrence is on the second page.
    const float values[] = {1008 * 0.25f, 0, 0.25f, 0.5f};
    const size_t at =
        bytes.find(std::string(reinterpret_cast<const char *>(values), sizeof(values)));
    ASSERT_NE(at, std::string::npos);
    const int descriptor = ::open(file.path(), O_WRONLY);
    ASSERT_EQ(pwrite(descriptor, "\x7f", 1, static_cast<off_t>(at + 7)), 1);
    close(descriptor);
  }

  TemporaryFile file{weightsBundle().finish()};
  ttrt_bundle *bundle = nullptr;
  ttrt_device *device = nullptr;
  ttrt_error error;
};

/// Where the file's weights are mapped: (address, offset in the file) of mappings that hold all of
/// them.
std::set<std::pair<uint64_t, uint64_t>> mappingsOf(const std::string &path) {
  std::set<std::pair<uint64_t, uint64_t>> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end, offset;
    if (line.size() > path.size() && line.ends_with(path) &&
        sscanf(line.c_str(), "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 &&
        end - begin >= kWeightBytes)
      found.insert({begin, offset});
  }
  return found;
}

// Only then can the device map huge pages of the system's cache of the file.
TEST_F(HugePages, WeightsLieInThemAsInTheFile) {
  const auto before = mappingsOf(file.path());
  EXPECT_EQ(before.size(), 1u);
  const ttrt_device_options options = deviceOptions(1);
  ASSERT_EQ(ttrt_device_open(bundle, &options, &device, &error), TTRT_OK) << error.message;
  auto mapped = mappingsOf(file.path());
  for (const auto &other : before)
    mapped.erase(other);
  ASSERT_EQ(mapped.size(), 1u);
  const auto [address, offset] = *mapped.begin();
  EXPECT_NE(offset % kHuge, 0u);
  EXPECT_EQ(address % kHuge, offset % kHuge);
}

TEST_F(HugePages, ChangeNoResult) {
  Loaded mapped(file.path(), 1);
  const std::vector<float> expected = run(mapped);
  const ttrt_huge_pages none = pagesOf(mapped.device);
  EXPECT_EQ(none.copied, 0u);
  EXPECT_EQ(none.wanted, 0u);
  EXPECT_EQ(none.huge, 0u);
  EXPECT_EQ(none.problem, nullptr);
  for (uint32_t cores : {1, 3}) {
    Loaded copied(file.path(), wanted(cores));
    EXPECT_EQ(run(copied), expected);
    const ttrt_huge_pages pages = pagesOf(copied.device);
    if (pages.problem)
      GTEST_SKIP() << "no huge pages here: " << pages.problem;
    EXPECT_EQ(pages.copied, (5u << 20) + 8192); // whole small pages
    // Whole huge pages, and no more than there are: so they take no memory beyond the plan's.
    EXPECT_GE(pages.wanted, 2 * kHuge + kInputBytes - kHuge);
    EXPECT_LE(pages.wanted, kWeightBytes + kInputBytes);
    EXPECT_EQ(pages.wanted % kHuge, 0u);
    EXPECT_LE(pages.huge, pages.wanted);
    EXPECT_EQ(pages.huge % kHuge, 0u);
  }
}

TEST_F(HugePages, AllocateNothingInARun) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer owns malloc";
#else
  Loaded loaded(file.path(), wanted(2));
  const std::vector<float> input = ramp(kInputBytes / sizeof(float));
  std::vector<float> output(kSums * kSampleElements);
  ttrt_input in{input.data(), kInputBytes};
  ttrt_output out{output.data(), output.size() * sizeof(float)};
  const long before = allocations.load();
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(ttrt_run(loaded.device, 0, &in, &out, nullptr, &error), TTRT_OK);
  ttrt_huge_pages pages = TTRT_HUGE_PAGES_INIT;
  ASSERT_EQ(ttrt_device_huge_pages(loaded.device, &pages, &error), TTRT_OK) << error.message;
  EXPECT_EQ(allocations.load() - before, 0);
#endif
}

TEST_F(HugePages, AreNotForFewWeights) {
  TemporaryFile small(sampleBundle().finish());
  Loaded loaded(small.path(), wanted());
  EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements),
            sampleResult(ramp(kSampleElements)));
  const ttrt_huge_pages pages = pagesOf(loaded.device);
  EXPECT_EQ(pages.copied, 0u);
  EXPECT_EQ(pages.wanted, 0u);
  ASSERT_NE(pages.problem, nullptr);
  if (hasPages())
    EXPECT_STREQ(pages.problem, "the weights do not fill a huge page of 2 MiB");
}

/// A process that has none, as on a system without them.
TEST_F(HugePages, AreNotNeeded) {
  Loaded mapped(file.path(), 1);
  const std::vector<float> expected = run(mapped);
  EXPECT_EQ(inChild([&] {
              if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
                return 1;
              Loaded loaded(file.path(), wanted());
              const ttrt_huge_pages pages = pagesOf(loaded.device);
              if (pages.copied || pages.wanted || pages.huge)
                return 2;
              if (!pages.problem || std::string(pages.problem) !=
                                        "they are disabled for this process (PR_SET_THP_DISABLE)")
                return 3;
              return run(loaded) == expected ? 0 : 4;
            }),
            0);
}

TEST_F(HugePages, HoldWhatWasVerified) {
  if (!hasPages())
    GTEST_SKIP() << "no huge pages here";
  changeWeights();
  EXPECT_EQ(open(), TTRT_BAD_BUNDLE);
  EXPECT_EQ(device, nullptr);
  const std::string message = error.message;
  EXPECT_EQ(message.find("the weights have changed since the bundle was opened: hash "), 0u)
      << message;
}

/// The hash of what was never hashed promises nothing.
TEST_F(HugePages, AreNotComparedWithoutVerification) {
  for (ttrt_verify verify : {TTRT_VERIFY_STRUCTURE, TTRT_VERIFY_NONE}) {
    ttrt_bundle_close(bundle);
    ASSERT_EQ(ttrt_bundle_open(file.path(), verify, &bundle, &error), TTRT_OK) << error.message;
    changeWeights();
    EXPECT_EQ(open(), TTRT_OK) << error.message;
    ttrt_device_close(device);
    device = nullptr;
    ttrt_bundle_close(bundle);
    bundle = nullptr;
    TemporaryFile fresh(weightsBundle().finish());
    std::rename(fresh.path(), file.path());
  }
}

TEST_F(HugePages, OutliveAChangeOfTheFile) {
  if (!hasPages())
    GTEST_SKIP() << "no huge pages here";
  Loaded loaded(file.path(), wanted());
  const std::vector<float> expected = run(loaded);
  changeWeights();
  EXPECT_EQ(run(loaded), expected);
}

TEST_F(HugePages, NeedMemory) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizers' own memory is larger than any limit";
#endif
  if (!hasPages())
    GTEST_SKIP() << "no huge pages here";
  EXPECT_EQ(inChild([&] {
              // Private writable memory: what there is, and a little more.
              std::ifstream status("/proc/self/status");
              uint64_t kb = 0;
              for (std::string line; std::getline(status, line);)
                if (line.starts_with("VmData:"))
                  kb = std::stoull(line.substr(7));
              rlimit limit{kb * 1024 + (1 << 20), RLIM_INFINITY};
              if (setrlimit(RLIMIT_DATA, &limit) != 0)
                return 1;
              if (open() != TTRT_OUT_OF_MEMORY || device)
                return 2;
              // The kernel counts the copy where it is made or with the next memory.
              if (!std::string(error.message).starts_with("cannot get "))
                return 3;
              limit.rlim_cur = RLIM_INFINITY;
              setrlimit(RLIMIT_DATA, &limit);
              return open() == TTRT_OK ? 0 : 4;
            }),
            0);
}

TEST_F(HugePages, AreGivenBack) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizers map memory of their own for each mapping";
#endif
  auto mappedPages = [] {
    std::ifstream statm("/proc/self/statm");
    long total = 0;
    statm >> total;
    return total;
  };
  auto openAndClose = [&] {
    ASSERT_EQ(open(), TTRT_OK) << error.message;
    ttrt_device_close(device);
    device = nullptr;
  };
  openAndClose();
  const long before = mappedPages();
  for (int i = 0; i < 10; ++i)
    openAndClose();
  EXPECT_LT(mappedPages(), before + 256);
}

TEST_F(HugePages, WorkInLittleAddressSpace) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizers' own reservations are larger than any limit";
#endif
  BundleBuilder builder = weightsBundle();
  builder.bundle.target->dram_bank_bytes = uint64_t(1) << 40;
  TemporaryFile large(builder.finish());
  Loaded mapped(file.path(), 1);
  const std::vector<float> expected = run(mapped);
  EXPECT_EQ(inChild([&] {
              std::ifstream statm("/proc/self/statm");
              uint64_t pages = 0;
              statm >> pages;
              rlimit limit{pages * 4096 + (256 << 20), RLIM_INFINITY};
              if (setrlimit(RLIMIT_AS, &limit) != 0)
                return 1;
              Loaded loaded(large.path(), wanted());
              return loaded.device && run(loaded) == expected ? 0 : 2;
            }),
            0);
}

TEST_F(HugePages, OfAnOlderCallerAreNotWanted) {
  ttrt_device_options options = wanted();
  options.size = offsetof(ttrt_device_options, huge_pages);
  ASSERT_EQ(ttrt_device_open(bundle, &options, &device, &error), TTRT_OK) << error.message;
  const ttrt_huge_pages pages = pagesOf(device);
  EXPECT_EQ(pages.copied, 0u);
  EXPECT_EQ(pages.problem, nullptr);
}

} // namespace
} // namespace ttrt::test
