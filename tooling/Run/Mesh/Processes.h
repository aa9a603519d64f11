// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_RUN_MESH_PROCESSES_H
#define TTC_TOOLING_RUN_MESH_PROCESSES_H

#include <cstdint>

namespace ttrun {

/// Forks `ranks` processes and returns their numbers in them. In the calling process, waits until
/// all have ended and returns -1 - S for the exit status S: that of the first one that failed, or
/// 0. Says which rank a signal has ended. A second after the first failure, it ends those that are
/// left. Throws UserError.
int forkRanks(uint32_t ranks);

} // namespace ttrun

#endif // TTC_TOOLING_RUN_MESH_PROCESSES_H
