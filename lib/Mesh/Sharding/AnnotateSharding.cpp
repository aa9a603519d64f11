// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DimensionClasses.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"
#include "ttc/Support/Spelling.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_ANNOTATESHARDING
#include "ttc/Mesh/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

static int64_t getBytes(Value value) {
  RankedTensorType type = tensorType(value);
  return type.getNumElements() *
         static_cast<int64_t>(ConstantTensor::getElementSize(type.getElementType()));
}

namespace {

/// A class of dimensions that an axis might divide.
struct Candidate {
  unsigned node = 0;
  int64_t operations = 0; ///< that become fewer by the number of parts
  int64_t bytes = 0;      ///< of sums and results that devices exchange
  bool hasConstants = false;
  bool isPossible = true;
  int64_t divisor = 0; ///< of the sizes of its loops
};

/// Operations for each byte that a device exchanges, from which on dividing pays: a device that
/// computes 50 operations per nanosecond and exchanges 5 bytes has about that ratio.
constexpr int64_t kOperationsPerByte = 8;

/// A table whose rows are looked up is divided by its columns if it has at least this many bytes
/// for each byte that is looked up, and that devices then exchange: embeddings of words, but not of
/// positions.
constexpr int64_t kTableBytesPerByte = 32;

class Annotator {
public:
  Annotator(func::FuncOp function, DimensionClasses &classes, FlatSymbolRefAttr grid)
      : function(function), classes(classes), mesh(classes.getMesh()), grid(grid),
        builder(function.getContext()) {}

  LogicalResult divideBatch(const Axes &axes);
  bool divideConstants(const Axes &axes);
  bool divideTables(const Axes &axes);
  int64_t addOps();

private:
  std::vector<Candidate> findCandidates();
  bool conflicts(unsigned node, const Axes &axes);
  Value getSharding(const Layout &layout);
  Axes getUsable(const Axes &axes, int64_t size) const;

  func::FuncOp function;
  DimensionClasses &classes;
  MeshAttr mesh;
  FlatSymbolRefAttr grid;
  OpBuilder builder;
  SmallVector<std::pair<Layout, Value>> shardings;
  SmallVector<BlockArgument> batched;
  DenseSet<unsigned> chosen;
  /// Tables of embeddings, with the axes that divide their columns.
  SmallVector<std::pair<GatherOp, Axes>> tables;
};

} // namespace

//===--- data -------------------------------------------------------------------------===//

LogicalResult Annotator::divideBatch(const Axes &axes) {
  int64_t parts = getParts(mesh, axes);
  const StringRef option = getMicroBatchAxis(mesh) ? "--micro-batches" : "--parallel=data";
  std::optional<int64_t> batch;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttrName);
    // All devices have the sizes of a run.
    const bool isExtents = function->hasAttr(kVariantAttrName) && name && name == kExtentsName;
    if (!type || type.getRank() == 0 || isExtents ||
        function.getArgAttr(argument.getArgNumber(), kStateAttrName))
      continue;
    if (!batch)
      batch = type.getDimSize(0);
    if (type.getDimSize(0) != *batch || classes.isPinned(classes.getClass(argument, 0)))
      continue;
    if (*batch % parts != 0) {
      InFlightDiagnostic error = function.emitError(option)
                                 << ": expected a batch that " << parts << " divides, found "
                                 << *batch << " in '" << function.getName()
                                 << "' (its inputs' first dimension)";
      if (auto variant = function->getAttrOfType<VariantAttr>(kVariantAttrName))
        error.attachNote() << "choose the buckets of " << variant.getDims()[0].getValue()
                           << " yourself, such as " << spell("dim") << "="
                           << variant.getDims()[0].getValue() << ":" << parts << "," << 4 * parts
                           << ": smaller batches run, too";
      return failure();
    }
    batched.push_back(argument);
  }
  if (!batch && parts > 1)
    function.emitWarning(option) << ": expected an input with a first dimension, found none in '"
                                 << function.getName() << "': nothing is divided";
  for (BlockArgument argument : batched)
    classes.setAxes(classes.getClass(argument, 0), axes);
  return success();
}

//===--- tensors ----------------------------------------------------------------------===//

/// Facts about each class, in the order of the first ops that have it.
std::vector<Candidate> Annotator::findCandidates() {
  std::vector<Candidate> candidates;
  DenseMap<unsigned, size_t> numbers;
  auto get = [&](unsigned node) -> Candidate & {
    auto [it, isNew] = numbers.try_emplace(node, candidates.size());
    if (isNew)
      candidates.emplace_back().node = node;
    return candidates[it->second];
  };
  for (Operation *op : classes.getOps()) {
    const DimensionMap &info = classes.getDimensions(op);
    const int64_t operations = countOperations(op).value_or(0);
    // Rows and blocks of weights are columns of the result and of the operand.
    if (isa<BlockMatmulOp>(op) && op->getOperand(1).getDefiningOp<ConstantOp>())
      for (unsigned value : {0U, op->getNumOperands()})
        if (int loop = info.getLeading(value, 1); loop >= 0 && info.getLoops()[loop].isDivisible)
          get(classes.getClass(op, loop)).hasConstants = true;
    for (auto [index, loop] : llvm::enumerate(info.getLoops())) {
      Candidate &candidate = get(classes.getClass(op, index));
      candidate.divisor = std::gcd(candidate.divisor, loop.size);
      candidate.operations += operations;
      if (loop.kind == LoopKind::Reduction && loop.isDivisible)
        for (Value result : op->getResults())
          candidate.bytes += getBytes(result);
      // Two loops of one op cannot be divided by the same axis.
      for (size_t other = 0; other < index; ++other)
        candidate.isPossible &= classes.getClass(op, other) != candidate.node;
    }
    // Ops that are not elementwise have weights as operand 1, which a cast, a transpose or a
    // dequantisation may convert.
    const bool hasWeights = isa<CountedOpInterface>(op) && op->getNumOperands() > 1 &&
                            isConstantExpression(op->getOperand(1));
    auto visit = [&](unsigned value, auto getClass) {
      for (int64_t dim = 0; dim < info.getRank(value); ++dim) {
        int index = info.getLeading(value, dim);
        if (index < 0)
          continue;
        Candidate &candidate = get(getClass(dim));
        // What is whole here would have to be gathered or cut: logits can be.
        if (isa<SampleOp>(op) && value == 0)
          candidate.bytes += getBytes(op->getOperand(0));
        else
          candidate.isPossible &= info.getLoops()[index].isDivisible;
        candidate.hasConstants |= value == 1 && hasWeights;
      }
    };
    for (OpOperand &operand : op->getOpOperands())
      visit(operand.getOperandNumber(),
            [&](int64_t dim) { return classes.getClass(operand, dim); });
    for (OpResult result : op->getResults())
      visit(op->getNumOperands() + result.getResultNumber(),
            [&](int64_t dim) { return classes.getClass(result, dim); });
  }
  // Results are gathered, but for states.
  for (auto [number, result] : llvm::enumerate(function.front().getTerminator()->getOperands()))
    if (auto type = dyn_cast<RankedTensorType>(result.getType());
        type && !result.getDefiningOp<ConstantOp>() &&
        !function.getResultAttr(number, kStateAttrName))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (auto it = numbers.find(classes.getClass(result, dim)); it != numbers.end())
          candidates[it->second].bytes += getBytes(result);
  return candidates;
}

/// Whether an op has a loop of the class, and another one that these axes divide.
bool Annotator::conflicts(unsigned node, const Axes &axes) {
  for (Operation *op : classes.getOps()) {
    size_t loops = classes.getDimensions(op).getLoops().size();
    bool hasClass = false, hasAxis = false;
    for (size_t i = 0; i < loops; ++i) {
      unsigned other = classes.getClass(op, i);
      hasClass |= other == node;
      hasAxis |= other != node && llvm::any_of(classes.getAxes(other), [&](unsigned axis) {
                   return llvm::is_contained(axes, axis);
                 });
    }
    if (hasClass && hasAxis)
      return true;
  }
  return false;
}

/// As many of the axes as divide the size.
Axes Annotator::getUsable(const Axes &axes, int64_t size) const {
  Axes used;
  for (unsigned axis : axes) {
    Axes more(used);
    more.push_back(axis);
    if (size % getParts(mesh, more) == 0)
      used = more;
  }
  return used;
}

/// Returns whether there were any that pay.
bool Annotator::divideConstants(const Axes &axes) {
  std::vector<Candidate> candidates = findCandidates();
  const auto rank = [](const Candidate &candidate) {
    int64_t gain = candidate.operations - kOperationsPerByte * candidate.bytes;
    return std::pair(-gain, candidate.node); // nodes are numbered in the order of the program
  };
  llvm::sort(candidates, [&](const Candidate &a, const Candidate &b) { return rank(a) < rank(b); });
  for (const Candidate &candidate : candidates) {
    if (!candidate.isPossible || !candidate.hasConstants || classes.isPinned(candidate.node) ||
        candidate.operations < kOperationsPerByte * candidate.bytes)
      continue;
    Axes used = getUsable(axes, candidate.divisor);
    if (getParts(mesh, used) == 1 || conflicts(candidate.node, used))
      continue;
    classes.setAxes(candidate.node, used);
    chosen.insert(candidate.node);
  }
  return !chosen.empty();
}

/// Each device looks up its columns, and they are gathered at once: the tensors that are computed
/// from them are divided in their own way. Returns whether there were any that pay.
bool Annotator::divideTables(const Axes &axes) {
  for (auto gather : function.getOps<GatherOp>()) {
    auto constant = gather.getData().getDefiningOp<ConstantOp>();
    const int64_t rank = tensorType(gather.getData()).getRank();
    if (!constant || gather.getAxis() != 0 || rank != 2 ||
        getBytes(gather.getData()) < kTableBytesPerByte * getBytes(gather.getY()))
      continue;
    Axes used = getUsable(axes, tensorType(gather.getData()).getDimSize(1));
    // Not along axes that divide what is looked up, or its users.
    bool isTaken = false;
    for (const Axes &divided : classes.getLayout(gather.getY()))
      for (unsigned axis : divided)
        isTaken |= llvm::is_contained(used, axis);
    if (getParts(mesh, used) > 1 && !isTaken)
      tables.emplace_back(gather, used);
  }
  return !tables.empty();
}

//===--- ops --------------------------------------------------------------------------===//

Value Annotator::getSharding(const Layout &layout) {
  for (auto &[known, value] : shardings)
    if (known == layout)
      return value;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  SmallVector<shard::GridAxesAttr> split;
  for (const Axes &axes : layout)
    split.push_back(builder.getDenseI16ArrayAttr(SmallVector<int16_t>(axes.begin(), axes.end())));
  Value sharding = shard::ShardingOp::create(builder, function.getLoc(), grid, ArrayRef(split));
  shardings.emplace_back(layout, sharding);
  return sharding;
}

/// Returns how many.
int64_t Annotator::addOps() {
  int64_t count = 0;
  auto annotate = [&](Value value, const Layout &layout) {
    ++count;
    return shard::ShardOp::create(builder, value.getLoc(), value, getSharding(layout),
                                  /*annotate_for_users=*/true);
  };
  SmallVector<OpOperand *> constants;
  for (Operation *op : classes.getOps())
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getDefiningOp<ConstantOp>())
        constants.push_back(&operand);
  for (OpOperand *operand : constants) {
    // Annotate all dimensions as their classes are divided, so that no annotation contradicts
    // another.
    auto type = cast<RankedTensorType>(operand->get().getType());
    Layout layout;
    bool isChosen = false, fits = true;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      unsigned node = classes.getClass(*operand, dim);
      layout.push_back(classes.getAxes(node));
      isChosen |= chosen.contains(node);
      fits &= type.getDimSize(dim) % getParts(mesh, layout.back()) == 0;
    }
    if (!isChosen || !fits)
      continue;
    builder.setInsertionPoint(operand->getOwner());
    operand->set(annotate(operand->get(), layout));
  }
  // Weights in blocks are bytes without dimensions: columns of their products are annotated.
  for (Operation *op : classes.getOps()) {
    auto product = dyn_cast<BlockMatmulOp>(op);
    if (!product || !chosen.contains(classes.getClass(product.getY(), 1)))
      continue;
    builder.setInsertionPointAfter(product);
    auto annotation = annotate(product.getY(), classes.getLayout(product.getY()));
    annotation.setAnnotateForUsers(false);
    product.getY().replaceAllUsesExcept(annotation, annotation);
  }
  for (auto &[gather, axes] : tables) {
    Layout whole = classes.getLayout(gather.getY());
    builder.setInsertionPoint(gather);
    gather.getDataMutable().set(annotate(gather.getData(), Layout{Axes(), axes}));
    builder.setInsertionPointAfter(gather);
    shard::ShardOp op = annotate(gather.getY(), whole);
    gather.getY().replaceAllUsesExcept(op, op);
  }
  for (BlockArgument argument : batched) {
    Layout layout = classes.getLayout(argument);
    builder.setInsertionPointToStart(&function.front());
    Value sharding = getSharding(layout);
    builder.setInsertionPointAfterValue(sharding);
    shard::ShardOp op = annotate(argument, layout);
    argument.replaceAllUsesExcept(op, op);
  }
  return count;
}

//===--- the pass ---------------------------------------------------------------------===//

namespace {

struct AnnotateSharding : mlir::ttc::impl::AnnotateShardingBase<AnnotateSharding> {
  using AnnotateShardingBase::AnnotateShardingBase;
  PassCounter numAnnotated{*this, "annotated", "Values annotated"};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshAttr mesh = getMesh(module);
    if (parallel.empty()) {
      if (getMicroBatchAxis(mesh)) {
        module.emitError("--micro-batches: expected --parallel=pipeline, found no --parallel");
        return signalPassFailure();
      }
      if (mesh && mesh.getNumDevices() > 1 && !isDivided(module))
        module.emitWarning("--mesh: expected --parallel, or annotations of what ")
            << mesh.getNumDevices() << " devices divide, found neither: each of them computes all";
      return;
    }
    auto emitError = [&] { return module.emitError("--parallel: "); };
    if (!mesh) {
      emitError() << "expected a mesh, as in --mesh=2, found none";
      return signalPassFailure();
    }
    FailureOr<SmallVector<ParallelAxis>> axes = parseParallel(parallel, mesh, emitError);
    if (failed(axes))
      return signalPassFailure();
    Axes data, tensor;
    bool isPipeline = false;
    for (ParallelAxis axis : *axes) {
      isPipeline |= axis.parallelism == Parallelism::Pipeline;
      if (axis.parallelism != Parallelism::Pipeline)
        (axis.parallelism == Parallelism::Data ? data : tensor).push_back(axis.axis);
    }
    if (std::optional<unsigned> microBatches = getMicroBatchAxis(mesh)) {
      if (!isPipeline) {
        module.emitError("--micro-batches: expected --parallel=pipeline, found '")
            << parallel << "'";
        return signalPassFailure();
      }
      data.push_back(*microBatches);
    }
    FlatSymbolRefAttr grid = getGrid(module, mesh);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      FailureOr<DimensionClasses> classes = DimensionClasses::get(function, mesh);
      if (failed(classes))
        return signalPassFailure();
      Annotator annotator(function, *classes, grid);
      if (!data.empty() && failed(annotator.divideBatch(data)))
        return signalPassFailure();
      if (getParts(mesh, tensor) > 1) {
        const bool constants = annotator.divideConstants(tensor);
        const bool tables = annotator.divideTables(tensor);
        if (!constants && !tables)
          function.emitWarning("--parallel=tensor: expected constants that ")
              << getParts(mesh, tensor) << " devices can divide, found none in '"
              << function.getName() << "': each of them computes all";
      }
      numAnnotated += annotator.addOps();
    }
  }

  /// Whether anything says that devices have parts or exchange them.
  static bool isDivided(ModuleOp module) {
    return module
        .walk([](Operation *op) {
          auto function = dyn_cast<func::FuncOp>(op);
          auto hasSharding = [&](Attribute dict) {
            return cast<DictionaryAttr>(dict).contains(kShardingAttrName);
          };
          ArrayAttr arguments = function ? function.getArgAttrsAttr() : ArrayAttr();
          return isa<shard::ShardOp, CollectiveOpInterface>(op) ||
                         (arguments && llvm::any_of(arguments, hasSharding))
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The module's grid, or a new one.
  static FlatSymbolRefAttr getGrid(ModuleOp module, MeshAttr mesh) {
    for (auto grid : module.getOps<shard::GridOp>())
      return FlatSymbolRefAttr::get(grid.getSymNameAttr());
    SmallVector<int64_t> shape;
    for (MeshAxisAttr axis : mesh.getAxes())
      shape.push_back(axis.getSize());
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto grid = shard::GridOp::create(builder, module.getLoc(), "mesh", ArrayRef(shape));
    SymbolTable(module).insert(grid);
    return FlatSymbolRefAttr::get(grid.getSymNameAttr());
  }
};

} // namespace
