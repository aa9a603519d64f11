// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Trusted.h"

#include "Support/Error.h"
#include "Support/Options.h"

#include <fmt/core.h>
#include <memory>

#ifdef TTC_SIGNATURES
#include "ttrt/sign.h"
#endif

namespace ttrun {

void declareTrusted(OptionParser &parser, std::vector<std::string> &files) {
  parser.list("trusted", "KEYS.pub",
              "require that one of these keys (as minisign writes\nthem) has signed the bundle: "
              "BUNDLE.minisig",
              files);
}

#ifdef TTC_SIGNATURES

ttrt_status openBundle(const std::string &path, const std::vector<std::string> &trusted,
                       ttrt_verify verify, ttrt_bundle **bundle, ttrt_error *error) {
  if (trusted.empty())
    return ttrt_bundle_open(path.c_str(), verify, bundle, error);
  std::vector<const char *> files;
  for (const std::string &file : trusted)
    files.push_back(file.c_str());
  ttrt_keys *opened;
  if (ttrt_keys_open(files.data(), files.size(), &opened, error) != TTRT_OK)
    throw UserError(fmt::format("--trusted: {}", error->message));
  const std::unique_ptr<ttrt_keys, void (*)(ttrt_keys *)> keys(opened, ttrt_keys_close);
  return ttrt_bundle_open_signed(path.c_str(), nullptr, opened, verify, bundle, error);
}

#else

ttrt_status openBundle(const std::string &path, const std::vector<std::string> &trusted,
                       ttrt_verify verify, ttrt_bundle **bundle, ttrt_error *error) {
  if (!trusted.empty())
    throw UserError("this ttrun was built without libsodium, which signatures need");
  return ttrt_bundle_open(path.c_str(), verify, bundle, error);
}

#endif

} // namespace ttrun
