// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GenerateBundle.h"

#include "Certify.h"

namespace ttrt::test {

namespace {

enum : uint32_t { kComputed, kDrained };
enum : uint32_t { kToken, kPosition, kSampling, kHistory, kKeys, kActive };

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
  fb::ScheduleT &schedule = BundleBuilder::schedule(entry, "overlap-io", 2);
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

/// `decode` for one sequence, decode_B for several.
static BundleBuilder makeBundle(const std::vector<uint32_t> &buckets, uint32_t sequences) {
  const bool isOne = sequences == 1;
  BundleBuilder builder;
  builder.bundle.target->queues = 2;
  for (const char *name : {"computed", "drained"})
    builder.event(name);
  Layout layout{builder};
  std::vector<std::pair<fb::Access, uint64_t>> operands;
  std::vector<uint64_t> at;
  auto addState = [&](const char *name, std::vector<int64_t> shape, uint64_t elements) {
    uint32_t buffer;
    at.push_back(layout.add(name, fb::BufferKind::State, 4 * elements * sequences, &buffer));
    if (!isOne && elements > 1)
      shape.insert(shape.begin(), sequences);
    BundleBuilder::port(builder.bundle.states, name, shape, buffer, fb::DType::I32);
    operands.emplace_back(fb::Access::ReadWrite, 4 * elements * sequences);
  };
  addState("token", {sequences}, 1);
  addState("position", {sequences}, 1);
  addState("sampling", {64}, 64);
  addState("history", {kContext}, kContext);
  addState("keys", {kContext}, kContext);
  if (!isOne)
    addState("active", {sequences}, 1);

  for (uint32_t rows = 1; rows <= sequences; rows *= 2) {
    const std::string suffix = isOne ? "" : "_" + std::to_string(rows);
    std::vector<std::pair<fb::Access, uint64_t>> all(operands.begin(), operands.begin() + kActive);
    std::vector<uint64_t> addresses(at.begin(), at.begin() + kActive);
    uint32_t token, logits;
    addresses.push_back(layout.add("chosen" + suffix, fb::BufferKind::Slot, 4 * rows, &token));
    addresses.push_back(layout.add("logits" + suffix, fb::BufferKind::Slot, 16 * rows, &logits));
    all.emplace_back(fb::Access::Write, 4 * rows);
    all.emplace_back(fb::Access::Write, 16 * rows);
    if (!isOne) {
      addresses.push_back(at[kActive]);
      all.emplace_back(fb::Access::Read, 4 * sequences);
    }
    StreamBuilder stream;
    stream.dispatch(addProgram(builder, "test_decode" + suffix, all), addresses);
    stream.end();
    const uint32_t trace = builder.trace("decode" + suffix + "_t0", stream);
    fb::EntryPointT &decode = builder.entry("decode" + suffix);
    BundleBuilder::port(decode.outputs, "token", {rows}, token, fb::DType::I32);
    BundleBuilder::port(decode.outputs, "logits", {rows, 4}, logits);
    BundleBuilder::step(decode, fb::StepKind::Execute, trace);
    BundleBuilder::step(decode, fb::StepKind::Read, 0);
    BundleBuilder::step(decode, fb::StepKind::Read, 1);
    addOverlapIo(decode, trace);
  }

  for (uint32_t tokens : buckets) {
    const std::string name = "prefill_" + std::to_string(tokens);
    uint32_t in, count, sequence, out;
    const uint64_t inAt = layout.add(name + "_in", fb::BufferKind::Slot, 4 * tokens, &in);
    const uint64_t countAt = layout.add(name + "_count", fb::BufferKind::Slot, 4, &count);
    const uint64_t outAt = layout.add(name + "_out", fb::BufferKind::Slot, 4, &out);
    std::vector<std::pair<fb::Access, uint64_t>> all = {
        {fb::Access::Read, 4 * tokens},
        {fb::Access::Read, 4},
        {fb::Access::ReadWrite, 4 * sequences},
        {fb::Access::ReadWrite, 4 * kContext * sequences},
        {fb::Access::Write, 4}};
    std::vector<uint64_t> addresses = {inAt, countAt, at[kPosition], at[kKeys], outAt};
    if (!isOne) {
      addresses.push_back(layout.add(name + "_sequence", fb::BufferKind::Slot, 4, &sequence));
      all.emplace_back(fb::Access::Read, 4);
    }
    StreamBuilder prefill;
    prefill.dispatch(addProgram(builder, "test_" + name + (isOne ? "" : "_sequence"), all),
                     addresses);
    prefill.end();
    const uint32_t run = builder.trace(name + "_t0", prefill);
    fb::EntryPointT &entry = builder.entry(name);
    BundleBuilder::port(entry.inputs, "tokens", {tokens}, in, fb::DType::I32);
    BundleBuilder::port(entry.inputs, "count", {1}, count, fb::DType::I32);
    if (!isOne)
      BundleBuilder::port(entry.inputs, "sequence", {1}, sequence, fb::DType::I32);
    BundleBuilder::port(entry.outputs, "position", {1}, out, fb::DType::I32);
    for (uint32_t i = 0; i < entry.inputs.size(); ++i)
      BundleBuilder::step(entry, fb::StepKind::Write, i);
    BundleBuilder::step(entry, fb::StepKind::Execute, run);
    BundleBuilder::step(entry, fb::StepKind::Read, 0);
  }
  certify(builder);
  return builder;
}

BundleBuilder generateBundle(const std::vector<uint32_t> &buckets) {
  return makeBundle(buckets, 1);
}

BundleBuilder sequencesBundle(const std::vector<uint32_t> &buckets) {
  return makeBundle(buckets, kSequences);
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

static BundleBuilder addText(BundleBuilder builder) {
  const std::pair<const char *, std::string> values[] = {
      {"architecture", "toy"},
      {"chat_template",
       "{{ greeting }}{% for tool in tools or [] %}[{{ tool.name }}]{% endfor %}"
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

BundleBuilder chatBundle() { return addText(generateBundle()); }
BundleBuilder sequencesChatBundle() { return addText(sequencesBundle()); }

} // namespace ttrt::test
