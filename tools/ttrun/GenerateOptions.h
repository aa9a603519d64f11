// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLS_TTRUN_GENERATEOPTIONS_H
#define TTC_TOOLS_TTRUN_GENERATEOPTIONS_H

#include "Run/Session.h"
#include "ttrt/sampling.h"

namespace ttrun {

/// What the command line of `ttrun generate` says.
struct GenerateOptions {
  SessionOptions session;
  std::vector<std::string> prompts, promptFiles, promptIds;
  std::string promptsFile, stopIds, system;
  std::string messages, tools, variables; ///< after readFiles(): JSON
  std::string logits, saveState, restoreState;
  bool chat = false, special = false, ignoreEos = false, printIds = false, json = false;
  bool bySteps = false;
  double temperature = 0, topP = 1, penalty = 1;
  uint64_t tokens = 0, topK = 0, window = 0, seed = 0, ahead = 16;

  void declare(OptionParser &parser);
  /// Throws UserError.
  void check() const;
  /// Appends the texts of files to `prompts`. Throws UserError.
  void readFiles();
  ttrt_sampling sampling(const std::vector<int32_t> &stops) const;
};

/// "1,2,3", the value of `option`. Throws UserError.
std::vector<int32_t> parseIds(const std::string &option, const std::string &text);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_GENERATEOPTIONS_H
