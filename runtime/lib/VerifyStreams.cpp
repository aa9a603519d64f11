// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Format.h"
#include "Verifier.h"

#include <cstring>
#include <vector>

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
  [[noreturn]] void failHere(fmt::format_string<Args...> pattern, Args &&...arguments) const {
    const std::string what = formatText(pattern, std::forward<Args>(arguments)...);
    const char *source =
        command < count(trace.sources()) ? bundle.location(trace.sources()->Get(command)) : "";
    failBad("trace '{}', command {} at byte {}{}{}{}: {}", text(trace.name()), command, position,
            *source ? " (from " : "", source, *source ? ")" : "", what);
  }
  void expectSize(uint64_t size, uint64_t expected) const {
    if (size != expected)
      failHere("has {} bytes; expected {}", size, expected);
  }
  void verifyDispatch(const DispatchCommand &dispatch) const;
  void verifyTransfer(uint64_t dst, const uint64_t *src, uint64_t bytes) const;

  const Bundle &bundle;
  const fb::Trace &trace;
  const uint8_t *stream;
  uint64_t position = 0;
  uint32_t command = 0;
};
} // namespace

void StreamVerifier::verifyDispatch(const DispatchCommand &dispatch) const {
  uint32_t programs = count(bundle.metadata().programs());
  if (dispatch.program >= programs)
    failHere("dispatches program {}; the bundle has {}", dispatch.program, programs);
  const fb::Program &program = *bundle.metadata().programs()->Get(dispatch.program);
  uint32_t operands = count(program.operands());
  if (dispatch.operandCount != operands)
    failHere("dispatches '{}' with {} operands; it has {}", text(program.symbol()),
             dispatch.operandCount, operands);
  expectSize(dispatch.header.size, dispatchSize(operands));
  const auto *addresses = reinterpret_cast<const uint64_t *>(&dispatch + 1);
  const uint64_t end = bundle.addresses().size();
  for (uint32_t i = 0; i < operands; ++i) {
    const fb::Operand &operand = *program.operands()->Get(i);
    if (!isInside(addresses[i], operand.bytes(), 0, end) || addresses[i] % operand.alignment() != 0)
      failHere("dispatches '{}' with operand {} at {:#x} + {} bytes; expected a multiple of "
               "{} inside the device's memory of {:#x}",
               text(program.symbol()), i, addresses[i], operand.bytes(), operand.alignment(), end);
  }
}

void StreamVerifier::verifyTransfer(uint64_t dst, const uint64_t *src, uint64_t bytes) const {
  const uint64_t end = bundle.addresses().size();
  if (bytes == 0 || !isInside(dst, bytes, 0, end) || (src && !isInside(*src, bytes, 0, end)))
    failHere("moves {} bytes to {:#x}{}; expected some bytes, inside the device's memory of "
             "{:#x}",
             bytes, dst, src ? formatText(" from {:#x}", *src) : std::string(), end);
  if (src && dst < *src + bytes && *src < dst + bytes)
    failHere("copies {} bytes from {:#x} to {:#x}, which overlap", bytes, *src, dst);
}

void StreamVerifier::verify() {
  bool ended = false;
  for (; position < trace.size(); ++command) {
    if (ended)
      failHere("follows the end command");
    const uint64_t left = trace.size() - position;
    const auto &header = *reinterpret_cast<const CommandHeader *>(stream + position);
    // Sizes are multiples of 8, and so is what is left: there is always room for a header.
    if (header.size < sizeof(CommandHeader) || header.size % 8 != 0 || header.size > left)
      failHere("has {} bytes; expected a multiple of 8 up to the {} that are left", header.size,
               left);
    if (header.reserved != 0)
      failHere("has {} in a reserved field; expected 0", header.reserved);
    switch (header.opcode) {
    case Opcode::Dispatch:
      if (header.size < sizeof(DispatchCommand))
        expectSize(header.size, sizeof(DispatchCommand));
      verifyDispatch(reinterpret_cast<const DispatchCommand &>(header));
      break;
    case Opcode::Copy: {
      expectSize(header.size, sizeof(CopyCommand));
      const auto &copy = reinterpret_cast<const CopyCommand &>(header);
      verifyTransfer(copy.dst, &copy.src, copy.bytes);
      break;
    }
    case Opcode::Fill: {
      expectSize(header.size, sizeof(FillCommand));
      const auto &fill = reinterpret_cast<const FillCommand &>(header);
      verifyTransfer(fill.dst, nullptr, fill.bytes);
      break;
    }
    case Opcode::Signal:
    case Opcode::Wait: {
      expectSize(header.size, sizeof(EventCommand));
      const auto &event = reinterpret_cast<const EventCommand &>(header);
      if (event.event >= count(bundle.metadata().events()) || event.reserved != 0)
        failHere("names event {}; the bundle has {}", event.event,
                 count(bundle.metadata().events()));
      break;
    }
    case Opcode::Barrier:
      expectSize(header.size, sizeof(CommandHeader));
      break;
    case Opcode::End:
      expectSize(header.size, sizeof(CommandHeader));
      ended = true;
      break;
    default:
      failHere("has opcode {}, which this runtime does not know", (unsigned)header.opcode);
    }
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
