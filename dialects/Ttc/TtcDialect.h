// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_TTCDIALECT_H
#define TTC_DIALECTS_TTC_TTCDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialects/Ttc/TtcDialect.h.inc"

namespace mlir::ttc {

// Each registers the ops of one family (OpFamily.cpp.in).
#define TTC_OP_FAMILY(name) void register##name(TtcDialect &dialect);
#include "dialects/Ttc/OpFamilies.inc"
#undef TTC_OP_FAMILY

// Names of the dialect's discardable attributes, which it verifies (TtcDiscardableAttributes.cpp).

/// On a module: its target, a TargetAttr.
inline constexpr llvm::StringLiteral kTargetAttrName = "ttc.target";
/// On a module: a dictionary of what was measured, which decides instead of heuristics: `file`, the
/// name of the file that it is from, and `entries`, a #ttc.kernel_choice or a #ttc.gemm_plan for
/// the text of an op (ttc/Analysis/Tuning.h).
inline constexpr llvm::StringLiteral kTuningAttrName = "ttc.tuning";
/// On a module: the most workgroups of a program (i64, a power of two); 16 if it is absent.
inline constexpr llvm::StringLiteral kMaxWorkgroupsAttrName = "ttc.max_workgroups";
/// The most that it may be: cores claim up to 65,535 workgroups of a command one by one.
inline constexpr int64_t kMostWorkgroups = 32768;
/// On a module: the bytes of its trace region, if they are more than the streams need.
inline constexpr llvm::StringLiteral kTraceRegionAttrName = "ttc.trace_region";
/// On a module: data of the model that its bundle carries and no command reads, such as a
/// tokenizer: a dictionary of strings of any bytes. Keys have no zero bytes.
inline constexpr llvm::StringLiteral kMetadataAttrName = "ttc.metadata";
/// On an argument or a result of a function: its name as a port of the model, a string.
inline constexpr llvm::StringLiteral kNameAttrName = "ttc.name";
/// On an argument or a result of a function: the symbol name of the state whose value it is.
inline constexpr llvm::StringLiteral kStateAttrName = "ttc.state";
/// On an argument or a result of a trace: the symbol name of its buffer. On an op in a trace: an
/// array with the buffer of each result.
inline constexpr llvm::StringLiteral kBufferAttrName = "ttc.buffer";
/// On a module: the mesh of devices that it is compiled for, a MeshAttr.
inline constexpr llvm::StringLiteral kMeshAttrName = "ttc.mesh";
/// On an argument or a result of a function, whose type is what one device has, and on an input or
/// output: for each dimension an array of the axes of the mesh that divide it.
inline constexpr llvm::StringLiteral kShardingAttrName = "ttc.sharding";
/// On a function: the devices of the mesh that execute it, an array<i64> in ascending order;
/// without it, all do.
inline constexpr llvm::StringLiteral kDevicesAttrName = "ttc.devices";
/// On a function with `ttc.devices`: the name of what it and others compute together, a string.
inline constexpr llvm::StringLiteral kPartOfAttrName = "ttc.part_of";
/// On a function or an entry point: the model and the extents that it serves, a VariantAttr.
inline constexpr llvm::StringLiteral kVariantAttrName = "ttc.variant";
/// On a port of a variant, an argument or a result or an input or output: its valid sizes, an
/// affine map without dimensions and with one symbol for each dimension of the variant (ValidSize).
inline constexpr llvm::StringLiteral kDimsAttrName = "ttc.dims";
/// The name of a variant's argument that has the extents.
inline constexpr llvm::StringLiteral kExtentsName = "extents";
/// On an argument or a result of a program: its layout, a StridedAttr, if it is not contiguous.
inline constexpr llvm::StringLiteral kStridedAttrName = "ttc.strided";
/// On an argument or a result of a program on shards: the part that a workgroup has, a ShardAttr.
inline constexpr llvm::StringLiteral kShardAttrName = "ttc.shard";
/// On a result of a program: the numbers of the arguments that it may overwrite.
inline constexpr llvm::StringLiteral kInPlaceAttrName = "ttc.in_place";
/// On a variant: the extents at which it was also imported, array<i64>, those of one import after
/// those of another. On its ops: for each of these, the sizes of all dimensions of all results.
inline constexpr llvm::StringLiteral kProbesAttrName = "ttc.probes";
inline constexpr llvm::StringLiteral kProbedAttrName = "ttc.probed";
/// On a constant of a variant whose elements depend on the extents: an affine map with a result for
/// each element, or for all. On a slice: where it starts along each dimension.
inline constexpr llvm::StringLiteral kNumbersAttrName = "ttc.numbers";
/// On a result of a program: the elements that anything depends on, a WithinAttr.
inline constexpr llvm::StringLiteral kWithinAttrName = "ttc.within";

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TTCDIALECT_H
