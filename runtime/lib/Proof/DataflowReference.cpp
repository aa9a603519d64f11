// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Proof/DataflowReference.h"

#include "Base/Format.h"
#include "Base/Sort.h"
#include "ttrt/format/dataflow.h"
#include "ttrt/format/host_digest.h"

#include <algorithm>

namespace ttrt {

DataflowTables::DataflowTables(const Bundle &bundle) : bundle(bundle) {
  for (uint32_t i = 0; i < count(bundle.metadata().programs()); ++i) {
    const fb::Program &program = *bundle.metadata().programs()->Get(i);
    programs.push_back(program.host_function() ? dataflow::digestOfHostFunction(program)
                                               : dataflow::digestOf(dataflow::Kind::Program, i));
  }
  for (uint32_t i = 0; i < count(bundle.metadata().buffers()); ++i)
    if (const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(i);
        buffer.kind() == fb::BufferKind::State)
      states.push_back({i, 0, bundle.address(buffer), bundle.bytes(buffer)});
  sortItems(states,
            [](const StateBuffer &a, const StateBuffer &b) { return a.address < b.address; });
  for (uint32_t i = 0; i < states.size(); ++i)
    states[i].number = i;
}

StateBuffer DataflowTables::stateAt(uint64_t address) const {
  auto above = std::partition_point(states.begin(), states.end(), [&](const StateBuffer &state) {
    return state.address <= address;
  });
  return above != states.begin() && address - above[-1].address < above[-1].bytes ? above[-1]
                                                                                  : StateBuffer();
}

DataflowReference::DataflowReference(const DataflowTables &tables, const fb::EntryPoint &entry)
    : tables(tables), entry(entry), given(entry.dataflow()) {
  restart();
  if (!given)
    return;
  const char *name = text(entry.name());
  if (count(given->outputs()) != count(entry.outputs()))
    failBad("the dataflow of entry point '{}' has {} outputs; expected {}", name,
            count(given->outputs()), count(entry.outputs()));
  givenStates.resize(tables.states.size());
  const auto *buffers = tables.bundle.metadata().buffers();
  for (uint32_t i = 0; i < count(given->states()); ++i) {
    const fb::StateDataflow &state = *given->states()->Get(i);
    if (state.buffer() >= count(buffers) ||
        buffers->Get(state.buffer())->kind() != fb::BufferKind::State || state.inferences() == 0 ||
        count(state.accesses()) % state.inferences() != 0)
      failBad("the dataflow of entry point '{}' has {} accesses in {} inferences to buffer {}; "
              "expected a state buffer, and accesses that divide into inferences",
              name, count(state.accesses()), state.inferences(), state.buffer());
    const uint64_t address = tables.bundle.address(*buffers->Get(state.buffer()));
    const fb::StateDataflow *&known = givenStates[stateAt(address).number];
    if (!known)
      known = &state;
  }
}

void DataflowReference::restart() {
  if (given)
    return;
  learned.assign(1 + tables.states.size(), {});
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

bool DataflowReference::isStateAccess(const StateBuffer &state, uint64_t index, uint64_t digest) {
  if (given) {
    const fb::StateDataflow *log = givenStates[state.number];
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
  const fb::StateDataflow *log = givenStates[state.number];
  return log ? count(log->accesses()) / log->inferences() : 0;
}

uint64_t DataflowReference::digestOf(const fb::Port &port) const {
  const auto *shape = port.shape();
  uint64_t digest = dataflow::digestOfPort(text(entry.name()), text(port.name()),
                                           static_cast<uint64_t>(port.dtype()),
                                           shape ? shape->data() : nullptr, count(shape));
  for (uint32_t i = 0; i < count(port.sharding()); ++i)
    for (uint32_t j = 0; j < count(port.sharding()->Get(i)->axes()); ++j) {
      const auto *axes = tables.bundle.metadata().mesh()->axes();
      digest = dataflow::digestOfDivision(digest, i, port.sharding()->Get(i)->axes()->Get(j),
                                          axes->size(),
                                          [&](uint32_t axis) { return axes->Get(axis)->size(); });
    }
  return digest;
}

} // namespace ttrt
