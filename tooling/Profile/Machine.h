// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cores of a device can do at most: measured, or as the user says.

#ifndef TTC_TOOLING_PROFILE_MACHINE_H
#define TTC_TOOLING_PROFILE_MACHINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ttrun::report {

/// The file of measurements in a recording's folder.
inline constexpr char kMachineFile[] = "machine.json";

/// The limits of all cores of a device together. 0: unknown.
struct Limits {
  double flops = 0;     ///< operations on f32 per second; a multiply-add counts two
  double int8Ops = 0;   ///< the same, in products of 8-bit integers
  double bandwidth = 0; ///< bytes of memory per second
  std::string source;   ///< where they come from; "" if nothing is known
};

/// What some number of threads, one for each core, have done.
struct Machine {
  uint32_t cores = 0;
  double flops = 0, int8Ops = 0;               ///< operations per second
  double readBandwidth = 0, copyBandwidth = 0; ///< bytes per second; a copied byte counts twice
  std::string instructions, int8Instructions;  ///< "avx512f"; "" if none were measured
};

/// Measures this machine in about a third of a second: multiply-adds in registers, and reading and
/// copying memory that exceeds the caches.
Machine measureMachine(uint32_t cores);

std::string machineJson(const std::vector<Machine> &machines);
/// Throws UserError with the path if the file is no such text. No file: no measurements.
std::vector<Machine> readMachines(const std::string &path);

/// What the user says about limits. 0: nothing.
struct GivenLimits {
  double gflops = 0, int8Gops = 0, bandwidthGbs = 0;
};
/// Limits of a device of that many cores: what is given, else what was measured on as many.
Limits limitsOf(const GivenLimits &given, const std::vector<Machine> &machines, uint32_t cores);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_MACHINE_H
