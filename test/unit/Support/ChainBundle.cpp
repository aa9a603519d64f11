// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Loaded.h"

namespace ttrt::test {

BundleBuilder chainBundle(uint32_t length, bool barriers) {
  BundleBuilder builder;
  const uint64_t bytes = 8 * sizeof(float), x = 0, y = 64, scratch = 128;
  uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, bytes);
  uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, bytes);
  builder.buffer("even", fb::BufferKind::Activation, scratch, bytes);
  builder.buffer("odd", fb::BufferKind::Activation, scratch + 64, bytes);
  uint32_t tiny = builder.program("test_tiny", 1, {bytes}, {bytes});
  StreamBuilder stream;
  for (uint32_t i = 0; i < length; ++i) {
    if (i && barriers)
      stream.barrier();
    uint64_t from = i == 0 ? x : scratch + 64 * (i % 2);
    uint64_t to = i + 1 == length ? y : scratch + 64 * ((i + 1) % 2);
    stream.dispatch(tiny, {from, to});
  }
  stream.end();
  uint32_t trace = builder.trace("chain", stream);
  builder.entry("main", {"x", {8}, in}, {"y", {8}, out}, {trace});
  return builder;
}

BundleBuilder slowBundle(uint32_t commands) {
  BundleBuilder builder;
  const uint64_t x = 0, y = kSampleBytes, a = 2 * kSampleBytes, b = 3 * kSampleBytes;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  builder.buffer("a", fb::BufferKind::Activation, a, kSampleBytes);
  builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes);
  const uint32_t slow = builder.program("test_slow", 16, {kSampleBytes}, {kSampleBytes});
  StreamBuilder stream;
  for (uint32_t i = 0; i < commands; ++i) {
    stream.dispatch(slow, {i == 0 ? x : i % 2 ? a : b, i + 1 == commands ? y : i % 2 ? b : a});
    if (i + 1 < commands)
      stream.barrier();
  }
  stream.end();
  const uint32_t trace = builder.trace("main_t0", stream);
  builder.entry("main", {"x", {1, 256}, in}, {"y", {1, 256}, out}, {trace});
  return builder;
}

} // namespace ttrt::test
