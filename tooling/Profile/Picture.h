// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_PROFILE_PICTURE_H
#define TTC_TOOLING_PROFILE_PICTURE_H

#include "Profile/Analysis.h"

#include <string>

namespace ttrun::report {

/// Some iterations from the middle of a recording as a picture (SVG): the host's threads and the
/// cores as rows, to scale.
std::string pictureSvg(const Analysis &analysis, uint64_t iterations);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_PICTURE_H
