// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of an all_reduce of f32 by libttrt_mesh, and by MPI_Allreduce, in the same processes:
//
//     mpirun -n 2 --bind-to core build/bin/ttrt-bench-allreduce [largest bytes [rounds]]
//
// Both take turns, so that what else the machine does slows both down. A line for each size: the
// medians of the rounds, of which each is the mean of many calls, and the best rounds.

#include "test/unit/Mesh/World.h"
#include "ttrt/format/collectives.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mpi.h>
#include <string>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

static double now() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Microseconds of a call, the slowest rank's.
template <typename Function> static double measure(int calls, Function function) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = now();
  for (int i = 0; i < calls; ++i)
    function();
  double mine = (now() - begin) / calls, slowest;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto devices = static_cast<uint32_t>(ranks);
  const uint64_t largest = argc > 1 ? strtoull(argv[1], nullptr, 10) : 64 << 20;
  const int rounds = argc > 2 ? atoi(argv[2]) : 15;

  // Memory of the first rank, by a name that is removed as soon as all have opened it.
  std::string name = "/dev/shm/ttrt-allreduce-" + std::to_string(getpid());
  name.resize(64);
  MPI_Bcast(name.data(), 64, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0)
    close(open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  MPI_Barrier(MPI_COMM_WORLD);
  const int memory = open(name.c_str(), O_RDWR);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    unlink(name.c_str());

  std::vector<Case> cases;
  for (uint64_t bytes = 4; bytes <= largest; bytes *= bytes < 1024 ? 4 : 2)
    for (auto algorithm : {fb::CollectiveAlgorithm::Direct, fb::CollectiveAlgorithm::Ring,
                           fb::CollectiveAlgorithm::Halving}) {
      if (!collectives::isDefined(fb::CollectiveKind::AllReduce, algorithm, devices))
        continue;
      Case one;
      one.algorithm = algorithm;
      one.groups = groupsOf(devices, devices, false);
      one.bytes = bytes;
      cases.push_back(one);
    }
  const World world(devices, cases);
  ttrt_error error;
  ttrt_transport *transport;
  if (ttrt_transport_open_shared(memory, static_cast<uint32_t>(rank), devices, &transport,
                                 &error) != TTRT_OK) {
    fprintf(stderr, "%s\n", error.message);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  close(memory);
  {
    Member member(world, transport);
    std::vector<float> in(largest / 4 + 1), out(largest / 4 + 1);
    if (rank == 0)
      printf("%10s %-8s %12s %12s %12s %12s %8s\n", "bytes", "", "ttrt us", "best", "MPI us",
             "best", "ratio");
    for (size_t i = 0; i < world.cases.size(); ++i) {
      const Case &one = world.cases[i];
      const std::vector<uint8_t> data = world.input(one, static_cast<uint32_t>(rank), 0);
      memcpy(member.at(one.operands[0]), data.data(), data.size());
      memcpy(in.data(), data.data(), data.size());
      const int calls = static_cast<int>(
          std::clamp<uint64_t>((64u << 20) / std::max<uint64_t>(one.bytes, 8192), 2, 2000));
      const auto count = static_cast<int>(one.bytes / 4);
      auto ours = [&] {
        if (member.exchange(i) != 0)
          MPI_Abort(MPI_COMM_WORLD, 1);
      };
      auto theirs = [&] {
        MPI_Allreduce(in.data(), out.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      };
      measure(calls / 4 + 2, ours);
      measure(calls / 4 + 2, theirs);
      std::vector<double> a, b;
      for (int round = 0; round < rounds; ++round) {
        a.push_back(measure(calls, ours));
        b.push_back(measure(calls, theirs));
      }
      if (memcmp(member.at(one.operands[1]), out.data(), one.bytes) != 0) {
        fprintf(stderr, "different sums of %llu bytes\n",
                static_cast<unsigned long long>(one.bytes));
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      if (rank == 0) {
        printf("%10llu %-8s %12.2f %12.2f %12.2f %12.2f %8.2f\n",
               static_cast<unsigned long long>(one.bytes),
               fb::EnumNameCollectiveAlgorithm(one.algorithm), median(a),
               *std::min_element(a.begin(), a.end()), median(b),
               *std::min_element(b.begin(), b.end()), median(b) / median(a));
        fflush(stdout);
      }
    }
  }
  ttrt_transport_close(transport);
  MPI_Finalize();
  return 0;
}
