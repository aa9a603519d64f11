// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages are written by hand, and embedded by the build.

#include "Formats/Page.h"

#include "Formats/Json.h"
#include "PageFiles.h"

#include <string_view>

namespace ttrun {

std::string makePage(const PageParts &parts) {
  std::string page = kPageFrame;
  // From the end to the start, so that inserted text is never searched.
  auto fill = [&](std::string_view mark, const std::string &content) {
    page.replace(page.rfind(mark), mark.size(), content);
  };
  fill("@SELFTEST@", kPageChecks + parts.selftest);
  fill("@SCRIPT@", kPageScript + parts.script);
  fill("@DATA@", insideScript(parts.json));
  fill("@BODY@", parts.body);
  fill("@STYLE@", kPageStyle + parts.style);
  fill("@TITLE@", parts.title);
  return page;
}

} // namespace ttrun
