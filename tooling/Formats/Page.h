// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_PAGE_H
#define TTC_TOOLING_FORMATS_PAGE_H

#include <string>

namespace ttrun {

/// What is a page's own, beside the frame of all pages (Page/).
struct PageParts {
  std::string title, style, body, script, selftest;
  std::string json; ///< the page's data
};

/// A page of HTML that needs no other file and no network.
std::string makePage(const PageParts &parts);

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_PAGE_H
