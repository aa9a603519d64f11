// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of minisign: public keys, secret keys and signatures. Text in, structures out, and
// back; no files are read here.

#ifndef TTRT_SIGN_MINISIGN_H
#define TTRT_SIGN_MINISIGN_H

#include "support/ApiSupport.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttrt::sign {

using KeyId = std::array<uint8_t, 8>;

struct PublicKey {
  KeyId id;
  std::array<uint8_t, 32> key;
};

/// Wipes itself.
struct SecretKey {
  KeyId id;
  std::array<uint8_t, 64> key;
  ~SecretKey();
};

struct Signature {
  KeyId id;
  std::array<uint8_t, 64> bytes; ///< of the file's hash
  std::string comment;           ///< "trusted comment: ..." without these words
  std::array<uint8_t, 64> ofAll; ///< of `bytes` and `comment`
};

/// BLAKE2b of a file, 64 bytes: what is signed.
using Hash = std::array<uint8_t, 64>;

/// As minisign prints it.
std::string nameOf(const KeyId &id);

/// `file` is for messages. These throw support::Error.
std::vector<PublicKey> parsePublicKeys(std::string_view text, const std::string &file);
SecretKey parseSecretKey(std::string_view text, const std::string &file);
Signature parseSignature(std::string_view text, const std::string &file);

std::string format(const PublicKey &key);
std::string format(const SecretKey &key);
std::string format(const Signature &signature);

void makeKeys(SecretKey &secret, PublicKey &open);
Signature sign(const Hash &hash, const SecretKey &key, const std::string &comment);
/// Whether the signature is of this hash and by this key. The key's id is not compared.
bool isValid(const Signature &signature, const Hash &hash, const PublicKey &key);

} // namespace ttrt::sign

#endif // TTRT_SIGN_MINISIGN_H
