// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_gemm_{f16,bf16,i8,scaled_i8} against ttc_kernel_gemm with the same weights as f32: the
// same bits, whether weights are converted when they are loaded or panel by panel.
#include "KernelCases.h"
#include "ttc/Analysis/GemmPlan.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace ttc::test;

namespace {

struct StoredType {
  std::string name;
  int64_t bytes;
  /// A random stored number and its value.
  std::function<float(std::mt19937 &, uint8_t *)> make;
  /// Whether each panel ends with a scale for each column.
  bool hasScales = false;
};

float makeF16(std::mt19937 &random, uint8_t *stored) {
  uint16_t bits = random() & 0xffff;
  if ((bits & 0x7c00) == 0x7c00)
    bits &= ~0x4000; // finite; subnormals are among the others
  std::memcpy(stored, &bits, 2);
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                              : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return bits & 0x8000 ? -value : value;
}

float makeBF16(std::mt19937 &random, uint8_t *stored) {
  // Exponents from -16 to 15.
  uint16_t bits = (random() & 0x807f) | (111 + random() % 32) << 7;
  std::memcpy(stored, &bits, 2);
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

float makeI8(std::mt19937 &random, uint8_t *stored) {
  auto value = static_cast<int8_t>(random() & 0xff);
  std::memcpy(stored, &value, 1);
  return value;
}

struct Case {
  std::string attributes;
  std::vector<int64_t> a, result;
  int64_t rows, depth, columns, groups = 1;
};

TEST(NarrowGemmKernel, SameBitsAsF32) {
  const std::vector<StoredType> types = {
      {"f16", 2, makeF16}, {"bf16", 2, makeBF16}, {"i8", 1, makeI8}, {"i8", 1, makeI8, true}};
  const std::string conv = ", kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>";
  const std::vector<Case> cases = {
      // One tile of rows: converted when loaded; the last panel is not full.
      {"", {1, 301}, {1, 17}, 1, 301, 17},
      {"", {1, 64}, {1, 1000}, 1, 64, 1000},
      {"", {2, 77}, {2, 5}, 2, 77, 5},
      {"", {5, 33}, {5, 100}, 5, 33, 100},
      // Several: panel by panel, and a panel that is too large for that.
      {"", {16, 384}, {16, 96}, 16, 384, 96},
      {"", {50, 65}, {50, 23}, 50, 65, 23},
      {"", {40, 13000}, {40, 20}, 40, 13000, 20},
      {"", {3, 30, 40}, {3, 30, 50}, 90, 40, 50},
      {conv, {2, 9, 11, 20}, {2, 9, 11, 21}, 198, 180, 21},
      {conv, {1, 8, 8, 3}, {1, 8, 8, 16}, 64, 27, 16},
      {conv + ", groups = 3 : i64", {1, 6, 6, 12}, {1, 6, 6, 18}, 36, 36, 18, 3},
      {", kernel = array<i64: 1, 1>", {1, 1, 1, 64}, {1, 1, 1, 30}, 1, 64, 30},
  };
  KernelSuite suite;
  int64_t lanes = mlir::ttc::getVectorLength(host());
  auto columnsOf = [&](const Case &v) {
    return mlir::ttc::chooseGemmTile(lanes, v.rows, v.columns / v.groups).columns;
  };
  auto shapeOf = [&](const Case &v, bool hasScales = false) {
    int64_t nr = columnsOf(v), depth = v.depth + (hasScales ? 4 : 0);
    return std::vector<int64_t>{v.groups, (v.columns / v.groups + nr - 1) / nr, depth, nr};
  };
  std::vector<size_t> narrow, wide;
  for (const StoredType &type : types)
    for (const Case &v : cases) {
      auto tile = mlir::ttc::chooseGemmTile(lanes, v.rows, v.columns / v.groups);
      std::string op =
          "ttc.kernel.gemm %0, %1 {packed, tile = " + array({tile.rows, tile.columns}) +
          v.attributes + "}";
      std::string b = tensor(shapeOf(v)), stored = tensor(shapeOf(v, type.hasScales));
      stored.replace(stored.size() - 4, 3, type.name);
      narrow.push_back(suite.add(op, {tensor(v.a), stored}, tensor(v.result), Tail::position));
      if (wide.size() < cases.size()) // of the first type, for all
        wide.push_back(suite.add(op, {tensor(v.a), b}, tensor(v.result), Tail::position));
    }
  ASSERT_TRUE(suite.compile(host()));
  size_t index = 0;
  for (const StoredType &type : types)
    for (const Case &v : cases) {
      std::mt19937 random(index);
      size_t count = product(shapeOf(v)), size = product(shapeOf(v, type.hasScales));
      Buffer a(product(v.a)), values(count), stored((size * type.bytes + 3) / 4);
      a.fillRandom(index);
      auto *bytes = reinterpret_cast<uint8_t *>(stored.data());
      const size_t nr = columnsOf(v), ofPanel = v.depth * nr;
      for (size_t i = 0; i < count; ++i) {
        const size_t panel = type.hasScales ? i / ofPanel : 0;
        values[i] = type.make(random, bytes + (i + panel * 4 * nr) * type.bytes);
      }
      for (size_t i = 0; type.hasScales && i < count; i += ofPanel)
        for (size_t column = 0; column < nr; ++column) {
          const float scale = std::ldexp(1.0f + (random() & 0xffff) / 65536.0f,
                                         static_cast<int>(random() % 20) - 10);
          std::memcpy(bytes + i / ofPanel * (ofPanel + 4 * nr) + ofPanel + 4 * column, &scale, 4);
          for (size_t k = 0; k < ofPanel; k += nr)
            values[i + k + column] *= scale;
        }
      Buffer expected(product(v.result)), found(product(v.result), 1e30f);
      suite.program(wide[index % cases.size()])({a.data(), values.data(), expected.data()});
      suite.program(narrow[index])({a.data(), stored.data(), found.data()}, index % 2);
      expectEqual(expected, found,
                  type.name + (type.hasScales ? " scaled " : " ") + tensor(v.a) + " " +
                      tensor(v.result));
      ++index;
    }
}

} // namespace
