// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Mesh/Rank.h"

#include "Run/Mesh/AloneTransport.h"
#include "Run/Mesh/Cpus.h"
#include "Run/Mesh/Processes.h"
#include "Support/Error.h"
#include "mpi/Segments.h"
#include "ttrt/mesh.h"
#include "ttrt/mpi.h"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace ttrun {

namespace {
struct Rank {
  ttrt_transport *transport = nullptr;
  void (*close)(ttrt_transport *) = nullptr;
  uint32_t here = 1;
  bool isAlone = false; ///< the others are not there
};

/// One of `count` ranks.
struct Share {
  uint32_t index, count;
};
} // namespace

static Rank self;

ttrt_transport *rankTransport() { return self.transport; }
uint32_t ranksHere() { return self.here; }
bool isLead() { return !self.transport || self.isAlone || self.transport->device == 0; }

std::string rankPrefix() {
  return self.transport && !self.isAlone ? fmt::format("rank {}: ", self.transport->device) : "";
}

void failRank(const std::string &message) {
  if (self.transport)
    self.transport->fail(self.transport, message.c_str());
}

void requireSameOnRanks(const std::string &what, const void *data, size_t bytes) {
  ttrt_error error;
  if (self.transport && !self.isAlone &&
      ttrt_mesh_compare(self.transport, what.c_str(), data, bytes, &error) != TTRT_OK)
    throw UserError(error.message);
}

void requireSameOnRanks(const std::string &what, const std::string &text) {
  requireSameOnRanks(what, text.data(), text.size());
}

void leaveRanks() {
  if (self.transport)
    self.close(self.transport);
  self = {};
}

/// Rank 0 speaks for all.
static void becomeRank(ttrt_transport *transport, void (*close)(ttrt_transport *), uint32_t here) {
  self = {transport, close, here, false};
  if (transport->device != 0 && !freopen("/dev/null", "w", stdout))
    throw UserError(fmt::format("cannot open /dev/null: {}", strerror(errno)));
}

void becomeAlone(uint32_t device, uint32_t devices) {
  self = {openAlone(device, devices), closeAlone, 1, true};
}

//===----------------------------------------------------------------------===//
// Processes of this machine
//===----------------------------------------------------------------------===//

void startProcesses(uint32_t devices, bool bind) {
  int memory = -1;
  ttrt_error error;
  if (ttrt_transport_create_shared(devices, &memory, &error) != TTRT_OK)
    throw UserError(fmt::format("--processes={}: {}", devices, error.message));
  const int rank = forkRanks(devices);
  if (rank < 0)
    throw RanksEnded{-1 - rank};
  const auto device = static_cast<uint32_t>(rank);
  if (bind)
    bindToPart(device, devices);
  ttrt_transport *transport = nullptr;
  const ttrt_status status =
      ttrt_transport_open_shared(memory, device, devices, &transport, &error);
  close(memory);
  if (status != TTRT_OK)
    throw UserError(fmt::format("rank {}: {}", rank, error.message));
  becomeRank(transport, ttrt_transport_close, devices);
}

//===----------------------------------------------------------------------===//
// MPI
//===----------------------------------------------------------------------===//

static uint32_t numberOf(const char *variable) {
  const char *text = getenv(variable);
  if (!text || !*text)
    return 0;
  uint32_t number = 0;
  const char *end = text + strlen(text);
  if (const auto read = std::from_chars(text, end, number);
      read.ec != std::errc() || read.ptr != end)
    throw UserError(fmt::format("{}: expected a number, found '{}'", variable, text));
  return number;
}

bool isStartedByMpi() {
  for (const char *size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (numberOf(size) > 1)
      return true;
  // A launcher with PMIx gives a rank, not the number of ranks.
  return getenv("PMIX_RANK") && !getenv("OMPI_COMM_WORLD_SIZE") && numberOf("SLURM_NTASKS") > 1;
}

/// In the folders where libraries of ttrun's installation are, then where the system has its.
static std::vector<std::string> librariesOfMpi() {
  constexpr char kName[] = "libttrt-mpi.so.0";
  if (const char *given = getenv("TTRT_MPI_LIBRARY"); given && *given)
    return {given};
  std::vector<std::string> paths;
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  if (length > 0) {
    std::string folder(program, static_cast<size_t>(length));
    folder.resize(folder.rfind('/'));
    for (const char *libraries : {"/../lib/", "/../lib/x86_64-linux-gnu/", "/"})
      paths.push_back(folder + libraries + kName);
  }
  paths.emplace_back(kName);
  return paths;
}

/// mpirun ends all ranks with this signal when one has died; its own message names that rank.
static void endedByMpirun(int) {
  static constexpr char kText[] =
      "ttrun: the mesh ends: mpirun has stopped this rank, because another one has "
      "ended or the job was cancelled\n";
  ttrt::mpi::removeSegments();
  if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) // nothing else can be done here
    _exit(1);
  _exit(1);
}

/// This rank's share among those that share its CPUs: they run on the same machine, and their
/// launcher gave them the same CPUs. Launchers say this in different variables, or bind ranks and
/// say nothing.
static Share shareOfCpus(ttrt_transport *transport) {
  struct Place {
    char machine[64];
    cpu_set_t cpus;
  } own = {};
  if (FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r")) {
    if (!fgets(own.machine, sizeof own.machine, file))
      own.machine[0] = 0;
    fclose(file);
  }
  if (sched_getaffinity(0, sizeof own.cpus, &own.cpus) != 0)
    CPU_ZERO(&own.cpus);
  std::vector<Place> all(transport->devices);
  if (transport->gather(transport, &own, sizeof own, all.data()) != 0)
    throw UserError(transport->failure(transport));
  Share share = {0, 0};
  for (uint32_t rank = 0; rank < transport->devices; ++rank)
    if (memcmp(&own, &all[rank], sizeof own) == 0) {
      share.index += rank < transport->device;
      ++share.count;
    }
  return share;
}

void joinMpi(bool bind) {
  void *library = nullptr;
  std::string problems;
  for (const std::string &path : librariesOfMpi()) {
    // Open MPI loads parts of itself that need its symbols.
    if ((library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)))
      break;
    problems = dlerror();
  }
  if (!library)
    throw UserError(fmt::format("a mesh over MPI needs libttrt-mpi: {}; build ttc with "
                                "libopenmpi-dev, or set TTRT_MPI_LIBRARY",
                                problems));
  auto *open = reinterpret_cast<decltype(&ttrt_mpi_open)>(dlsym(library, "ttrt_mpi_open"));
  auto *close = reinterpret_cast<decltype(&ttrt_mpi_close)>(dlsym(library, "ttrt_mpi_close"));
  if (!open || !close)
    throw UserError(fmt::format("libttrt-mpi has no function ttrt_mpi_open(): {}", dlerror()));
  signal(SIGTERM, endedByMpirun);
  ttrt_transport *transport = nullptr;
  ttrt_error error;
  if (open(nullptr, &transport, &error) != TTRT_OK)
    throw UserError(error.message);
  const Share share = shareOfCpus(transport);
  if (bind)
    bindToPart(share.index, share.count);
  becomeRank(transport, close, share.count);
}

} // namespace ttrun
