// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GenerateBundle.h"

#include "Certify.h"

namespace ttrt::test {

namespace {

enum : uint32_t { kComputed, kDrained };
enum : uint32_t { kToken, kPosition, kSampling, kHistory, kKeys };

/// Adds buffers one after another.
struct Layout {
  BundleBuilder &builder;
  uint64_t next = builder.dataBegin();
  uint64_t addresses[5] = {};

  uint64_t add(const std::string &name, fb::BufferKind kind, uint64_t bytes, uint32_t *index) {
    const uint64_t address = next;
    *index = builder.buffer(name, kind, address, bytes);
    next += alignUp(bytes, kBufferAlignment);
    return address;
  }
};

uint32_t addProgram(BundleBuilder &builder, const std::string &symbol,
                    const std::vector<std::pair<fb::Access, uint64_t>> &operands) {
  const uint32_t program = builder.program(symbol, 1, {}, {});
  for (const auto &[access, bytes] : operands) {
    auto operand = std::make_unique<fb::OperandT>();
    operand->access = access;
    operand->bytes = bytes;
    builder.bundle.programs[program]->operands.push_back(std::move(operand));
  }
  return program;
}

void addOverlapIo(fb::EntryPointT &entry, uint32_t trace) {
  entry.schedules.push_back(std::make_unique<fb::ScheduleT>());
  fb::ScheduleT &schedule = *entry.schedules.back();
  schedule.name = "overlap-io";
  schedule.queues = 2;
  auto add = [](auto &part, fb::StepKind kind, uint32_t index, uint8_t queue) {
    auto step = std::make_unique<fb::StepT>();
    step->kind = kind;
    step->index = index;
    step->queue = queue;
    part.push_back(std::move(step));
  };
  auto run = [&](auto &part) {
    add(part, fb::StepKind::Wait, kDrained, 0);
    add(part, fb::StepKind::Execute, trace, 0);
    add(part, fb::StepKind::Record, kComputed, 0);
  };
  auto read = [&](auto &part) {
    add(part, fb::StepKind::Wait, kComputed, 1);
    for (uint32_t i = 0; i < entry.outputs.size(); ++i)
      add(part, fb::StepKind::Read, i, 1);
    add(part, fb::StepKind::Record, kDrained, 1);
  };
  add(schedule.prologue, fb::StepKind::Record, kDrained, 1);
  run(schedule.prologue);
  read(schedule.body);
  run(schedule.body);
  read(schedule.epilogue);
}

} // namespace

BundleBuilder generateBundle(const std::vector<uint32_t> &buckets) {
  BundleBuilder builder;
  builder.bundle.target->queues = 2;
  for (const char *name : {"computed", "drained"}) {
    builder.bundle.events.push_back(std::make_unique<fb::EventT>());
    builder.bundle.events.back()->name = name;
  }
  Layout layout{builder};
  const std::pair<const char *, uint32_t> states[] = {
      {"token", 1}, {"position", 1}, {"sampling", 64}, {"history", kContext}, {"keys", kContext}};
  std::vector<std::pair<fb::Access, uint64_t>> operands;
  std::vector<uint64_t> at;
  for (const auto &[name, elements] : states) {
    uint32_t buffer;
    at.push_back(layout.add(name, fb::BufferKind::State, 4 * elements, &buffer));
    BundleBuilder::port(builder.bundle.states, name, {elements}, buffer, fb::DType::I32);
    operands.emplace_back(fb::Access::ReadWrite, 4 * elements);
  }

  uint32_t token, logits;
  at.push_back(layout.add("chosen", fb::BufferKind::Slot, 4, &token));
  at.push_back(layout.add("logits", fb::BufferKind::Slot, 16, &logits));
  operands.emplace_back(fb::Access::Write, 4);
  operands.emplace_back(fb::Access::Write, 16);
  StreamBuilder stream;
  stream.dispatch(addProgram(builder, "test_decode", operands), at);
  stream.end();
  const uint32_t trace = builder.trace("decode_t0", stream);
  fb::EntryPointT &decode = builder.entry("decode");
  BundleBuilder::port(decode.outputs, "token", {1}, token, fb::DType::I32);
  BundleBuilder::port(decode.outputs, "logits", {1, 4}, logits);
  BundleBuilder::step(decode, fb::StepKind::Execute, trace);
  BundleBuilder::step(decode, fb::StepKind::Read, 0);
  BundleBuilder::step(decode, fb::StepKind::Read, 1);
  addOverlapIo(decode, trace);

  for (uint32_t tokens : buckets) {
    const std::string name = "prefill_" + std::to_string(tokens);
    uint32_t in, count, out;
    const uint64_t inAt = layout.add(name + "_in", fb::BufferKind::Slot, 4 * tokens, &in);
    const uint64_t countAt = layout.add(name + "_count", fb::BufferKind::Slot, 4, &count);
    const uint64_t outAt = layout.add(name + "_out", fb::BufferKind::Slot, 4, &out);
    const uint32_t program = addProgram(builder, "test_" + name,
                                        {{fb::Access::Read, 4 * tokens},
                                         {fb::Access::Read, 4},
                                         {fb::Access::ReadWrite, 4},
                                         {fb::Access::ReadWrite, 4 * kContext},
                                         {fb::Access::Write, 4}});
    StreamBuilder prefill;
    prefill.dispatch(program, {inAt, countAt, at[kPosition], at[kKeys], outAt});
    prefill.end();
    const uint32_t run = builder.trace(name + "_t0", prefill);
    fb::EntryPointT &entry = builder.entry(name);
    BundleBuilder::port(entry.inputs, "tokens", {tokens}, in, fb::DType::I32);
    BundleBuilder::port(entry.inputs, "count", {1}, count, fb::DType::I32);
    BundleBuilder::port(entry.outputs, "position", {1}, out, fb::DType::I32);
    BundleBuilder::step(entry, fb::StepKind::Write, 0);
    BundleBuilder::step(entry, fb::StepKind::Write, 1);
    BundleBuilder::step(entry, fb::StepKind::Execute, run);
    BundleBuilder::step(entry, fb::StepKind::Read, 0);
  }
  certify(builder);
  return builder;
}

/// 256 tokens of one byte each, control tokens, one merge, and words that no text becomes.
static std::string toyTokenizer() {
  std::string vocabulary, types;
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool visible = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
    const uint32_t code = visible ? byte : next++;
    std::string letter;
    if (code < 0x80)
      letter = {static_cast<char>(code)};
    else
      letter = {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    if (letter == "\"" || letter == "\\")
      letter = "\\" + letter;
    vocabulary += "\"" + letter + "\",";
    types += "1,";
  }
  vocabulary += R"("<|end|>","<|user|>","<|assistant|>","th")";
  types += "3,3,3,1";
  for (uint32_t token = 260; token < 1000; ++token) {
    vocabulary += ",\"\xc4\xa0w" + std::to_string(token) + "\"";
    types += ",1";
  }
  return R"({"model":"bpe","pre":"gpt-2","vocab":[)" + vocabulary + R"(],"types":[)" + types +
         R"(],"merges":["t h"],"bos":null,"eos":256,"eot":null,"add_bos":false,"stop":[256]})";
}

BundleBuilder chatBundle() {
  BundleBuilder builder = generateBundle();
  const std::pair<const char *, std::string> values[] = {
      {"architecture", "toy"},
      {"chat_template",
       "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}{% endfor %}"
       "{% if add_generation_prompt %}<|assistant|>{% endif %}"},
      {"tokenizer", toyTokenizer()}};
  for (const auto &[key, value] : values) {
    auto entry = std::make_unique<fb::MetadatumT>();
    entry->key = key;
    entry->value.assign(value.begin(), value.end());
    builder.bundle.metadata.push_back(std::move(entry));
  }
  return builder;
}

} // namespace ttrt::test
