// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Winograd's convolutions against naive loops, on random numbers.
#include "KernelCases.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"

#include <cmath>

using namespace ttc::test;

namespace {

struct WinogradCase {
  int64_t outputs;
  Conv conv;
  std::vector<int64_t> tile;

  int64_t taps() const { return line() < 0 ? conv.kernel.back() : conv.kernel[line()]; }
  /// The only spatial dimension with taps, or -1.
  int64_t line() const {
    for (size_t i = 0; i < conv.kernel.size(); ++i)
      if (product(conv.kernel) == conv.kernel[i])
        return static_cast<int64_t>(i);
    return -1;
  }
  int64_t frames() const { return line() < 0 && conv.kernel.size() == 3 ? conv.kernel[0] : 1; }
  int64_t dilation() const {
    return conv.value(conv.dilation, line() < 0 ? conv.kernel.size() - 1 : line(), 1);
  }
  /// Whether the frames of a clip must be transformed by an op of their own.
  bool isClip() const {
    return line() < 0 && conv.kernel.size() == 3 &&
           (frames() > 1 || conv.pads[0] + conv.pads[3] > 0);
  }
  int64_t points() const {
    return (outputs + taps() - 1) * (line() < 0 ? outputs + taps() - 1 : 1);
  }
  /// Of `size` results: each takes the first one that no earlier tile has, and those after it.
  int64_t tilesOf(int64_t size) const {
    std::vector<bool> done(size);
    int64_t count = 0;
    for (int64_t at = 0; at < size; ++at) {
      if (done[at])
        continue;
      ++count;
      for (int64_t k = 0; k < outputs && at + k * dilation() < size; ++k)
        done[at + k * dilation()] = true;
    }
    return count;
  }
  int64_t tiles() const {
    int64_t count = conv.n;
    const auto out = conv.out();
    for (int64_t i = 0, dims = static_cast<int64_t>(out.size()); i < dims; ++i)
      if (line() < 0 ? i >= dims - 2 : i == line())
        count *= tilesOf(out[i]);
      else
        count *= out[i] + frames() - 1;
    return count;
  }
  std::vector<int64_t> packedShape() const {
    int64_t columns = conv.o / conv.groups;
    return {conv.groups, (columns + tile[1] - 1) / tile[1], points(),
            frames() * (conv.c / conv.groups), tile[1]};
  }
  std::string common() const {
    return "outputs = " + std::to_string(outputs) + " : i64, taps = " + std::to_string(taps()) +
           " : i64, pads = " + array(conv.pads) +
           (line() < 0 ? "" : ", line = " + std::to_string(line()) + " : i64") +
           ", dilation = " + std::to_string(dilation()) + " : i64";
  }
  std::string packOp() const {
    return "ttc.pack_winograd %0 {outputs = " + std::to_string(outputs) +
           " : i64, groups = " + std::to_string(conv.groups) +
           " : i64, nr = " + std::to_string(tile[1]) + " : i64}";
  }
  std::string convOp() const {
    return "ttc.kernel.winograd_conv %0, %1 {" + common() + ", tile = " + array(tile) +
           ", groups = " + std::to_string(conv.groups) +
           " : i64, frames = " + std::to_string(frames()) + " : i64}";
  }
};

/// The largest error may be this much of the largest result, and the root of the mean square of
/// errors this much of that of results. Direct convolutions have errors of 4e-7 to 9e-7.
constexpr double kMostError = 2e-5, kMostMeanError = 4e-6;

void expectNear(const Buffer &expected, const Buffer &found, const std::string &what) {
  ASSERT_TRUE(found.guardIntact()) << what << ": wrote beyond its result";
  double largest = 0, error = 0, squares = 0, errorSquares = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double difference = std::abs(double(expected[i]) - found[i]);
    ASSERT_FALSE(std::isnan(difference)) << what << " at " << i;
    largest = std::max(largest, std::abs(double(expected[i])));
    error = std::max(error, difference);
    squares += double(expected[i]) * expected[i];
    errorSquares += difference * difference;
  }
  EXPECT_LE(error, kMostError * largest) << what;
  EXPECT_LE(std::sqrt(errorSquares), kMostMeanError * std::sqrt(squares)) << what;
}

std::vector<WinogradCase> getCases(const std::vector<int64_t> &tile) {
  std::vector<int64_t> same{1, 1, 1, 1}, same5{2, 2, 2, 2};
  return {
      {4, {1, 32, 48, {14, 14}, {3, 3}, {}, same, {}}, tile},
      {4, {2, 19, 21, {9, 11}, {3, 3}, {}, same, {}}, tile}, // tails everywhere
      {4, {1, 64, 64, {28, 28}, {3, 3}, {}, same, {}}, tile},
      {4, {1, 8, 70, {5, 3}, {3, 3}, {}, {0, 1, 2, 0}, {}}, tile}, // padding on some sides
      {4, {1, 24, 48, {7, 6}, {3, 3}, {}, {0, 0, 0, 0}, {}, 3}, tile},
      {4, {1, 16, 8, {3, 1}, {3, 3}, {}, {4, 5, 3, 4}, {}}, tile}, // windows of padding alone
      {4, {3, 200, 9, {8, 8}, {3, 3}, {}, same, {}}, tile},
      {2, {1, 96, 64, {7, 7}, {3, 3}, {}, same, {}}, tile},
      {2, {1, 10, 33, {5, 8}, {3, 3}, {}, same, {}}, tile},
      {2, {1, 32, 40, {13, 13}, {5, 5}, {}, same5, {}, 2}, tile},
      {2, {2, 17, 19, {4, 9}, {5, 5}, {}, {1, 2, 3, 0}, {}}, tile},
      // Clips: frames alone, summed, padded, and several clips.
      {4, {2, 19, 21, {3, 6, 7}, {1, 3, 3}, {}, {0, 1, 1, 0, 1, 1}, {}}, tile},
      {4, {1, 24, 40, {5, 9, 6}, {3, 3, 3}, {}, {1, 1, 1, 1, 1, 1}, {}}, tile},
      {4, {3, 9, 33, {4, 5, 11}, {3, 3, 3}, {}, {0, 1, 0, 2, 1, 2}, {}}, tile},
      {4, {2, 8, 16, {1, 4, 4}, {1, 3, 3}, {}, {1, 1, 1, 2, 1, 1}, {}}, tile}, // a frame of zeros
      {2, {2, 32, 24, {6, 5, 5}, {4, 3, 3}, {}, {2, 1, 1, 0, 1, 1}, {}, 2}, tile},
      {2, {1, 10, 17, {2, 7, 6}, {2, 5, 5}, {}, {1, 2, 2, 0, 2, 2}, {}}, tile},
      // Dilations, with fewer results than one tile reaches, and more.
      {4, {1, 24, 40, {19, 11}, {3, 3}, {}, {2, 2, 2, 2}, {2, 2}}, tile},
      {2, {2, 9, 16, {14, 31}, {5, 5}, {}, {0, 3, 2, 0}, {3, 3}}, tile},
      {4, {1, 8, 33, {2, 17, 15}, {1, 3, 3}, {}, {0, 4, 0, 0, 4, 1}, {1, 4, 4}}, tile},
      // Taps in one dimension: lines, images and clips.
      {4, {1, 32, 48, {37}, {3}, {}, {1, 1}, {}}, tile},
      {4, {3, 19, 21, {30}, {3}, {}, {0, 7}, {7}}, tile},
      {2, {2, 10, 33, {5}, {5}, {}, {2, 2}, {}}, tile},
      {2, {1, 24, 48, {9}, {3}, {}, {3, 0}, {1}, 3}, tile},
      {4, {2, 9, 17, {3, 26}, {1, 3}, {}, {0, 1, 0, 2}, {1, 1}}, tile},
      {4, {2, 16, 40, {27, 3}, {3, 1}, {}, {5, 0, 4, 0}, {5, 1}}, tile},
      {2, {1, 20, 9, {21, 4}, {5, 1}, {}, {2, 0, 2, 0}, {2, 1}}, tile},
      {4, {2, 8, 70, {11, 2, 3}, {3, 1, 1}, {}, {1, 0, 0, 1, 0, 0}, {}}, tile},
      {4, {1, 33, 16, {3, 10, 2}, {1, 3, 1}, {}, {0, 2, 0, 0, 0, 0}, {1, 2, 1}}, tile},
  };
}

/// Every `step`-th case.
void testCases(const mlir::ttc::CpuTarget &target, const std::vector<int64_t> &tile,
               size_t step = 1) {
  std::vector<WinogradCase> cases;
  for (auto [index, c] : llvm::enumerate(getCases(tile)))
    if (index % step == 0)
      cases.push_back(c);
  const size_t perCase = 4;
  KernelSuite suite, packing; // packing has no kernel: it is only evaluated
  for (const WinogradCase &c : cases) {
    const Conv &v = c.conv;
    auto x = tensor(channelsLast(v.n, v.in, v.c)), y = tensor(channelsLast(v.n, v.out(), v.o));
    auto transformed = tensor({c.points(), c.tiles() * v.c + 16}), w = tensor(c.packedShape());
    std::vector<int64_t> weights{v.o, v.c / v.groups};
    weights.insert(weights.end(), v.kernel.begin(), v.kernel.end());
    packing.add(c.packOp(), {tensor(weights)}, w);
    suite.add("ttc.kernel.winograd_input %0 {" + c.common() + "}", {x}, transformed);
    const auto image = c.isClip() ? transformed : x;
    suite.add(c.convOp(), {image, w}, y, Tail::biasRelu);
    suite.add(c.convOp(), {transformed, w}, y, Tail::biasRelu);
    suite.add(c.convOp(), {image, w}, y, Tail::calledPosition);
  }
  ASSERT_TRUE(suite.compile(target));
  for (auto [index, c] : llvm::enumerate(cases)) {
    const Conv &v = c.conv;
    const std::string name = "case " + std::to_string(index);
    int64_t rows = v.n * product(v.out()), taps = product(v.kernel), depth = v.c / v.groups;
    Buffer x(v.n * product(v.in) * v.c), w(v.o * depth * taps), bias(v.o);
    x.fillRandom(index);
    w.fillRandom(20 + index);
    bias.fillRandom(40 + index);
    Buffer expected(rows * v.o), position(rows * v.o);
    naiveConv(
        v, x.data(),
        [&](int64_t tap, int64_t channel, int64_t o) {
          return w[(o * depth + channel) * taps + tap];
        },
        expected.data());
    for (int64_t i = 0; i < rows * v.o; ++i) {
      position[i] = atPosition(expected[i], i / v.o, i % v.o);
      expected[i] = std::max(expected[i] + bias[i % v.o], 0.0f);
    }
    Buffer packed(product(c.packedShape())),
        transformed(c.points() * (c.tiles() * v.c + 16), 1e30f);
    ASSERT_TRUE(packing.evaluate(index, {w.data(), w.size()}, {packed.data(), packed.size()}));
    Buffer found(rows * v.o, 1e30f), again(rows * v.o, 1e30f), called(rows * v.o, 1e30f);
    suite.program(index * perCase)({x.data(), transformed.data()}, index % 2);
    EXPECT_TRUE(transformed.guardIntact());
    Buffer &image = c.isClip() ? transformed : x;
    suite.program(index * perCase + 1)({image.data(), packed.data(), found.data(), bias.data()},
                                       index % 2);
    expectNear(expected, found, name);
    suite.program(index * perCase + 2)(
        {transformed.data(), packed.data(), again.data(), bias.data()}, index % 2 == 0);
    // Which op transforms the image changes no bit.
    expectEqual(found, again, name + ", transformed");
    suite.program(index * perCase + 3)({image.data(), packed.data(), called.data()});
    expectNear(position, called, name + ", called");
  }
}

TEST(WinogradKernel, Host) {
  const int64_t lanes = mlir::ttc::getVectorLength(host());
  testCases(host(), lanes == 16 ? std::vector<int64_t>{14, 32} : std::vector<int64_t>{6, 16});
}

TEST(WinogradKernel, OneVector) {
  const int64_t lanes = mlir::ttc::getVectorLength(host());
  testCases(host(), {12, lanes}, ttrt::test::isNightly() ? 3 : 6);
}

// Any CPU that can run the tests can run AVX2's code.
TEST(WinogradKernel, Avx2) {
  testCases(*mlir::ttc::getCpuTarget("x86-64-v3"), {6, 16}, ttrt::test::isNightly() ? 1 : 3);
}

} // namespace
