// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optionals. They are known while importing, and no value of the compiled model.
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "llvm/Support/MathExtras.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// Elements of the longest sequence that a tensor is split into.
static constexpr int64_t kMostParts = int64_t(1) << 16;

static StringRef describe(OnnxNode &node, Value value) {
  return node.isSequence(value) ? "a sequence" : "an empty optional";
}

/// Reports an input that is no tensor; an absent one is as expected.
static LogicalResult checkTensor(OnnxNode &node, unsigned index) {
  Value value = node.input(index);
  if (!value || isa<RankedTensorType>(value.getType()))
    return success();
  return node.error() << "expected input " << index << " to be a tensor, found "
                      << describe(node, value);
}

/// A sequence of tensors. Reports other elements.
static Value createSequence(OnnxNode &node, ArrayRef<Value> elements) {
  for (auto [i, element] : llvm::enumerate(elements))
    if (element && !isa<RankedTensorType>(element.getType())) {
      node.error() << "expected element " << i << " of the sequence to be a tensor, found "
                   << describe(node, element);
      return {};
    }
  return node.sequence(elements);
}

static LogicalResult importSequenceConstruct(OnnxNode &node) {
  return node.results(createSequence(node, node.allInputs()));
}

static LogicalResult importSequenceEmpty(OnnxNode &node) {
  node.ignoreAttrs({"dtype"});
  return node.results(node.sequence({}));
}

/// An input's position in a sequence, or `otherwise` if it is omitted. `size` is the number of
/// valid positions.
static FailureOr<int64_t> readPosition(OnnxNode &node, unsigned index, int64_t length, int64_t size,
                                       int64_t otherwise) {
  if (!node.hasInput(index))
    return otherwise;
  if (failed(checkTensor(node, index)))
    return failure();
  FailureOr<int64_t> given = node.constantInt(index, "position");
  if (failed(given))
    return failure();
  int64_t position = *given;
  if (position < 0)
    position += length;
  if (position < 0 || position >= size)
    return node.error() << "position " << *given << " is out of range for a sequence of " << length
                        << " elements";
  return position;
}

static LogicalResult importSequenceInsert(OnnxNode &node) {
  FailureOr<SmallVector<Value>> elements = node.elementsOf(node.input(0));
  if (failed(elements))
    return failure();
  const int64_t length = elements->size();
  FailureOr<int64_t> position = readPosition(node, 2, length, length + 1, length);
  if (failed(position))
    return failure();
  elements->insert(elements->begin() + *position, node.input(1));
  return node.results(createSequence(node, *elements));
}

static LogicalResult importSequenceErase(OnnxNode &node) {
  FailureOr<SmallVector<Value>> elements = node.elementsOf(node.input(0));
  if (failed(elements))
    return failure();
  const int64_t length = elements->size();
  FailureOr<int64_t> position = readPosition(node, 1, length, length, length - 1);
  if (failed(position))
    return failure();
  if (elements->empty())
    return node.error() << "the sequence is empty";
  elements->erase(elements->begin() + *position);
  return node.results(node.sequence(*elements));
}

static LogicalResult importSequenceAt(OnnxNode &node) {
  FailureOr<SmallVector<Value>> elements = node.elementsOf(node.input(0));
  if (failed(elements))
    return failure();
  const int64_t length = elements->size();
  FailureOr<int64_t> position = readPosition(node, 1, length, length, 0);
  if (failed(position))
    return failure();
  return node.results((*elements)[*position]);
}

static LogicalResult importSequenceLength(OnnxNode &node) {
  FailureOr<SmallVector<Value>> elements = node.elementsOf(node.input(0));
  if (failed(elements))
    return failure();
  return node.results(Expressions(node).scalar(elements->size()));
}

static LogicalResult importSplitToSequence(OnnxNode &node) {
  if (failed(checkTensor(node, 0)) || failed(checkTensor(node, 1)))
    return failure();
  Value x = node.input(0);
  if (rankOf(x) == 0)
    return node.error() << "expected an input with dimensions, found " << x.getType();
  const int64_t axis = node.getAxis("axis", 0, rankOf(x));
  const bool keepDims = node.getInt("keepdims", 1);
  if (node.hasFailed())
    return failure();
  const int64_t size = shapeOf(x)[axis];
  SmallVector<int64_t> sizes;
  int64_t part = node.hasInput(1) ? 0 : 1;
  if (node.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> split = node.constantInts(1, "split");
    if (failed(split))
      return failure();
    if (rankOf(node.input(1)) == 0) {
      part = split->front();
      if (part < 1)
        return node.error() << "expected parts of a positive size, found " << part;
    } else {
      sizes = *split;
    }
  }
  const int64_t count = part ? llvm::divideCeil(size, part) : sizes.size();
  if (count > kMostParts || (count == 0 && size > 0))
    return node.error() << "expected from 1 to " << kMostParts << " parts of dimension " << axis
                        << " of " << x.getType() << ", found " << count;
  // The last part may be smaller.
  for (int64_t i = 0; part && i < count; ++i)
    sizes.push_back(std::min(part, size - i * part));
  SmallVector<Value> parts =
      node.createMulti<SplitOp>(x, {node.i64("axis", axis), node.attr("sizes", sizes)});
  if (!node.hasInput(1) && !keepDims)
    for (Value &each : parts)
      each = Expressions(node).squeeze(each, axis);
  return node.results(node.sequence(parts));
}

static LogicalResult importConcatFromSequence(OnnxNode &node) {
  FailureOr<SmallVector<Value>> elements = node.elementsOf(node.input(0));
  if (failed(elements))
    return failure();
  if (elements->empty())
    return node.error() << "the sequence is empty";
  const bool newAxis = node.getInt("new_axis", 0);
  const int64_t axis = node.getAxis("axis", 0, rankOf(elements->front()) + newAxis);
  if (node.hasFailed())
    return failure();
  Expressions e(node);
  if (newAxis)
    for (Value &element : *elements) {
      if (axis > rankOf(element))
        return node.error() << "axis " << axis << " is out of range for " << element.getType();
      element = e.unsqueeze(element, axis);
    }
  return node.results(e.concat(*elements, axis));
}

/// The body for each element. Other inputs are sequences of as many elements, or the same for all.
static LogicalResult importSequenceMap(OnnxNode &node) {
  onnx::GraphProto *body = node.getGraph("body");
  FailureOr<SmallVector<Value>> elements = node.elementsOf(node.input(0));
  if (!body || failed(elements))
    return failure();
  // The elements of each input; none for an input that is the same for all.
  SmallVector<SmallVector<Value>> columns(node.numInputs());
  for (auto [i, input] : llvm::enumerate(node.allInputs())) {
    if (!node.isSequence(input))
      continue;
    columns[i] = *node.elementsOf(input);
    if (columns[i].size() != elements->size())
      return node.error() << "expected sequences of " << elements->size()
                          << " elements, found one of " << columns[i].size() << " (input " << i
                          << ")";
  }
  SmallVector<SmallVector<Value>> results(body->output_size());
  for (size_t i = 0; i < elements->size(); ++i) {
    SmallVector<Value> inputs;
    for (auto [input, column] : llvm::zip_equal(node.allInputs(), columns))
      inputs.push_back(node.isSequence(input) ? column[i] : input);
    FailureOr<SmallVector<Value>> values = node.importBody(*body, inputs, Twine(i));
    if (failed(values))
      return failure();
    for (auto [all, value] : llvm::zip_equal(results, *values))
      all.push_back(value);
  }
  SmallVector<Value> sequences;
  for (ArrayRef<Value> values : results)
    sequences.push_back(createSequence(node, values));
  return node.results(sequences);
}

static LogicalResult importOptional(OnnxNode &node) {
  node.ignoreAttrs({"type"});
  return node.results(node.hasInput(0) ? node.input(0) : node.emptyOptional());
}

static bool isEmptyOptional(Value value) { return !value || isa<NoneType>(value.getType()); }

static LogicalResult importOptionalGetElement(OnnxNode &node) {
  if (isEmptyOptional(node.input(0)))
    return node.error() << "the optional is empty";
  return node.results(node.input(0));
}

static LogicalResult importOptionalHasElement(OnnxNode &node) {
  auto type = RankedTensorType::get({}, node.getBuilder().getI1Type());
  return node.results(node.constant(DenseElementsAttr::get(type, !isEmptyOptional(node.input(0)))));
}

void mlir::ttc::registerSequenceOps(OnnxRegistry &registry) {
  auto add = [&](StringRef name, Arity inputs, OnnxHandler handler, int64_t oldest,
                 StringRef restrictions = "") {
    registry.add(name, inputs, handler, {oldest}, restrictions, /*takesSequences=*/true);
  };
  add("ConcatFromSequence", {1, 1}, importConcatFromSequence, 11);
  add("Optional", {0, 1}, importOptional, 15, "no graph output");
  add("OptionalGetElement", {1, 1}, importOptionalGetElement, 15);
  add("OptionalHasElement", {0, 1}, importOptionalHasElement, 15);
  add("SequenceAt", {2, 2}, importSequenceAt, 11, "constant `position`");
  add("SequenceConstruct", {1, Arity::kAny}, importSequenceConstruct, 11);
  add("SequenceEmpty", {0, 0}, importSequenceEmpty, 11);
  add("SequenceErase", {1, 2}, importSequenceErase, 11, "constant `position`");
  add("SequenceInsert", {2, 3}, importSequenceInsert, 11, "constant `position`");
  add("SequenceLength", {1, 1}, importSequenceLength, 11);
  add("SequenceMap", {1, Arity::kAny}, importSequenceMap, 17);
  add("SplitToSequence", {1, 2}, importSplitToSequence, 11, "constant `split`");
}
