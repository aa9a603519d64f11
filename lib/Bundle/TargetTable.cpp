// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TargetTable.h"
#include "ttc/Support/Target.h"
#include "llvm/TargetParser/Triple.h"
#include <map>

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;

/// CPU features that code for the target needs: those that the CPU's name implies and those that
/// the target adds, without those that the target switches off.
static std::vector<std::string> getFeatures(TargetAttr target) {
  return getNeededFeatures(getCpuTarget(target));
}

std::unique_ptr<fb::TargetT> mlir::ttc::writeTarget(TargetAttr target) {
  auto table = std::make_unique<fb::TargetT>();
  llvm::Triple triple(target.getTriple());
  table->name = target.getName();
  table->arch = llvm::Triple::getArchTypeName(triple.getArch());
  table->triple = target.getTriple();
  table->cpu = target.getCpu();
  table->features = getFeatures(target);
  table->cores = getCores(target);
  table->grid_rows = target.getGridRows();
  table->grid_cols = target.getGridCols();
  table->dram_banks = target.getDramBanks();
  table->dram_bank_bytes = target.getDramBankBytes();
  table->l1_bytes = target.getL1Bytes();
  table->dram_alignment = target.getDramAlignment();
  table->l1_alignment = target.getL1Alignment();
  table->queues = target.getQueues();
  table->chips = target.getChips();
  table->link_bytes_per_second = target.getLinkBytesPerSecond();
  table->interleaved_l1 = target.getInterleavedL1();
  return table;
}

static StringRef getText(const flatbuffers::String *string) {
  return string ? StringRef(string->c_str(), string->size()) : StringRef();
}

FailureOr<TargetAttr> mlir::ttc::readTarget(const fb::Target &table, MLIRContext *context,
                                            llvm::function_ref<InFlightDiagnostic()> emitError) {
  int64_t rows = table.grid_rows() ? table.grid_rows() : 1;
  int64_t cols = table.grid_rows() ? table.grid_cols() : table.cores();
  if (rows * cols != table.cores())
    return emitError() << "expected a grid of " << table.cores() << " cores, found " << rows
                       << " x " << cols;
  auto make = [&](StringRef features) {
    return TargetAttr::get(context, getText(table.name()), getText(table.triple()),
                           getText(table.cpu()), features, rows, cols, table.l1_bytes(),
                           table.l1_alignment(), table.dram_banks(), table.dram_bank_bytes(),
                           table.dram_alignment(), table.queues(), table.chips(),
                           table.link_bytes_per_second(), table.interleaved_l1());
  };
  // The bundle lists all features; the attribute lists the difference from the CPU's own.
  std::map<std::string, char> switches;
  for (const std::string &implied : getFeatures(make("")))
    switches[implied] = '-';
  if (table.features())
    for (const flatbuffers::String *feature : *table.features())
      switches[feature->str()] = '+';
  std::string features;
  for (auto &[name, sign] : switches)
    features += (features.empty() ? "" : ",") + std::string(1, sign) + name;
  return make(features);
}

ttrt::AddressMap mlir::ttc::makeAddressMap(TargetAttr target, uint64_t hostBytes) {
  ttrt::AddressMap map;
  map.dramBytes = getDramBytes(target);
  map.l1Bytes = target.getL1Bytes();
  map.cores = getCores(target);
  map.hostBytes = hostBytes;
  return map;
}

uint64_t mlir::ttc::getAddress(const ttrt::AddressMap &map, BufferOp buffer) {
  uint64_t offset = buffer.getAddressAttr().getInt();
  switch (buffer.getMemory()) {
  case MemorySpace::Dram:
    return offset;
  case MemorySpace::L1:
    return buffer.isInterleavedInL1() ? map.interleavedAddress() + offset * map.cores
                                      : map.l1Address(0) + offset;
  case MemorySpace::Host:
    return map.hostAddress() + offset;
  }
  llvm_unreachable("unknown memory");
}
