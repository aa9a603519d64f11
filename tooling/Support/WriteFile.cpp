// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Support/WriteFile.h"

#include "Support/FileWriter.h"

#include <stdexcept>

namespace ttc {

void writeFile(const std::string &path, std::initializer_list<std::string_view> pieces) {
  FileWriter file(path);
  for (std::string_view piece : pieces)
    file.write(piece);
  if (!file.keep())
    throw std::runtime_error("cannot write " +
                             (path == "-"    ? "standard output"
                              : path.empty() ? "''"
                                             : path) +
                             ": " + file.reason());
}

} // namespace ttc
