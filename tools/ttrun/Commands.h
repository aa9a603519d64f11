// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLS_TTRUN_COMMANDS_H
#define TTC_TOOLS_TTRUN_COMMANDS_H

namespace ttrun {

/// The commands. They take the arguments after the command's name and return the exit status.
int runCommand(int argc, char **argv);
int reportCommand(int argc, char **argv);
int readCommand(int argc, char **argv);
int checkCommand(int argc, char **argv);
int queryCommand(int argc, char **argv);
int perfCommand(int argc, char **argv);
int benchCommand(int argc, char **argv);
int generateCommand(int argc, char **argv);
int monitorCommand(int argc, char **argv);
int signCommand(int argc, char **argv);
int keygenCommand(int argc, char **argv);

/// The tool without main(); returns the exit status.
int runTool(int argc, char **argv);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_COMMANDS_H
