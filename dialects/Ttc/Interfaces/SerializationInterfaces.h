// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What commands and steps need to write themselves to a bundle and to read themselves back.
#ifndef TTC_DIALECTS_TTC_SERIALIZATIONINTERFACES_H
#define TTC_DIALECTS_TTC_SERIALIZATIONINTERFACES_H

#include "dialects/Ttc/Interfaces/ExecutionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

// Declared in ttrt/format/commands.h and the schema, which only the ops' own sources include.
namespace ttrt {
enum class Opcode : uint16_t;
namespace fb {
enum class StepKind : uint8_t;
struct StepT;
} // namespace fb
} // namespace ttrt

namespace mlir::ttc {

/// Writing: the numbers and addresses that stand for a module's symbols in a bundle.
struct BundleNumbers {
  DenseMap<StringAttr, uint32_t> programs, events, traces, buffers, collectives;
  DenseMap<StringAttr, uint64_t> addresses; ///< flat, of buffers
  /// The ports of the entry point that is written. Steps number them; one alone would look for its
  /// port from the first one on.
  SmallVector<Operation *> inputs, outputs;

  uint64_t getAddress(Attribute buffer) const {
    return addresses.lookup(cast<FlatSymbolRefAttr>(buffer).getAttr());
  }
  /// Addresses of the inputs, then of the outputs.
  std::vector<uint64_t> getAddresses(ArrayAttr inputs, ArrayAttr outputs) const;
};

/// Reading: the symbols that stand for a bundle's numbers and addresses in the module. All
/// functions return null or failure, with a diagnostic, if the number or address is not valid.
class BundleSymbols {
public:
  virtual ~BundleSymbols();

  virtual FlatSymbolRefAttr getProgram(uint32_t number) = 0;
  virtual FlatSymbolRefAttr getEvent(uint32_t number) = 0;
  virtual FlatSymbolRefAttr getTrace(uint32_t number) = 0;
  virtual FlatSymbolRefAttr getCollective(uint32_t number) = 0;
  /// The buffer of a slot of a port of the entry point that is read. Without a diagnostic.
  virtual FlatSymbolRefAttr getInput(uint32_t number, uint32_t slot) = 0;
  virtual FlatSymbolRefAttr getOutput(uint32_t number, uint32_t slot) = 0;
  /// The buffer that begins at a flat address and is alive when the command or step runs.
  virtual FlatSymbolRefAttr getBuffer(uint64_t address) = 0;
  /// The operands of a program from their flat addresses (inputs, then outputs).
  virtual LogicalResult getOperands(uint32_t program, ArrayRef<uint64_t> addresses,
                                    SmallVectorImpl<BufferRef> &inputs,
                                    SmallVectorImpl<BufferRef> &outputs) = 0;
  /// The places of any operands from their flat addresses.
  virtual LogicalResult getPlaces(ArrayRef<uint64_t> addresses,
                                  SmallVectorImpl<BufferRef> &places) = 0;
  /// Reports what else is wrong with the bundle.
  virtual InFlightDiagnostic emitError() = 0;
};

} // namespace mlir::ttc

#include "dialects/Ttc/TtcSerializationInterfaces.h.inc"

#endif // TTC_DIALECTS_TTC_SERIALIZATIONINTERFACES_H
