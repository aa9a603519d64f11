// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of one row, which reads several panels at once: any number of panels, and of columns in
// the last one, for vectors of 8 and of 16.
#include "KernelCases.h"
#include "ttc/Analysis/GemmPlan.h"

using namespace ttc::test;

namespace {

struct Row {
  int64_t depth, columns;
};
/// 1 to 8 panels of each width, whole and with a rest; more, which are divided among workgroups;
/// and rows that are too short to read several panels at once.
const std::vector<Row> rows = {{512, 32},   {700, 64},  {513, 96},  {600, 112}, {515, 144},
                               {519, 192},  {640, 240}, {801, 250}, {514, 288}, {512, 336},
                               {577, 337},  {540, 383}, {511, 383}, {64, 192},  {2050, 700},
                               {512, 1000}, {4096, 512}};

int64_t columnsOfPanel(int64_t lanes, const Row &v) {
  return mlir::ttc::chooseGemmTile(lanes, 1, v.columns).columns;
}

Buffer pack(const Buffer &b, const Row &v, int64_t nr) {
  Buffer packed((v.columns + nr - 1) / nr * v.depth * nr);
  for (int64_t k = 0; k < v.depth; ++k)
    for (int64_t n = 0; n < v.columns; ++n)
      packed[(n / nr * v.depth + k) * nr + n % nr] = b[k * v.columns + n];
  return packed;
}

class OneRow : public testing::TestWithParam<const char *> {
protected:
  /// Every machine that these tests run on has AVX2.
  mlir::ttc::CpuTarget target = *mlir::ttc::getCpuTarget(GetParam());
  int64_t lanes = mlir::ttc::getVectorLength(target);
  KernelSuite suite;

  void add(const Row &v, Tail tail) {
    const int64_t nr = columnsOfPanel(lanes, v);
    suite.add("ttc.kernel.gemm %0, %1 {packed, tile = " + array({6, nr}) + "}",
              {tensor({1, v.depth}), tensor({1, (v.columns + nr - 1) / nr, v.depth, nr})},
              tensor({1, v.columns}), tail);
  }
};

TEST_P(OneRow, IsTheProduct) {
  for (const Row &v : rows)
    add(v, Tail::position);
  ASSERT_TRUE(suite.compile(target));
  for (auto [index, v] : llvm::enumerate(rows)) {
    Buffer a(v.depth), b(v.depth * v.columns);
    a.fillWhole(index);
    b.fillWhole(index + 50);
    Buffer packed = pack(b, v, columnsOfPanel(lanes, v));
    Buffer expected(v.columns), found(v.columns, 1e30f);
    for (int64_t n = 0; n < v.columns; ++n) {
      float sum = 0;
      for (int64_t k = 0; k < v.depth; ++k)
        sum += a[k] * b[k * v.columns + n];
      expected[n] = atPosition(sum, 0, n);
    }
    suite.program(index)({a.data(), packed.data(), found.data()}, index % 2);
    expectEqual(expected, found, "row " + std::to_string(index));
  }
}

/// However many panels are summed together: equal columns have the same bits.
TEST_P(OneRow, SumsEveryColumnInTheSameOrder) {
  for (const Row &v : rows)
    add(v, Tail::none);
  ASSERT_TRUE(suite.compile(target));
  for (auto [index, v] : llvm::enumerate(rows)) {
    Buffer a(v.depth), column(v.depth), b(v.depth * v.columns), found(v.columns, 1e30f);
    a.fillRandom(index);
    column.fillRandom(index + 50);
    for (int64_t i = 0; i < v.depth * v.columns; ++i)
      b[i] = column[i / v.columns];
    Buffer packed = pack(b, v, columnsOfPanel(lanes, v));
    suite.program(index)({a.data(), packed.data(), found.data()});
    for (int64_t n = 1; n < v.columns; ++n)
      ASSERT_EQ(found[n], found[0]) << "row " << index << ", column " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpus, OneRow, testing::Values("native", "x86-64-v3"),
                         [](const auto &info) {
                           return info.index ? std::string("Avx2") : std::string("Native");
                         });

} // namespace
