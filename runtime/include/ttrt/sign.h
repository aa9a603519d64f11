/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Signed bundles: a library of its own, libttrt_sign, because libttrt has no cryptography. It needs
 * libttrt and libsodium.
 *
 *     ttrt_keys *keys;
 *     const char *files[] = {"vendor.pub"};
 *     if (ttrt_keys_open(files, 1, &keys, &error) != TTRT_OK ||
 *         ttrt_bundle_open_signed("model.ttcb", NULL, keys, TTRT_VERIFY_FULL, &bundle, &error) !=
 *             TTRT_OK)
 *       fprintf(stderr, "%s: %s\n", ttrt_status_name(error.status), error.message);
 *
 * Keys and signatures are Ed25519, in minisign's format (https://jedisct1.github.io/minisign):
 * either program verifies what the other one has signed. The signature of a bundle is a file of its
 * own, BUNDLE.minisig.
 *
 * The rules of ttrt.h for errors, ownership and threads apply. All functions are thread-safe.
 */
#ifndef TTRT_SIGN_H
#define TTRT_SIGN_H

#include "ttrt/ttrt.h"

#if defined(__GNUC__)
#define TTRT_SIGN_API __attribute__((visibility("default")))
#else
#define TTRT_SIGN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Public keys that a caller trusts. Immutable. */
typedef struct ttrt_keys ttrt_keys;

/**
 * Reads public keys. Each file has one or more, in minisign's format: a base64 line per key; empty
 * lines and lines that begin with "untrusted comment:" are skipped. On success, the caller owns
 * *keys.
 *
 * TTRT_IO_ERROR if a file cannot be read; TTRT_INVALID_ARGUMENT if it has no key, or a line that is
 * not one, or if `count` is 0.
 */
TTRT_SIGN_API ttrt_status ttrt_keys_open(const char *const *paths, size_t count, ttrt_keys **keys,
                                         ttrt_error *error);
/** Releases keys; NULL is allowed. */
TTRT_SIGN_API void ttrt_keys_close(ttrt_keys *keys);

/**
 * Opens a bundle that one of `keys` has signed. `signature` is the signature's file; NULL: that of
 * the bundle with ".minisig" appended. On success, the caller owns *bundle.
 *
 * The file is read once, into memory that no process can change. The signature is verified over
 * these bytes, and the bundle is opened from them: later changes of the file have no effect.
 * This takes as much memory as the file is long, and the weights are not shared between processes.
 *
 * TTRT_UNTRUSTED if there is no signature, if its key is not one of `keys`, or if it is not of
 * these bytes; otherwise as ttrt_bundle_open().
 */
TTRT_SIGN_API ttrt_status ttrt_bundle_open_signed(const char *path, const char *signature,
                                                  const ttrt_keys *keys, ttrt_verify verify,
                                                  ttrt_bundle **bundle, ttrt_error *error);

/**
 * Verifies a bundle completely and signs it with the key in the file `secret_key`. `signature` is
 * the file to write; NULL: that of the bundle with ".minisig" appended. The file is replaced as a
 * whole. The signed comment contains the name of the bundle's file, without folders.
 *
 * TTRT_INVALID_ARGUMENT if the file holds no secret key; TTRT_UNSUPPORTED if the key is protected
 * by a password: sign with minisign instead; TTRT_IO_ERROR if a file cannot be read or written;
 * otherwise as ttrt_bundle_open().
 */
TTRT_SIGN_API ttrt_status ttrt_bundle_sign(const char *path, const char *secret_key,
                                           const char *signature, ttrt_error *error);

/**
 * Makes a pair of keys and writes them to two new files. Only the user may read the secret key; it
 * has no password. TTRT_IO_ERROR if one of the files exists; both are then as before.
 */
TTRT_SIGN_API ttrt_status ttrt_keys_create(const char *secret_key, const char *public_key,
                                           ttrt_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_SIGN_H */
