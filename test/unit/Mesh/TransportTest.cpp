// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every collective with every algorithm, number of devices, type and many sizes, on threads and in
// processes, against a reference that knows nothing of moves.

#include "World.h"
#include "test/unit/Runtime/CountAllocations.h"
#include "ttrt/bundle_format.h"
#include "ttrt/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;
using Kind = fb::CollectiveKind;
using Algorithm = fb::CollectiveAlgorithm;
using Runner = uint32_t (*)(uint32_t, const std::function<bool(uint32_t, ttrt_transport *)> &);

namespace {

/// A random case whose parts and rows divide its bytes; about `bytes` of them.
Case makeCase(std::mt19937_64 &random, uint32_t devices, Kind kind, Algorithm algorithm,
              fb::DType dtype, uint64_t bytes) {
  static constexpr uint64_t kSizes[] = {4, 2, 2, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
  std::vector<uint32_t> sizes; // of groups
  for (uint32_t size = 1; size <= devices; ++size)
    if (devices % size == 0 && collectives::isDefined(kind, algorithm, size))
      sizes.push_back(size);
  Case one;
  one.kind = kind;
  one.algorithm = algorithm;
  one.dtype = dtype;
  one.reduction = static_cast<fb::Reduction>(random() % 3);
  const uint32_t size = random() % 3 ? sizes.back() : sizes[random() % sizes.size()];
  one.groups = groupsOf(devices, size, random() % 2);
  for (auto &group : one.groups)
    if (random() % 2)
      std::shuffle(group.begin(), group.end(), random);
  if (one.groups.size() > 1 && random() % 4 == 0)
    one.groups.pop_back(); // its devices take no part
  const bool hasRows =
      kind == Kind::AllGather || kind == Kind::ReduceScatter || kind == Kind::AllToAll;
  const bool isDivided = kind == Kind::ReduceScatter || kind == Kind::AllToAll;
  one.rows = hasRows ? 1 + random() % 5 : 1;
  const uint64_t unit = kSizes[static_cast<size_t>(dtype)] * one.rows * (isDivided ? size : 1);
  one.bytes = std::max<uint64_t>(1, bytes / unit) * unit;
  one.root = static_cast<uint32_t>(random() % size);
  if (kind == Kind::Permute)
    for (uint32_t i = 0; i < size; ++i)
      one.sources.push_back(random() % 4 ? static_cast<uint32_t>(random() % size) : kNoSource);
  return one;
}

uint64_t randomSize(std::mt19937_64 &random, uint64_t largest) {
  static constexpr uint64_t kSizes[] = {4,    8,    60,   64,    68,    256,    1000,    4096,
                                        8192, 8196, 8256, 16384, 65536, 100000, 1 << 18, 1 << 20};
  for (;;)
    if (const uint64_t size = kSizes[random() % std::size(kSizes)]; size <= largest)
      return size;
}

std::vector<Case> makeCases(uint64_t seed, uint32_t devices, uint64_t largest, size_t perKind) {
  std::mt19937_64 random(seed);
  std::vector<Case> cases;
  for (Kind kind : fb::EnumValuesCollectiveKind())
    for (Algorithm algorithm : fb::EnumValuesCollectiveAlgorithm())
      for (size_t i = 0; i < perKind; ++i)
        if (collectives::isDefined(kind, algorithm, devices))
          cases.push_back(makeCase(random, devices, kind, algorithm,
                                   static_cast<fb::DType>(random() % 13),
                                   randomSize(random, largest)));
  return cases;
}

/// Runs all cases several times on one device; says which one is wrong.
bool checkAll(const World &world, uint32_t device, ttrt_transport *transport, uint64_t iterations,
              bool delays) {
  Member member(world, transport);
  std::mt19937_64 random(device + 1), common(7); // `common` chooses the same cases on all devices
  for (uint64_t iteration = 0; iteration < iterations; ++iteration)
    for (size_t i = 0; i < world.cases.size(); ++i) {
      const size_t index = iteration == 0 ? i : common() % world.cases.size();
      if (delays && random() % 8 == 0)
        usleep(static_cast<useconds_t>(random() % 300));
      const std::vector<uint8_t> expected = world.expected(world.cases[index], device, iteration);
      const std::vector<uint8_t> found = member.run(index, iteration);
      if (found.empty() || (!expected.empty() && found != expected)) {
        const char *failure = transport->failure(transport);
        fprintf(stderr, "device %u, iteration %llu: %s: %s\n", device,
                static_cast<unsigned long long>(iteration), world.cases[index].name().c_str(),
                found.empty() ? (failure ? failure : "no reason") : "wrong");
        return false;
      }
    }
  return true;
}

class Transports : public testing::TestWithParam<std::tuple<Runner, uint32_t>> {
protected:
  const Runner run = std::get<0>(GetParam());
  const uint32_t devices = std::get<1>(GetParam());
};

} // namespace

TEST_P(Transports, ComputeWhatCollectivesPromise) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const World world(devices, makeCases(seed * 100 + devices, devices, 1 << 20, 4));
    EXPECT_EQ(run(devices,
                  [&](uint32_t device, ttrt_transport *transport) {
                    return checkAll(world, device, transport, 1, false);
                  }),
              0u);
  }
}

TEST_P(Transports, DoNotDependOnTheOrderOfThreads) {
  const World world(devices, makeCases(devices, devices, 20000, 2));
  EXPECT_EQ(run(devices,
                [&](uint32_t device, ttrt_transport *transport) {
                  return checkAll(world, device, transport, 10, true);
                }),
            0u);
}

INSTANTIATE_TEST_SUITE_P(Threads, Transports,
                         testing::Combine(testing::Values(&runThreads),
                                          testing::Values(1, 2, 3, 4, 5, 6, 7, 8)));
INSTANTIATE_TEST_SUITE_P(SharedThreads, Transports,
                         testing::Combine(testing::Values(&runSharedThreads),
                                          testing::Values(2, 3)));
INSTANTIATE_TEST_SUITE_P(Processes, Transports,
                         testing::Combine(testing::Values(&runProcesses),
                                          testing::Values(1, 2, 3, 4, 5, 6, 7, 8)));
