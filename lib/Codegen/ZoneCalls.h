// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zones of programs while they are lowered: first in the locations of ops, then as ttc.zone_begin
// and ttc.zone_end, last as calls of kernels/ZoneMarkers.cpp.
#ifndef TTC_LIB_CODEGEN_ZONECALLS_H
#define TTC_LIB_CODEGEN_ZONECALLS_H

#include "dialects/Ttc/Programs/ProgramOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// `loc` with its zone: an array of the names of nested zones, outermost first, or the name of one
/// that the compiler made up. No pass decides by locations, so zones cannot change what it does;
/// and all keep them.
Location setZone(Location loc, Attribute zone);
/// The zone of a location; null if it has none.
Attribute getZone(Location loc);

/// Puts ttc.zone_begin and ttc.zone_end around the ops of `body` on memory whose locations have
/// zones.
void markZones(func::FuncOp body);

/// Bytes of scratch of a program that needs `scratch` bytes itself, with the markers if it has any.
int64_t addMarkerBytes(ProgramOp program, int64_t scratch);

/// Generates calls of kernels/ZoneMarkers.cpp in a module of the LLVM dialect. All calls insert at
/// `builder`.
class ZoneCalls {
public:
  ZoneCalls(ModuleOp module, OpBuilder &builder) : module(module), builder(builder) {}

  /// The markers after the `scratchBytes` bytes of the program's own scratch; a null pointer if the
  /// program has none.
  Value getMarkers(Location loc, ProgramOp program, Value scratch, int64_t scratchBytes);
  void beginMain(Location loc, Value markers, StringRef name);
  void endMain(Location loc, Value markers, StringRef name);
  /// The result is for endZone().
  Value beginZone(Location loc, Value markers, StringRef name);
  void endZone(Location loc, Value markers, Value zone);

private:
  LLVM::LLVMFuncOp getFunction(Location loc, StringRef name, Type result, ArrayRef<Type> arguments);
  Value getName(Location loc, StringRef name);

  ModuleOp module;
  OpBuilder &builder;
};

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_ZONECALLS_H
