// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every command and step of the dialect, and every opcode and step kind of the format, through a
// bundle and back.
#include "dialects/Ttc/TtcOpBase.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "ttc/Bundle/Bundle.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/commands.h"
#include "ttrt/ttc_bundle_generated.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace mlir::ttc;

#ifdef TTC_NO_USER_POISONING
/// Arenas are filled by code of MLIR's headers here, and by its library, which is not sanitized and
/// does not unpoison what it allocates.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }
#endif

namespace {

constexpr const char *kEveryKind = R"mlir(
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>, ttc.target = #ttc.target<name = "test", triple = "x86_64-linux-gnu", cpu = "x86-64-v2",
    features = "", grid_rows = 1, grid_cols = 2, l1_bytes = 65536, l1_alignment = 64, dram_banks = 1,
    dram_bank_bytes = 65536, dram_alignment = 64, queues = 2, chips = 1>} {
  ttc.collective @sum all_reduce direct sum i8 bytes 64 groups [array<i64: 0, 1>]
  ttc.collective @pass permute direct sum i8 bytes 64 groups [array<i64: 0, 1>] sources [-1, 0]
  ttc.program @f(tensor<64xi8>) -> tensor<64xi8> attributes {grid = 4 : i64, scratch_bytes = 0 : i64}
  ttc.buffer slot @x0 : tensor<64xi8> in dram at 0x0 size 64
  ttc.buffer slot @x1 : tensor<64xi8> in dram at 0x40 size 64
  ttc.buffer slot @y0 : tensor<64xi8> in dram at 0x80 size 64
  ttc.buffer slot @y1 : tensor<64xi8> in dram at 0xc0 size 64
  ttc.buffer activation @a : tensor<128xi8> live [3, 17) in dram at 0x100 size 128
  ttc.buffer host @h : tensor<64xi8> in host at 0x0 size 64
  ttc.buffer host @k : tensor<64xi8> in host at 0x40 size 64
  ttc.event @written
  ttc.event @done
  ttc.trace @t region at dram 0xfe80 size 352 {
    ttc.cmd.wait @written loc("wait")
    ttc.cmd.fill @a with 72623859790382856 bytes 128 loc("fill")
    ttc.cmd.barrier loc("barrier")
    ttc.cmd.dispatch @f(@x0) into (@a + 64) loc("dispatch")
    ttc.cmd.offer @sum(@a + 64) loc("offer")
    ttc.cmd.exchange @sum(@a + 64) into (@a) loc("exchange")
    ttc.cmd.send @pass(@a + 64) loc("send")
    ttc.cmd.receive @pass into (@a) loc("receive")
    ttc.cmd.copy @x0 to @y1 bytes 64 loc("copy")
    ttc.cmd.repeat carried (@a) bytes [64] while @a at_most 100 fails_at_limit loc("repeat")
    ttc.cmd.dispatch @f(@x0) into (@a) loc("again")
    ttc.cmd.end_repeat loc("end of the loop")
    ttc.cmd.signal @done loc("signal")
    ttc.cmd.end loc("end")
  }
  ttc.entry @main {
    ttc.input "x" at @x0 ring [@x1] : tensor<64xi8>
    ttc.output "y" at @y0 ring [@y1] : tensor<64xi8>
    ttc.schedule "single" queues 2 prologue {
      ttc.enqueue.write 0 to @x0 on 1 loc("write")
      ttc.enqueue.record @written on 1 loc("record")
    } body {
      ttc.enqueue.execute @t on 0 loc("execute")
      ttc.enqueue.dispatch @f(@a + 64) into (@y0) on 0 loc("run")
      ttc.enqueue.wait @done on 1 loc("await")
      ttc.enqueue.copy @y0 to @h bytes 64 on 1 loc("stage")
      ttc.enqueue.host @f(@h) into (@k) on 1 loc("host")
      ttc.enqueue.write 0 to @x1 on 1 loc("refill")
      ttc.enqueue.record @written on 1 loc("rerecord")
    } epilogue {
      ttc.enqueue.read 0 from @y1 on 0 loc("read")
    }
  }
  ttc.binary @code dense<7> : tensor<64xi8>
}
)mlir";

std::string write(ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  EXPECT_TRUE(succeeded(writeBundle(module, stream)));
  return bytes;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

class Serialization : public testing::Test {
protected:
  Serialization() {
    context.loadDialect<TtcDialect>();
    module = parseSourceString<ModuleOp>(kEveryKind, &context);
  }

  OwningOpRef<ModuleOp> read(StringRef bytes) {
    return readBundle(llvm::MemoryBuffer::getMemBufferCopy(bytes, "test.ttcb"), &context);
  }

  /// The names of the module's ops of one interface.
  template <typename Interface> std::set<std::string> getOps(ModuleOp from) {
    std::set<std::string> names;
    from.walk([&](Interface op) { names.insert(op->getName().getStringRef().str()); });
    return names;
  }

  /// The names of all registered ops of one interface.
  template <typename Interface> std::set<std::string> getRegistered() {
    std::set<std::string> names;
    for (RegisteredOperationName op : context.getRegisteredOperations())
      if (op.hasInterface<Interface>())
        names.insert(op.getStringRef().str());
    return names;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Serialization, EveryCommandAndStepHasTheInterface) {
  EXPECT_EQ(getRegistered<CommandOpInterface>(), getRegistered<CommandSerializationOpInterface>());
  EXPECT_EQ(getRegistered<StepOpInterface>(), getRegistered<StepSerializationOpInterface>());
}

TEST_F(Serialization, EveryOpcodeAndKindHasOneOp) {
  std::multiset<ttrt::Opcode> opcodes, expectedOpcodes;
  std::multiset<ttrt::fb::StepKind> kinds, expectedKinds;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (auto *command = op.getInterface<CommandSerializationOpInterface>())
      opcodes.insert(command->getOpcode());
    if (auto *step = op.getInterface<StepSerializationOpInterface>())
      kinds.insert(step->getStepKind());
  }
  for (int i = static_cast<int>(ttrt::Opcode::Dispatch);
       i <= static_cast<int>(ttrt::Opcode::EndRepeat); ++i)
    expectedOpcodes.insert(static_cast<ttrt::Opcode>(i));
  for (ttrt::fb::StepKind kind : ttrt::fb::EnumValuesStepKind())
    expectedKinds.insert(kind);
  EXPECT_EQ(opcodes, expectedOpcodes);
  EXPECT_EQ(kinds, expectedKinds);
}

TEST_F(Serialization, EveryKindRoundTrips) {
  ASSERT_TRUE(module);
  // The module above holds one of each.
  EXPECT_EQ(getOps<CommandOpInterface>(*module), getRegistered<CommandOpInterface>());
  EXPECT_EQ(getOps<StepOpInterface>(*module), getRegistered<StepOpInterface>());

  std::string bytes = write(*module);
  OwningOpRef<ModuleOp> again = read(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(write(*again), bytes);

  // The ops are the same ones, with their locations; other ops stand in another order.
  auto getText = [](ModuleOp from) {
    std::vector<std::string> lines;
    from.walk([&](Operation *op) {
      if (!isa<CommandOpInterface, StepOpInterface>(op))
        return;
      std::string line;
      llvm::raw_string_ostream stream(line);
      op->print(stream, OpPrintingFlags().enableDebugInfo(true, true).useLocalScope());
      lines.push_back(line);
    });
    return lines;
  };
  EXPECT_EQ(getText(*again), getText(*module));
}

TEST_F(Serialization, CommandsHaveTheBytesThatTheySay) {
  ASSERT_TRUE(module);
  BundleNumbers numbers;
  module->walk([&](CommandSerializationOpInterface command) {
    std::vector<char> stream;
    command.writeCommand(numbers, stream);
    auto sized = cast<CommandOpInterface>(command.getOperation());
    EXPECT_EQ(static_cast<int64_t>(stream.size()), sized.getEncodedBytes()) << print(*module);
    ttrt::CommandHeader header;
    ASSERT_GE(stream.size(), sizeof(header));
    memcpy(&header, stream.data(), sizeof(header));
    EXPECT_EQ(header.opcode, command.getOpcode());
    EXPECT_EQ(header.size, stream.size());
  });
}

/// The bundle with the opcode `to` in all commands that have `from`, and hashes to match.
std::string replaceOpcode(std::string bytes, ttrt::Opcode from, uint16_t to) {
  ttrt::FileHeader header;
  memcpy(&header, bytes.data(), sizeof(header));
  const auto *bundle = ttrt::fb::GetBundle(bytes.data() + header.metadataOffset);
  for (const ttrt::fb::Segment *segment : *bundle->segments()) {
    if (segment->kind() != ttrt::fb::SegmentKind::Streams)
      continue;
    char *stream = bytes.data() + segment->offset();
    for (uint64_t at = 0; at < bundle->traces()->Get(0)->size();) {
      ttrt::CommandHeader command;
      memcpy(&command, stream + at, sizeof(command));
      if (command.opcode == from)
        memcpy(stream + at, &to, sizeof(to));
      at += command.size;
    }
    auto *table = reinterpret_cast<flatbuffers::Table *>(const_cast<ttrt::fb::Segment *>(segment));
    table->SetField<uint64_t>(ttrt::fb::Segment::VT_HASH,
                              ttrt::hashSegment(stream, segment->size()), 0);
  }
  header.metadataHash = ttrt::hashBytes(bytes.data() + header.metadataOffset, header.metadataSize);
  header.headerHash = ttrt::hashBytes(&header, offsetof(ttrt::FileHeader, headerHash));
  memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

TEST_F(Serialization, UnknownOpcodesAreErrors) {
  ASSERT_TRUE(module);
  std::string bytes = write(*module), text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    text += diagnostic.str() + "\n";
    return success();
  });
  EXPECT_FALSE(read(replaceOpcode(bytes, ttrt::Opcode::Copy, 99)));
  EXPECT_EQ(text, "trace 't': command 8 is damaged\n");
  // A known opcode whose command is longer than these bytes.
  text.clear();
  EXPECT_FALSE(
      read(replaceOpcode(bytes, ttrt::Opcode::Barrier, static_cast<uint16_t>(ttrt::Opcode::Copy))));
  EXPECT_EQ(text, "trace 't': command 2 is damaged\n");
}

} // namespace
