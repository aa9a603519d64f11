// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Errors.h"

namespace ttrt::python {

void raise(ttrt_status status, const std::string &message, nb::object cause) {
  if (cause.is_valid() && !PyObject_IsInstance(cause.ptr(), PyExc_Exception)) {
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(cause.ptr())), cause.ptr());
    throw nb::python_error();
  }
  nb::object error = nb::module_::import_("ttrt._errors")
                         .attr("make")(static_cast<int>(status), messageToStr(message));
  if (cause.is_valid())
    PyException_SetCause(error.ptr(), cause.release().ptr());
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

static nb::str decode(const std::string &bytes, const char *errors) {
  PyObject *text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), errors);
  if (!text)
    throw nb::python_error();
  return nb::steal<nb::str>(text);
}

nb::str nameToStr(const std::string &bytes) { return decode(bytes, "surrogateescape"); }
nb::str messageToStr(const std::string &bytes) { return decode(bytes, "backslashreplace"); }

static nb::bytes encode(nb::handle text, const char *errors) {
  PyObject *bytes = PyUnicode_AsEncodedString(text.ptr(), "utf-8", errors);
  if (!bytes)
    throw nb::python_error();
  return nb::steal<nb::bytes>(bytes);
}

std::string bytesOf(nb::str name) {
  const nb::bytes bytes = encode(name, "surrogateescape");
  return {bytes.c_str(), bytes.size()};
}

std::string textOf(nb::handle object) noexcept {
  try {
    const nb::bytes bytes = encode(nb::str(object), "backslashreplace");
    return {bytes.c_str(), bytes.size()};
  } catch (nb::python_error &) {
    return "(its str() fails)";
  }
}

void raiseTypeError(const std::string &message) {
  PyErr_SetObject(PyExc_TypeError, messageToStr(message).ptr());
  throw nb::python_error();
}

void raiseValueError(const std::string &message) {
  PyErr_SetObject(PyExc_ValueError, messageToStr(message).ptr());
  throw nb::python_error();
}

} // namespace ttrt::python
