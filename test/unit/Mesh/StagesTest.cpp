// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that execute different exchanges, sends and receives, as those of different stages do.

#include "Stages.h"
#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Rounds.h"
#include "ttrt/format/bundle_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;
using Runner = uint32_t (*)(uint32_t, const std::function<bool(uint32_t, ttrt_transport *)> &);

namespace {

class Stages : public testing::TestWithParam<std::tuple<Runner, uint32_t>> {
protected:
  const Runner run = std::get<0>(GetParam());
  const uint32_t devices = std::get<1>(GetParam());
};

/// A permutation from each stage to the next, of all devices.
Case boundary(uint32_t from, uint32_t to, uint64_t bytes) {
  Case one;
  one.kind = fb::CollectiveKind::Permute;
  one.groups = {{from, to}};
  one.sources = {kNoSource, 0};
  one.bytes = bytes;
  return one;
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Passes what it receives on to the next one until the mesh fails.
std::string failureOf(const World &world, ttrt_transport *transport) try {
  Member member(world, transport);
  const uint32_t device = transport->device;
  int failed = 0;
  while (!failed) {
    if (device > 0)
      failed |= transport->receive(transport, device - 1, world.cases[device - 1].operands[1]);
    if (device + 1 < world.devices)
      failed |= transport->send(transport, device, world.cases[device].operands[0]);
  }
  const char *failure = transport->failure(transport);
  return failure ? failure : "nothing";
} catch (const std::runtime_error &error) {
  return error.what(); // others have failed while this one opened
}

/// True if the message has `part`.
bool passOn(const World &world, ttrt_transport *transport, const std::string &part) {
  const std::string failure = failureOf(world, transport);
  const bool isRight = failure.find(part) != std::string::npos;
  if (!isRight)
    fprintf(stderr, "expected '%s', found '%s'\n", part.c_str(), failure.c_str());
  return isRight;
}

} // namespace

TEST_P(Stages, ExchangesOfSomeDevices) {
  for (uint64_t seed = 1; seed <= uint64_t(rounds(6)); ++seed) {
    const World world(devices, makeStages(seed * 17 + devices, devices, rounds(200000)));
    const auto program = makeProgram(seed, world, 400);
    EXPECT_EQ(run(devices,
                  [&](uint32_t, ttrt_transport *transport) {
                    Member member(world, transport);
                    return runProgram(member, world, transport, program, {.begin = seed});
                  }),
              0u);
  }
}

TEST_P(Stages, DoNotDependOnTheSpeedOfDevices) {
  const World world(devices, makeStages(devices, devices, 20000));
  const auto program = makeProgram(devices, world, 600);
  EXPECT_EQ(run(devices,
                [&](uint32_t, ttrt_transport *transport) {
                  Member member(world, transport);
                  return runProgram(member, world, transport, program,
                                    {.delay = 400, .offers = 60});
                }),
            0u);
}

/// A transport can serve another bundle, with other collectives and more memory.
TEST_P(Stages, OpenAgain) {
  std::vector<World> worlds;
  for (uint64_t i = 0; i < 4; ++i)
    worlds.emplace_back(devices, makeStages(i + 70, devices, i % 2 ? rounds(200000) : 4096));
  EXPECT_EQ(run(devices,
                [&](uint32_t, ttrt_transport *transport) {
                  for (uint64_t life = 0; life < 12; ++life) {
                    const World &world = worlds[life % 4];
                    Member member(world, transport, life % 4);
                    const uint8_t *memory = member.at(kPageSize);
                    if (std::any_of(memory, memory + world.dramBytes,
                                    [](uint8_t byte) { return byte != 0; }))
                      return false; // the memory of before
                    if (!runProgram(member, world, transport, makeProgram(life, world, 50),
                                    {.begin = life * 100}))
                      return false;
                  }
                  return true;
                }),
            0u);
}

/// The first stage is ahead of the second one, but not by more than the slots of small messages.
TEST_P(Stages, SendersWaitForReceivers) {
  for (uint64_t bytes : {64, 100000}) {
    const World world(devices, {boundary(0, devices - 1, bytes)});
    EXPECT_EQ(run(devices,
                  [&](uint32_t device, ttrt_transport *transport) {
                    Member member(world, transport);
                    uint32_t sent = 0, all[8];
                    if (device == 0) // two small ones do not wait
                      for (; bytes == 64 && sent < 2; ++sent)
                        if (transport->send(transport, 0, world.cases[0].operands[0]) != 0)
                          return false;
                    if (transport->gather(transport, &sent, sizeof(sent), all) != 0)
                      return false;
                    for (uint32_t i = 0; device + 1 == devices && i < all[0]; ++i)
                      if (transport->receive(transport, 0, world.cases[0].operands[1]) != 0)
                        return false;
                    return true;
                  }),
              0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Stages,
                         testing::Combine(testing::Values(&runThreads),
                                          testing::Values(2, 3, 4, 8)));
INSTANTIATE_TEST_SUITE_P(SharedThreads, Stages,
                         testing::Combine(testing::Values(&runSharedThreads),
                                          testing::Values(2, 3)));
INSTANTIATE_TEST_SUITE_P(Processes, Stages,
                         testing::Combine(testing::Values(&runProcesses),
                                          testing::Values(2, 3, 4, 8)));

TEST(StagesMemory, NothingIsAllocated) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers have a malloc of their own";
#else
  const World world(3, {boundary(0, 1, 64), boundary(1, 2, 100000), boundary(2, 0, 3000)});
  EXPECT_EQ(runProcesses(3,
                         [&](uint32_t device, ttrt_transport *transport) {
                           Member member(world, transport);
                           const long before = allocations.load();
                           for (int i = 0; i < 200; ++i)
                             for (uint32_t k = 0; k < 3; ++k) {
                               const Case &one = world.cases[k];
                               if (device == k &&
                                   transport->send(transport, k, one.operands[0]) != 0)
                                 return false;
                               if (device == (k + 1) % 3 &&
                                   transport->receive(transport, k, one.operands[1]) != 0)
                                 return false;
                             }
                           return allocations.load() == before;
                         }),
            0u);
#endif
}

TEST(StagesFailure, ADeviceThatFails) {
  for (auto run : {runThreads, runSharedThreads, runProcesses})
    for (uint64_t bytes : {64, 100000}) {
      const World world(4, {boundary(0, 1, bytes), boundary(1, 2, bytes), boundary(2, 3, bytes)});
      EXPECT_EQ(run(4,
                    [&](uint32_t device, ttrt_transport *transport) {
                      if (device != 2)
                        return passOn(world, transport, "device 2 of the mesh has failed: enough");
                      Member member(world, transport);
                      for (int i = 0; i < 100; ++i)
                        if (transport->receive(transport, 1, world.cases[1].operands[1]) != 0 ||
                            transport->send(transport, 2, world.cases[2].operands[0]) != 0)
                          return false;
                      transport->fail(transport, "enough");
                      return transport->send(transport, 2, world.cases[2].operands[0]) != 0;
                    }),
                0u);
    }
}

TEST(StagesFailure, ADeviceThatIsClosed) {
  for (auto run : {runThreads, runSharedThreads, runProcesses}) {
    const World world(3, {boundary(0, 1, 100000), boundary(1, 2, 64)});
    EXPECT_EQ(run(3,
                  [&](uint32_t device, ttrt_transport *transport) {
                    if (device != 0)
                      return passOn(world, transport, "of the mesh has ended");
                    Member member(world, transport);
                    return transport->send(transport, 0, world.cases[0].operands[0]) == 0;
                  }),
              0u);
  }
}

/// Every stage is killed once, while the others wait for it, for others, or not at all.
TEST(StagesFailure, AProcessThatIsKilled) {
  constexpr uint32_t kDevices = 4;
  std::mt19937 random(3);
  const World world(kDevices,
                    {boundary(0, 1, 64), boundary(1, 2, 100000), boundary(2, 3, 1 << 20)});
  for (uint32_t round = 0; round < 12; ++round) {
    ttrt_error error;
    int memory;
    ASSERT_EQ(ttrt_transport_create_shared(kDevices, &memory, &error), TTRT_OK) << error.message;
    const uint32_t victim = round % kDevices;
    std::vector<pid_t> children;
    Arrivals arrivals;
    for (uint32_t i = 0; i < kDevices; ++i) {
      children.push_back(fork());
      if (children.back() != 0)
        continue;
      ttrt_transport *transport;
      bool good = ttrt_transport_open_shared(memory, i, kDevices, &transport, &error) == TTRT_OK;
      arrivals.tell();
      good = good && passOn(world, transport,
                            "device " + std::to_string(victim) + " of the mesh has ended");
      _exit(good ? 0 : 1);
    }
    close(memory);
    arrivals.await(kDevices);
    usleep(random() % 30000);
    const auto begin = std::chrono::steady_clock::now();
    kill(children[victim], SIGKILL);
    for (uint32_t i = 0; i < kDevices; ++i) {
      int status;
      waitpid(children[i], &status, 0);
      EXPECT_TRUE(i == victim || status == 0) << "device " << i << ", victim " << victim;
    }
    EXPECT_LT(secondsSince(begin), 30); // how long it takes, scripts/kill-ranks.py measures
  }
}
