// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Support/FindTool.h"

#include <filesystem>
#include <unistd.h>

std::string ttc::findTool(const std::string &name) {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error)
    if (std::filesystem::path sibling = self.parent_path() / name;
        access(sibling.c_str(), X_OK) == 0)
      return sibling.string();
  return name;
}
