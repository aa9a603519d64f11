// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-write-sample NAME FILE: writes one of the test bundles, for the tests of the tools.

#include "Loaded.h"

#include <cstdio>
#include <cstring>
#include <fstream>

using namespace ttrt::test;

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: ttrt-write-sample sample|chain|chain-barriers FILE\n");
    return 2;
  }
  std::vector<uint8_t> bytes = strcmp(argv[1], "sample") == 0  ? sampleBundle().finish()
                               : strcmp(argv[1], "chain") == 0 ? chainBundle(1000, false).finish()
                                                               : chainBundle(1000, true).finish();
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good() ? 0 : 1;
}
