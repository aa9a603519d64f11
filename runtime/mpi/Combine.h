// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of two arrays, by the kernels of all transports (runtime/mesh/Combine.h): the same bits.

#ifndef TTRT_MPI_COMBINE_H
#define TTRT_MPI_COMBINE_H

#include "mesh/Combine.h"
#include "ttrt/ttc_bundle_generated.h"

namespace ttrt::mpi {

/// to = to (+) from, for arrays of a type.
class Combine {
public:
  explicit Combine(mesh::CombineFunction *function) : function(function) {}
  void operator()(uint8_t *to, const uint8_t *from, size_t bytes) const {
    const uint8_t *const sources[] = {to, from};
    function(to, sources, 2, bytes);
  }

private:
  mesh::CombineFunction *function;
};

/// For this CPU.
Combine combineOf(fb::Reduction reduction, fb::DType dtype);

} // namespace ttrt::mpi

#endif // TTRT_MPI_COMBINE_H
