// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Errors.h"

namespace ttrt::python {

void raise(ttrt_status status, const std::string &message, nb::object cause) {
  if (cause.is_valid() && !PyObject_IsInstance(cause.ptr(), PyExc_Exception)) {
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(cause.ptr())), cause.ptr());
    throw nb::python_error();
  }
  nb::object error =
      nb::module_::import_("ttrt._errors")
          .attr("make")(static_cast<int>(status), nb::str(message.c_str(), message.size()));
  if (cause.is_valid())
    PyException_SetCause(error.ptr(), cause.release().ptr());
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

void raiseTypeError(const std::string &message) {
  PyErr_SetString(PyExc_TypeError, message.c_str());
  throw nb::python_error();
}

void raiseValueError(const std::string &message) {
  PyErr_SetString(PyExc_ValueError, message.c_str());
  throw nb::python_error();
}

} // namespace ttrt::python
