// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Support/FileNames.h"

#include "Support/Error.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>

bool ttc::hasExtension(std::string_view file, std::string_view extension) {
  return file.size() >= extension.size() &&
         std::equal(extension.begin(), extension.end(), file.end() - extension.size(),
                    [](char wanted, unsigned char found) { return wanted == std::tolower(found); });
}

std::string ttc::temporaryFolder() {
  // Not temp_directory_path(), whose error does not name the folder.
  const char *given = getenv("TMPDIR");
  const std::string folder = given && *given ? given : "/tmp";
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw ttrun::UserError(
        fmt::format("expected a folder for temporary files (TMPDIR), found {}: {}", folder,
                    error ? error.message() : "not a folder"));
  return folder;
}
