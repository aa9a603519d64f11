// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code generator says of its programs (fb::Facts), against what the tables say of them.
// The facts are stored with the machine code; the tables decide what is run and what is proved.

#include "Base/Format.h"
#include "Bundle/Verifier.h"
#include "Bundle/VerifyBuffer.h"

#include <cstring>

namespace ttrt {

/// The bytes of the facts at the end of the code segment, before the trailer; 0 if it has none.
static uint64_t sizeOfFacts(const SegmentView &code) {
  FactsTrailer trailer;
  if (code.size < sizeof(trailer) || code.size % 8 != 0)
    return 0;
  const uint64_t end = code.size - sizeof(trailer);
  memcpy(&trailer, code.data + end, sizeof(trailer));
  if (memcmp(trailer.magic, kFactsMagic, sizeof(kFactsMagic)) != 0 || trailer.size > end ||
      trailer.size % 8 != 0)
    return 0;
  return trailer.size;
}

uint64_t sizeOfObject(const SegmentView &code) {
  const uint64_t facts = sizeOfFacts(code);
  return facts ? code.size - sizeof(FactsTrailer) - facts : code.size;
}

const fb::Facts *findFacts(const SegmentView &code) {
  const uint64_t size = sizeOfFacts(code);
  if (size == 0)
    return nullptr;
  return verifyFactsBuffer(code.data + sizeOfObject(code), size);
}

template <typename T> static bool areEqual(const T *a, const T *b) {
  if (count(a) != count(b))
    return false;
  for (uint32_t i = 0; i < count(a); ++i)
    if (a->Get(i) != b->Get(i))
      return false;
  return true;
}

/// A failure if a number of a table, of an operand if there is one, is not that of the facts.
static void compare(const fb::Program &program, const char *what, uint64_t expected, uint64_t found,
                    int operand = -1) {
  if (expected != found)
    failBad("program '{}'{}: {} is {}; expected {}, for which its code was generated",
            text(program.symbol()), operand < 0 ? "" : formatText(", operand {}", operand), what,
            found, expected);
}

static void compareOperands(const fb::Program &program, const fb::Program &fact) {
  compare(program, "the number of operands", count(fact.operands()), count(program.operands()));
  for (uint32_t i = 0; i < count(program.operands()); ++i) {
    const fb::Operand &a = *fact.operands()->Get(i), &b = *program.operands()->Get(i);
    const struct {
      const char *name;
      uint64_t expected, found;
    } fields[] = {
        {"access", static_cast<uint64_t>(a.access()), static_cast<uint64_t>(b.access())},
        {"bytes", a.bytes(), b.bytes()},
        {"alignment", a.alignment(), b.alignment()},
        {"row_bytes", a.row_bytes(), b.row_bytes()},
        {"pitch_bytes", a.pitch_bytes(), b.pitch_bytes()},
        {"per_workgroup", a.per_workgroup(), b.per_workgroup()},
        {"in_place_of", 1, areEqual(a.in_place_of(), b.in_place_of())},
    };
    for (const auto &[name, expected, found] : fields)
      compare(program, name, expected, found, static_cast<int>(i));
  }
}

bool verifyFacts(const Bundle &bundle) {
  const auto *programs = bundle.metadata().programs();
  const SegmentView &code = bundle.segment(fb::SegmentKind::Code);
  if (!code.size)
    return true;
  const fb::Facts *facts = findFacts(code);
  if (!facts)
    failBad("segment code does not end with the facts about its programs, or they are damaged");
  const auto hosted = static_cast<uint32_t>(bundle.hostFunctions().size());
  if (count(facts->programs()) != count(programs) - hosted)
    failBad("bundle has {} programs with code; its code has {}", count(programs) - hosted,
            count(facts->programs()));
  for (uint32_t i = 0, compiled = 0; i < count(programs); ++i) {
    const fb::Program &program = *programs->Get(i);
    if (program.host_function())
      continue;
    const fb::Program &fact = *facts->programs()->Get(compiled++);
    const char *symbol = text(program.symbol());
    if (strcmp(symbol, text(fact.symbol())) != 0)
      failBad("program {} is '{}'; expected '{}', as in its code", i, symbol, text(fact.symbol()));
    compare(program, "the grid", fact.grid(), program.grid());
    compare(program, "the number of bytes of scratch", fact.scratch_bytes(),
            program.scratch_bytes());
    compare(program, "markers", fact.markers(), program.markers());
    compareOperands(program, fact);
  }
  return facts->certified();
}

} // namespace ttrt
