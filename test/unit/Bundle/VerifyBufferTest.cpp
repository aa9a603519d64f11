// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of fields agrees with the functions that flatc generates, of good flatbuffers and of
// changed ones.

#include "Bundle/VerifyBuffer.h"
#include "test/unit/Support/Certify.h"
#include "test/unit/Support/GenerateBundle.h"
#include "test/unit/Support/HostBundle.h"
#include "test/unit/Support/MeshBundle.h"
#include "test/unit/Support/QueueBundle.h"
#include "test/unit/Support/StageBundle.h"

#include <gtest/gtest.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

/// Aligned, as in a bundle.
class Flatbuffer {
public:
  template <typename Table>
  Flatbuffer(std::type_identity<Table>, const typename Table::NativeTableType &table,
             const char *id) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(Table::Pack(builder, &table), id);
    size = builder.GetSize();
    words.resize(size / sizeof(uint64_t) + 1);
    memcpy(words.data(), builder.GetBufferPointer(), size);
  }
  uint8_t *data() { return reinterpret_cast<uint8_t *>(words.data()); }

  size_t size;

private:
  std::vector<uint64_t> words;
};

/// All vectors of 8-byte numbers of a bundle, which flatbuffers does not require to be aligned.
bool isAligned(const fb::Bundle &bundle) {
  uintptr_t bits = 0;
  auto add = [&](const auto *...numbers) {
    ((bits |= numbers ? reinterpret_cast<uintptr_t>(numbers->Data()) : 0), ...);
  };
  auto each = [](const auto *tables, auto visit) {
    for (uint32_t i = 0; tables && i < tables->size(); ++i)
      visit(*tables->Get(i));
  };
  auto operand = [&](const fb::Operand &of) { add(of.shape()); };
  auto port = [&](const fb::Port &of) { add(of.shape()); };
  each(bundle.programs(), [&](const fb::Program &program) {
    each(program.operands(), operand);
    if (const fb::HostFunction *function = program.host_function())
      each(function->attributes(), [&](const fb::HostAttribute &attribute) {
        add(attribute.ints(), attribute.shape(), attribute.data());
      });
  });
  each(bundle.collectives(), [&](const fb::Collective &of) { each(of.operands(), operand); });
  each(bundle.states(), port);
  each(bundle.entries(), [&](const fb::EntryPoint &entry) {
    each(entry.inputs(), port);
    each(entry.outputs(), port);
    each(entry.schedules(), [&](const fb::Schedule &schedule) {
      for (const auto *steps : {schedule.prologue(), schedule.body(), schedule.epilogue()})
        each(steps, [&](const fb::Step &step) { add(step.operands()); });
    });
    if (const fb::Dataflow *dataflow = entry.dataflow()) {
      add(dataflow->values(), dataflow->outputs());
      each(dataflow->states(), [&](const fb::StateDataflow &of) { add(of.accesses()); });
    }
  });
  return bits % sizeof(uint64_t) == 0;
}

bool isGood(Flatbuffer &buffer, const fb::Bundle *) {
  flatbuffers::Verifier verifier(buffer.data(), buffer.size, 16, 16 * 1024 * 1024);
  return fb::VerifyBundleBuffer(verifier) && isAligned(*fb::GetBundle(buffer.data()));
}
bool isGood(Flatbuffer &buffer, const fb::Facts *) {
  flatbuffers::Verifier verifier(buffer.data(), buffer.size, 16, 16 * 1024 * 1024);
  return verifier.VerifyBuffer<fb::Facts>(nullptr);
}
const fb::Bundle *verify(Flatbuffer &buffer, const fb::Bundle *) {
  return verifyBundleBuffer(buffer.data(), buffer.size);
}
const fb::Facts *verify(Flatbuffer &buffer, const fb::Facts *) {
  return verifyFactsBuffer(buffer.data(), buffer.size);
}

/// Each pair of bytes in turn becomes zero, as of a field that is absent, or another number.
template <typename Table>
void compareAll(const typename Table::NativeTableType &table, const char *id = nullptr) {
  const Table *const type = nullptr;
  Flatbuffer buffer(std::type_identity<Table>(), table, id);
  ASSERT_TRUE(isGood(buffer, type));
  ASSERT_EQ(static_cast<const void *>(verify(buffer, type)),
            flatbuffers::GetRoot<Table>(buffer.data()));
  size_t refused = 0;
  for (size_t i = 0; i + 2 <= buffer.size; i += 2) {
    uint16_t number;
    memcpy(&number, buffer.data() + i, sizeof(number));
    for (const int change : {0, number + 4, number + 8, number - 8, number ^ 0x8000, 0xffff}) {
      const auto changed = static_cast<uint16_t>(change);
      memcpy(buffer.data() + i, &changed, sizeof(changed));
      const bool expected = isGood(buffer, type);
      refused += !expected;
      ASSERT_EQ(verify(buffer, type) != nullptr, expected)
          << "bytes " << i << " are " << changed << ", and were " << number;
    }
    memcpy(buffer.data() + i, &number, sizeof(number));
  }
  EXPECT_GT(refused, 100u);
  for (size_t whole = buffer.size; buffer.size-- > 0;)
    ASSERT_EQ(verify(buffer, type) != nullptr, isGood(buffer, type))
        << buffer.size << " of " << whole;
}

TEST(VerifyBuffer, AgreesWithGeneratedFunctions) {
  for (BundleBuilder builder : {sampleBundle(), meshBundle(true), meshPartsBundle(), hostBundle(),
                                stageBundle(), queueBundle(), generateBundle()}) {
    builder.finish();
    builder.bundle.metadata.push_back(std::make_unique<fb::MetadatumT>());
    builder.bundle.metadata[0]->key = "key";
    builder.bundle.metadata[0]->value = {1, 2, 3};
    compareAll<fb::Bundle>(builder.bundle, fb::BundleIdentifier());
  }
}

TEST(VerifyBuffer, AgreesOnFacts) {
  BundleBuilder builder = sampleBundle();
  builder.finish();
  fb::FactsT facts;
  for (const auto &program : builder.bundle.programs)
    facts.programs.push_back(std::make_unique<fb::ProgramT>(*program));
  compareAll<fb::Facts>(facts);
}

} // namespace
