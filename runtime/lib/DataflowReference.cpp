// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataflowReference.h"

#include "Format.h"
#include "ttrt/dataflow.h"

#include <algorithm>

namespace ttrt {

static uint64_t digestOf(const fb::EntryPoint &entry, const fb::Port &port) {
  static const std::vector<int64_t> kScalar;
  const auto dtype = static_cast<uint64_t>(port.dtype());
  auto of = [&](const auto &shape) {
    return dataflow::digestOfPort(text(entry.name()), text(port.name()), dtype, shape);
  };
  return port.shape() ? of(*port.shape()) : of(kScalar);
}

DataflowReference::DataflowReference(const Bundle &bundle, const fb::EntryPoint &entry) {
  const auto *buffers = bundle.metadata().buffers();
  for (uint32_t i = 0; i < count(buffers); ++i)
    if (const fb::Buffer &buffer = *buffers->Get(i); buffer.kind() == fb::BufferKind::State)
      logs.push_back({i, bundle.address(buffer), bundle.bytes(buffer), 1, {}});
  for (uint32_t i = 0; i < count(entry.inputs()); ++i)
    inputPorts.push_back(digestOf(entry, *entry.inputs()->Get(i)));
  for (uint32_t i = 0; i < count(entry.outputs()); ++i)
    outputPorts.push_back(digestOf(entry, *entry.outputs()->Get(i)));
  // Without constants, the hash of nothing.
  constants = hashSegment(nullptr, 0);
  for (const fb::Segment *segment : *bundle.metadata().segments())
    if (segment->kind() == fb::SegmentKind::Constants)
      constants = segment->hash();

  outputs.resize(outputPorts.size());
  known.resize(outputPorts.size());
  const fb::Dataflow *dataflow = entry.dataflow();
  if (!dataflow) {
    learning = open = true;
    return;
  }
  const char *name = text(entry.name());
  if (count(dataflow->outputs()) != outputs.size())
    failBad("the dataflow of entry point '{}' has {} outputs; expected {}", name,
            count(dataflow->outputs()), outputs.size());
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = dataflow->outputs()->Get(i);
    known[i] = true;
  }
  if (const auto *from = dataflow->values())
    values.assign(from->begin(), from->end());
  if (!std::is_sorted(values.begin(), values.end()))
    failBad("the values in the dataflow of entry point '{}' are not in order", name);
  for (uint32_t i = 0; i < count(dataflow->states()); ++i) {
    const fb::StateDataflow &state = *dataflow->states()->Get(i);
    const auto log = std::find_if(logs.begin(), logs.end(), [&](const StateLog &candidate) {
      return candidate.buffer == state.buffer();
    });
    if (log == logs.end() || !log->accesses.empty() || state.inferences() == 0 ||
        count(state.accesses()) == 0 || count(state.accesses()) % state.inferences() != 0)
      failBad("the dataflow of entry point '{}' has {} accesses in {} inferences to buffer {}; "
              "expected a state buffer, once, and accesses that divide into inferences",
              name, count(state.accesses()), state.inferences(), state.buffer());
    log->inferences = state.inferences();
    log->accesses.assign(state.accesses()->begin(), state.accesses()->end());
  }
}

bool DataflowReference::endFirstBody(uint64_t inferences) {
  const bool isClear = !open || inferences <= 1 ||
                       std::all_of(logs.begin(), logs.end(),
                                   [](const StateLog &log) { return log.accesses.empty(); });
  open = false;
  return isClear;
}

bool DataflowReference::hasValue(uint64_t digest) {
  const auto at = std::lower_bound(values.begin(), values.end(), digest);
  if (at != values.end() && *at == digest)
    return true;
  if (learning)
    values.insert(at, digest);
  return learning;
}

bool DataflowReference::isOutput(uint32_t output, uint64_t digest) {
  if (known[output])
    return outputs[output] == digest;
  known[output] = learning;
  outputs[output] = digest;
  return learning;
}

bool DataflowReference::isStateAccess(StateLog &log, uint64_t index, uint64_t digest) {
  if (open) {
    log.accesses.push_back(digest);
    return true;
  }
  return !log.accesses.empty() && log.accesses[index % log.accesses.size()] == digest;
}

StateLog *DataflowReference::findState(uint64_t address) {
  for (StateLog &log : logs)
    if (address >= log.address && address - log.address < log.bytes)
      return &log;
  return nullptr;
}

} // namespace ttrt
