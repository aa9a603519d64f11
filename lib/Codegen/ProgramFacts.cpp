// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramFacts.h"
#include "ProgramBody.h"
#include "ttc/Support/ElementTypes.h"
#include "ttrt/format/bundle_format.h"

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;

/// An operand as its program's code accesses it.
static std::unique_ptr<fb::OperandT> describeOperand(ProgramOp program, unsigned index) {
  auto operand = std::make_unique<fb::OperandT>();
  const ByteSpan span = program.getSpan(index);
  const ShardAttr shard = program.getShard(index);
  const StridedAttr strided = program.getStrided(index);
  const bool isResult = index >= program.getNumArguments();
  operand->access = isResult ? fb::Access::Write : fb::Access::Read;
  operand->bytes = span.bytes;
  operand->alignment = ttrt::kBufferAlignment;
  operand->per_workgroup = span.perWorkgroup;
  if (shard ? static_cast<bool>(shard.getLayout()) : static_cast<bool>(strided)) {
    operand->row_bytes = span.row;
    operand->pitch_bytes = span.pitch;
  }
  if (strided && !shard)
    operand->alignment = strided.getAlignment();
  if (isResult)
    for (int64_t argument : program.getInPlace(index - program.getNumArguments()))
      operand->in_place_of.push_back(argument);
  RankedTensorType type = program.getWholeType(index);
  if (std::optional<fb::DType> element = toDType(type.getElementType()))
    operand->dtype = *element;
  operand->shape.assign(type.getShape().begin(), type.getShape().end());
  return operand;
}

LogicalResult ProgramFacts::add(ProgramOp program) {
  auto entry = getCodeModule(program).lookupSymbol<LLVM::LLVMFuncOp>(program.getSymName());
  if (!entry)
    return program.emitOpError("expects an llvm.func of its name in its body, found none");
  FailureOr<int64_t> workgroups =
      getPassedInteger(entry, kWorkgroupsAttrName, "--ttc-lower-programs", /*least=*/1);
  FailureOr<int64_t> scratch =
      getPassedInteger(entry, kScratchBytesAttrName, "--ttc-lower-programs", /*least=*/0);
  if (failed(workgroups) || failed(scratch))
    return failure();
  if (program.getGrid() != static_cast<uint64_t>(*workgroups))
    return program.emitOpError("expected a grid of the ")
           << *workgroups << " workgroups that its code divides its work into, found "
           << program.getGridAttr();
  if (program.getScratchBytes() != static_cast<uint64_t>(*scratch))
    return program.emitOpError("expected the ")
           << *scratch << " bytes of scratch that its code needs, found "
           << program.getScratchBytesAttr();
  auto table = std::make_unique<fb::ProgramT>();
  table->symbol = program.getSymName();
  table->grid = *workgroups;
  table->scratch_bytes = *scratch;
  table->markers = program.getMarkers();
  for (unsigned i = 0, e = program.getNumArguments() + program.getNumResults(); i < e; ++i)
    table->operands.push_back(describeOperand(program, i));
  facts.programs.push_back(std::move(table));
  return success();
}

void ProgramFacts::append(SmallVectorImpl<char> &code) const {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Facts::Pack(builder, &facts));
  ttrt::FactsTrailer trailer = {llvm::alignTo(builder.GetSize(), 8), {}};
  memcpy(trailer.magic, ttrt::kFactsMagic, sizeof(trailer.magic));
  code.resize(llvm::alignTo(code.size(), 8));
  const auto *bytes = reinterpret_cast<const char *>(builder.GetBufferPointer());
  code.append(bytes, bytes + builder.GetSize());
  code.resize(llvm::alignTo(code.size(), 8));
  const auto *end = reinterpret_cast<const char *>(&trailer);
  code.append(end, end + sizeof(trailer));
}
