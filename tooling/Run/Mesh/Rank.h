// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This process as one device of a mesh: a rank of --processes or of mpirun. A process is a rank at
// most once, so this is state of the process.

#ifndef TTC_TOOLING_RUN_MESH_RANK_H
#define TTC_TOOLING_RUN_MESH_RANK_H

#include "ttrt/transport.h"

#include <string>

namespace ttrun {

/// Thrown by startProcesses() in the process that has started the ranks, after they have ended.
struct RanksEnded {
  int status; ///< exit status
};

/// Starts `devices` copies of this process as ranks, each with its part of the CPUs if `bind` is
/// set, and returns in them. The process must have one thread. In itself, waits for them and throws
/// RanksEnded. When one fails or dies, the others have a second to end. Throws UserError if they
/// cannot be started.
void startProcesses(uint32_t devices, bool bind);

/// Makes this process one device of a mesh whose other devices are not there (AloneTransport.h).
void becomeAlone(uint32_t device, uint32_t devices);

/// Whether mpirun, or what stands in for it, has started this process as one of several.
bool isStartedByMpi();
/// Loads libttrt-mpi and makes this process a rank. Throws UserError.
void joinMpi(bool bind);

/// This rank's transport; nullptr if the process is none.
ttrt_transport *rankTransport();
/// How many ranks share the CPUs that this one may use.
uint32_t ranksHere();
/// Whether this process prints and writes files: it is not a rank, or rank 0. The standard output
/// of others is /dev/null.
bool isLead();
/// "rank 2: " for messages; "" if the process is not a rank.
std::string rankPrefix();

/// Tells the other ranks that this one fails, if it is one.
void failRank(const std::string &message);
/// Calls function(); informs the other ranks before an exception leaves it.
template <typename Function> auto orFailRank(Function function);
/// Throws UserError, on every rank, unless all ranks have the same data. `what` they are, for the
/// message: "input 'x'". Does nothing in a process that is no rank. The devices are open, and none
/// runs.
void requireSameOnRanks(const std::string &what, const void *data, size_t bytes);
/// The same for what has a textual form.
void requireSameOnRanks(const std::string &what, const std::string &text);

/// Leaves the mesh; the device must be closed.
void leaveRanks();

} // namespace ttrun

#include <exception>

template <typename Function> auto ttrun::orFailRank(Function function) {
  try {
    return function();
  } catch (const std::exception &error) {
    failRank(error.what());
    throw;
  }
}

#endif // TTC_TOOLING_RUN_MESH_RANK_H
