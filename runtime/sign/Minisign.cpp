// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Minisign.h"

#include <cstdio>
#include <cstring>
#include <sodium.h>

namespace ttrt::sign {

using support::Error;

static constexpr std::string_view kComment = "untrusted comment: ", kTrusted = "trusted comment: ";
/// "Ed": a key, or a signature of the file itself; "ED": of the file's hash; "B2": BLAKE2b.
static constexpr uint8_t kEd[] = {'E', 'd'}, kHashed[] = {'E', 'D'}, kBlake[] = {'B', '2'},
                         kNone[] = {0, 0};
/// In a secret key's file: the salt and the costs of its password, unused without one.
static constexpr size_t kPasswordBytes = 32 + 8 + 8, kCheckBytes = 32;

SecretKey::~SecretKey() { sodium_memzero(key.data(), key.size()); }

std::string nameOf(const KeyId &id) {
  std::string name;
  for (size_t i = id.size(); i-- > 0;) {
    char digits[3];
    snprintf(digits, sizeof(digits), "%02X", id[i]);
    name += digits;
  }
  return name;
}

//===----------------------------------------------------------------------===//
// Text and bytes
//===----------------------------------------------------------------------===//

/// The text's next line without its end; false after the last one.
static bool nextLine(std::string_view &text, std::string_view &line) {
  if (text.empty())
    return false;
  const size_t end = text.find('\n');
  line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return true;
}

/// False unless the line is exactly `size` bytes in base64.
static bool decode(std::string_view line, uint8_t *bytes, size_t size) {
  size_t length = 0;
  const char *end = nullptr;
  return sodium_base642bin(bytes, size, line.data(), line.size(), nullptr, &length, &end,
                           sodium_base64_VARIANT_ORIGINAL) == 0 &&
         length == size && end == line.data() + line.size();
}

static std::string encode(const uint8_t *bytes, size_t size) {
  std::string text(sodium_base64_encoded_len(size, sodium_base64_VARIANT_ORIGINAL), 0);
  sodium_bin2base64(text.data(), text.size(), bytes, size, sodium_base64_VARIANT_ORIGINAL);
  text.pop_back(); // its zero
  return text;
}

/// Takes bytes from the front.
static void take(const uint8_t *&from, void *to, size_t size) {
  memcpy(to, from, size);
  from += size;
}

static std::string textOf(const std::string &file, const char *what) {
  return "'" + file + "' is not " + what + " of minisign";
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

std::vector<PublicKey> parsePublicKeys(std::string_view text, const std::string &file) {
  std::vector<PublicKey> keys;
  std::string_view line;
  for (unsigned number = 1; nextLine(text, line); ++number) {
    if (line.empty() || line.starts_with(kComment.substr(0, kComment.size() - 1)))
      continue;
    uint8_t bytes[sizeof(kEd) + sizeof(KeyId) + 32];
    if (!decode(line, bytes, sizeof(bytes)) || memcmp(bytes, kEd, sizeof(kEd)) != 0)
      throw Error{TTRT_INVALID_ARGUMENT, textOf(file, "a public key") + ": line " +
                                             std::to_string(number) +
                                             " is neither a comment nor an Ed25519 key in base64"};
    const uint8_t *from = bytes + sizeof(kEd);
    PublicKey &key = keys.emplace_back();
    take(from, key.id.data(), key.id.size());
    take(from, key.key.data(), key.key.size());
  }
  if (keys.empty())
    throw Error{TTRT_INVALID_ARGUMENT,
                textOf(file, "a public key") + ": expected at least one key, found none"};
  return keys;
}

/// Over the algorithm, the id and the key.
static std::array<uint8_t, kCheckBytes> checksum(const SecretKey &key) {
  std::array<uint8_t, kCheckBytes> sum;
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, sum.size());
  crypto_generichash_update(&state, kEd, sizeof(kEd));
  crypto_generichash_update(&state, key.id.data(), key.id.size());
  crypto_generichash_update(&state, key.key.data(), key.key.size());
  crypto_generichash_final(&state, sum.data(), sum.size());
  sodium_memzero(&state, sizeof(state));
  return sum;
}

SecretKey parseSecretKey(std::string_view text, const std::string &file) {
  std::string_view comment, line;
  uint8_t bytes[2 + 2 + 2 + kPasswordBytes + sizeof(KeyId) + 64 + kCheckBytes];
  if (!nextLine(text, comment) || !nextLine(text, line) || !text.empty() ||
      !comment.starts_with(kComment) || !decode(line, bytes, sizeof(bytes)) ||
      memcmp(bytes, kEd, 2) != 0 || memcmp(bytes + 4, kBlake, 2) != 0)
    throw Error{TTRT_INVALID_ARGUMENT, textOf(file, "a secret key")};
  if (memcmp(bytes + 2, kNone, 2) != 0)
    throw Error{
        TTRT_UNSUPPORTED,
        "the key in '" + file +
            "' is protected by a password; sign with minisign -S -s KEY -m BUNDLE, or use a "
            "key without one"};
  SecretKey key;
  const uint8_t *from = bytes + 2 + 2 + 2 + kPasswordBytes;
  take(from, key.id.data(), key.id.size());
  take(from, key.key.data(), key.key.size());
  // minisign writes zeros instead of a checksum if there is no password.
  const auto sum = checksum(key);
  bool good = sodium_memcmp(from, sum.data(), sum.size()) == 0 || sodium_is_zero(from, kCheckBytes);
  sodium_memzero(bytes, sizeof(bytes));
  // The key is 32 bytes and the public key that follows from them.
  PublicKey open;
  SecretKey same;
  crypto_sign_seed_keypair(open.key.data(), same.key.data(), key.key.data());
  good &= sodium_memcmp(same.key.data(), key.key.data(), key.key.size()) == 0;
  if (!good)
    throw Error{TTRT_INVALID_ARGUMENT, "the key in '" + file + "' is damaged"};
  return key;
}

std::string format(const PublicKey &key) {
  std::vector<uint8_t> bytes(kEd, kEd + sizeof(kEd));
  bytes.insert(bytes.end(), key.id.begin(), key.id.end());
  bytes.insert(bytes.end(), key.key.begin(), key.key.end());
  return std::string(kComment) + "minisign public key " + nameOf(key.id) + "\n" +
         encode(bytes.data(), bytes.size()) + "\n";
}

std::string format(const SecretKey &key) {
  const auto sum = checksum(key);
  std::vector<uint8_t> bytes;
  bytes.reserve(256); // so that no copy of the key is left
  bytes.insert(bytes.end(), kEd, kEd + 2);
  bytes.insert(bytes.end(), kNone, kNone + 2);
  bytes.insert(bytes.end(), kBlake, kBlake + 2);
  bytes.insert(bytes.end(), kPasswordBytes, 0);
  bytes.insert(bytes.end(), key.id.begin(), key.id.end());
  bytes.insert(bytes.end(), key.key.begin(), key.key.end());
  bytes.insert(bytes.end(), sum.begin(), sum.end());
  std::string text = std::string(kComment) + "minisign secret key without password\n" +
                     encode(bytes.data(), bytes.size()) + "\n";
  sodium_memzero(bytes.data(), bytes.size());
  return text;
}

void makeKeys(SecretKey &secret, PublicKey &open) {
  crypto_sign_keypair(open.key.data(), secret.key.data());
  randombytes_buf(open.id.data(), open.id.size());
  secret.id = open.id;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

Signature parseSignature(std::string_view text, const std::string &file) {
  const Error bad{TTRT_UNTRUSTED, textOf(file, "a signature")};
  std::string_view comment, line, trusted, ofAll;
  uint8_t bytes[2 + sizeof(KeyId) + 64];
  Signature signature;
  if (!nextLine(text, comment) || !nextLine(text, line) || !nextLine(text, trusted) ||
      !nextLine(text, ofAll) || !text.empty() || !comment.starts_with(kComment) ||
      !trusted.starts_with(kTrusted) || !decode(line, bytes, sizeof(bytes)) ||
      !decode(ofAll, signature.ofAll.data(), signature.ofAll.size()))
    throw bad;
  if (memcmp(bytes, kHashed, 2) != 0)
    throw Error{TTRT_UNTRUSTED, bad.message + " that is made over a hash (algorithm 'ED'); sign "
                                              "with minisign 0.10 or later, or with ttrun sign"};
  const uint8_t *from = bytes + 2;
  take(from, signature.id.data(), signature.id.size());
  take(from, signature.bytes.data(), signature.bytes.size());
  signature.comment = trusted.substr(kTrusted.size());
  return signature;
}

std::string format(const Signature &signature) {
  std::vector<uint8_t> bytes(kHashed, kHashed + 2);
  bytes.insert(bytes.end(), signature.id.begin(), signature.id.end());
  bytes.insert(bytes.end(), signature.bytes.begin(), signature.bytes.end());
  return std::string(kComment) + "signature of a trace bundle, key " + nameOf(signature.id) + "\n" +
         encode(bytes.data(), bytes.size()) + "\n" + std::string(kTrusted) + signature.comment +
         "\n" + encode(signature.ofAll.data(), signature.ofAll.size()) + "\n";
}

/// What the second signature is over.
static std::string allOf(const Signature &signature) {
  return std::string(signature.bytes.begin(), signature.bytes.end()) + signature.comment;
}

static const uint8_t *bytesOf(const std::string &text) {
  return reinterpret_cast<const uint8_t *>(text.data());
}

Signature sign(const Hash &hash, const SecretKey &key, const std::string &comment) {
  Signature signature{key.id, {}, comment, {}};
  crypto_sign_detached(signature.bytes.data(), nullptr, hash.data(), hash.size(), key.key.data());
  const std::string all = allOf(signature);
  crypto_sign_detached(signature.ofAll.data(), nullptr, bytesOf(all), all.size(), key.key.data());
  return signature;
}

bool isValid(const Signature &signature, const Hash &hash, const PublicKey &key) {
  const std::string all = allOf(signature);
  return crypto_sign_verify_detached(signature.bytes.data(), hash.data(), hash.size(),
                                     key.key.data()) == 0 &&
         crypto_sign_verify_detached(signature.ofAll.data(), bytesOf(all), all.size(),
                                     key.key.data()) == 0;
}

} // namespace ttrt::sign
