// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API of ttrt/sign.h: files around Minisign.h.

#include "ttrt/sign.h"

#include "Minisign.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ttrt::sign;
using ttrt::support::Error;
using ttrt::support::require;

struct ttrt_keys {
  std::vector<PublicKey> keys;
};

namespace {

[[noreturn]] void failIo(const char *what, const std::string &path) {
  const std::string reason = strerror(errno);
  throw Error{TTRT_IO_ERROR, std::string("cannot ") + what + " '" + path + "': " + reason};
}

class Descriptor {
public:
  explicit Descriptor(int descriptor) : value(descriptor) {}
  ~Descriptor() {
    if (value >= 0)
      close(value);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  const int value;
};

/// support::guarded() with libsodium initialised.
template <typename Function> ttrt_status guarded(ttrt_error *error, Function function) noexcept {
  return ttrt::support::guarded(error, [&] {
    if (sodium_init() < 0)
      throw Error{TTRT_INTERNAL, "libsodium cannot be initialised"};
    function();
  });
}

/// A bundle whose bytes cannot change: a file in memory, sealed, and a mapping of it.
class SealedCopy {
public:
  explicit SealedCopy(const char *path) : path(path), file(memfd_create("ttrt-bundle", kFlags)) {
    const Descriptor source(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)); // a FIFO would block
    struct stat status;
    if (source.value < 0)
      failIo("open", path);
    if (fstat(source.value, &status) != 0)
      failIo("read", path);
    if (!S_ISREG(status.st_mode))
      throw Error{TTRT_IO_ERROR, "cannot map '" + std::string(path) + "': not a regular file"};
    if (file.value < 0)
      failIo("make a file in memory for", path);
    copy(source.value);
    if (fcntl(file.value, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) !=
        0)
      failIo("seal the copy of", path);
    // Before Linux 6.7, a sealed file can be shared only through a descriptor that cannot write.
    const std::string name = "/proc/self/fd/" + std::to_string(file.value);
    if ((readable = open(name.c_str(), O_RDONLY | O_CLOEXEC)) < 0)
      failIo("open the copy of", path);
    if (size > 0) {
      void *address = mmap(nullptr, size, PROT_READ, MAP_SHARED, readable, 0);
      if (address == MAP_FAILED) {
        close(readable);
        failIo("map the copy of", path);
      }
      data = static_cast<const uint8_t *>(address);
    }
  }
  ~SealedCopy() {
    if (data)
      munmap(const_cast<uint8_t *>(data), size);
    close(readable);
  }
  SealedCopy(const SealedCopy &) = delete;
  SealedCopy &operator=(const SealedCopy &) = delete;

  Hash hash() const {
    Hash hash;
    crypto_generichash(hash.data(), hash.size(), data, size, nullptr, 0);
    return hash;
  }
  ttrt_bundle *openBundle(ttrt_verify verify) const {
    ttrt_error error;
    ttrt_bundle *bundle;
    if (ttrt_bundle_open_fd(readable, path.c_str(), verify, &bundle, &error) != TTRT_OK)
      throw Error{error.status, error.message};
    return bundle;
  }

private:
  static constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;

  void copy(int source) {
    std::vector<char> buffer(1 << 20);
    for (;;) {
      const ssize_t got = read(source, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        failIo("read", path);
      if (got == 0)
        return;
      for (ssize_t done = 0; done < got;) {
        const ssize_t written =
            write(file.value, buffer.data() + done, static_cast<size_t>(got - done));
        if (written < 0 && errno != EINTR)
          failIo("copy", path);
        done += written < 0 ? 0 : written;
      }
      size += static_cast<size_t>(got);
    }
  }

  const std::string path;
  const Descriptor file;
  int readable = -1;
  const uint8_t *data = nullptr;
  size_t size = 0;
};

/// A small text file; `status` if it is not small.
std::string readText(const std::string &path, ttrt_status status) {
  constexpr size_t kMost = 64 * 1024;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat found;
  if (file.value < 0 || fstat(file.value, &found) != 0)
    failIo("open", path);
  if (!S_ISREG(found.st_mode))
    throw Error{TTRT_IO_ERROR, "cannot read '" + path + "': not a regular file"};
  std::string text(kMost + 1, 0);
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.value, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      failIo("read", path);
    if (got == 0)
      break;
    size += static_cast<size_t>(got);
  }
  if (size > kMost)
    throw Error{status, "'" + path + "' has more than 65536 bytes: not a file of minisign"};
  text.resize(size);
  return text;
}

/// Writes a new file; one that exists is an error. Removed again if it cannot be completed.
void writeNew(const std::string &path, const std::string &text, mode_t mode) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (file.value < 0)
    failIo("create", path);
  const ssize_t written = write(file.value, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()) || fsync(file.value) != 0) {
    if (written >= 0 && written != static_cast<ssize_t>(text.size()))
      errno = ENOSPC;
    const int reason = errno;
    unlink(path.c_str());
    errno = reason;
    failIo("write", path);
  }
}

/// Replaces a file as a whole.
void replace(const std::string &path, const std::string &text) {
  uint64_t random;
  randombytes_buf(&random, sizeof(random));
  const std::string temporary = path + "." + std::to_string(random);
  writeNew(temporary, text, 0666);
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(temporary.c_str());
    errno = reason;
    failIo("write", path);
  }
}

std::string signatureOf(const char *path, const char *signature) {
  return signature ? signature : std::string(path) + ".minisig";
}

} // namespace

extern "C" {

ttrt_status ttrt_keys_open(const char *const *paths, size_t count, ttrt_keys **keys,
                           ttrt_error *error) {
  if (keys)
    *keys = nullptr;
  return guarded(error, [&] {
    require(paths && keys, "paths or keys is NULL");
    require(count > 0, "expected at least one file with a key, found 0");
    std::vector<PublicKey> all;
    for (size_t i = 0; i < count; ++i) {
      require(paths[i], "a path is NULL");
      for (const PublicKey &key :
           parsePublicKeys(readText(paths[i], TTRT_INVALID_ARGUMENT), paths[i]))
        all.push_back(key);
    }
    *keys = new ttrt_keys{std::move(all)};
  });
}

void ttrt_keys_close(ttrt_keys *keys) { delete keys; }

ttrt_status ttrt_bundle_open_signed(const char *path, const char *signature, const ttrt_keys *keys,
                                    ttrt_verify verify, ttrt_bundle **bundle, ttrt_error *error) {
  if (bundle)
    *bundle = nullptr;
  return guarded(error, [&] {
    require(path && keys && bundle, "path, keys or bundle is NULL");
    const std::string file = signatureOf(path, signature);
    if (access(path, R_OK) != 0)
      failIo("open", path);
    if (access(file.c_str(), F_OK) != 0 && errno == ENOENT)
      throw Error{TTRT_UNTRUSTED, "not signed: expected a signature in '" + file + "'"};
    const Signature found = parseSignature(readText(file, TTRT_UNTRUSTED), file);
    const PublicKey *signer = nullptr;
    std::string trusted;
    for (const PublicKey &key : keys->keys) {
      trusted += (trusted.empty() ? "" : ", ") + nameOf(key.id);
      if (key.id == found.id)
        signer = &key;
    }
    if (!signer)
      throw Error{TTRT_UNTRUSTED, "signed with key " + nameOf(found.id) +
                                      ", which is not trusted; expected one of: " + trusted};
    const SealedCopy copy(path);
    const Hash hash = copy.hash();
    bool valid = false; // ids are not unique: anyone can choose one
    for (const PublicKey &key : keys->keys)
      valid |= key.id == found.id && isValid(found, hash, key);
    if (!valid)
      throw Error{TTRT_UNTRUSTED, "the signature in '" + file + "' (key " + nameOf(signer->id) +
                                      ") is not of this file: one of them was changed, or they do "
                                      "not belong together"};
    *bundle = copy.openBundle(verify);
  });
}

ttrt_status ttrt_bundle_sign(const char *path, const char *secret_key, const char *signature,
                             ttrt_error *error) {
  return guarded(error, [&] {
    require(path && secret_key, "path or secret_key is NULL");
    std::string text = readText(secret_key, TTRT_INVALID_ARGUMENT);
    const SecretKey key = parseSecretKey(text, secret_key);
    sodium_memzero(text.data(), text.size());
    const SealedCopy copy(path);
    ttrt_bundle *bundle = copy.openBundle(TTRT_VERIFY_FULL);
    ttrt_error problem;
    const ttrt_status status = ttrt_bundle_prove(bundle, &problem);
    ttrt_bundle_close(bundle);
    if (status != TTRT_OK)
      throw Error{problem.status, problem.message};
    const std::string name = path;
    std::string base = name.substr(name.find_last_of('/') + 1);
    for (char &c : base)
      if (static_cast<unsigned char>(c) < ' ')
        c = '?'; // a line's end would end the comment
    replace(signatureOf(path, signature), format(sign(copy.hash(), key, "bundle " + base)));
  });
}

ttrt_status ttrt_keys_create(const char *secret_key, const char *public_key, ttrt_error *error) {
  return guarded(error, [&] {
    require(secret_key && public_key, "secret_key or public_key is NULL");
    SecretKey secret;
    PublicKey open;
    makeKeys(secret, open);
    writeNew(public_key, format(open), 0666);
    try {
      std::string text = format(secret);
      writeNew(secret_key, text, 0600);
      sodium_memzero(text.data(), text.size());
    } catch (...) {
      unlink(public_key);
      throw;
    }
  });
}

} // extern "C"
