// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host functions (ttrt/host.h) written in Python.

#ifndef TTRT_PYTHON_HOSTFUNCTIONS_H
#define TTRT_PYTHON_HOSTFUNCTIONS_H

#include "Errors.h"

#include "ttrt/host.h"

#include <memory>
#include <string>
#include <vector>

namespace ttrt::python {

/// The functions of one device.
class HostFunctions {
public:
  /// From a dictionary: names of ops -> what is called with operands and attributes.
  explicit HostFunctions(nb::dict functions);
  HostFunctions(const HostFunctions &) = delete;
  HostFunctions &operator=(const HostFunctions &) = delete;

  /// Whether this thread is in a call of one of them: it cannot wait for the device, which waits
  /// for it.
  bool isCalling() const;
  /// For ttrt_device_options; valid as long as this object.
  const ttrt_host_function *const *list() const { return list_.data(); }
  /// The exception that a function raised on a thread of a queue since the last call; invalid if
  /// there was none.
  nb::object takeException() { return std::move(exception_); }

  /// Catches what functions raise on this thread. An exception is that of one run only: other
  /// threads, which run the bundle next, have their own. Made and destroyed with the GIL held.
  class Catch {
  public:
    explicit Catch(HostFunctions &all);
    ~Catch();
    Catch(const Catch &) = delete;
    Catch &operator=(const Catch &) = delete;
    nb::object take() { return std::move(exception_); }

  private:
    friend class HostFunctions;
    HostFunctions *all_;
    Catch *outer_;
    nb::object exception_;
  };

  int traverse(visitproc visit, void *arg);
  void clear();

private:
  struct Function {
    HostFunctions *all;
    std::string name;
    nb::object callable;
    ttrt_host_function function;
  };
  /// What was raised, for the one who waits for the run.
  void keep(nb::object exception);
  static ttrt_status call(void *user, const ttrt_host_call *call, ttrt_error *error) noexcept;

  std::vector<std::unique_ptr<Function>> functions_;
  std::vector<const ttrt_host_function *> list_;
  nb::object exception_; ///< guarded by the GIL
};

} // namespace ttrt::python

#endif // TTRT_PYTHON_HOSTFUNCTIONS_H
