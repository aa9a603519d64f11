// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Proof/DataflowReference.h"

#include "Base/Format.h"
#include "ttrt/format/dataflow.h"
#include "ttrt/format/host_digest.h"

#include <algorithm>

namespace ttrt {

DataflowReference::DataflowReference(const Bundle &bundle, const fb::EntryPoint &entry)
    : bundle(bundle), entry(entry), given(entry.dataflow()) {
  const auto *buffers = bundle.metadata().buffers();
  for (uint32_t i = 0; i < count(buffers); ++i)
    states += buffers->Get(i)->kind() == fb::BufferKind::State;
  for (uint32_t i = 0; i < count(bundle.metadata().programs()); ++i) {
    const fb::Program &program = *bundle.metadata().programs()->Get(i);
    programs.push_back(program.host_function() ? dataflow::digestOfHostFunction(program)
                                               : dataflow::digestOf(dataflow::Kind::Program, i));
  }
  restart();
  if (!given)
    return;
  const char *name = text(entry.name());
  if (count(given->outputs()) != count(entry.outputs()))
    failBad("the dataflow of entry point '{}' has {} outputs; expected {}", name,
            count(given->outputs()), count(entry.outputs()));
  for (uint32_t i = 0; i < count(given->states()); ++i) {
    const fb::StateDataflow &state = *given->states()->Get(i);
    if (state.buffer() >= count(buffers) ||
        buffers->Get(state.buffer())->kind() != fb::BufferKind::State || state.inferences() == 0 ||
        count(state.accesses()) % state.inferences() != 0)
      failBad("the dataflow of entry point '{}' has {} accesses in {} inferences to buffer {}; "
              "expected a state buffer, and accesses that divide into inferences",
              name, count(state.accesses()), state.inferences(), state.buffer());
  }
}

void DataflowReference::restart() {
  if (given)
    return;
  learned.assign(1 + states, {});
  learned[0].resize(count(entry.outputs()));
  learnedSends.clear();
  learning = open = true;
}

bool DataflowReference::endFirstBody(uint64_t inferences) {
  open = false;
  return inferences <= 1 || std::all_of(learned.begin() + 1, learned.end(),
                                        [](const auto &accesses) { return accesses.empty(); });
}

bool DataflowReference::hasValue(uint64_t digest) const {
  if (!given || !given->values())
    return true;
  const auto *values = given->values();
  return std::binary_search(values->data(), values->data() + values->size(), digest);
}

bool DataflowReference::isOutput(uint32_t output, uint64_t digest) {
  if (given)
    return given->outputs()->Get(output) == digest;
  uint64_t &known = learned[0][output];
  if (known == 0 && learning)
    known = digest;
  return known == digest;
}

bool DataflowReference::isSend(uint32_t collective, uint64_t number, uint64_t digest) {
  if (given) // the digest tells which send it is
    return given->values() && hasValue(digest);
  for (const Send &send : learnedSends)
    if (send.collective == collective && send.number == number)
      return send.digest == digest;
  if (learning)
    learnedSends.push_back({collective, number, digest});
  return learning;
}

std::vector<uint64_t> DataflowReference::sends() const {
  std::vector<uint64_t> digests;
  for (const Send &send : learnedSends)
    digests.push_back(send.digest);
  return digests;
}

const fb::StateDataflow *DataflowReference::givenFor(const StateBuffer &state) const {
  for (uint32_t i = 0; i < count(given->states()); ++i)
    if (given->states()->Get(i)->buffer() == state.index)
      return given->states()->Get(i);
  return nullptr;
}

bool DataflowReference::isStateAccess(const StateBuffer &state, uint64_t index, uint64_t digest) {
  if (given) {
    const fb::StateDataflow *log = givenFor(state);
    return log && count(log->accesses()) &&
           log->accesses()->Get(static_cast<uint32_t>(index % count(log->accesses()))) == digest;
  }
  std::vector<uint64_t> &accesses = learned[1 + state.number];
  if (open)
    accesses.push_back(digest);
  return !accesses.empty() && accesses[index % accesses.size()] == digest;
}

uint64_t DataflowReference::perInference(const StateBuffer &state) const {
  if (!given)
    return open ? 0 : learned[1 + state.number].size();
  const fb::StateDataflow *log = givenFor(state);
  return log ? count(log->accesses()) / log->inferences() : 0;
}

StateBuffer DataflowReference::state(uint32_t number) const {
  const auto *buffers = bundle.metadata().buffers();
  uint32_t before = 0;
  for (uint32_t i = 0; i < count(buffers); ++i)
    if (buffers->Get(i)->kind() == fb::BufferKind::State && before++ == number)
      return {i, number, bundle.address(*buffers->Get(i))};
  return {};
}

StateBuffer DataflowReference::stateAt(uint64_t address) const {
  for (uint32_t number = 0; number < states; ++number)
    if (const StateBuffer found = state(number);
        address >= found.address &&
        address - found.address < bundle.bytes(*bundle.metadata().buffers()->Get(found.index)))
      return found;
  return {};
}

uint64_t DataflowReference::digestOf(const fb::Port &port) const {
  const auto *shape = port.shape();
  uint64_t digest = dataflow::digestOfPort(text(entry.name()), text(port.name()),
                                           static_cast<uint64_t>(port.dtype()),
                                           shape ? shape->data() : nullptr, count(shape));
  for (uint32_t i = 0; i < count(port.sharding()); ++i)
    for (uint32_t j = 0; j < count(port.sharding()->Get(i)->axes()); ++j) {
      const auto *axes = bundle.metadata().mesh()->axes();
      digest = dataflow::digestOfDivision(digest, i, port.sharding()->Get(i)->axes()->Get(j),
                                          axes->size(),
                                          [&](uint32_t axis) { return axes->Get(axis)->size(); });
    }
  return digest;
}

} // namespace ttrt
