// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ONNX ops that can be imported: one entry per op, added next to its handler.
#ifndef TTC_LIB_IMPORT_ONNXREGISTRY_H
#define TTC_LIB_IMPORT_ONNXREGISTRY_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

namespace mlir::ttc {
class OnnxNode;

using OnnxHandler = LogicalResult (*)(OnnxNode &);

/// The newest opset of the default domain whose definitions the handlers follow.
constexpr int64_t kNewestOpset = 28;
/// The oldest one. The project supports 7 and later; the handlers also implement what differs in 6.
constexpr int64_t kOldestOpset = 6;

/// Inclusive ranges.
struct OpsetRange {
  int64_t oldest = kOldestOpset, newest = kNewestOpset;
};
/// How many inputs a node has. The first `min` must not be omitted.
struct Arity {
  unsigned min, max;
  /// Any number, of which none may be omitted: the operands of a variadic op are alike.
  static constexpr unsigned kAny = std::numeric_limits<unsigned>::max();
  /// Any number; the handler decides which of them, after the first `min`, may be omitted.
  static constexpr unsigned kAnyOptional = kAny - 1;

  bool isUnlimited() const { return max >= kAnyOptional; }
  bool isRequired(unsigned index) const { return index < min || max == kAny; }
};

struct OnnxOpEntry {
  OpsetRange opsets;
  Arity inputs;
  OnnxHandler handler;
  /// What the handler does not import, in a few words for docs/onnx-ops.md; empty if it imports all
  /// of the op. That shapes are static and that element types are limited applies to all ops.
  StringRef restrictions;
  /// Whether inputs may be sequences or empty optionals; all other ops take tensors.
  bool takesSequences = false;
};

class OnnxRegistry {
public:
  /// All ops of all domains.
  static const OnnxRegistry &get();

  /// The domain precedes the name, except for the default domain: "com.microsoft.Gelu". Opsets are
  /// those of the default domain; other domains have no range. `restrictions` is not copied.
  void add(StringRef opType, Arity inputs, OnnxHandler handler, OpsetRange opsets = {},
           StringRef restrictions = "", bool takesSequences = false) {
    insert(opType, {opsets, inputs, handler, restrictions, takesSequences});
  }
  const OnnxOpEntry *lookup(StringRef qualifiedName) const {
    auto it = entries.find(qualifiedName);
    return it == entries.end() ? nullptr : &it->second;
  }
  const OnnxOpEntry *lookup(StringRef domain, StringRef opType) const;
  bool hasDomain(StringRef domain) const;
  /// "ai.onnx, com.microsoft"
  std::string printDomains() const;
  /// Qualified names, the default domain's first, then by domain and name.
  SmallVector<StringRef> names() const;

private:
  /// Ends the process if there is a handler of that name: one of the two would never be called.
  void insert(StringRef opType, const OnnxOpEntry &entry);

  llvm::StringMap<OnnxOpEntry> entries;
};

// One function per family, in the family's file.
void registerConstantOps(OnnxRegistry &registry);
void registerUnaryOps(OnnxRegistry &registry);
void registerBinaryOps(OnnxRegistry &registry);
void registerMatMulOps(OnnxRegistry &registry);
void registerControlFlowOps(OnnxRegistry &registry);
void registerBitwiseOps(OnnxRegistry &registry);
void registerScatterOps(OnnxRegistry &registry);
void registerSelectionOps(OnnxRegistry &registry);
void registerSortOps(OnnxRegistry &registry);
void registerConvolutionOps(OnnxRegistry &registry);
void registerPoolingOps(OnnxRegistry &registry);
void registerNormalizationOps(OnnxRegistry &registry);
void registerReductionOps(OnnxRegistry &registry);
void registerShapeOps(OnnxRegistry &registry);
void registerIndexingOps(OnnxRegistry &registry);
void registerFoldingOps(OnnxRegistry &registry);
void registerGridOps(OnnxRegistry &registry);
void registerQuantizationOps(OnnxRegistry &registry);
void registerContribQuantizationOps(OnnxRegistry &registry);
void registerResizeOps(OnnxRegistry &registry);
void registerRoiOps(OnnxRegistry &registry);
void registerSignalOps(OnnxRegistry &registry);
void registerSequenceOps(OnnxRegistry &registry);
void registerStatefulOps(OnnxRegistry &registry);
void registerAttentionOps(OnnxRegistry &registry);
void registerContribAttentionOps(OnnxRegistry &registry);
void registerContribOps(OnnxRegistry &registry);
void registerEinsumOps(OnnxRegistry &registry);
void registerLossOps(OnnxRegistry &registry);
void registerMachineLearningOps(OnnxRegistry &registry);
void registerRecurrentOps(OnnxRegistry &registry);
void registerTrainingOps(OnnxRegistry &registry);
void registerTreeEnsembleOps(OnnxRegistry &registry);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_ONNXREGISTRY_H
