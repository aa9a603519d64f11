// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank of the tests of libttrt-mpi (test/mpi), to be run under mpirun:
//
//   ttrt-mpi-ranks moves            every kind and algorithm against the simulation
//   ttrt-mpi-ranks stages           ranks that execute different exchanges, sends, receives, offers
//   ttrt-mpi-ranks pass             the same without end; the test kills a rank
//   ttrt-mpi-ranks gather           ttrt_transport::gather() of many sizes
//   ttrt-mpi-ranks bundles|devices  rank 1 has another bundle, one for another mesh
//   ttrt-mpi-ranks fail|close|die   rank 1 does so while the others exchange
//   ttrt-mpi-ranks fail-thread      rank 1 fails on a thread of its own while it exchanges
//   ttrt-mpi-ranks run              exchanges without end; the test kills a rank
//
// With a FIFO as second argument, ranks that have seen a failure stay until it is opened for
// writing: as soon as one ends, mpirun may end the others before they have said anything.
//
// Prints lines "rank R: ..."; the exit status is 0 if this rank has seen what it should.

#include "Simulate.h"
#include "test/unit/Mesh/Stages.h"
#include "ttrt/mpi.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <random>
#include <thread>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

constexpr uint64_t kDramBytes = uint64_t(64) << 20;

struct Rank {
  ttrt_transport *transport = nullptr;
  std::vector<uint8_t> dram = std::vector<uint8_t>(kDramBytes);

  uint32_t number() const { return transport->device; }
  uint32_t devices() const { return transport->devices; }
  bool open(const MeshTables &tables, uint64_t hash) {
    const ttrt_transport_plan plan = tables.plan(hash, kDramBytes);
    int memory = 0;
    uint64_t offset = 0;
    ttrt_error error;
    if (transport->prepare(transport, &plan, &memory, &offset, &error) != TTRT_OK ||
        transport->bind(transport, dram.data(), &error) != TTRT_OK) {
      printf("rank %u: %s\n", number(), error.message);
      return false;
    }
    return true;
  }
};

std::vector<CollectiveCase> allCases(uint32_t devices) {
  using Kind = fb::CollectiveKind;
  using Algorithm = fb::CollectiveAlgorithm;
  std::vector<uint32_t> group, reversed, pair = {devices - 1, 0};
  for (uint32_t i = 0; i < devices; ++i)
    group.push_back(i);
  reversed.assign(group.rbegin(), group.rend());
  std::vector<CollectiveCase> cases;
  for (Kind kind : {Kind::AllReduce, Kind::AllGather, Kind::ReduceScatter, Kind::AllToAll,
                    Kind::Broadcast, Kind::Permute})
    for (Algorithm algorithm : {Algorithm::Direct, Algorithm::Ring, Algorithm::Halving})
      for (const auto &members : {group, reversed, pair}) {
        const auto size = static_cast<uint32_t>(members.size());
        if (!collectives::isDefined(kind, algorithm, size))
          continue;
        // Sizes of rows and parts, in elements of 4 bytes: small, odd, of several pieces and
        // messages.
        for (uint64_t elements : {1, 7, 16, 1000, 4099, 70001, 400000})
          for (uint64_t rows : {1, 3}) {
            if (elements > 100000 && (rows > 1 || members != group))
              continue; // the moves are those of fewer bytes, and generating them takes long
            const bool whole =
                kind == Kind::AllReduce || kind == Kind::Broadcast || kind == Kind::Permute;
            if (whole && rows > 1)
              continue;
            const uint64_t bytes =
                4 * elements * rows * (whole || kind == Kind::AllGather ? 1 : size);
            cases.push_back(
                {kind, algorithm, fb::DType::F32, fb::Reduction::Sum, bytes, rows, members});
            if (elements == 1000 && (kind == Kind::AllReduce || kind == Kind::ReduceScatter)) {
              cases.push_back(
                  {kind, algorithm, fb::DType::I32, fb::Reduction::Max, bytes, rows, members});
              cases.push_back(
                  {kind, algorithm, fb::DType::U8, fb::Reduction::Min, bytes, rows, members});
              cases.push_back(
                  {kind, algorithm, fb::DType::F16, fb::Reduction::Sum, bytes, rows, members});
            }
          }
      }
  return cases;
}

/// The same on all ranks.
std::vector<Memory> memoriesOf(const CollectiveCase &given, uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<uint32_t> sources = given.sources();
  const collectives::Shape shape = given.shape(sources);
  std::vector<Memory> all(shape.devices);
  for (Memory &memory : all) {
    memory[0].resize(given.bytes);
    memory[1].resize(collectives::outputBytes(shape), 0xcd);
    memory[2].resize(collectives::scratchBytes(shape), 0xcd);
    for (uint64_t at = 0; at + 4 <= given.bytes; at += 4) {
      const float value = static_cast<float>(random() >> 8) * 0x1p-20f - 8;
      const auto half = static_cast<_Float16>(value);
      memcpy(&memory[0][at], &value, 4);
      for (size_t i = 0; given.dtype == fb::DType::F16 && i < 4; i += 2)
        memcpy(&memory[0][at + i], &half, 2);
    }
  }
  return all;
}

int moves(Rank &rank) {
  const std::vector<CollectiveCase> cases = allCases(rank.devices());
  const MeshTables tables(rank.devices(), cases);
  if (!rank.open(tables, 1))
    return 1;
  std::minstd_rand delay(rank.number() + 1);
  for (uint32_t i = 0; i < cases.size(); ++i) {
    const CollectiveCase &given = cases[i];
    std::vector<Memory> all = memoriesOf(given, i);
    const auto found = std::find(given.devices.begin(), given.devices.end(), rank.number());
    const bool takesPart = found != given.devices.end();
    const auto self = static_cast<size_t>(found - given.devices.begin());
    const uint64_t operands[] = {0, 24 << 20, 48 << 20};
    const std::vector<Memory> before = all;
    simulate(given, all);
    for (int repeat = 0; repeat < 3; ++repeat) {
      for (size_t k = 0; takesPart && k < 3; ++k)
        std::copy(before[self][k].begin(), before[self][k].end(), rank.dram.begin() + operands[k]);
      if (delay() % 4 == 0)
        usleep(delay() % 300);
      if (rank.transport->exchange(rank.transport, i, operands) != 0) {
        printf("rank %u: %s\n", rank.number(), rank.transport->failure(rank.transport));
        return 1;
      }
      for (size_t k = 0; takesPart && k < 2; ++k)
        if (memcmp(&rank.dram[operands[k]], all[self][k].data(), all[self][k].size()) != 0) {
          printf("rank %u: case %u (%s, %s, %llu bytes, %llu rows) differs\n", rank.number(), i,
                 fb::EnumNameCollectiveKind(given.kind),
                 fb::EnumNameCollectiveAlgorithm(given.algorithm), (unsigned long long)given.bytes,
                 (unsigned long long)given.rows);
          return 1;
        }
    }
  }
  rank.transport->unbind(rank.transport);
  printf("rank %u: %zu cases agree\n", rank.number(), cases.size());
  return 0;
}

int stages(Rank &rank, bool endless) {
  for (uint64_t seed = 1; seed <= 5 || endless; ++seed) {
    World world(rank.devices(), makeStages(seed * 31 + rank.devices(), rank.devices(), 200000));
    Member member(world, rank.transport);
    if (endless && seed == 1) {
      printf("rank %u: process %d\n", rank.number(), getpid());
      fflush(stdout);
    }
    if (!runProgram(member, world, rank.transport, makeProgram(seed, world, 500),
                    {.delay = seed % 2 ? 200u : 0u, .begin = seed}))
      return 1;
  }
  printf("rank %u: agrees\n", rank.number());
  return 0;
}

int gather(Rank &rank) {
  const MeshTables tables(rank.devices(), {});
  for (int session = 0; session < 3; ++session) { // a transport serves one device after another
    if (!rank.open(tables, 1))
      return 1;
    for (size_t bytes : {0, 1, 100, 65537, 5000000}) {
      std::vector<uint8_t> own(bytes, static_cast<uint8_t>(rank.number() + bytes)),
          all(bytes * rank.devices());
      if (rank.transport->gather(rank.transport, own.data(), bytes, all.data()) != 0)
        return 1;
      for (size_t i = 0; i < all.size(); ++i)
        if (all[i] != static_cast<uint8_t>(i / bytes + bytes)) {
          printf("rank %u: %zu bytes differ\n", rank.number(), bytes);
          return 1;
        }
    }
    rank.transport->unbind(rank.transport);
  }
  printf("rank %u: gathered\n", rank.number());
  return 0;
}

/// Ranks leave as soon as they have gathered; the last one is late, and misses nothing.
int leave(Rank &rank) {
  const MeshTables tables(rank.devices(), {});
  if (!rank.open(tables, 1))
    return 1;
  const bool isLate = rank.number() + 1 == rank.devices();
  std::vector<uint8_t> own(3000000, static_cast<uint8_t>(rank.number())),
      all(own.size() * rank.devices());
  if (isLate)
    usleep(600000);
  for (int i = 0; i < 2; ++i)
    if (rank.transport->gather(rank.transport, own.data(), own.size(), all.data()) != 0) {
      printf("rank %u: %s\n", rank.number(), rank.transport->failure(rank.transport));
      return 1;
    }
  rank.transport->unbind(rank.transport);
  printf("rank %u: gathered\n", rank.number());
  return 0;
}

/// A second device on the transport of another one.
int busy(Rank &rank) {
  const MeshTables tables(rank.devices(), {});
  if (!rank.open(tables, 1))
    return 1;
  if (rank.number() == 1 && rank.open(tables, 1)) // says why
    return 1;
  uint32_t own = rank.number();
  std::vector<uint32_t> all(rank.devices());
  const bool good = rank.transport->gather(rank.transport, &own, sizeof own, all.data()) == 0;
  rank.transport->unbind(rank.transport);
  if (good && rank.number() != 1)
    printf("rank %u: continues\n", rank.number());
  return good ? 0 : 1;
}

int refused(Rank &rank, bool otherMesh) {
  const bool odd = rank.number() == 1;
  const MeshTables tables(rank.devices() + (otherMesh && odd), {});
  return rank.open(tables, odd && !otherMesh ? 2 : 1) ? 1 : 0;
}

/// Exchanges until the mesh fails; rank 1 does what `mode` says after a while.
int endless(Rank &rank, const std::string &mode, const char *fifo) {
  std::vector<uint32_t> group;
  for (uint32_t i = 0; i < rank.devices(); ++i)
    group.push_back(i);
  const CollectiveCase given = {fb::CollectiveKind::AllReduce,
                                fb::CollectiveAlgorithm::Direct,
                                fb::DType::F32,
                                fb::Reduction::Sum,
                                1 << 16,
                                1,
                                group};
  const MeshTables tables(rank.devices(), {given});
  if (!rank.open(tables, 1))
    return 1;
  printf("rank %u: process %d\n", rank.number(), getpid());
  fflush(stdout);
  const uint64_t operands[] = {0, 1 << 20};
  if (mode == "limit")
    rank.transport->limit(rank.transport, 1000, 0);
  const bool odd = rank.number() == 1 && mode != "run" && mode != "limit";
  std::thread other;
  for (uint64_t i = 0;; ++i) {
    if (odd && i == 100) {
      if (mode == "fail")
        rank.transport->fail(rank.transport, "it was asked to");
      if (mode == "fail-thread")
        other = std::thread([&] {
          usleep(20000);
          rank.transport->fail(rank.transport, "a thread was asked to");
        });
      if (mode == "die")
        raise(SIGKILL);
      if (mode == "close") {
        rank.transport->unbind(rank.transport);
        printf("rank 1: closed\n");
        return 0;
      }
    }
    if (rank.transport->exchange(rank.transport, 0, operands) == 0)
      continue;
    if (other.joinable())
      other.join();
    const bool failsAgain = rank.transport->exchange(rank.transport, 0, operands) != 0;
    printf("rank %u: %s\n", rank.number(),
           failsAgain ? rank.transport->failure(rank.transport) : "exchanges after a failure");
    fflush(stdout);
    if (fifo)
      close(open(fifo, O_RDONLY));
    rank.transport->unbind(rank.transport);
    return failsAgain ? 0 : 1;
  }
}

int runRank(Rank &rank, const std::string &mode, const char *fifo) {
  if (mode == "moves")
    return moves(rank);
  if (mode == "stages" || mode == "pass")
    return stages(rank, mode == "pass");
  if (mode == "gather")
    return gather(rank);
  if (mode == "leave")
    return leave(rank);
  if (mode == "busy")
    return busy(rank);
  if (mode == "bundles" || mode == "devices")
    return refused(rank, mode == "devices");
  return endless(rank, mode, fifo);
}

} // namespace

int main(int argc, char **argv) {
  Rank rank;
  ttrt_error error;
  const bool wrong = argc < 2 || argc > 3;
  if (wrong || ttrt_mpi_open(nullptr, &rank.transport, &error) != TTRT_OK) {
    fprintf(stderr, "%s\n", wrong ? "expected a mode" : error.message);
    return 2;
  }
  const int status = runRank(rank, argv[1], argv[2]);
  fflush(stdout);
  ttrt_mpi_close(rank.transport);
  return status;
}
