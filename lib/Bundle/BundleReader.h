// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a bundle as a planned module. The reader checks only what it relies on (bounds, numbers,
// types); `ttrun check` verifies a bundle completely.
#ifndef TTC_LIB_BUNDLE_BUNDLEREADER_H
#define TTC_LIB_BUNDLE_BUNDLEREADER_H

#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/BufferOps.h"
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/timeline_index.h"
#include "ttrt/ttc_bundle_generated.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

namespace mlir::ttc {

template <typename T> uint32_t count(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

inline StringRef text(const flatbuffers::String *string) {
  return string ? StringRef(string->c_str(), string->size()) : StringRef();
}

class BundleReader : BundleSymbols {
public:
  BundleReader(std::shared_ptr<llvm::MemoryBuffer> file, MLIRContext *context);

  /// Returns null, with a diagnostic, if the file is damaged.
  OwningOpRef<ModuleOp> read();

private:
  Location getLocation(uint32_t index);

  // BundleReader.cpp: the file and its tables.
  LogicalResult openFile();
  LogicalResult readTarget();
  LogicalResult readMesh();
  LogicalResult readCollectives();
  LogicalResult readMetadata();
  /// An operand of a program in the IR.
  struct OperandText {
    RankedTensorType type;
    SmallVector<NamedAttribute> attrs;
  };
  std::optional<OperandText> readOperand(const ttrt::fb::Program &program,
                                         const ttrt::fb::Operand &operand);
  LogicalResult readPrograms();
  SmallVector<int64_t> findStage(const ttrt::fb::Buffer &constant);
  /// Null if it is outside its segment.
  ElementsAttr readConstant(const ttrt::fb::Buffer &from, RankedTensorType type);
  LogicalResult readBuffers();
  LogicalResult readEvents();
  LogicalResult readCode();

  // BundleReaderSteps.cpp: commands and schedules.
  LogicalResult readTraces();
  LogicalResult readCommand(ArrayRef<char> &stream, Location location);
  template <typename PortOp>
  LogicalResult readPorts(const flatbuffers::Vector<flatbuffers::Offset<ttrt::fb::Port>> *ports,
                          SmallVector<PortOp> &ops);
  LogicalResult readEntries();
  LogicalResult readSchedule(const ttrt::fb::Schedule &from, uint32_t entry, uint32_t number);
  LogicalResult readStep(const ttrt::fb::Step &from);

  // BundleReaderSteps.cpp: BundleSymbols, at `point`.
  template <typename Op> FlatSymbolRefAttr getSymbol(ArrayRef<Op> ops, uint32_t number);
  FlatSymbolRefAttr getProgram(uint32_t number) override;
  FlatSymbolRefAttr getEvent(uint32_t number) override;
  FlatSymbolRefAttr getTrace(uint32_t number) override;
  FlatSymbolRefAttr getCollective(uint32_t number) override;
  FlatSymbolRefAttr getInput(uint32_t number, uint32_t slot) override;
  FlatSymbolRefAttr getOutput(uint32_t number, uint32_t slot) override;
  FlatSymbolRefAttr getBuffer(uint64_t address) override;
  LogicalResult getPlaces(ArrayRef<uint64_t> addresses,
                          SmallVectorImpl<BufferRef> &places) override;
  LogicalResult getOperands(uint32_t program, ArrayRef<uint64_t> addresses,
                            SmallVectorImpl<BufferRef> &inputs,
                            SmallVectorImpl<BufferRef> &outputs) override;
  InFlightDiagnostic emitError() override { return mlir::emitError(where); }
  BufferRef findPlace(uint64_t address);

  struct Segment {
    uint64_t address = 0;
    ArrayRef<char> contents;
  };

  std::shared_ptr<llvm::MemoryBuffer> file;
  MLIRContext *context;
  OpBuilder builder;
  Location where;
  ModuleOp module;
  const ttrt::fb::Bundle *bundle = nullptr;
  Segment segments[3];
  SmallVector<Segment> shards; ///< of constants that differ between devices
  SmallVector<int64_t> shardOfDevice;
  MeshAttr mesh;
  ttrt::AddressMap map;
  SmallVector<ProgramOp> programs;
  SmallVector<BufferOp> buffers;
  SmallVector<EventOp> events;
  SmallVector<TraceOp> traces;
  SmallVector<CollectiveOp> collectives;
  SmallVector<InputOp> inputs; ///< of the entry point that is read, as are the outputs
  SmallVector<OutputOp> outputs;
  std::multimap<uint64_t, uint32_t> byAddress; ///< planned address -> buffer
  std::map<uint64_t, uint64_t> permanent;      ///< begin -> end of buffers without lifetime
  std::optional<ttrt::TimelineIndex> points;
  uint64_t point = ttrt::TimelineIndex::kUnknown; ///< of the command or step that is being read
  std::map<ttrt::Opcode, CommandSerializationOpInterface::Concept *> commandOps;
  std::map<ttrt::fb::StepKind, StepSerializationOpInterface::Concept *> stepOps;
};

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_BUNDLEREADER_H
