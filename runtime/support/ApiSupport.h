// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the libraries beside libttrt: errors, how they cross the C API, and structs that can
// grow.

#ifndef TTRT_SUPPORT_APISUPPORT_H
#define TTRT_SUPPORT_APISUPPORT_H

#include "ttrt/ttrt.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace ttrt::support {

/// Thrown inside of the library, and caught at the C boundary.
struct Error {
  ttrt_status status;
  std::string message;
};

/// Throws Error.
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] inline void fail(ttrt_status status,
                                                                    const char *pattern, ...) {
  char message[sizeof(ttrt_error::message)];
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(message, sizeof(message), pattern, arguments);
  va_end(arguments);
  throw Error{status, message};
}

inline ttrt_status report(ttrt_error *error, ttrt_status status, const char *message) noexcept {
  if (error) {
    error->status = status;
    const size_t length = strnlen(message, sizeof(error->message) - 1);
    memcpy(error->message, message, length);
    error->message[length] = 0;
  }
  return status;
}

/// Runs `function` and turns exceptions into a status and a message.
template <typename Function> ttrt_status guarded(ttrt_error *error, Function function) noexcept {
  try {
    function();
  } catch (const Error &problem) {
    return report(error, problem.status, problem.message.c_str());
  } catch (const std::bad_alloc &) {
    return report(error, TTRT_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &problem) {
    return report(error, TTRT_INTERNAL, problem.what());
  } catch (...) {
    return report(error, TTRT_INTERNAL, "unknown error");
  }
  return report(error, TTRT_OK, "");
}

/// Throws Error unless a result can be written to the caller's struct.
template <typename T> void checkResult(const T *theirs, const char *type) {
  if (theirs->size < sizeof(size_t) || theirs->size > 4096)
    fail(TTRT_INVALID_ARGUMENT, "%s::size is %zu; expected %zu, as its ..._INIT macro sets it",
         type, theirs->size, sizeof(T));
}

/// The caller's options, as a struct of this library's (ttrt.h, "Structs that can grow"); null
/// means the defaults. Throws Error.
template <typename T> T readOptions(const T *theirs, const char *type) {
  T options{};
  options.size = sizeof(T);
  if (!theirs)
    return options;
  checkResult(theirs, type);
  const size_t size = theirs->size;
  memcpy(&options, theirs, size < sizeof(T) ? size : sizeof(T));
  options.size = sizeof(T);
  for (size_t i = sizeof(T); i < size; ++i)
    if (reinterpret_cast<const char *>(theirs)[i] != 0)
      fail(TTRT_UNSUPPORTED,
           "%s has %zu bytes, of which this library defines %zu; expected zero in the others, "
           "found a nonzero byte at offset %zu",
           type, size, sizeof(T), i);
  return options;
}

/// Fills in the fields that a caller's struct has, and zeroes the rest of it. Its size has been
/// checked.
template <typename T> void writeResult(T *theirs, const T &result) noexcept {
  auto *bytes = reinterpret_cast<char *>(theirs);
  const size_t size = theirs->size, common = size < sizeof(T) ? size : sizeof(T);
  memcpy(bytes + sizeof(size_t), reinterpret_cast<const char *>(&result) + sizeof(size_t),
         common - sizeof(size_t));
  memset(bytes + common, 0, size - common);
}

/// The same for a size that has not been checked. Throws Error.
template <typename T> void writeResult(T *theirs, const T &result, const char *type) {
  checkResult(theirs, type);
  writeResult(theirs, result);
}

inline void require(bool condition, const char *what) {
  if (!condition)
    throw Error{TTRT_INVALID_ARGUMENT, what};
}

} // namespace ttrt::support

#endif // TTRT_SUPPORT_APISUPPORT_H
