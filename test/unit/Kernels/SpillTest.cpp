// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The innermost loops of dense kernels keep accumulators in registers: checked in the assembly, for
// CPUs that this machine need not be.
#include "KernelCases.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace ttc::test;
using llvm::StringRef;

namespace {

/// A loop of one basic block: from its label to the first jump back to it.
struct Loop {
  std::vector<StringRef> lines;

  int count(StringRef text) const {
    return llvm::count_if(lines, [&](StringRef line) { return line.contains(text); });
  }
  /// Vectors that are loaded from the stack or stored there.
  int countSpills() const {
    // Where the loop advances it or adds an index, it is no frame pointer.
    const bool hasFrame =
        llvm::none_of(lines, [](StringRef line) { return line.ends_with(", %rbp"); });
    return llvm::count_if(lines, [&](StringRef line) {
      bool isVector = line.contains("%zmm") || line.contains("%ymm") || line.contains("%xmm");
      return isVector && (line.contains("(%rsp") || (hasFrame && line.contains("(%rbp)")));
    });
  }
};

std::vector<Loop> findLoops(StringRef assembly) {
  std::vector<Loop> loops;
  StringRef label;
  Loop block;
  while (!assembly.empty()) {
    auto [first, rest] = assembly.split('\n');
    assembly = rest;
    StringRef line = first.split('#').first.trim();
    if (line.ends_with(":")) {
      label = line.drop_back();
      block.lines.clear();
      continue;
    }
    block.lines.push_back(line);
    if (!line.starts_with("j"))
      continue;
    if (!label.empty() && line.ends_with(label))
      loops.push_back(block);
    label = {}; // what follows is another block
  }
  return loops;
}

/// How a loop multiplies and adds, and the vectors that it may load from the stack in each round.
struct Products {
  StringRef instruction = "vfmadd";
  int loads = 0;
};

/// There must be loops of that many multiply-adds for `cpu`, and none of them may touch the stack.
void expectNoSpills(StringRef cpu, int expectedProducts, const std::string &op, KernelSuite &suite,
                    Products kind = {}) {
  std::string assembly = suite.assembly(*mlir::ttc::getCpuTarget(cpu));
  int dense = 0;
  for (const Loop &loop : findLoops(assembly)) {
    int products = loop.count(kind.instruction);
    // The depth is not unrolled.
    if (products != expectedProducts)
      continue;
    ++dense;
    EXPECT_LE(loop.countSpills(), kind.loads) << cpu.str() << ", " << op << ": a loop of "
                                              << products << " multiply-adds uses the stack:\n"
                                              << llvm::join(loop.lines, "\n");
  }
  EXPECT_GT(dense, 0) << cpu.str() << ", " << op << ": no loop of " << expectedProducts
                      << " multiply-adds found";
}

void expectNoSpills(StringRef cpu, int expectedProducts, const std::string &op,
                    const std::vector<std::string> &operands, const std::string &result,
                    Tail tail = Tail::biasRelu) {
  KernelSuite suite;
  suite.add(op, operands, result, tail);
  expectNoSpills(cpu, expectedProducts, op, suite);
}
/// The same for an op of several results, which has no tail.
void expectNoSpills(StringRef cpu, int expectedProducts, const std::string &op,
                    const std::vector<std::string> &operands,
                    const std::vector<std::string> &results, Products kind = {}) {
  KernelSuite suite;
  suite.addSeveral(op, operands, results);
  expectNoSpills(cpu, expectedProducts, op, suite, kind);
}

struct Machine {
  StringRef cpu;
  std::vector<int64_t> tile;
};
const Machine machines[] = {{"x86-64-v3", {6, 16}}, {"znver4", {8, 48}}, {"znver4", {14, 32}}};

int products(const Machine &machine) {
  return machine.tile[0] * machine.tile[1] / (machine.cpu == "znver4" ? 16 : 8);
}

TEST(Spills, Products) {
  for (const Machine &machine : machines) {
    int64_t rows = 16 * machine.tile[0], nr = machine.tile[1], panels = 4;
    for (int64_t depth : {768, 3072}) // in one part, and in several
      expectNoSpills(machine.cpu, products(machine),
                     "ttc.kernel.gemm %0, %1 {packed, tile = " + array(machine.tile) + "}",
                     {tensor({rows, depth}), tensor({1, panels, depth, nr})},
                     tensor({rows, panels * nr}));
  }
}

/// Two or three panels at a time, and two or four k.
TEST(Spills, OneRow) {
  for (const Machine &machine : machines) {
    int64_t nr = machine.tile[1], panels = 24;
    expectNoSpills(machine.cpu, machine.cpu == "znver4" ? 2 * 4 * nr / 16 : 3 * 2 * nr / 8,
                   "ttc.kernel.gemm %0, %1 {packed, tile = " + array(machine.tile) + "}",
                   {tensor({1, 4096}), tensor({1, panels, 4096, nr})}, tensor({1, panels * nr}));
  }
}

/// One sequence and all its gates, for several vectors of units; then tiles of sequences.
TEST(Spills, Recurrences) {
  struct Kind {
    const char *name;
    int64_t gates, states, wide;
  };
  for (const Kind &kind : {Kind{"lstm", 4, 2, 2}, {"gru", 3, 1, 3}, {"rnn_tanh", 1, 1, 4}})
    for (const char *cpu : {"x86-64-v3", "znver4"})
      for (int64_t batch : {1, 4}) {
        const int64_t rows = llvm::StringRef(cpu) == "znver4" ? 4 : 2, hidden = 192;
        expectNoSpills(cpu, batch == 1 ? kind.gates * kind.wide : kind.gates * rows,
                       std::string("ttc.recurrence ") + kind.name + " %0, %1, %2",
                       {tensor({8, batch, kind.gates * hidden}),
                        tensor({1, hidden / 16, hidden, kind.gates, 16}),
                        tensor({kind.states, 1, batch, hidden})},
                       {tensor({8, 1, batch, hidden}), tensor({kind.states, 1, batch, hidden})});
      }
}

/// Without instructions for four products of bytes, a sum takes two, and the mask for half of the
/// bytes is loaded once a round. One row at a time would not need that, and would take a quarter
/// longer.
TEST(Spills, RecurrencesOfBytes) {
  for (auto [cpu, dot, kind] : {std::tuple{"x86-64-v3", "madd", Products{"vpmaddwd", 1}},
                                {"znver4", "vnni", Products{"vpdpbusd"}}})
    for (int64_t batch : {1, 4}) {
      const bool isWide = StringRef(cpu) == "znver4";
      const int64_t hidden = 192, sums = 4 * (batch == 1 || !isWide ? 2 : 4);
      expectNoSpills(
          cpu, static_cast<int>(isWide ? sums : 2 * sums),
          std::string("ttc.recurrence lstm %0, %1, %2 scales %3 zeros %4 dot <") + dot + ">",
          {tensor({8, batch, 4 * hidden}), tensor({1, hidden / 16, hidden / 4, 4, 16, 4}, "i8"),
           tensor({2, 1, batch, hidden}), tensor({1, 4 * hidden}), tensor({1, 4 * hidden}, "i32")},
          {tensor({8, 1, batch, hidden}), tensor({2, 1, batch, hidden})}, kind);
    }
}

/// Vectors along the depth.
TEST(Spills, FewColumns) {
  for (StringRef cpu : {"x86-64-v3", "znver4"})
    for (int64_t columns = 1; columns <= 4; ++columns) {
      const int64_t rows = std::min<int64_t>((cpu == "znver4" ? 24 : 10) / columns, 8);
      expectNoSpills(cpu, static_cast<int>(rows * columns),
                     "ttc.kernel.gemm %0, %1 {packed, kernel = array<i64: 3, 3>, "
                     "pads = array<i64: 1, 1, 1, 1>, tile = " +
                         array({rows, 1}) + "}",
                     {tensor({1, 24, 24, 64}), tensor({1, columns, 576, 1})},
                     tensor({1, 24, 24, columns}));
    }
}

TEST(Spills, Convolutions) {
  for (const Machine &machine : machines) {
    // 28 lines of 28 pixels are whole tiles of 14 and 8 rows; 24 of 24 of 6.
    int64_t edge = machine.tile[0] == 6 ? 24 : 28, nr = machine.tile[1];
    auto image = tensor({1, edge, edge, 64});
    expectNoSpills(machine.cpu, products(machine),
                   "ttc.kernel.gemm %0, %1 {packed, kernel = array<i64: 3, 3>, "
                   "pads = array<i64: 1, 1, 1, 1>, tile = " +
                       array(machine.tile) + "}",
                   {image, tensor({1, 2, 576, nr})}, tensor({1, edge, edge, 2 * nr}));
  }
}

TEST(Spills, Winograd) {
  for (const Machine &machine : machines) {
    if (machine.tile[1] == 48)
      continue; // Winograd's panels have one or two vectors
    // Its epilogues are never inlined (getMaxEpilogueConstants()).
    int64_t nr = machine.tile[1], edge = machine.tile[0] == 6 ? 24 : 56;
    expectNoSpills(machine.cpu, products(machine),
                   "ttc.kernel.winograd_conv %0, %1 {outputs = 4 : i64, taps = 3 : i64, "
                   "pads = array<i64: 1, 1, 1, 1>, tile = " +
                       array(machine.tile) + "}",
                   {tensor({1, edge, edge, 64}), tensor({1, 2, 36, 64, nr})},
                   tensor({1, edge, edge, 2 * nr}), Tail::calledPosition);
  }
}

/// Both products of an attention, whose tiles of 14 x 2 vectors have as many multiply-adds as the
/// four rows that exp is computed of together: 7 in each. AVX2 has no registers for all constants
/// of exp.
TEST(Spills, Attention) {
  for (const Machine &machine : machines) {
    if (machine.tile[1] == 48)
      continue; // its panels have one or two vectors
    int64_t rows = 8 * machine.tile[0];
    expectNoSpills(
        machine.cpu, products(machine),
        "ttc.kernel.attention %0, %1, %2, %3 {scale = 1.250000e-01 : f32, tile = " +
            array(machine.tile) + "}",
        {tensor({12, rows, 64}), tensor({12, 64, 128}), tensor({12, 128, 64}), tensor({rows, 128})},
        tensor({12, rows, 64}), Tail::none);
  }
}

/// Both products of a prompt's attention over a cache: 12 rows by two vectors, on AVX2 six.
TEST(Spills, CachedAttention) {
  const std::vector<std::string> caches[] = {
      {"tensor<3x64x64x32xf16>", "tensor<3x2x2048x32xf16>"},
      {"tensor<3x64x68x32xi8>", "tensor<3x2x2176x32xi8>"},
  };
  const std::string shape = " %0, %1, %2, %3 {heads = 9 : i64, kv_heads = 3 : i64, "
                            "scale = 1.250000e-01 : f32";
  for (const auto &cache : caches)
    for (const char *cpu : {"x86-64-v3", "znver4"})
      expectNoSpills(cpu, cpu == StringRef("znver4") ? 24 : 12,
                     "ttc.kernel.prefill_attention" + shape + "}",
                     {tensor({256, 960}), cache[0], cache[1], "tensor<1xi32>"}, tensor({256, 576}),
                     Tail::none);
}

// The test sees a spill where there is one.
TEST(Spills, AreSeen) {
  const char *assembly = ".LBB0_1:\n"
                         "\tvmovups 64(%rsp), %zmm3 # 64-byte Reload\n"
                         "\tvfmadd231ps %zmm0, %zmm1, %zmm2\n"
                         "\tjne .LBB0_1\n"
                         ".LBB0_2:\n"
                         "\tvmovups (%rax), %zmm3\n"
                         "\tjmp .LBB0_1\n";
  std::vector<Loop> loops = findLoops(assembly);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].count("vfmadd"), 1);
  EXPECT_EQ(loops[0].countSpills(), 1);
}

} // namespace
