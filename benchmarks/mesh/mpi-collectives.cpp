// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges over libttrt-mpi beside MPI's own collectives, alternating:
//
//   mpirun -n 2 mpi-collectives [MOST_BYTES]
//
// For each size and algorithm, rank 0 prints the best time of a block of calls of either side, and
// the ratio. Sizes are those of the output.

#include "test/unit/Mpi/MeshTables.h"
#include "ttrt/mpi.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>

using namespace ttrt;
using namespace ttrt::test;
using Kind = fb::CollectiveKind;
using Algorithm = fb::CollectiveAlgorithm;

namespace {

constexpr int kBlocks = 15;

void require(bool condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "mpi-collectives: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Seconds of a call, in a block of `calls`; of the slowest rank.
template <typename Function> double measure(int calls, Function function) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i)
    function();
  const double own = (MPI_Wtime() - begin) / calls;
  double slowest = 0;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

} // namespace

int main(int argc, char **argv) {
  int level = 0, ranks = 0, self = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  const uint64_t most = argc > 1 ? strtoull(argv[1], nullptr, 10) : uint64_t(64) << 20;
  std::vector<uint32_t> group;
  for (int i = 0; i < ranks; ++i)
    group.push_back(static_cast<uint32_t>(i));

  std::vector<CollectiveCase> cases;
  for (Kind kind : {Kind::AllReduce, Kind::AllGather})
    for (uint64_t bytes = 4 * (kind == Kind::AllGather ? static_cast<uint64_t>(ranks) : 1);
         bytes <= most; bytes *= 4)
      for (Algorithm algorithm : {Algorithm::Direct, Algorithm::Ring, Algorithm::Halving})
        if (collectives::isDefined(kind, algorithm, static_cast<uint32_t>(ranks)))
          cases.push_back({kind, algorithm, fb::DType::F32, fb::Reduction::Sum,
                           kind == Kind::AllGather ? bytes / static_cast<uint64_t>(ranks) : bytes,
                           1, group});

  ttrt_transport *transport;
  ttrt_error error;
  require(ttrt_mpi_open(nullptr, &transport, &error) == TTRT_OK, error.message);
  const MeshTables tables(static_cast<uint32_t>(ranks), cases);
  std::vector<uint8_t> dram(2 * most + 64);
  const ttrt_transport_plan plan = tables.plan(1, dram.size());
  int memory = 0;
  uint64_t offset = 0;
  require(transport->prepare(transport, &plan, &memory, &offset, &error) == TTRT_OK &&
              transport->bind(transport, dram.data(), &error) == TTRT_OK,
          error.message);
  if (self == 0)
    printf("%d ranks\n%-10s %-8s %12s %12s %12s %7s\n", ranks, "kind", "how", "bytes", "ttrt us",
           "MPI us", "ratio");
  for (uint32_t i = 0; i < cases.size(); ++i) {
    const CollectiveCase &given = cases[i];
    const uint64_t operands[] = {0, (most + 63) / 64 * 64};
    uint8_t *in = dram.data(), *out = dram.data() + operands[1];
    const auto elements = static_cast<int>(given.bytes / 4);
    const uint64_t bytes = collectives::outputBytes(given.shape({}));
    const int calls = static_cast<int>(std::clamp<uint64_t>((uint64_t(32) << 20) / bytes, 1, 2000));
    auto ours = [&] {
      require(transport->exchange(transport, i, operands) == 0, "the mesh has failed");
    };
    auto theirs = [&] {
      if (given.kind == Kind::AllReduce)
        MPI_Allreduce(in, out, elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      else
        MPI_Allgather(in, elements, MPI_FLOAT, out, elements, MPI_FLOAT, MPI_COMM_WORLD);
    };
    double best[2] = {1e9, 1e9};
    for (int block = -1; block < kBlocks; ++block) { // the first one warms up
      const double times[] = {measure(calls, ours), measure(calls, theirs)};
      for (size_t k = 0; block >= 0 && k < 2; ++k)
        best[k] = std::min(best[k], times[k]);
    }
    if (self == 0)
      printf("%-10s %-8s %12llu %12.2f %12.2f %7.2f\n", fb::EnumNameCollectiveKind(given.kind),
             fb::EnumNameCollectiveAlgorithm(given.algorithm),
             static_cast<unsigned long long>(bytes), best[0] * 1e6, best[1] * 1e6,
             best[0] / best[1]);
    fflush(stdout);
  }
  transport->unbind(transport);
  ttrt_mpi_close(transport);
  MPI_Finalize();
  return 0;
}
