// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ops of the domain ai.onnx.ml have in common: features, scores and labels.
#ifndef TTC_LIB_IMPORT_POSTTRANSFORM_H
#define TTC_LIB_IMPORT_POSTTRANSFORM_H

#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

namespace mlir::ttc {

/// Input 0 as [samples, features] of type f32 or f64, a vector as one sample; null after an error.
Value readFeatures(OnnxNode &node);

enum class PostTransform { None, Softmax, Logistic, SoftmaxZero };

/// Reads the attribute `post_transform`, a name.
FailureOr<PostTransform> readPostTransform(OnnxNode &node);
/// Transforms scores [batch, classes].
Value applyPostTransform(OnnxNode &node, PostTransform transform, Value scores);

/// Scores of two classes, and which samples are of the second, from the score of the second class.
/// As ONNX Runtime has it: the second class is chosen above `threshold`; the other score is one
/// minus it if `complement` is set, else its opposite.
struct BinaryScores {
  Value scores, isSecond;
};
BinaryScores splitBinaryScore(OnnxNode &node, Value score, bool complement, double threshold,
                              PostTransform transform);

/// The integer labels of classes by index; null if there are none, after an error for strings.
FailureOr<Value> readClassLabels(OnnxNode &node, StringRef intsName, StringRef stringsName);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_POSTTRANSFORM_H
