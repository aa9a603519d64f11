// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constraints of Ttc_DimensionMapOpInterface, on every op of the dialect's round trips.
#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"
#include "dialects/Ttc/Interfaces/TransformInterfaces.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <filesystem>

using namespace mlir;
using namespace mlir::ttc;

namespace {

class DimensionMapTest : public testing::Test {
protected:
  DimensionMapTest() { context.loadDialect<TtcDialect, func::FuncDialect, LLVM::LLVMDialect>(); }

  /// Calls the function for each op on tensors of the round trips that maps dimensions.
  void visitOps(function_ref<void(Operation *, const DimensionMap &)> visit) {
    int count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(TTC_ROUND_TRIPS)) {
      const std::filesystem::path path = entry.path() / "roundtrip.mlir";
      if (!exists(path))
        continue;
      OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path.string(), &context);
      ASSERT_TRUE(module) << path;
      module->walk([&](Operation *op) {
        if (!isa<DimensionMapOpInterface, ElementwiseOpInterface>(op))
          return;
        SCOPED_TRACE(path.parent_path().filename().string() + ": " +
                     op->getName().getStringRef().str());
        visit(op, getDimensionMap(op));
        ++count;
      });
    }
    EXPECT_GT(count, 100);
  }

  /// Loops and indices as text: `P4 S8; [0,1] -> [0]`.
  std::string describe(StringRef function) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(function, &context);
    std::string text;
    llvm::raw_string_ostream os(text);
    module->walk([&](Operation *op) {
      if (!isa<DimensionMapOpInterface, ElementwiseOpInterface>(op))
        return;
      const DimensionMap map = getDimensionMap(op);
      for (const DimensionMap::Loop &loop : map.getLoops()) {
        static constexpr StringRef kCombiners[] = {"", "+", "mean", "*", "max", "min"};
        os << "PRWN"[static_cast<int>(loop.kind)] << loop.size
           << kCombiners[static_cast<int>(loop.combiner)] << (loop.isDivisible ? "/ " : " ");
      }
      for (unsigned value = 0; value < map.getNumValues(); ++value) {
        os << (value == map.getResult() ? "-> " : "") << "[";
        for (int64_t dim = 0; dim < map.getRank(value); ++dim) {
          os << (dim ? "," : "");
          llvm::interleave(map.getIndex(value, dim).loops, os, ".");
          if (!map.getIndex(value, dim).sections.empty())
            os << "s";
        }
        os << "]";
      }
    });
    return text;
  }

  /// Appends a copy of the op to the block. `getType` gives the types of operands and results, by
  /// their numbers in the map.
  static Operation *cloneOp(Operation *op, Block &block,
                            function_ref<Type(unsigned, RankedTensorType)> getType) {
    Operation *clone = op->clone();
    block.push_back(clone);
    unsigned value = 0;
    auto next = [&](Value of) { return getType(value++, cast<RankedTensorType>(of.getType())); };
    for (OpOperand &operand : clone->getOpOperands())
      operand.set(block.addArgument(next(operand.get()), op->getLoc()));
    for (OpResult result : clone->getResults())
      result.setType(next(result));
    return clone;
  }

  using Permutations = SmallVector<SmallVector<int64_t>>;

  /// The loops of each dimension, in the order of a permutation for each value, or in theirs. Loops
  /// are numbered in the order in which they occur.
  static std::string describePermuted(const DimensionMap &map, const Permutations &permutations) {
    std::string text;
    llvm::raw_string_ostream os(text);
    DenseMap<int, size_t> numbers;
    for (unsigned value = 0; value < map.getNumValues(); ++value) {
      auto dims = llvm::to_vector(llvm::seq(map.getRank(value)));
      for (int64_t dim : permutations.empty() ? dims : permutations[value]) {
        for (int loop : map.getIndex(value, dim).loops) {
          const DimensionMap::Loop &info = map.getLoops()[loop];
          os << numbers.try_emplace(loop, numbers.size()).first->second << ":"
             << static_cast<int>(info.kind) << "," << static_cast<int>(info.combiner) << ","
             << info.size << " ";
        }
        os << "| ";
      }
      os << "\n";
    }
    return text;
  }

  /// Checks that the op has the permuted loops of its own once its values are permuted by
  /// `permutations` and its attributes are adapted.
  static void expectPermuted(Operation *op, const Permutations &permutations,
                             function_ref<void(Operation *)> adapt) {
    Block block;
    Operation *clone = cloneOp(op, block, [&](unsigned value, RankedTensorType type) {
      return type.clone(llvm::map_to_vector(permutations[value],
                                            [&](int64_t dim) { return type.getDimSize(dim); }));
    });
    adapt(clone);
    EXPECT_TRUE(succeeded(verify(clone)));
    EXPECT_EQ(describePermuted(getDimensionMap(clone), {}),
              describePermuted(getDimensionMap(op), permutations));
  }

  MLIRContext context;
};

TEST_F(DimensionMapTest, LoopsCoverDimensions) {
  visitOps([](Operation *, const DimensionMap &map) {
    for (unsigned value = 0; value < map.getNumValues(); ++value) {
      std::set<int> seen;
      for (int64_t dim = 0; dim < map.getRank(value); ++dim) {
        const DimensionMap::Index &index = map.getIndex(value, dim);
        int64_t size = 1;
        bool isWindow = false;
        for (int loop : index.loops) {
          EXPECT_TRUE(seen.insert(loop).second) << "(C2) value " << value << ", dimension " << dim;
          size *= map.getLoops()[loop].size;
          isWindow |= map.getLoops()[loop].kind == LoopKind::Window;
          EXPECT_TRUE(value < map.getResult() || map.getLoops()[loop].kind != LoopKind::Reduction)
              << "(C3) value " << value << ", dimension " << dim;
        }
        EXPECT_TRUE(!isWindow ||
                    (index.loops.size() == 1 && (value == 0 || value == map.getResult())))
            << "(C4) value " << value << ", dimension " << dim;
        if (!isWindow || value != 0)
          EXPECT_EQ(size, map.getSize(value, dim))
              << "(C1) value " << value << ", dimension " << dim;
        if (!index.sections.empty())
          EXPECT_EQ(llvm::sum_of(index.sections), size) << "(C1) sections";
      }
    }
  });
}

TEST_F(DimensionMapTest, ParallelLoopsIndexResults) {
  visitOps([](Operation *, const DimensionMap &map) {
    for (auto [number, loop] : llvm::enumerate(map.getLoops())) {
      bool indexes[] = {false, false};
      for (unsigned value = 0; value < map.getNumValues(); ++value)
        for (int64_t dim = 0; dim < map.getRank(value); ++dim)
          indexes[value >= map.getResult()] |=
              llvm::is_contained(map.getIndex(value, dim).loops, static_cast<int>(number));
      if (loop.kind == LoopKind::Parallel && indexes[0])
        EXPECT_TRUE(indexes[1]) << "(C3) loop " << number;
    }
  });
}

/// (C5), as far as types tell: the op on the parts of its operands has the parts of its results.
TEST_F(DimensionMapTest, PartsAreValidOps) {
  int count = 0;
  visitOps([&](Operation *op, const DimensionMap &map) {
    for (auto [number, loop] : llvm::enumerate(map.getLoops())) {
      if (!loop.isDivisible || loop.size < 2)
        continue;
      for (int64_t parts : {int64_t(2), loop.size}) {
        if (loop.size % parts != 0)
          continue;
        Block block;
        Operation *part = cloneOp(op, block, [&](unsigned value, RankedTensorType type) {
          SmallVector<int64_t> shape(type.getShape());
          for (auto [dim, size] : llvm::enumerate(shape))
            if (map.getLeading(value, dim) == static_cast<int>(number))
              size /= parts;
          return type.clone(shape);
        });
        if (auto sized = dyn_cast<DimensionMapOpInterface>(part))
          sized.updateSizes();
        EXPECT_TRUE(succeeded(verify(part))) << "loop " << number << " in " << parts << " parts";
        ++count;
      }
    }
  });
  EXPECT_GT(count, 150);
}

/// PermutableOpInterface and ChannelsLastOpInterface say what happens to attributes if dimensions
/// move. The loops must move along.
TEST_F(DimensionMapTest, LoopsMoveWithDimensions) {
  int permutable = 0, images = 0;
  visitOps([&](Operation *op, const DimensionMap &map) {
    Permutations permutations;
    for (unsigned value = 0; value < map.getNumValues(); ++value)
      permutations.push_back(llvm::to_vector(llvm::seq(map.getRank(value))));
    if (auto moved = dyn_cast<PermutableOpInterface>(op)) {
      SmallVector<int64_t> permutation = permutations[0];
      std::rotate(permutation.begin(), permutation.begin() + 1, permutation.end());
      for (unsigned value = 0; value < map.getNumValues(); ++value)
        permutations[value] =
            value < map.getResult() ? permutation : moved.getResultPermutation(permutation);
      expectPermuted(op, permutations, [&](Operation *clone) {
        cast<PermutableOpInterface>(clone).permuteDimensions(permutation);
      });
      ++permutable;
    }
    if (auto image = dyn_cast<ChannelsLastOpInterface>(op); image && !image.getChannelsLast()) {
      for (unsigned value : {0U, map.getResult()})
        std::rotate(permutations[value].begin() + 1, permutations[value].begin() + 2,
                    permutations[value].end());
      expectPermuted(op, permutations, [&](Operation *clone) {
        cast<ChannelsLastOpInterface>(clone).setChannelsLast(true);
      });
      ++images;
    }
  });
  EXPECT_GT(permutable, 10);
  EXPECT_GT(images, 10);
}

TEST_F(DimensionMapTest, Products) {
  EXPECT_EQ(
      describe(
          R"mlir(func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<3x8x6xf32>, %c: tensor<6xf32>) {
    %0 = ttc.matmul %a, %b, %c : (tensor<1x4x8xf32>, tensor<3x8x6xf32>, tensor<6xf32>) -> tensor<3x4x6xf32>
    return })mlir"),
      "P3/ P4/ P6/ R8+/ [,1,3][0,3,2][2]-> [0,1,2]");
  // Groups of two channels are not divided, single ones are.
  EXPECT_EQ(describe(R"mlir(func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<6x2x3xf32>) {
    %0 = ttc.conv %x, %w {groups = 2} : (tensor<2x4x8xf32>, tensor<6x2x3xf32>) -> tensor<2x6x6xf32>
    return })mlir"),
            "P2/ W6+ N4 N6 N2 N3 N6 [0,2,1][3,4,5]-> [0,6,1]");
  EXPECT_EQ(describe(R"mlir(func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<4x1x3xf32>) {
    %0 = ttc.conv %x, %w {groups = 4} : (tensor<2x4x8xf32>, tensor<4x1x3xf32>) -> tensor<2x4x6xf32>
    return })mlir"),
            "P2/ W6+ P4/ N3 [0,2,1][2,,3]-> [0,2,1]");
}

TEST_F(DimensionMapTest, ReductionsAndNorms) {
  EXPECT_EQ(describe(R"mlir(func.func @f(%x: tensor<2x4x8xf32>) {
    %0 = ttc.reduce_mean %x {axes = [1]} : (tensor<2x4x8xf32>) -> tensor<2x8xf32>
    return })mlir"),
            "P2/ R4mean P8/ [0,1,2]-> [0,2]");
  EXPECT_EQ(describe(R"mlir(func.func @f(%x: tensor<2x8xf32>) {
    %0 = ttc.softmax %x {axis = 1} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return })mlir"),
            "P2/ N8max [0,1]-> [0,1]");
}

TEST_F(DimensionMapTest, ReshapesAndBroadcasts) {
  EXPECT_EQ(describe(R"mlir(func.func @f(%x: tensor<2x1x12x6xf32>) {
    %0 = ttc.reshape %x : (tensor<2x1x12x6xf32>) -> tensor<2x72xf32>
    return })mlir"),
            "P2/ P12/ P6 [0,,1,2]-> [0,1.2]");
  // Neither of 4 and 6 is a factor of the other.
  EXPECT_EQ(describe(R"mlir(func.func @f(%x: tensor<4x6xf32>) {
    %0 = ttc.reshape %x : (tensor<4x6xf32>) -> tensor<6x4xf32>
    return })mlir"),
            "N4 N6 N6 N4 [0,1]-> [2,3]");
  EXPECT_EQ(describe(R"mlir(func.func @f(%x: tensor<2x4xf32>, %y: tensor<4xf32>) {
    %0 = ttc.add %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    return })mlir"),
            "P2/ P4/ [0,1][1]-> [0,1]");
}

} // namespace
