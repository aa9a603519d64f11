// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the C API as exceptions of Python. The classes are written in Python (ttrt/_errors.py).

#ifndef TTRT_PYTHON_ERRORS_H
#define TTRT_PYTHON_ERRORS_H

#include "ttrt/ttrt.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <string>

namespace ttrt::python {

namespace nb = nanobind;

/// Raises the class of the status, with the message; `cause` becomes its __cause__. If `cause` is
/// no subclass of Exception (KeyboardInterrupt, SystemExit), it is raised itself.
[[noreturn]] void raise(ttrt_status status, const std::string &message, nb::object cause = {});

inline void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK) [[unlikely]]
    raise(status, error.message);
}

/// Bytes of the runtime, such as names in a bundle and paths, as a str. They may be no UTF-8: then
/// a name can still be turned back (bytesOf), and a message can be printed.
nb::str nameToStr(const std::string &bytes);
nb::str messageToStr(const std::string &bytes);
/// The bytes of a name.
std::string bytesOf(nb::str name);
/// What str() says, for a message. Never throws an error of Python.
std::string textOf(nb::handle object) noexcept;

[[noreturn]] void raiseTypeError(const std::string &message);
[[noreturn]] void raiseValueError(const std::string &message);

} // namespace ttrt::python

#endif // TTRT_PYTHON_ERRORS_H
