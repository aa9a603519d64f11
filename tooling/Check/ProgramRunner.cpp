// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Check/ProgramRunner.h"

#include "Bundle/Bundle.h"
#include "ttrt/format/program_markers.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <fmt/core.h>
#include <numeric>
#include <sys/mman.h>
#include <ucontext.h>

using namespace ttrt;

namespace ttrun {

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

namespace {
enum class FaultAccess { Unknown, Read, Write };

struct Fault {
  int signal;
  const uint8_t *address;
  FaultAccess access;
};
} // namespace

// For the signal handler. Set while a program runs, which holds no locks and owns no objects.
static sigjmp_buf resume;
static volatile sig_atomic_t running;
static Fault fault;

static FaultAccess accessOf([[maybe_unused]] const void *context) {
#if defined(__x86_64__)
  // Bit 1 of the page fault's error code.
  const auto *user = static_cast<const ucontext_t *>(context);
  return user->uc_mcontext.gregs[REG_ERR] & 2 ? FaultAccess::Write : FaultAccess::Read;
#else
  return FaultAccess::Unknown;
#endif
}

static void onFault(int signal, siginfo_t *info, void *context) {
  if (!running) {
    // Our own fault: ends the process when the instruction is repeated.
    ::signal(signal, SIG_DFL);
    return;
  }
  fault = {signal, static_cast<const uint8_t *>(info->si_addr),
           signal == SIGSEGV ? accessOf(context) : FaultAccess::Unknown};
  siglongjmp(resume, 1);
}

static void handleFaults() {
  // A stack of its own, in case that the program has none left.
  static uint8_t stack[64 * 1024];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_sigaction = onFault;
  // Not blocked in the handler, which does not return.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    sigaction(signal, &action, nullptr);
}

/// Where an offset is in the rows, as text.
static std::string place(const Rows &rows, int64_t offset) {
  if (offset < 0)
    return fmt::format("{} bytes before the start of", -offset);
  const auto at = static_cast<uint64_t>(offset);
  if (at >= rows.bytes)
    return fmt::format("{} bytes after the end of", at - rows.bytes);
  if (at % rows.pitch >= rows.row)
    return fmt::format("byte {}, between the rows of", at);
  return fmt::format("byte {} of", at);
}

void ProgramRunner::explainFault(uint64_t workgroup) {
  const char *verb = fault.access == FaultAccess::Write  ? "writes"
                     : fault.access == FaultAccess::Read ? "reads"
                                                         : "accesses";
  if (fault.signal != SIGSEGV)
    throw Violation{fmt::format("workgroup {} is ended by signal {} ({})", workgroup, fault.signal,
                                strsignal(fault.signal))};
  auto contains = [&](const GuardedRows &memory) { return memory.contains(fault.address); };
  for (uint32_t i = 0; i < operands(); ++i) {
    const GuardedRows &area = memory(i);
    if (!contains(area))
      continue;
    const int64_t offset = fault.address - area.address();
    std::string why;
    if (offset >= 0 && static_cast<uint64_t>(offset) < area.rows().bytes &&
        static_cast<uint64_t>(offset) % area.rows().pitch < area.rows().row)
      why = operand(i).per_workgroup() &&
                    static_cast<uint64_t>(offset) / area.rows().pitch != workgroup
                ? fmt::format(", in row {}; expected row {} only",
                              static_cast<uint64_t>(offset) / area.rows().pitch, workgroup)
                : ", which is declared as read only";
    throw Violation{fmt::format("workgroup {} {} {} {}{} (address {})", workgroup, verb,
                                place(area.rows(), offset), describe(i), why,
                                static_cast<const void *>(fault.address))};
  }
  if (contains(*scratch_))
    throw Violation{
        fmt::format("workgroup {} {} {} its scratch of {} bytes (address {})", workgroup, verb,
                    place(scratch_->rows(), fault.address - scratch_->address()),
                    program_.scratch_bytes(), static_cast<const void *>(fault.address))};
  if (contains(*table_))
    throw Violation{fmt::format("workgroup {} {} {} the {} addresses of its operands", workgroup,
                                verb, place(table_->rows(), fault.address - table_->address()),
                                operands())};
  throw Violation{fmt::format("workgroup {} {} address {}, which is neither in an operand nor in "
                              "scratch",
                              workgroup, verb, static_cast<const void *>(fault.address))};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Rows rowsOf(const fb::Operand &operand) {
  Rows rows{operand.bytes()};
  if (operand.row_bytes()) {
    rows.row = operand.row_bytes();
    rows.pitch = operand.pitch_bytes();
  }
  rows.alignment = operand.alignment();
  return rows;
}

static uint64_t randomNumber(uint64_t seed) {
  // SplitMix64.
  uint64_t x = seed * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return (x ^ (x >> 27)) * 0x94d049bb133111eb;
}

static std::vector<uint8_t> randomContents(uint64_t bytes, uint64_t seed, Values values) {
  std::vector<uint8_t> contents(bytes);
  auto put = [&](uint64_t at, auto value) {
    memcpy(contents.data() + at, &value, std::min<uint64_t>(sizeof(value), bytes - at));
  };
  if (values == Values::Floats)
    for (uint64_t at = 0; at < bytes; at += sizeof(float))
      put(at, static_cast<float>(randomNumber(seed + at) >> 40) * 0x1p-22f - 2.0f);
  else
    for (uint64_t at = 0; at < bytes; at += sizeof(int64_t))
      put(at, static_cast<int64_t>(randomNumber(seed + at) >> 58) - 4);
  return contents;
}

ProgramRunner::ProgramRunner(const fb::Program &program, ProgramFunction *function, uint64_t seed)
    : program_(program), function_(function), seed_(seed),
      scratch_(std::make_unique<GuardedRows>(Rows{program.scratch_bytes()})) {
  Rows table{count(program.operands()) * sizeof(uint64_t)};
  table.alignment = sizeof(uint64_t);
  table_ = std::make_unique<GuardedRows>(table);
  for (uint32_t i = 0; i < count(program.operands()); ++i) {
    memory_.push_back(std::make_unique<GuardedRows>(rowsOf(operand(i))));
    stored_.push_back(i);
  }
  setInputs(Values::Floats);
  handleFaults();
}

void ProgramRunner::setInputs(Values values) {
  contents_.assign(operands(), {});
  for (uint32_t i = 0; i < operands(); ++i)
    if (reads(i))
      contents_[i] = randomContents(rows(i).packed(), seed_ + (uint64_t(i) << 56), values);
}

bool ProgramRunner::reads(uint32_t index) const {
  return operand(index).access() != fb::Access::Write;
}

bool ProgramRunner::writes(uint32_t index) const {
  return operand(index).access() != fb::Access::Read;
}

std::string ProgramRunner::describe(uint32_t index) const {
  static const char *const kRoles[] = {"in", "out", "inout"};
  return fmt::format("operand {} ({}, {} bytes)", index,
                     kRoles[static_cast<size_t>(operand(index).access())], operand(index).bytes());
}

/// After this, operands that are only read are read-only memory.
void ProgramRunner::prepare(const Circumstances &circumstances) {
  circumstances_ = circumstances;
  for (uint32_t i = 0; i < operands(); ++i) {
    if (stored_[i] != i)
      continue;
    GuardedRows &area = *memory_[i];
    area.place(circumstances.edge);
    area.fill(writes(i) ? circumstances.outputs : circumstances.unrelated);
    if (reads(i))
      area.store(contents_[i]);
  }
  for (uint32_t i = 0; i < operands(); ++i) {
    bool written = writes(i);
    for (uint32_t j = 0; j < operands(); ++j)
      written |= stored_[j] == i && writes(j);
    if (stored_[i] == i && !written)
      memory_[i]->protect(PROT_READ);
  }
  scratch_->place(circumstances.edge);
  fillScratch();
}

void ProgramRunner::fillScratch() { scratch_->fill(circumstances_.scratch); }

/// Workgroups `first`, `first` + `step`, ... modulo the grid.
void ProgramRunner::call(uint64_t first, uint64_t step, uint64_t number) {
  const uint64_t grid = program_.grid();
  // Programs compute addresses from flat address 0. All operands are above it.
  uint8_t *base = scratch_->begin();
  for (const auto &area : memory_)
    base = std::min(base, area->begin());
  std::vector<uint8_t> addresses(table_->rows().bytes);
  for (uint32_t i = 0; i < operands(); ++i) {
    const uint64_t address = memory(i).address() - base;
    memcpy(addresses.data() + i * sizeof(address), &address, sizeof(address));
  }
  table_->place(Edge::Back);
  table_->store(addresses);
  table_->protect(PROT_READ);
  const auto *table = reinterpret_cast<const uint64_t *>(table_->address());
  if (program_.markers())
    reinterpret_cast<profile::ProgramMarkers *>(scratch_->address() + program_.scratch_bytes() -
                                                sizeof(profile::ProgramMarkers))
        ->reset(circumstances_.record);
  volatile uint64_t current = first;
  if (sigsetjmp(resume, 0) != 0) {
    running = 0;
    explainFault(current);
  }
  running = 1;
  for (uint64_t done = 0; done < number; ++done) {
    function_(table, base, scratch_->address(), current);
    current = (current + step) % grid;
  }
  running = 0;
}

/// Nothing is written between rows or after them.
void ProgramRunner::checkOutside() {
  for (uint32_t i = 0; i < operands(); ++i) {
    const GuardedRows &area = memory(i);
    if (!writes(i))
      continue;
    const bool isInput = stored_[i] != i;
    const auto found = area.findChangeOutside(
        isInput && !writes(stored_[i]) ? circumstances_.unrelated : circumstances_.outputs);
    if (found)
      throw Violation{
          fmt::format("a workgroup writes {} {}", place(area.rows(), *found), describe(i))};
  }
  if (const auto found = scratch_->findChangeOutside(circumstances_.scratch))
    throw Violation{fmt::format("a workgroup writes {} its scratch of {} bytes",
                                place(scratch_->rows(), *found), program_.scratch_bytes())};
}

//===----------------------------------------------------------------------===//
// All workgroups
//===----------------------------------------------------------------------===//

/// A step through all workgroups that is about 0.6 of the grid.
static uint64_t scatteredStep(uint64_t grid) {
  uint64_t step = std::max<uint64_t>(grid * 5 / 8, 1);
  while (std::gcd(step, grid) != 1)
    ++step;
  return step;
}

Results ProgramRunner::run(const Circumstances &circumstances) {
  prepare(circumstances);
  const uint64_t grid = program_.grid();
  switch (circumstances.order) {
  case Order::Forwards:
    call(0, 1, grid);
    break;
  case Order::Backwards:
    call(grid - 1, grid - 1, grid);
    break;
  case Order::Scattered:
    call(grid / 2, scatteredStep(grid), grid);
    break;
  }
  checkOutside();
  Results results(operands());
  for (uint32_t i = 0; i < operands(); ++i)
    if (writes(i))
      results[i] = memory(i).load();
  return results;
}

//===----------------------------------------------------------------------===//
// Single workgroups
//===----------------------------------------------------------------------===//

void ProgramRunner::beginAlone(const Circumstances &circumstances) {
  prepare(circumstances);
  written_.resize(operands());
  for (uint32_t i = 0; i < operands(); ++i) {
    if (writes(i) && !operand(i).per_workgroup())
      written_[i].resize(rows(i).packed());
    if (!operand(i).per_workgroup())
      continue;
    memory_[i]->protect(PROT_READ | PROT_WRITE);
    memory_[i]->fill(circumstances.outputs);
    if (memory_[i]->rowsHaveOwnPages())
      memory_[i]->protect(PROT_NONE);
  }
}

bool ProgramRunner::runAlone(uint64_t workgroup, const Results &expected) {
  for (uint32_t i = 0; i < operands(); ++i) {
    if (!operand(i).per_workgroup())
      continue;
    GuardedRows &area = *memory_[i];
    if (area.rowsHaveOwnPages())
      area.protectRow(workgroup, PROT_READ | PROT_WRITE);
    const uint64_t row = rows(i).row;
    if (reads(i))
      memcpy(area.address() + workgroup * rows(i).pitch, contents_[i].data() + workgroup * row,
             row);
    if (area.rowsHaveOwnPages() && !writes(i))
      area.protectRow(workgroup, PROT_READ);
  }
  fillScratch();
  call(workgroup, 0, 1);
  bool wrote = false;
  for (uint32_t i = 0; i < operands(); ++i) {
    if (operand(i).per_workgroup())
      checkOnly(i, workgroup, expected[i]);
    wrote |= writes(i) && (operand(i).per_workgroup() || collectAlone(i, workgroup, expected[i]));
  }
  return wrote;
}

/// Checks an operand per workgroup: the row has the expected bytes, and no other row has changed.
void ProgramRunner::checkOnly(uint32_t index, uint64_t workgroup,
                              const std::vector<uint8_t> &expected) {
  GuardedRows &area = *memory_[index];
  const uint64_t row = rows(index).row;
  uint8_t *data = area.address() + workgroup * rows(index).pitch;
  if (area.rowsHaveOwnPages())
    area.protectRow(workgroup, PROT_READ | PROT_WRITE);
  if (writes(index) && memcmp(data, expected.data() + workgroup * row, row) != 0)
    throw Violation{fmt::format("{}: row {} has other bytes if only workgroup {} runs; expected "
                                "a row for each workgroup, which depends on no other row",
                                describe(index), workgroup, workgroup)};
  memset(data, circumstances_.outputs, row);
  if (area.rowsHaveOwnPages())
    return area.protectRow(workgroup, PROT_NONE);
  const uint64_t at = findOther(area.address(), rows(index).bytes, circumstances_.outputs);
  if (at < rows(index).bytes)
    throw Violation{fmt::format("workgroup {} writes byte {} of {}, in row {}; expected row {} "
                                "only",
                                workgroup, at, describe(index), at / rows(index).pitch, workgroup)};
}

/// Checks any other written operand; returns whether something has changed. What has changed must
/// have the expected bytes, and no other workgroup may have changed it. It is set back.
bool ProgramRunner::collectAlone(uint32_t index, uint64_t workgroup,
                                 const std::vector<uint8_t> &expected) {
  const Rows &rows = this->rows(index);
  const uint8_t poison = circumstances_.outputs;
  constexpr uint64_t kPiece = 4096;
  bool wrote = false;
  for (uint64_t begin = 0; begin < rows.packed();) {
    const uint64_t size = std::min({kPiece, rows.packed() - begin, rows.row - begin % rows.row});
    uint8_t *data = memory_[index]->address() + rows.offset(begin);
    const uint8_t *before = reads(index) ? contents_[index].data() + begin : nullptr;
    const bool same =
        before ? memcmp(data, before, size) == 0 : findOther(data, size, poison) == size;
    wrote |= !same;
    for (uint64_t i = 0; !same && i < size; ++i) {
      const uint8_t was = before ? before[i] : poison;
      if (data[i] == was)
        continue;
      if (data[i] != expected[begin + i] || written_[index][begin + i])
        throw Violation{fmt::format("workgroup {} writes byte {} of {}, which another workgroup "
                                    "writes, too; expected workgroups that write different bytes",
                                    workgroup, rows.offset(begin + i), describe(index))};
      data[i] = was;
      written_[index][begin + i] = true;
    }
    begin += size;
  }
  return wrote;
}

} // namespace ttrun
