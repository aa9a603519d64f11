// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun sign and ttrun keygen.

#include "Commands.h"
#include "Formats/BundleMessage.h"
#include "Support/Error.h"
#include "Support/Options.h"

#include <fmt/core.h>

#ifdef TTC_SIGNATURES
#include "ttrt/sign.h"
#endif

namespace ttrun {

#ifdef TTC_SIGNATURES

static void check(ttrt_status status, const ttrt_error &error, const std::string &path) {
  if (status == TTRT_BAD_BUNDLE)
    throw BadBundle(bundleMessage(path, status, error.message));
  if (status != TTRT_OK)
    throw UserError(error.message);
}

static void sign(const std::string &path, const std::string &key, const std::string &signature) {
  ttrt_error error;
  check(ttrt_bundle_sign(path.c_str(), key.c_str(), signature.empty() ? nullptr : signature.c_str(),
                         &error),
        error, path);
}

static void makeKeys(const std::string &secret, const std::string &open) {
  ttrt_error error;
  check(ttrt_keys_create(secret.c_str(), open.c_str(), &error), error, secret);
}

#else

[[noreturn]] static void failWithout() {
  throw UserError("this ttrun was built without libsodium, which signatures need");
}

static void sign(const std::string &, const std::string &, const std::string &) { failWithout(); }
static void makeKeys(const std::string &, const std::string &) { failWithout(); }

#endif

int signCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun sign", "BUNDLE --key=FILE.key [options]",
      "Verifies a bundle and signs it: writes BUNDLE.minisig. 'ttrun check --trusted' "
      "and\n'minisign -V' verify it.",
      "  ttrun sign digits.ttcb --key=vendor.key\n"
      "  ttrun check digits.ttcb --trusted=vendor.pub\n");
  std::string key, signature;
  parser.text("key", "FILE.key", "the secret key, of ttrun keygen or of minisign -G -W", key);
  parser.text("signature", "FILE", "the file to write (default: BUNDLE.minisig)", signature);
  const std::string path = parser.parseBundle(argc, argv);
  if (key.empty())
    throw UserError("expected --key=FILE.key; see ttrun sign --help");
  sign(path, key, signature);
  return 0;
}

int keygenCommand(int argc, char **argv) {
  OptionParser parser("ttrun keygen", "NAME",
                      "Makes a pair of Ed25519 keys in the format of minisign: NAME.key, which "
                      "signs bundles and\nstays secret, and NAME.pub. The secret key has no "
                      "password; only its file's permissions protect it.",
                      "  ttrun keygen vendor\n");
  const std::vector<std::string> names = parser.parse(argc, argv);
  if (names.size() != 1)
    throw UserError(
        fmt::format("expected one name, found {}; see ttrun keygen --help", names.size()));
  makeKeys(names[0] + ".key", names[0] + ".pub");
  return 0;
}

} // namespace ttrun
