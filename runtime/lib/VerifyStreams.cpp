// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Error.h"
#include "Verifier.h"

#include <cstring>
#include <vector>

namespace ttrt {

using ull = unsigned long long;

namespace {
/// Checks one trace from its first byte to its last.
class StreamVerifier {
public:
  StreamVerifier(const Bundle &bundle, uint32_t index, const uint8_t *stream)
      : bundle(bundle), trace(*bundle.metadata().traces()->Get(index)), stream(stream) {}

  void verify();

private:
  [[noreturn]] void failHere(const std::string &what) const {
    const char *source =
        command < count(trace.sources()) ? bundle.location(trace.sources()->Get(command)) : "";
    failBad("trace '%s', command %u at byte %llu%s%s%s: %s", text(trace.name()), command,
            (ull)position, *source ? " (from " : "", source, *source ? ")" : "", what.c_str());
  }
  void expectSize(uint64_t size, uint64_t expected) const {
    if (size != expected)
      failHere(format("has %llu bytes; expected %llu", (ull)size, (ull)expected));
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
    failHere(format("dispatches program %u; the bundle has %u", dispatch.program, programs));
  const fb::Program &program = *bundle.metadata().programs()->Get(dispatch.program);
  uint32_t operands = count(program.operands());
  if (dispatch.operandCount != operands)
    failHere(format("dispatches '%s' with %u operands; it has %u", text(program.symbol()),
                    dispatch.operandCount, operands));
  expectSize(dispatch.header.size, dispatchSize(operands));
  const auto *addresses = reinterpret_cast<const uint64_t *>(&dispatch + 1);
  const uint64_t end = bundle.addresses().size();
  for (uint32_t i = 0; i < operands; ++i) {
    const fb::Operand &operand = *program.operands()->Get(i);
    if (!isInside(addresses[i], operand.bytes(), 0, end) || addresses[i] % operand.alignment() != 0)
      failHere(
          format("dispatches '%s' with operand %u at 0x%llx + %llu bytes; expected a multiple of "
                 "%u inside the device's memory of 0x%llx",
                 text(program.symbol()), i, (ull)addresses[i], (ull)operand.bytes(),
                 operand.alignment(), (ull)end));
  }
}

void StreamVerifier::verifyTransfer(uint64_t dst, const uint64_t *src, uint64_t bytes) const {
  const uint64_t end = bundle.addresses().size();
  if (bytes == 0 || !isInside(dst, bytes, 0, end) || (src && !isInside(*src, bytes, 0, end)))
    failHere(format(
        "moves %llu bytes to 0x%llx%s; expected some bytes, inside the device's memory of "
        "0x%llx",
        (ull)bytes, (ull)dst, src ? format(" from 0x%llx", (ull)*src).c_str() : "", (ull)end));
  if (src && dst < *src + bytes && *src < dst + bytes)
    failHere(format("copies %llu bytes from 0x%llx to 0x%llx, which overlap", (ull)bytes, (ull)*src,
                    (ull)dst));
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
      failHere(format("has %u bytes; expected a multiple of 8 up to the %llu that are left",
                      header.size, (ull)left));
    if (header.reserved != 0)
      failHere(format("has %u in a reserved field; expected 0", header.reserved));
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
        failHere(format("names event %u; the bundle has %u", event.event,
                        count(bundle.metadata().events())));
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
      failHere(format("has opcode %u, which this runtime does not know", (unsigned)header.opcode));
    }
    position += header.size;
  }
  if (!ended)
    failBad("trace '%s' does not end with an end command", text(trace.name()));
  if (command != trace.commands())
    failBad("trace '%s' has %u commands; its table says %u", text(trace.name()), command,
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
