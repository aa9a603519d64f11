// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScriptBundle.h"

#include <algorithm>

namespace ttrt::test {

BundleBuilder scriptBundle(const Script &script, bool onHost) {
  BundleBuilder builder;
  std::vector<uint64_t> words;
  std::vector<std::string> names;
  for (const Step &step : script) {
    words.insert(words.end(), {step.what, hashOf(step.name), step.number, step.workgroup});
    if (*step.name && step.name[0] != '?')
      names.emplace_back(step.name);
  }
  words.resize(words.size() + 4);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  builder.bundle.zone_names = names;
  builder.bundle.required_features = {kProgramMarkersFeature};

  const uint64_t bytes = words.size() * sizeof(uint64_t);
  const uint64_t steps = builder.constant("script", words.data(), bytes);
  const uint64_t x = builder.dataBegin(), y = x + kSampleBytes, a = y + kSampleBytes,
                 b = a + kSampleBytes, c = b + kSampleBytes;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  const uint32_t marked =
      builder.program("test_script", kGrid, {kSampleBytes, bytes}, {kSampleBytes}, kScratch);
  const uint32_t litter =
      builder.program("test_litter", kGrid, {kSampleBytes}, {kSampleBytes}, kScratch);
  builder.bundle.programs[marked]->markers = true;
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {1, 256}, in);
  BundleBuilder::port(entry.outputs, "y", {1, 256}, out);
  BundleBuilder::step(entry, fb::StepKind::Write, 0);
  if (onHost) {
    BundleBuilder::step(entry, fb::StepKind::HostDispatch, marked).operands = {x, steps, y};
  } else {
    builder.buffer("a", fb::BufferKind::Activation, a, kSampleBytes, 1, 4);
    builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes, 3, 6);
    builder.buffer("c", fb::BufferKind::Activation, c, kSampleBytes, 5, 8);
    StreamBuilder stream;
    stream.dispatch(litter, {x, a});
    stream.barrier();
    stream.dispatch(marked, {a, steps, b});
    stream.barrier();
    stream.dispatch(litter, {b, c});
    stream.barrier();
    stream.dispatch(marked, {c, steps, y});
    stream.end();
    BundleBuilder::step(entry, fb::StepKind::Execute, builder.trace("main_t0", stream));
  }
  BundleBuilder::step(entry, fb::StepKind::Read, 0);
  return builder;
}

} // namespace ttrt::test
