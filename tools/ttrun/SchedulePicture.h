// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLS_TTRUN_SCHEDULEPICTURE_H
#define TTC_TOOLS_TTRUN_SCHEDULEPICTURE_H

#include "Bundle.h"

#include <string>

namespace ttrun {

/// A schedule as a picture (SVG): what each queue does, when it is held up, and which record each
/// wait is for. Nothing is measured: a command takes one unit of time, and all transfers of an
/// inference as long as its commands. So it depends on nothing but the bundle's contents.
std::string schedulePicture(const ttrt::Bundle &bundle, const ttrt::fb::EntryPoint &entry,
                            const ttrt::fb::Schedule &schedule);

/// Writes one picture for each schedule into a folder, which is made if it is not there:
/// "single.svg", with several entry points "main-single.svg".
void writeSchedulePictures(const ttrt::Bundle &bundle, const std::string &folder);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_SCHEDULEPICTURE_H
