// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that end, fail, close or do not fit: the others end within a second, with a message that
// names the device.

#include "World.h"
#include "test/unit/Support/Rounds.h"
#include "ttrt/format/bundle_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

/// Sums of a small and a large message, of all devices.
World sums(uint32_t devices) {
  std::vector<Case> cases(2);
  for (Case &one : cases) {
    one.groups = groupsOf(devices, devices, false);
    one.bytes = 256;
  }
  cases[1].bytes = 200000;
  return World(devices, cases);
}

/// A device that waits for longer has not noticed. How long it takes, scripts/kill-ranks.py
/// measures.
constexpr double kHang = 30;

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool contains(const char *text, const std::string &part) {
  return text && std::string(text).find(part) != std::string::npos;
}

/// What made an exchange, or the opening, fail.
std::string failureOf(const World &world, ttrt_transport *transport) try {
  Member member(world, transport);
  for (uint64_t i = 0; i < 100000000; ++i)
    if (member.exchange(i % world.cases.size()) != 0) {
      const char *failure = transport->failure(transport);
      return member.exchange(0) != 0 && failure ? failure : "it does not stay failed";
    }
  return "nothing";
} catch (const std::runtime_error &error) {
  return error.what(); // others have failed while this one opened
}

/// Exchanges until one fails; true if the message has `part`.
bool runUntilFailure(const World &world, ttrt_transport *transport, const std::string &part) {
  const std::string failure = failureOf(world, transport);
  const bool isRight = contains(failure.c_str(), part);
  if (!isRight)
    fprintf(stderr, "expected '%s', found '%s'\n", part.c_str(), failure.c_str());
  return isRight;
}

struct Shared {
  explicit Shared(uint32_t devices) {
    ttrt_error error;
    EXPECT_EQ(ttrt_transport_create_shared(devices, &memory, &error), TTRT_OK) << error.message;
  }
  ~Shared() { close(memory); }
  ttrt_transport *open(uint32_t device, uint32_t devices) const {
    ttrt_transport *transport;
    message.status = ttrt_transport_open_shared(memory, device, devices, &transport, &message);
    return transport;
  }
  int memory = -1;
  mutable ttrt_error message{};
};

} // namespace

TEST(MeshFailure, AProcessThatIsKilled) {
  constexpr uint32_t kDevices = 3;
  std::mt19937 random(1);
  const World world = sums(kDevices);
  for (int round = 0; round < 20; ++round) {
    const Shared shared(kDevices);
    std::vector<pid_t> children;
    const uint32_t victim = random() % kDevices;
    Arrivals arrivals;
    for (uint32_t i = 0; i < kDevices; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        ttrt_transport *transport = shared.open(i, kDevices);
        arrivals.tell();
        const bool good =
            runUntilFailure(world, transport,
                            "device " + std::to_string(victim) + " of the mesh has ended: process");
        ttrt_transport_close(transport);
        _exit(good ? 0 : 1);
      }
      children.push_back(child);
    }
    arrivals.await(kDevices);
    usleep(random() % 30000);
    const auto begin = std::chrono::steady_clock::now();
    kill(children[victim], SIGKILL); // the parent is not told before the end of the test
    for (uint32_t i = 0; i < kDevices; ++i) {
      if (i == victim)
        continue;
      int status;
      waitpid(children[i], &status, 0);
      EXPECT_EQ(status, 0) << "device " << i << ", victim " << victim;
    }
    EXPECT_LT(secondsSince(begin), kHang);
    waitpid(children[victim], nullptr, 0);
  }
}

TEST(MeshFailure, AProcessThatEndsBeforeTheOthersCome) {
  const World world = sums(2);
  const Shared shared(2);
  const pid_t child = fork();
  if (child == 0) {
    shared.open(0, 2);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  ttrt_transport *transport = shared.open(1, 2);
  ASSERT_TRUE(transport) << shared.message.message;
  const auto begin = std::chrono::steady_clock::now();
  try {
    Member member(world, transport);
    ADD_FAILURE() << "expected a failure";
  } catch (const std::runtime_error &error) {
    EXPECT_TRUE(contains(error.what(), "device 0 of the mesh has ended")) << error.what();
  }
  EXPECT_LT(secondsSince(begin), kHang);
  ttrt_transport_close(transport);
}

TEST(MeshFailure, ADeviceThatFails) {
  for (auto run : {runThreads, runSharedThreads, runProcesses}) {
    const World world = sums(4);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(run(4,
                  [&](uint32_t device, ttrt_transport *transport) {
                    if (device != 2)
                      return runUntilFailure(world, transport,
                                             "device 2 of the mesh has failed: no more paper");
                    Member member(world, transport);
                    for (int i = 0; i < 1000; ++i)
                      if (member.exchange(static_cast<size_t>(i % 2)) != 0)
                        return false;
                    transport->fail(transport, "no more paper");
                    transport->fail(transport, "no more ink");
                    return member.exchange(0) != 0;
                  }),
              0u);
    EXPECT_LT(secondsSince(begin), kHang);
  }
}

TEST(MeshFailure, ADeviceThatIsClosed) {
  for (auto run : {runThreads, runSharedThreads, runProcesses}) {
    const World world = sums(3);
    EXPECT_EQ(run(3,
                  [&](uint32_t device, ttrt_transport *transport) {
                    if (device != 1)
                      return runUntilFailure(world, transport, "device 1 of the mesh has ended");
                    Member member(world, transport);
                    for (size_t i = 0; i < 100; ++i)
                      if (member.exchange(i % 2) != 0)
                        return false;
                    return true;
                  }),
              0u);
  }
}

/// A device that has done its part may close and end at once, while others still work on theirs.
TEST(MeshFailure, AnEndIsNoFailure) {
  const World world = sums(4);
  for (auto run : {runThreads, runSharedThreads, runProcesses})
    for (int round = 0; round < 30; ++round)
      EXPECT_EQ(run(4,
                    [&](uint32_t device, ttrt_transport *transport) {
                      Member member(world, transport);
                      for (size_t i = 0; i < 3; ++i)
                        if (member.exchange((i + static_cast<size_t>(round)) % 2) != 0)
                          return false;
                      return true;
                    }),
                0u);
}

TEST(MeshFailure, OpensAgain) {
  const World world = sums(3);
  for (auto run : {runThreads, runSharedThreads, runProcesses})
    EXPECT_EQ(run(3,
                  [&](uint32_t device, ttrt_transport *transport) {
                    for (uint64_t life = 0; life < uint64_t(rounds(20, 5)); ++life) {
                      Member member(world, transport, life);
                      // Memory is zero again.
                      const uint8_t *output = member.at(world.cases[1].operands[1]);
                      for (size_t i = 0; i < world.cases[1].bytes; i += 100)
                        if (output[i] != 0)
                          return false;
                      for (size_t i = 0; i < 5; ++i)
                        if (member.run(i % 2, life + i) !=
                            world.expected(world.cases[i % 2], device, life + i))
                          return false;
                    }
                    return true;
                  }),
              0u);
}

TEST(MeshFailure, AnotherBundle) {
  const World world = sums(3);
  std::atomic<int> refused{0};
  runThreads(3, [&](uint32_t device, ttrt_transport *transport) {
    try {
      Member member(world, transport, device == 1 ? 43 : 42);
    } catch (const std::runtime_error &error) {
      refused += contains(error.what(), "of the mesh has another bundle than device");
    }
    return true;
  });
  EXPECT_EQ(refused, 3);
}

TEST(MeshFailure, AnotherNumberOfDevices) {
  const Shared shared(3);
  EXPECT_EQ(shared.open(0, 4), nullptr);
  EXPECT_EQ(shared.message.status, TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(shared.message.message, "the mesh's memory is for 3 devices, expected 4");
  EXPECT_EQ(shared.open(3, 3), nullptr);
  EXPECT_STREQ(shared.message.message, "device 3; the mesh has 3, numbered from 0");
  ttrt_transport *first = shared.open(1, 3);
  ASSERT_TRUE(first);
  EXPECT_EQ(shared.open(1, 3), nullptr);
  EXPECT_EQ(shared.message.status, TTRT_BUSY);
  ttrt_transport_close(first);
}

TEST(MeshFailure, AnotherVersion) {
  const Shared shared(2);
  const uint32_t version = 77;
  ASSERT_EQ(pwrite(shared.memory, &version, sizeof(version), 0), ssize_t(sizeof(version)));
  EXPECT_EQ(shared.open(0, 2), nullptr);
  EXPECT_EQ(shared.message.status, TTRT_UNSUPPORTED);
  EXPECT_STREQ(shared.message.message,
               "another device of the mesh has version 77 of the transport, this one has 2");
}

TEST(MeshFailure, Arguments) {
  ttrt_error error;
  ttrt_transport *transports[2];
  EXPECT_EQ(ttrt_transport_open_threads(0, transports, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_transport_open_threads(4097, transports, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_transport_open_threads(2, nullptr, &error), TTRT_INVALID_ARGUMENT);
  int memory = 5;
  EXPECT_EQ(ttrt_transport_create_shared(0, &memory, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(memory, -1);
  EXPECT_EQ(ttrt_transport_open_shared(-1, 0, 2, transports, &error), TTRT_IO_ERROR);
  EXPECT_EQ(transports[0], nullptr);
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  EXPECT_NE(ttrt_transport_open_shared(pipes[0], 0, 2, transports, &error), TTRT_OK);
  close(pipes[0]);
  close(pipes[1]);
  ttrt_transport_close(nullptr);
}

/// A file of the caller, instead of memory without a name.
TEST(MeshFailure, AFile) {
  const std::string path = testing::TempDir() + "/mesh-" + std::to_string(getpid());
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  ASSERT_GE(file, 0);
  unlink(path.c_str());
  const World world = sums(2);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      ttrt_transport *transport;
      ttrt_error error;
      ASSERT_EQ(ttrt_transport_open_shared(file, i, 2, &transport, &error), TTRT_OK)
          << error.message;
      {
        Member member(world, transport);
        EXPECT_EQ(member.run(1, 3), world.expected(world.cases[1], i, 3));
      }
      ttrt_transport_close(transport);
    });
  for (std::thread &thread : threads)
    thread.join();
  close(file);
}

TEST(MeshFailure, NothingStays) {
  auto list = [] {
    std::vector<std::string> names;
    if (std::filesystem::exists("/dev/shm"))
      for (const auto &file : std::filesystem::directory_iterator("/dev/shm"))
        names.push_back(file.path());
    return names;
  };
  const auto before = list();
  const World world = sums(2);
  EXPECT_EQ(runProcesses(2,
                         [&](uint32_t, ttrt_transport *transport) {
                           Member member(world, transport);
                           return member.exchange(1) == 0 && list() == before;
                         }),
            0u);
  EXPECT_EQ(list(), before);
}

/// The transport of a forked child: nothing that it does reaches the mesh.
TEST(MeshFailure, AForkedChild) {
  const World world = sums(2);
  EXPECT_EQ(runSharedThreads(2,
                             [&](uint32_t device, ttrt_transport *transport) {
                               Member member(world, transport);
                               if (device == 0) {
                                 const pid_t child = fork();
                                 if (child == 0) {
                                   transport->fail(transport, "it is a child");
                                   _exit(0);
                                 }
                                 int status;
                                 waitpid(child, &status, 0);
                               }
                               return member.run(1, 3) == world.expected(world.cases[1], device, 3);
                             }),
            0u);
}

/// What hosts agree on, between streams.
TEST(MeshFailure, Gather) {
  for (auto run : {runThreads, runSharedThreads, runProcesses})
    for (size_t bytes : {size_t(0), size_t(1), size_t(4), size_t(16384), size_t(100001)}) {
      const World world = sums(3);
      EXPECT_EQ(run(3,
                    [&](uint32_t device, ttrt_transport *transport) {
                      Member member(world, transport);
                      std::vector<uint8_t> mine(bytes), all(3 * bytes), expected;
                      for (uint32_t i = 0; i < 3; ++i)
                        for (size_t j = 0; j < bytes; ++j)
                          expected.push_back(static_cast<uint8_t>(i * 7 + j * 13));
                      std::copy_n(expected.begin() + static_cast<ptrdiff_t>(device * bytes), bytes,
                                  mine.begin());
                      for (uint64_t round = 0; round < 5; ++round)
                        if (member.run(0, round) != world.expected(world.cases[0], device, round) ||
                            transport->gather(transport, mine.data(), bytes, all.data()) != 0 ||
                            all != expected)
                          return false;
                      return true;
                    }),
                0u);
    }
}

//===----------------------------------------------------------------------===//
// Limits of waits
//===----------------------------------------------------------------------===//

/// Device 1 opens and then does nothing, as if it were stopped. The others name it.
static void expectLimit(uint32_t waitMs, bool hasDeadline, const std::string &message) {
  constexpr uint32_t kDevices = 3;
  const World world = sums(kDevices);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(runThreads(kDevices,
                       [&](uint32_t device, ttrt_transport *transport) {
                         Member member(world, transport);
                         if (device == 1) {
                           while (!transport->failure(transport))
                             usleep(1000);
                           return contains(transport->failure(transport), message);
                         }
                         timespec now;
                         clock_gettime(CLOCK_MONOTONIC, &now);
                         const uint64_t ns = static_cast<uint64_t>(now.tv_sec) * 1000000000u +
                                             static_cast<uint64_t>(now.tv_nsec);
                         transport->limit(transport, waitMs, hasDeadline ? ns + 200000000 : 0);
                         return member.exchange(0) != 0 &&
                                contains(transport->failure(transport), message);
                       }),
            0u);
  EXPECT_GT(secondsSince(begin), 0.15);
  EXPECT_LT(secondsSince(begin), kHang);
}

TEST(MeshLimit, AWait) {
  expectLimit(200, false,
              " of the mesh has waited for device 1 for longer than its limit of 200 ms");
}

TEST(MeshLimit, ADeadline) {
  expectLimit(0, true, " of the mesh has passed while it waited for device 1");
}
