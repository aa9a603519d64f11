// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_DESCRIBE_SCHEDULEPICTURE_H
#define TTC_TOOLING_DESCRIBE_SCHEDULEPICTURE_H

#include "Bundle/Bundle.h"

#include <string>

namespace ttrun {

/// A schedule as a picture (SVG): what each queue does, when it waits, and which record each wait
/// is for. Nothing is measured: a command takes one unit of time, and all transfers of an inference
/// together take as long as its commands. The picture depends on the bundle's contents alone.
std::string schedulePicture(const ttrt::Bundle &bundle, const ttrt::fb::EntryPoint &entry,
                            const ttrt::fb::Schedule &schedule);

/// Writes one picture for each schedule into a folder, which is created if necessary: "single.svg",
/// or "main-single.svg" if there are several entry points.
void writeSchedulePictures(const ttrt::Bundle &bundle, const std::string &folder);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_SCHEDULEPICTURE_H
