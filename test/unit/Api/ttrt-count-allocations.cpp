// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-count-allocations BUNDLE [RUNS]: loads a compiled bundle and runs its first entry point on
// 1, 2 and 4 cores, replayed and one command at a time. Prints how often anything of the process
// allocated memory after loading, the bundle's machine code included; succeeds if that is never.

#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Loaded.h"

#include <cstdio>
#include <cstdlib>

using namespace ttrt::test;

#ifdef TTRT_TEST_SANITIZED
int main() {
  std::fprintf(stderr, "a sanitizer owns malloc: nothing to count\n");
  return 77;
}
#else
int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ttrt-count-allocations BUNDLE [RUNS]\n");
    return 2;
  }
  const int runs = argc > 2 ? std::atoi(argv[2]) : 20;
  long total = 0;
  for (uint32_t cores : {1, 2, 4}) {
    Loaded loaded(argv[1], cores);
    ttrt_entry entry = TTRT_ENTRY_INIT;
    ttrt_error error;
    if (!loaded.device || ttrt_bundle_entry(loaded.bundle, 0, &entry, &error) != TTRT_OK)
      return 1;
    std::vector<std::vector<char>> bytes;
    std::vector<ttrt_input> inputs;
    std::vector<ttrt_output> outputs;
    auto room = [&](const ttrt_port &port) -> std::vector<char> & {
      return bytes.emplace_back(port.bytes);
    };
    ttrt_port port = TTRT_PORT_INIT;
    for (uint32_t i = 0; i < entry.inputs; ++i)
      if (ttrt_bundle_input(loaded.bundle, 0, i, &port, &error) == TTRT_OK)
        inputs.push_back({room(port).data(), port.bytes});
    for (uint32_t i = 0; i < entry.outputs; ++i)
      if (ttrt_bundle_output(loaded.bundle, 0, i, &port, &error) == TTRT_OK)
        outputs.push_back({room(port).data(), port.bytes});
    const long before = allocations.load();
    for (int i = 0; i < runs; ++i) {
      ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
      options.no_trace = i % 2;
      if (ttrt_run(loaded.device, 0, inputs.data(), outputs.data(), &options, &error) != TTRT_OK)
        return std::fprintf(stderr, "%s\n", error.message), 1;
    }
    total += allocations.load() - before;
  }
  std::printf("%d runs on 1, 2 and 4 cores: %ld allocations\n", runs, total);
  return total != 0;
}
#endif
