// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcOpBase.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace mlir::ttc;

/// A new op must say what it computes: one that does not takes the count of a whole program away.
TEST(OperationCounts, EveryOpThatComputesIsCounted) {
  MLIRContext context;
  context.loadDialect<TtcDialect>();
  std::set<std::string> unknown;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != TtcDialect::getDialectNamespace())
      continue;
    bool computes = op.hasInterface<InferTypeOpInterface>() || op.hasInterface<KernelOpInterface>();
    if (computes && !op.hasInterface<CountedOpInterface>() &&
        !op.hasInterface<ElementwiseOpInterface>() && !op.hasTrait<SelectsElements>() &&
        !op.hasTrait<OpTrait::ConstantLike>())
      unknown.insert(op.stripDialect().str());
  }
  // Events, zones, loops and copies compute nothing; what the others do depends on their operands'
  // elements.
  EXPECT_EQ(unknown,
            (std::set<std::string>{"cached_attention", "copy", "fail_if", "kernel.decode_attention",
                                   "kernel.prefill_attention", "kernel.update_cache", "loop_begin",
                                   "loop_end", "non_max_suppression", "record_event", "sample",
                                   "zone_begin"}));
}
