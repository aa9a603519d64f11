// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_BUNDLE_CODE_H
#define TTRT_LIB_BUNDLE_CODE_H

#include "Bundle/Bundle.h"

#include <vector>

namespace ttrt {

/// A bundle's programs, loaded into this process.
class Code {
public:
  explicit Code(const Bundle &bundle);
  ~Code();
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;

  ProgramFunction *function(uint32_t program) const { return functions_[program]; }

private:
  void release();

  int descriptor_ = -1;
  void *library_ = nullptr;
  std::vector<ProgramFunction *> functions_;
};

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_CODE_H
