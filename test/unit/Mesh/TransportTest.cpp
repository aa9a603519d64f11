// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every collective with every algorithm, number of devices, type and many sizes, on threads and in
// processes, against a reference that does not use moves.

#include "World.h"
#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Rounds.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sys/mman.h>
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
  for (uint64_t seed = 1; seed <= uint64_t(rounds(3)); ++seed) {
    const World world(devices, makeCases(seed * 100 + devices, devices, rounds(1 << 20), 4));
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

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

namespace {

uint64_t hashOf(const std::vector<uint8_t> &bytes) {
  uint64_t hash = 14695981039346656037u;
  for (uint8_t byte : bytes)
    hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

/// The bits of the outputs of all cases on all devices, for values whose sums depend on the order.
std::vector<uint64_t> bitsOf(const World &world, Runner run) {
  const size_t cases = world.cases.size();
  std::vector<uint64_t> result;
  // gather() brings them to every device; device 0 writes them here, through memory that is shared.
  auto *shared =
      static_cast<uint64_t *>(mmap(nullptr, world.devices * cases * sizeof(uint64_t),
                                   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  EXPECT_EQ(run(world.devices,
                [&](uint32_t device, ttrt_transport *transport) {
                  Member member(world, transport);
                  std::vector<uint64_t> mine(cases), all(world.devices * cases);
                  for (size_t i = 0; i < cases; ++i)
                    mine[i] = hashOf(member.run(i, 1, /*exact=*/false));
                  if (transport->gather(transport, mine.data(), cases * sizeof(uint64_t),
                                        all.data()) != 0)
                    return false;
                  if (device == 0)
                    std::copy(all.begin(), all.end(), shared);
                  return true;
                }),
            0u);
  result.assign(shared, shared + world.devices * cases);
  munmap(shared, world.devices * cases * sizeof(uint64_t));
  return result;
}

} // namespace

TEST(TransportBits, AreTheSameEverywhere) {
  for (uint32_t devices : {2, 3, 4, 7}) {
    const World world(devices, makeCases(devices + 50, devices, 1 << 17, 6));
    const std::vector<uint64_t> bits = bitsOf(world, runThreads);
    EXPECT_EQ(bits, bitsOf(world, runThreads));
    EXPECT_EQ(bits, bitsOf(world, runSharedThreads));
    EXPECT_EQ(bits, bitsOf(world, runProcesses));
  }
}

/// Each member of a group has the same sum, whatever the algorithm.
TEST(TransportBits, SumsAreEqualOnAllDevices) {
  for (uint32_t devices : {2, 3, 4, 8})
    for (Algorithm algorithm : fb::EnumValuesCollectiveAlgorithm()) {
      if (!collectives::isDefined(Kind::AllReduce, algorithm, devices))
        continue;
      std::vector<Case> cases;
      for (fb::DType dtype : {fb::DType::F32, fb::DType::F16, fb::DType::BF16, fb::DType::F64})
        for (uint64_t bytes : {64, 8192, 100000}) {
          Case one;
          one.algorithm = algorithm;
          one.dtype = dtype;
          one.groups = groupsOf(devices, devices, false);
          one.bytes = bytes;
          cases.push_back(one);
        }
      const World world(devices, cases);
      const std::vector<uint64_t> bits = bitsOf(world, runThreads);
      for (size_t i = 0; i < bits.size(); ++i)
        EXPECT_EQ(bits[i], bits[i % cases.size()]) << cases[i % cases.size()].name();
    }
}

/// Every type, reduction and number of devices, with elements that do not fill a vector.
TEST(TransportTypes, AreAllReduced) {
  for (uint32_t devices : {2, 3, 4, 5, 8}) {
    if (kIsSanitized && devices != 3)
      continue;
    std::vector<Case> cases;
    for (fb::DType dtype : fb::EnumValuesDType())
      for (fb::Reduction reduction : fb::EnumValuesReduction())
        for (uint64_t bytes : {8, 8 * 37, 16 * 1024 + 8})
          for (Kind kind : {Kind::AllReduce, Kind::ReduceScatter})
            for (Algorithm algorithm : {Algorithm::Direct, Algorithm::Ring}) {
              Case one;
              one.kind = kind;
              one.algorithm = algorithm;
              one.dtype = dtype;
              one.reduction = reduction;
              one.groups = groupsOf(devices, devices, false);
              one.bytes = kind == Kind::ReduceScatter ? bytes * devices : bytes;
              cases.push_back(one);
            }
    const World world(devices, cases);
    EXPECT_EQ(runThreads(devices,
                         [&](uint32_t device, ttrt_transport *transport) {
                           return checkAll(world, device, transport, 1, false);
                         }),
              0u);
  }
}

/// scripts/endure-mesh.sh runs it with many more, and with random delays.
TEST(TransportEndurance, ManyExchanges) {
  const char *wanted = getenv("TTRT_TEST_EXCHANGES");
  const uint64_t exchanges = wanted ? strtoull(wanted, nullptr, 10) : uint64_t(rounds(10000));
  for (Runner run : {Runner(runThreads), Runner(runProcesses)}) {
    const World world(4, makeCases(99, 4, 4096, 3));
    EXPECT_EQ(run(4,
                  [&](uint32_t device, ttrt_transport *transport) {
                    return checkAll(world, device, transport, exchanges / world.cases.size() + 1,
                                    /*delays=*/wanted != nullptr);
                  }),
              0u);
  }
}

TEST(TransportMemory, ExchangesAllocateNothing) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers have a malloc of their own";
#else
  const World world(3, makeCases(3, 3, 1 << 17, 3));
  EXPECT_EQ(runProcesses(3,
                         [&](uint32_t, ttrt_transport *transport) {
                           Member member(world, transport);
                           const long before = allocations.load();
                           for (size_t i = 0; i < 3 * world.cases.size(); ++i)
                             if (member.exchange(i % world.cases.size()) != 0)
                               return false;
                           return allocations.load() == before;
                         }),
            0u);
#endif
}
