// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShowBundles.h"

namespace ttrt::test {

BundleBuilder hostileBundle() {
  BundleBuilder builder = sampleBundle();
  fb::BundleT &bundle = builder.bundle;
  const std::string script = "</script><script>document.title='harm'</script>";
  bundle.locations[1] = script;
  bundle.locations[2] = "\"quotes\" 'and' \\ & <b>\n\ttabs";
  bundle.locations[3] = "\x1b[31mred\x1b[2J \xc2\x9b"
                        "31m bell \x07";
  bundle.locations[4] =
      "no UTF-8: \xff\xc0\xaf\xed\xa0\x80; UTF-8: gr\xc3\xbc\xc3\x9f \xe2\x86\x92 \xf0\x9f\x98\x80";
  bundle.buffers[1]->name = "<img src=x onerror=\"document.title='harm'\">";
  bundle.buffers[3]->name = "<!--" + script;
  bundle.buffers[4]->name = std::string(400, 'w') + "ide";
  bundle.buffers[5]->name = "\xe2\x80\xa8line \xe2\x80\xae"
                            "separators";
  bundle.buffers[5]->type = "${7*7} {{7*7}} `x`";
  bundle.traces[0]->name = "</title>" + script;
  bundle.entries[0]->name = "main&amp;" + script;
  bundle.entries[0]->inputs[0]->name = "x" + script;
  bundle.entries[0]->schedules[0]->name = "single" + script;
  bundle.target->name = "cpu" + script;
  bundle.producer = script;
  return builder;
}

BundleBuilder manyBundle(uint32_t commands) {
  BundleBuilder builder;
  constexpr uint64_t kBytes = 8 * sizeof(float), kPitch = 64 * 37;
  constexpr uint32_t kRing = 40;
  const float one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  for (uint32_t i = 0; i < commands / 4; ++i)
    builder.constant("constant_" + std::to_string(i), one, kBytes);
  const uint64_t x = builder.dataBegin(), y = x + 64, ring = y + 64;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kBytes);
  const uint32_t tiny = builder.program("test_tiny", 1, {kBytes}, {kBytes});
  StreamBuilder stream;
  std::vector<uint32_t> sources;
  uint64_t from = x;
  for (uint32_t i = 0; i < commands; ++i) {
    // Activation i is written at point i + 1 and read at the next; its place is free again for
    // activation i + kRing.
    const uint64_t to = i + 1 == commands ? y : ring + i % kRing * kPitch;
    sources.push_back(builder.location("Op_" + std::to_string(i)));
    if (to != y) {
      const uint32_t index =
          builder.buffer("act_" + std::to_string(i), fb::BufferKind::Activation, to,
                         64 * (1 + i * 11 % 37), i + 1, i + 3 + i * 7 % (kRing - 2));
      builder.bundle.buffers[index]->source = sources.back();
    }
    stream.dispatch(tiny, {from, to});
    from = to;
  }
  stream.end();
  sources.push_back(0);
  const uint32_t trace = builder.trace("many", stream, sources);
  builder.entry("main", {"x", {8}, in}, {"y", {8}, out}, {trace});
  return builder;
}

} // namespace ttrt::test
