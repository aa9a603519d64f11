// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the steps and commands of a log are, according to the bundle that was recorded.

#ifndef TTC_TOOLING_PROFILE_MODEL_H
#define TTC_TOOLING_PROFILE_MODEL_H

#include "Profile/Log.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ttrun::report {

enum class Space { Dram, L1, Host };
inline constexpr size_t kSpaces = 3;

struct OperandInfo {
  bool read = false, write = false;
  std::string buffer, dtype, shape; ///< shape: "1x64x56x56"
  std::string memory;               ///< "DRAM", "L1 interleaved", "L1 sharded", "host"
  Space space = Space::Dram;
  uint64_t bytes = 0;
  /// In the L1s of cores: bytes in each of `banks` successive ones, from bank `firstBank` on.
  uint64_t firstBank = 0, banks = 0;
  bool perWorkgroup = false; ///< workgroup k accesses the k-th of them only
};

inline constexpr uint32_t kNoCollective = UINT32_MAX;

/// What a command does.
struct OpInfo {
  bool work = false;            ///< reads and writes; false: a barrier, a signal, a wait, the end
  std::string action;           ///< "dispatch", "copy", "barrier"
  std::string name;             ///< the program's symbol; of other commands the action
  std::string kind;             ///< the name without its number: ops of one kind are summed up
  std::string source;           ///< op of the model
  uint64_t grid = 0;            ///< workgroups
  uint64_t flops = 0;           ///< operations of all workgroups; 0: unknown, or none
  bool multipliesBytes = false; ///< they are mostly products of 8-bit integers
  bool exchanges = false;       ///< with other devices of the mesh
  uint32_t collective = kNoCollective; ///< the one that it completes
  bool signals = false, waits = false; ///< of `event`
  uint32_t event = 0;
  std::vector<OperandInfo> operands;
  std::array<uint64_t, kSpaces> read{}, written{}; ///< bytes
  uint64_t constants = 0;                          ///< bytes of them that are the bundle's
  /// Bytes in use before, during and after it; of L1, in one core. Known only for commands that the
  /// default schedules execute.
  bool usesKnown = false;
  uint64_t dramBefore = 0, dramDuring = 0, dramAfter = 0;
  uint64_t l1Before = 0, l1During = 0, l1After = 0;
};

enum class StepRole { Stream, Transfer, HostWork, Other };

struct StepInfo {
  StepRole role = StepRole::Other;
  std::string kind; ///< "write", "execute"
  std::string text; ///< "write input image"
  std::string entry, schedule, source;
  uint64_t bytes = 0;                             ///< of a transfer
  bool out = false;                               ///< of a transfer: to the host
  int64_t trace = -1;                             ///< of an execute step
  std::shared_ptr<const std::vector<OpInfo>> ops; ///< of a stream, by command
};

/// A device of a log.
struct DeviceModel {
  bool known = false;
  std::string problem; ///< why nothing is known
  std::string bundle, target;
  uint64_t dramBytes = 0, l1Bytes = 0; ///< l1: of one core
  uint64_t plannedCores = 0;           ///< the grid of the target
  std::vector<StepInfo> steps;
  std::vector<std::string> traces, events;
  /// By collective: the devices of each of its groups, by their numbers in the mesh.
  std::vector<std::vector<std::vector<uint32_t>>> collectives;
  std::map<uint32_t, std::string> zones; ///< of programs, by the hashes of their names

  const StepInfo *step(uint32_t number) const;
  /// Null if nothing is known of it.
  const OpInfo *op(uint32_t step, uint32_t command) const;
  std::string stepText(uint32_t number) const; ///< "step 7" if nothing is known
  std::string opName(uint32_t step, uint32_t command) const;
  std::string eventText(uint32_t number) const;
  /// Whether a core takes part in the work of a command.
  bool hasWork(const OpInfo *op, uint32_t core, uint32_t cores) const;
};

/// The model of each device. `moved` is a bundle that replaces the one a device names, if its hash
/// is that of the device; it is a UserError if no device has it.
std::vector<DeviceModel> modelsOf(const Log &log, const std::string &moved);

/// "conv_relu_13x13x64_2" -> "conv_relu"
std::string kindOf(const std::string &symbol);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_MODEL_H
