// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ToolMain.h"

#include <csignal>

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is an error of the write
  return TTC_TOOL_MAIN(argc, argv);
}
