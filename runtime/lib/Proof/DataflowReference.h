// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry point computes, as digests (ttrt/format/dataflow.h): what every schedule must
// compute.

#ifndef TTRT_LIB_PROOF_DATAFLOWREFERENCE_H
#define TTRT_LIB_PROOF_DATAFLOWREFERENCE_H

#include "Bundle/Bundle.h"

#include <vector>

namespace ttrt {

/// A state buffer.
struct StateBuffer {
  uint32_t index = ~0u; ///< in the table of buffers; ~0: there is none
  uint32_t number = 0;  ///< among the state buffers, by address
  uint64_t address = 0; ///< flat
  uint64_t bytes = 0;
};

/// What the references of all entry points have in common. Immutable; throws std::bad_alloc when it
/// is made, only.
class DataflowTables {
public:
  explicit DataflowTables(const Bundle &bundle);

  /// The state buffer that contains an address.
  StateBuffer stateAt(uint64_t address) const;

  const Bundle &bundle;
  std::vector<uint64_t> programs;  ///< the digests of programs and host functions
  std::vector<StateBuffer> states; ///< by address; no two overlap
};

/// The digests of one entry point: from the bundle or, if it has none, those that its default
/// schedule is the first to compute. Not thread-safe; throws Error or std::bad_alloc.
class DataflowReference {
public:
  /// `tables` must outlive it.
  DataflowReference(const DataflowTables &tables, const fb::EntryPoint &entry);

  /// Whether the default schedule still adds to the reference.
  bool isLearning() const { return learning; }
  /// Whether it still adds accesses to state: before the end of its first body.
  bool isOpen() const { return open; }
  /// The first body of the default schedule is complete, and with it the accesses to state. False
  /// if it computes several inferences with state: then it is not known which access is whose.
  bool endFirstBody(uint64_t inferences);
  /// The default schedule is proved; the others must compute the same.
  void endLearning() { learning = open = false; }
  /// The proof of the default schedule starts again.
  void restart();

  /// Whether some command or step computes this; true if it is not known.
  bool hasValue(uint64_t digest) const;
  /// Whether this is the content of an output. Learns the first one.
  bool isOutput(uint32_t output, uint64_t digest);
  /// Whether send `number` of a collective in an inference computes this. Learns the first one.
  bool isSend(uint32_t collective, uint64_t number, uint64_t digest);
  /// Whether `digest` is access number `index` to a state buffer. Learns those of the first body.
  bool isStateAccess(const StateBuffer &state, uint64_t index, uint64_t digest);

  const std::vector<StateBuffer> &states() const { return tables.states; }
  StateBuffer stateAt(uint64_t address) const { return tables.stateAt(address); }
  /// Accesses to a state buffer in one inference; 0 while they are learned.
  uint64_t perInference(const StateBuffer &state) const;

  /// The digest of an input or output.
  uint64_t digestOf(const fb::Port &port) const;
  /// The digest of a program or host function.
  uint64_t digestOfProgram(uint32_t index) const { return tables.programs[index]; }
  /// What was learned: of the outputs, then of each state buffer.
  const std::vector<std::vector<uint64_t>> &digests() const { return learned; }
  /// What was learned of sends.
  std::vector<uint64_t> sends() const;

private:
  const DataflowTables &tables;
  const fb::EntryPoint &entry;
  const fb::Dataflow *given;
  std::vector<const fb::StateDataflow *> givenStates; ///< per state buffer
  std::vector<std::vector<uint64_t>> learned;
  struct Send {
    uint64_t collective, number, digest;
  };
  std::vector<Send> learnedSends;
  bool learning = false;
  bool open = false;
};

} // namespace ttrt

#endif // TTRT_LIB_PROOF_DATAFLOWREFERENCE_H
