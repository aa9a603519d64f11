// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_CONVERSION_TTCTOLINALG_H
#define TTC_CONVERSION_TTCTOLINALG_H

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace mlir::ttc {

/// Unsigned element types to signless ones; everything else stays.
void populateTtcToLinalgTypes(TypeConverter &converter);

/// Patterns for all ops of level 1.
void populateTtcToLinalgPatterns(const TypeConverter &types, RewritePatternSet &patterns);

} // namespace mlir::ttc

#endif // TTC_CONVERSION_TTCTOLINALG_H
