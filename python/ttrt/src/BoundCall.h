// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays bound to the inputs and outputs of an entry point.

#ifndef TTRT_PYTHON_BOUNDCALL_H
#define TTRT_PYTHON_BOUNDCALL_H

#include "Device.h"

namespace ttrt::python {

/// Checked arrays, as the C API takes them. Keeps them alive.
struct Binding {
  std::vector<ttrt_input> inputs;
  std::vector<ttrt_output> outputs;
  std::vector<Array> arrays;
  nb::dict results; ///< by name, in the order of the entry point
  /// The model with variants that these run: the shapes are those of the arrays.
  const ttrt_model *model = nullptr;
  int64_t extents[TTRT_MAX_DIMS] = {};
  std::vector<ttrt_shaped_input> shapedInputs;
  mutable std::vector<ttrt_shaped_output> shapedOutputs; ///< a run writes their sizes

  ttrt_status runOn(ttrt_device *device, uint32_t entry, const ttrt_run_options *options,
                    ttrt_error *error) const;
};

/// Inputs by position, then by name; those that are given neither way must have a slot in use. For
/// a model with variants, all are given; ValueError if no variant fits their shapes.
/// Outputs that `out` (None or a dictionary) does not have are new arrays.
Binding bindArrays(nb::handle self, Device &device, uint32_t entry, nb::tuple args, nb::dict named,
                   nb::object out);

/// Runs the entry point once, and returns the results.
nb::object run(Device &device, uint32_t entry, const Binding &binding,
               ttrt_timing *timing = nullptr);

/// What Entry.bind() returns.
class BoundCall {
public:
  BoundCall(nb::object device, uint32_t entry, Binding binding);
  nb::object operator()() const;
  /// Runs once, and returns the seconds of the whole run and of what the device executes.
  nb::object time() const;
  /// Calls ttrt_run() that often and returns the seconds: what the C API takes, for comparison.
  double repeat(uint32_t times) const;
  nb::object results() const { return binding.results; }
  int traverse(visitproc visit, void *arg);

private:
  nb::object owner;
  Device *device;
  uint32_t entry;
  Binding binding;
};

} // namespace ttrt::python

#endif // TTRT_PYTHON_BOUNDCALL_H
