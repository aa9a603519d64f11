// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Format.h"
#include "Bundle/MeshTables.h"
#include "Bundle/Verifier.h"
#include "Bundle/Workgroups.h"

#include <algorithm>

namespace ttrt {

namespace {
/// Checks one trace from its first byte to its last.
class StreamVerifier {
public:
  StreamVerifier(const Bundle &bundle, uint32_t index, const uint8_t *stream)
      : bundle(bundle), trace(*bundle.metadata().traces()->Get(index)), stream(stream) {}

  void verify();

private:
  template <typename... Args>
  [[noreturn, gnu::always_inline]] void failHere(Pattern<Args...> pattern,
                                                 const Args &...arguments) const {
    failWith(kindsOf<Args...>(), pattern.text(), toArgument(arguments)...);
  }
  [[noreturn, gnu::cold]] void failWith(uint64_t kinds, const char *pattern, ...) const;
  void verifyCommand(const CommandHeader &header);
  const char *findLoopProblem(const Action &action) const;
  const char *findPlaceProblem(const Action &action);

  const Bundle &bundle;
  const fb::Trace &trace;
  const uint8_t *stream;
  uint64_t position = 0;
  uint32_t command = 0;
  uint64_t workgroups = 0; ///< of the commands so far, as cores count them
  /// Loops that have begun, from the outermost.
  struct Loop {
    const RepeatCommand *repeat;
    uint64_t begin;   ///< of the body
    uint32_t command; ///< its first
    bool works, isSequential;
  };
  Loop loops[kMaxRepeatDepth];
  uint32_t depth = 0;
};
} // namespace

void StreamVerifier::failWith(uint64_t kinds, const char *pattern, ...) const {
  va_list arguments;
  va_start(arguments, pattern);
  const std::string problem = formatList(kinds, pattern, arguments);
  va_end(arguments);
  const char *source =
      command < count(trace.sources()) ? bundle.location(trace.sources()->Get(command)) : "";
  failBad("trace '{}', command {} at byte {}{}{}{}: {}", text(trace.name()), command, position,
          *source ? " (from " : "", source, *source ? ")" : "", problem);
}

void StreamVerifier::verifyCommand(const CommandHeader &header) {
  const uint64_t left = trace.size() - position;
  // Sizes are multiples of 8, and so is what is left: there is always room for a header.
  if (header.size < sizeof(CommandHeader) || header.size % 8 != 0 || header.size > left)
    failHere("has {} bytes; expected a multiple of 8 up to the {} that are left", header.size,
             left);
  if (header.reserved != 0)
    failHere("has {} in a reserved field; expected 0", header.reserved);
  const ActionInfo *info = findInfo(header.opcode);
  if (!info)
    failHere("has opcode {}, which this runtime does not support",
             static_cast<unsigned>(header.opcode));
  // The fields of the command must be there before they are read, and so must its operands.
  if (header.size < info->size)
    failHere("has {} bytes; expected {}", header.size, info->size);
  const Action action = actionOf(header);
  const uint64_t size = ttrt::sizeOf(*info, action.operandCount);
  if (header.size != size && action.operandCount)
    failHere("has {} bytes with {} operands; expected {}", header.size, action.operandCount, size);
  if (header.size != size)
    failHere("has {} bytes; expected {}", header.size, size);
  if (const std::string problem = findProblem(bundle, nullptr, action); !problem.empty())
    failHere("{}", problem);
  if (info->table == IndexedTable::Event &&
      reinterpret_cast<const EventCommand &>(header).reserved != 0)
    failHere("has {} in a reserved field; expected 0",
             reinterpret_cast<const EventCommand &>(header).reserved);
  if (const char *place = findPlaceProblem(action))
    failHere("{}", place);
  workgroups += std::min(gridOf(bundle.metadata(), action), kMostClaimed);
  if (workgroups > kMostOfStream)
    failHere("ends {} workgroups; expected at most {} in a trace", workgroups, kMostOfStream);
}

/// What is wrong with the fields of a loop; null: nothing.
const char *StreamVerifier::findLoopProblem(const Action &action) const {
  const RepeatCommand &loop = *action.loop;
  if (loop.reserved != 0 || loop.options & ~uint32_t(kFailsAtLimit | kSequential))
    return "is a loop with an option that this runtime does not support";
  if (loop.iterations == 0)
    return "is a loop of 0 iterations; expected at least one";
  if (loop.flag == kNoFlag && loop.options & kFailsAtLimit)
    return "is a loop that fails while its flag is set, without a flag";
  if (loop.flag != kNoFlag && action.flagRange() == action.operandCount)
    return "is a loop with its flag outside of the ranges that it carries";
  if (devicesOf(bundle.metadata()) > 1)
    return "is a loop; expected none in a bundle for a mesh";
  return nullptr;
}

/// Loops contain nothing that other queues or devices wait for. Returns what is wrong with the
/// place of a command; null: nothing.
const char *StreamVerifier::findPlaceProblem(const Action &action) {
  const OrderRole role = action.info->role;
  if (role == OrderRole::Repeat) {
    if (depth == kMaxRepeatDepth)
      return "is a loop in 8 others; expected fewer";
    loops[depth++] = {action.loop, position + ttrt::sizeOf(*action.info, action.operandCount),
                      command + 1, false, true};
    return findLoopProblem(action);
  }
  if (depth == 0)
    return role == OrderRole::EndRepeat ? "ends no loop" : nullptr;
  Loop &loop = loops[depth - 1];
  if (role != OrderRole::EndRepeat) {
    loop.works |= role == OrderRole::Work;
    loop.isSequential &= role == OrderRole::Barrier || gridOf(bundle.metadata(), action) == 1;
    return action.info->onCores || role == OrderRole::Barrier
               ? nullptr
               : "is in a loop; expected a dispatch, copy, fill, barrier or loop there";
  }
  if (!loop.works)
    return "ends a loop without work";
  const RepeatCommand &repeat = *loop.repeat;
  const uint32_t options =
      (repeat.options & kFailsAtLimit) | (loop.isSequential ? uint32_t(kSequential) : 0);
  if (repeat.bodyBytes != position - loop.begin || repeat.bodyCommands != command - loop.command ||
      repeat.options != options)
    failHere("ends a loop of {} bytes in {} commands, with options {:#x} of their workgroups; its "
             "repeat says {} in {}, {:#x}",
             position - loop.begin, command - loop.command, options, repeat.bodyBytes,
             repeat.bodyCommands, repeat.options);
  if (--depth) {
    loops[depth - 1].works = true;
    loops[depth - 1].isSequential &= loop.isSequential;
  }
  return nullptr;
}
static_assert(kMaxRepeatDepth == 8);

void StreamVerifier::verify() {
  bool ended = false;
  for (; position < trace.size(); ++command) {
    if (ended)
      failHere("follows the end command");
    const auto &header = *reinterpret_cast<const CommandHeader *>(stream + position);
    verifyCommand(header);
    ended = header.opcode == Opcode::End;
    position += header.size;
  }
  if (!ended)
    failBad("trace '{}' does not end with an end command", text(trace.name()));
  if (command != trace.commands())
    failBad("trace '{}' has {} commands; its table says {}", text(trace.name()), command,
            trace.commands());
}

void verifyStreams(const Bundle &bundle) {
  for (uint32_t i = 0; i < count(bundle.metadata().traces()); ++i)
    verifyStream(bundle, i, bundle.stream(i));
}

void verifyStream(const Bundle &bundle, uint32_t trace, const uint8_t *stream) {
  StreamVerifier(bundle, trace, stream).verify();
}

} // namespace ttrt
