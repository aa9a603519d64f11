// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the timeline (docs/bundle-format.md) once, with the set of buffers that are alive, and
// looks at every access of every command and step.

#include "Error.h"
#include "Verifier.h"

#include <algorithm>
#include <map>
#include <vector>

namespace ttrt {

using ull = unsigned long long;

namespace {

/// An access within the current phase: the commands between two barriers.
struct PhaseAccess {
  uint64_t begin, end;
  uint32_t command; ///< position in the trace
  bool write;
  bool single; ///< of a command with one workgroup: such commands run one after the other on core 0
};

/// The farthest end among earlier accesses of one class, and the farthest of any other command's.
/// Two are enough: at most one of them is the asking command's own.
class Farthest {
public:
  void add(const PhaseAccess &access) {
    if (first && first->command == access.command) {
      if (access.end > first->end)
        first = &access;
    } else if (!first || access.end > first->end) {
      second = first;
      first = &access;
    } else if (!second || access.end > second->end) {
      second = &access;
    }
  }
  /// An access of another command that reaches past `access.begin`.
  const PhaseAccess *conflict(const PhaseAccess &access) const {
    for (const PhaseAccess *other : {first, second})
      if (other && other->command != access.command && other->end > access.begin)
        return other;
    return nullptr;
  }

private:
  const PhaseAccess *first = nullptr, *second = nullptr;
};

class MemoryVerifier {
public:
  explicit MemoryVerifier(const Bundle &bundle);
  void verify();

private:
  void advance(uint64_t time);
  void activate(uint32_t index);
  void verifyStep(const fb::EntryPoint &entry, const fb::Step &step);
  void verifyTrace(uint32_t index);
  void verifyPort(const fb::Port &port, bool write);
  void verifyAccess(const Access &access);
  void verifyScratch(const fb::Program &program);
  void verifyOwnOperands(const std::vector<Access> &accesses);
  void endPhase();

  uint32_t bufferAt(uint64_t address) const;
  std::string here() const;
  std::string describe(uint32_t command) const;
  const fb::Buffer &buffer(uint32_t index) const { return *buffers->Get(index); }
  static bool isAlways(const fb::Buffer &buffer) { return buffer.end() == 0; }

  static constexpr uint32_t kNone = ~0u;

  const Bundle &bundle;
  const flatbuffers::Vector<flatbuffers::Offset<fb::Buffer>> *buffers;
  std::vector<uint32_t> byBegin; ///< buffers with a lifetime, by its begin
  size_t nextToLive = 0;
  std::multimap<uint64_t, uint32_t> ends; ///< end -> buffer, of those alive
  std::map<uint64_t, uint32_t> alive;     ///< flat address -> buffer
  std::vector<bool> written;
  std::vector<bool> executed; ///< per trace: seen on the timeline
  std::vector<PhaseAccess> phase;
  uint64_t time = 0;
  // For messages.
  const fb::EntryPoint *entry = nullptr;
  uint32_t step = 0;
  uint32_t trace = kNone;
  uint32_t command = 0;
};

} // namespace

MemoryVerifier::MemoryVerifier(const Bundle &bundle)
    : bundle(bundle), buffers(bundle.metadata().buffers()), written(count(buffers)),
      executed(count(bundle.metadata().traces())) {
  for (uint32_t i = 0; i < count(buffers); ++i) {
    written[i] =
        buffer(i).kind() == fb::BufferKind::Constant || buffer(i).kind() == fb::BufferKind::State;
    if (isAlways(buffer(i)))
      activate(i);
    else
      byBegin.push_back(i);
  }
  std::sort(byBegin.begin(), byBegin.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(buffer(a).begin(), a) < std::pair(buffer(b).begin(), b);
  });
}

std::string MemoryVerifier::describe(uint32_t position) const {
  const fb::Trace &table = *bundle.metadata().traces()->Get(trace);
  std::string text = format("command %u of trace '%s'", position, ttrt::text(table.name()));
  if (position < count(table.sources()))
    if (const char *source = bundle.location(table.sources()->Get(position)); *source)
      text += format(" (from %s)", source);
  return text;
}

std::string MemoryVerifier::here() const {
  if (trace != kNone)
    return describe(command);
  return format("step %u of entry point '%s'", step, entry ? text(entry->name()) : "");
}

/// Makes a buffer alive. Scratch is every core's own and used by one command at a time, so it
/// overlaps only what is not scratch; it is never an operand.
void MemoryVerifier::activate(uint32_t index) {
  const fb::Buffer &added = buffer(index);
  if (added.kind() == fb::BufferKind::Scratch)
    return;
  const uint64_t address = bundle.address(added);
  auto next = alive.lower_bound(address);
  uint32_t other = kNone;
  if (next != alive.end() && next->first < address + added.size())
    other = next->second;
  else if (next != alive.begin()) {
    auto previous = std::prev(next);
    if (previous->first + buffer(previous->second).size() > address)
      other = previous->second;
  }
  if (other != kNone)
    failBad(
        "buffers '%s' (0x%llx + %llu bytes) and '%s' (0x%llx + %llu bytes) overlap, and are both "
        "alive at point %llu of the timeline",
        text(buffer(other).name()), (ull)bundle.address(buffer(other)), (ull)buffer(other).size(),
        text(added.name()), (ull)address, (ull)added.size(), (ull)time);
  alive.emplace(address, index);
  if (!isAlways(added))
    ends.emplace(added.end(), index);
}

/// Goes to a point of the timeline.
void MemoryVerifier::advance(uint64_t point) {
  time = point;
  while (!ends.empty() && ends.begin()->first <= time) {
    alive.erase(bundle.address(buffer(ends.begin()->second)));
    ends.erase(ends.begin());
  }
  for (; nextToLive < byBegin.size() && buffer(byBegin[nextToLive]).begin() <= time; ++nextToLive)
    activate(byBegin[nextToLive]);
}

uint32_t MemoryVerifier::bufferAt(uint64_t address) const {
  auto next = alive.upper_bound(address);
  if (next == alive.begin())
    return kNone;
  auto found = std::prev(next);
  return address < found->first + buffer(found->second).size() ? found->second : kNone;
}

void MemoryVerifier::verifyAccess(const Access &access) {
  uint32_t index = bufferAt(access.address);
  if (index == kNone)
    failBad("%s: operand %u at 0x%llx + %llu bytes lies in no buffer that is alive then",
            here().c_str(), access.operand, (ull)access.address, (ull)access.bytes);
  const fb::Buffer &target = buffer(index);
  if (access.bytes > bundle.address(target) + target.size() - access.address)
    failBad("%s: operand %u at 0x%llx + %llu bytes ends outside buffer '%s' (0x%llx + %llu bytes)",
            here().c_str(), access.operand, (ull)access.address, (ull)access.bytes,
            text(target.name()), (ull)bundle.address(target), (ull)target.size());
  if (access.read && !written[index])
    failBad("%s: operand %u reads buffer '%s', which nothing has written", here().c_str(),
            access.operand, text(target.name()));
  if (access.write) {
    if (target.kind() == fb::BufferKind::Constant)
      failBad("%s: operand %u writes constant '%s'", here().c_str(), access.operand,
              text(target.name()));
    written[index] = true;
  }
}

/// Within one command nothing orders its workgroups.
void MemoryVerifier::verifyOwnOperands(const std::vector<Access> &accesses) {
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Access &a = accesses[j], &b = accesses[i];
      if ((a.write || b.write) && a.address < b.address + b.bytes &&
          b.address < a.address + a.bytes)
        failBad("%s: operands %u (0x%llx + %llu bytes) and %u (0x%llx + %llu bytes) overlap, and "
                "one is "
                "written",
                here().c_str(), a.operand, (ull)a.address, (ull)a.bytes, b.operand, (ull)b.address,
                (ull)b.bytes);
    }
}

/// A program's scratch is the bottom of each core's L1: no buffer that is alive may lie there.
void MemoryVerifier::verifyScratch(const fb::Program &program) {
  const uint64_t l1 = bundle.addresses().l1Address(0);
  auto lowest = alive.lower_bound(l1);
  if (program.scratch_bytes() && lowest != alive.end() &&
      lowest->first < l1 + program.scratch_bytes())
    failBad("%s: the %llu bytes of scratch of '%s' overlap buffer '%s' at L1 0x%llx",
            here().c_str(), (ull)program.scratch_bytes(), text(program.symbol()),
            text(buffer(lowest->second).name()), (ull)(lowest->first - l1));
}

/// Two accesses of different commands in one phase may happen in any order, unless both commands
/// are single.
void MemoryVerifier::endPhase() {
  std::sort(phase.begin(), phase.end(), [](const PhaseAccess &a, const PhaseAccess &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.command < b.command;
  });
  Farthest reach[2][2]; // [write][single]
  for (const PhaseAccess &access : phase) {
    for (bool write : {true, false})
      for (bool single : {true, false}) {
        if ((!write && !access.write) || (single && access.single))
          continue;
        if (const PhaseAccess *other = reach[write][single].conflict(access))
          failBad("%s and %s touch the same bytes at 0x%llx, one of them writing, with no barrier "
                  "between them",
                  describe(std::min(other->command, access.command)).c_str(),
                  describe(std::max(other->command, access.command)).c_str(), (ull)access.begin);
      }
    reach[access.write][access.single].add(access);
  }
  phase.clear();
}

void MemoryVerifier::verifyTrace(uint32_t index) {
  trace = index;
  executed[index] = true;
  std::vector<Access> accesses;
  const uint8_t *position = bundle.stream(index);
  for (command = 0;; ++command) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(position);
    advance(time);
    uint64_t grid = 1;
    if (header.opcode == Opcode::Dispatch) {
      const auto &dispatch = reinterpret_cast<const DispatchCommand &>(header);
      const fb::Program &program = *bundle.metadata().programs()->Get(dispatch.program);
      grid = program.grid();
      verifyScratch(program);
    } else if (header.opcode == Opcode::Copy) {
      grid = transferGrid(reinterpret_cast<const CopyCommand &>(header).bytes);
    } else if (header.opcode == Opcode::Fill) {
      grid = transferGrid(reinterpret_cast<const FillCommand &>(header).bytes);
    }
    accesses.clear();
    forEachAccess(bundle, header, [&](const Access &access) {
      verifyAccess(access);
      accesses.push_back(access);
      phase.push_back(
          {access.address, access.address + access.bytes, command, access.write, grid == 1});
    });
    verifyOwnOperands(accesses);
    if (header.opcode == Opcode::Barrier || header.opcode == Opcode::Signal)
      endPhase();
    ++time;
    if (header.opcode == Opcode::End)
      break;
    position += header.size;
  }
  endPhase();
  trace = kNone;
}

void MemoryVerifier::verifyPort(const fb::Port &port, bool write) {
  const fb::Buffer &slot = buffer(port.buffer());
  if (bufferAt(bundle.address(slot)) != port.buffer())
    failBad("%s: slot '%s' is not alive then", here().c_str(), text(slot.name()));
  if (write)
    written[port.buffer()] = true;
  else if (!written[port.buffer()])
    failBad("%s: reads slot '%s', which nothing has written", here().c_str(), text(slot.name()));
}

void MemoryVerifier::verifyStep(const fb::EntryPoint &owner, const fb::Step &current) {
  if (current.kind() == fb::StepKind::Execute)
    return verifyTrace(current.index());
  advance(time);
  std::vector<Access> accesses;
  auto visit = [&](const Access &access) {
    verifyAccess(access);
    accesses.push_back(access);
  };
  switch (current.kind()) {
  case fb::StepKind::Write:
    verifyPort(*owner.inputs()->Get(current.index()), /*write=*/true);
    break;
  case fb::StepKind::Read:
    verifyPort(*owner.outputs()->Get(current.index()), /*write=*/false);
    break;
  case fb::StepKind::Copy:
    visit(Access{current.src(), current.bytes(), true, false, 0});
    visit(Access{current.dst(), current.bytes(), false, true, 1});
    break;
  case fb::StepKind::HostDispatch:
  case fb::StepKind::Dispatch: {
    const fb::Program &program = *bundle.metadata().programs()->Get(current.index());
    verifyScratch(program);
    uint64_t operands[kMaxOperands];
    for (uint32_t i = 0; i < count(program.operands()); ++i)
      operands[i] = current.operands()->Get(i);
    forEachAccess(program, operands, visit);
    verifyOwnOperands(accesses);
    break;
  }
  case fb::StepKind::Execute:
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    break;
  }
  ++time;
}

void MemoryVerifier::verify() {
  for (const fb::EntryPoint *current : *bundle.metadata().entries()) {
    entry = current;
    step = 0;
    forEachStep(*current->schedules()->Get(0), [&](const fb::Step &s) {
      verifyStep(*current, s);
      ++step;
    });
  }
  // What begins after the last command is a plan for something else.
  if (nextToLive < byBegin.size())
    failBad("buffer '%s' lives from point %llu of a timeline that has %llu",
            text(buffer(byBegin[nextToLive]).name()), (ull)buffer(byBegin[nextToLive]).begin(),
            (ull)time);
  for (uint32_t i = 0; i < executed.size(); ++i)
    if (!executed[i])
      failBad("trace '%s' is in no default schedule: nothing says which buffers are alive in it",
              text(bundle.metadata().traces()->Get(i)->name()));
}

void verifyMemory(const Bundle &bundle) { MemoryVerifier(bundle).verify(); }

} // namespace ttrt
