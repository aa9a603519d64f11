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

} // namespace ttrt::test
