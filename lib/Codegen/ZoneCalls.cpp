// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ZoneCalls.h"
#include "ttrt/format/program_markers.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- locations --------------------------------------------------------------------===//

static constexpr StringLiteral kZoneKey = "ttc.zone";

Location mlir::ttc::setZone(Location loc, Attribute zone) {
  MLIRContext *context = loc.getContext();
  Builder builder(context);
  return FusedLoc::get(context, {loc},
                       builder.getDictionaryAttr(builder.getNamedAttr(kZoneKey, zone)));
}

Attribute mlir::ttc::getZone(Location loc) {
  Attribute zone;
  loc->walk([&](Location part) {
    if (auto fused = dyn_cast<FusedLoc>(part))
      if (auto metadata = dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()))
        zone = metadata.get(kZoneKey);
    return zone ? WalkResult::interrupt() : WalkResult::advance();
  });
  return zone;
}

//===--- calls ------------------------------------------------------------------------===//

int64_t mlir::ttc::addMarkerBytes(ProgramOp program, int64_t scratch) {
  using ttrt::profile::ProgramMarkers;
  if (!program.getMarkers())
    return scratch;
  return llvm::alignTo(scratch, alignof(ProgramMarkers)) + sizeof(ProgramMarkers);
}

Value ZoneCalls::getMarkers(Location loc, ProgramOp program, Value scratch, int64_t scratchBytes) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (!program.getMarkers())
    return LLVM::ZeroOp::create(builder, loc, pointer);
  int64_t offset = addMarkerBytes(program, scratchBytes) - sizeof(ttrt::profile::ProgramMarkers);
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), scratch,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

LLVM::LLVMFuncOp ZoneCalls::getFunction(Location loc, StringRef name, Type result,
                                        ArrayRef<Type> arguments) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(builder, loc, name,
                                  LLVM::LLVMFunctionType::get(result, arguments));
}

Value ZoneCalls::getName(Location loc, StringRef name) {
  std::string symbol = ("zone." + name).str();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(symbol);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    std::string text = name.str();
    text.push_back('\0');
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
    global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, symbol, builder.getStringAttr(text));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

void ZoneCalls::beginMain(Location loc, Value markers, StringRef name) {
  Type pointer = markers.getType(), none = LLVM::LLVMVoidType::get(builder.getContext());
  auto function = getFunction(loc, "ttc_kernel_begin_main", none, {pointer, pointer});
  LLVM::CallOp::create(builder, loc, function, ValueRange{markers, getName(loc, name)});
}

void ZoneCalls::endMain(Location loc, Value markers, StringRef name) {
  Type pointer = markers.getType(), none = LLVM::LLVMVoidType::get(builder.getContext());
  auto function = getFunction(loc, "ttc_kernel_end_main", none, {pointer, pointer});
  LLVM::CallOp::create(builder, loc, function, ValueRange{markers, getName(loc, name)});
}

Value ZoneCalls::beginZone(Location loc, Value markers, StringRef name) {
  Type pointer = markers.getType();
  auto function =
      getFunction(loc, "ttc_kernel_begin_zone", builder.getI32Type(), {pointer, pointer});
  return LLVM::CallOp::create(builder, loc, function, ValueRange{markers, getName(loc, name)})
      .getResult();
}

void ZoneCalls::endZone(Location loc, Value markers, Value zone) {
  Type pointer = markers.getType(), none = LLVM::LLVMVoidType::get(builder.getContext());
  auto function = getFunction(loc, "ttc_kernel_end_zone", none, {pointer, zone.getType()});
  LLVM::CallOp::create(builder, loc, function, ValueRange{markers, zone});
}
