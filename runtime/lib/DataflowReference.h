// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry point computes, as digests (ttrt/dataflow.h): what every schedule must compute.

#ifndef TTRT_LIB_DATAFLOWREFERENCE_H
#define TTRT_LIB_DATAFLOWREFERENCE_H

#include "Bundle.h"

#include <vector>

namespace ttrt {

/// The accesses to one state buffer, in the order in which the host enqueues them.
struct StateLog {
  uint32_t buffer;
  uint64_t address, bytes; ///< flat
  uint64_t inferences = 1; ///< that `accesses` covers
  std::vector<uint64_t> accesses;

  /// Accesses of one inference.
  uint64_t perInference() const { return accesses.size() / inferences; }
};

/// Digests of one entry point: from the bundle or, if it has none, those that its default schedule
/// is the first to compute. Not thread-safe.
class DataflowReference {
public:
  DataflowReference(const Bundle &bundle, const fb::EntryPoint &entry);

  /// Whether the default schedule still adds to the reference.
  bool isLearning() const { return learning; }
  /// Whether it still adds accesses to state: before the end of its first body.
  bool isOpen() const { return open; }
  /// The first body of the default schedule is complete, and with it the accesses to state. False
  /// if it computes several inferences with state: then it is not known which access is whose.
  bool endFirstBody(uint64_t inferences);
  /// The default schedule is proved; the others must compute the same.
  void endLearning() { learning = open = false; }

  /// Whether a write of this digest is known. Learns it.
  bool hasValue(uint64_t digest);
  /// Whether this is the content of an output. Learns the first one.
  bool isOutput(uint32_t output, uint64_t digest);
  /// Whether `digest` is access number `index` to a state buffer. Learns those of the first body.
  bool isStateAccess(StateLog &log, uint64_t index, uint64_t digest);

  /// The state buffer that contains an address; null if there is none.
  StateLog *findState(uint64_t address);
  const std::vector<StateLog> &states() const { return logs; }
  const std::vector<uint64_t> &valueDigests() const { return values; }
  const std::vector<uint64_t> &outputDigests() const { return outputs; }
  uint64_t inputPortDigest(uint32_t input) const { return inputPorts[input]; }
  uint64_t outputPortDigest(uint32_t output) const { return outputPorts[output]; }
  uint64_t constantsDigest() const { return constants; }

private:
  std::vector<uint64_t> values; ///< ascending
  std::vector<uint64_t> outputs;
  std::vector<bool> known; ///< per output
  std::vector<StateLog> logs;
  std::vector<uint64_t> inputPorts, outputPorts;
  uint64_t constants = 0;
  bool learning = false;
  bool open = false;
};

} // namespace ttrt

#endif // TTRT_LIB_DATAFLOWREFERENCE_H
