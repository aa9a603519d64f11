// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ToolMain.h"

int main(int argc, char **argv) { return TTC_TOOL_MAIN(argc, argv); }
