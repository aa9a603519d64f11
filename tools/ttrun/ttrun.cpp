// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"

int main(int argc, char **argv) { return ttrun::runTool(argc, argv); }
