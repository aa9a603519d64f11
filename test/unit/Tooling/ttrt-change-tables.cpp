// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-change-tables BUNDLE: changes the table entry of each program of a compiled bundle so that
// the entry no longer says what the program does, one field at a time. Each changed bundle must be
// refused by the loader or by ttrun check --execute. Fails if one is accepted. The commands of the
// bundle are left out, so that they refuse nothing.

#include "Check/Execute.h"
#include "test/unit/Proof/ProofBundles.h"

#include "Base/Error.h"

#include <cstdio>
#include <utility>

using namespace ttrt;
using namespace ttrt::test;

namespace {

/// The first operand that a program only reads, or only writes; null if there is none.
fb::OperandT *operandOf(fb::ProgramT &program, fb::Access access) {
  for (const auto &operand : program.operands)
    if (operand->access == access)
      return operand.get();
  return nullptr;
}

struct Change {
  const char *name;
  /// False if the program has nothing to change.
  bool (*make)(fb::BundleT &bundle, fb::ProgramT &program);
};

/// Adds to the rows of an operand, at its end.
void grow(fb::OperandT &operand, uint64_t bytes) {
  operand.bytes += operand.row_bytes ? operand.pitch_bytes : bytes;
}

const Change kChanges[] = {
    {"one workgroup less",
     [](fb::BundleT &, fb::ProgramT &program) { return --program.grid != 0; }},
    {"one workgroup more",
     [](fb::BundleT &, fb::ProgramT &program) {
       ++program.grid;
       return true;
     }},
    {"no scratch",
     [](fb::BundleT &, fb::ProgramT &program) {
       return std::exchange(program.scratch_bytes, 0) != 0;
     }},
    {"a larger output",
     [](fb::BundleT &, fb::ProgramT &program) {
       grow(*operandOf(program, fb::Access::Write), 64);
       return true;
     }},
    {"a smaller output",
     [](fb::BundleT &, fb::ProgramT &program) {
       fb::OperandT &output = *operandOf(program, fb::Access::Write);
       const uint64_t less = output.row_bytes ? output.pitch_bytes : 64;
       if (output.bytes <= less)
         return false;
       output.bytes -= less;
       return true;
     }},
    {"an output declared as an input",
     [](fb::BundleT &, fb::ProgramT &program) {
       for (const auto &operand : program.operands)
         operand->in_place_of.clear();
       operandOf(program, fb::Access::Write)->access = fb::Access::Read;
       return true;
     }},
    {"an input declared as an output",
     [](fb::BundleT &, fb::ProgramT &program) {
       fb::OperandT *input = operandOf(program, fb::Access::Read);
       for (const auto &operand : program.operands)
         operand->in_place_of.clear();
       if (input)
         input->access = fb::Access::Write;
       return input != nullptr;
     }},
    {"the code of another program",
     [](fb::BundleT &bundle, fb::ProgramT &program) {
       const std::string symbol = program.symbol;
       for (const auto &other : bundle.programs)
         if (other->symbol != symbol && other->operands.size() == program.operands.size() &&
             other->operands.back()->bytes != program.operands.back()->bytes) {
           program.symbol = other->symbol;
           return true;
         }
       return false;
     }},
};

/// A bundle with one of the programs, which no schedule executes.
void reduceTo(BundleBuilder &builder, size_t program) {
  fb::BundleT &bundle = builder.bundle;
  std::swap(bundle.programs[0], bundle.programs[program]);
  bundle.programs.resize(1);
  bundle.entries.clear();
  bundle.traces.clear();
  bundle.buffers.clear();
  bundle.events.clear();
  builder.streams.clear();
  builder.constants.clear();
  const uint32_t slot = builder.buffer("x", fb::BufferKind::Slot, 0, 64);
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {16}, slot);
  BundleBuilder::step(entry, fb::StepKind::Write, 0);
}

/// Why the bundle is refused; "" if it is not.
std::string refusal(BundleBuilder &builder) {
  TemporaryFile file(builder.finish());
  try {
    const Bundle bundle(file.path(), TTRT_VERIFY_FULL);
    const ttrun::Execution execution = ttrun::executePrograms(bundle);
    return execution.problems.empty() ? "" : execution.problems[0].message;
  } catch (const Error &error) {
    return error.message;
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: ttrt-change-tables BUNDLE\n");
    return 2;
  }
  const size_t programs = readBundle(argv[1]).bundle.programs.size();
  uint64_t refused = 0, accepted = 0;
  auto count = [&](BundleBuilder &builder, const std::string &symbol, const char *change) {
    const std::string why = refusal(builder);
    ++(why.empty() ? accepted : refused);
    std::printf("%s: program '%s' with %s%s%s\n", why.empty() ? "ACCEPTED" : "refused",
                symbol.c_str(), change, why.empty() ? "" : ": ", why.c_str());
  };
  for (size_t i = 0; i < programs; ++i)
    for (const Change &change : kChanges) {
      BundleBuilder builder = readBundle(argv[1]);
      fb::ProgramT &program = *builder.bundle.programs[i];
      const std::string symbol = program.symbol;
      if (!change.make(builder.bundle, program))
        continue;
      reduceTo(builder, i);
      count(builder, symbol, change.name);
    }
  std::printf("%llu changed tables refused, %llu accepted\n",
              static_cast<unsigned long long>(refused), static_cast<unsigned long long>(accepted));
  return accepted != 0 || refused == 0;
}
