// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --trusted: bundles that must be signed by one of some keys.

#ifndef TTC_TOOLING_RUN_TRUSTED_H
#define TTC_TOOLING_RUN_TRUSTED_H

#include "ttrt/ttrt.h"

#include <string>
#include <vector>

namespace ttrun {

class OptionParser;

/// Declares --trusted. `files` has the files of public keys; empty: any bundle is accepted.
void declareTrusted(OptionParser &parser, std::vector<std::string> &files);

/// ttrt_bundle_open() or, with keys, ttrt_bundle_open_signed(). Throws UserError if a key cannot be
/// read.
ttrt_status openBundle(const std::string &path, const std::vector<std::string> &trusted,
                       ttrt_verify verify, ttrt_bundle **bundle, ttrt_error *error);

} // namespace ttrun

#endif // TTC_TOOLING_RUN_TRUSTED_H
