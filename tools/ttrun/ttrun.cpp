// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"

#include <csignal>

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is an error of the write
  return ttrun::runTool(argc, argv);
}
