// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main functions of the compiler's tools, which may be in one library (TTC_STATIC_LLVM).
#ifndef TTC_TOOLS_SUPPORT_TOOLMAIN_H
#define TTC_TOOLS_SUPPORT_TOOLMAIN_H

extern "C" {
int ttcOptMain(int argc, char **argv);
int ttcTranslateMain(int argc, char **argv);
int ttcLspServerMain(int argc, char **argv);
}

#endif // TTC_TOOLS_SUPPORT_TOOLMAIN_H
