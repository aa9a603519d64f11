// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles of a mesh of devices.

#ifndef TTC_TEST_UNIT_SUPPORT_MESHBUNDLE_H
#define TTC_TEST_UNIT_SUPPORT_MESHBUNDLE_H

#include "BundleBuilder.h"

namespace ttrt::test {

/// Four devices, x by y. Input "x", output "y" (256 floats each), divided over nothing:
///   a = reverse(x); b = sum of a over y; c = b + w; d = my part of the sum of c over x and y;
///   e = all parts of d; y = reverse(e)
/// Activations share addresses at different times. The two last exchanges follow each other without
/// a barrier. With `sharded`, each device has a `w` of its own.
BundleBuilder meshBundle(bool sharded = false);

/// Commands of its trace.
enum MeshCommand : size_t {
  kReverse = 0,
  kAllReduce = 2,
  kAdd = 4,
  kReduceScatter = 6,
  kAllGather = 7,
  kLastReverse = 9
};

/// Two devices, outputs "y" = sum of reverse(x) and "z" = sum of x / 3, each by a trace of its own.
/// Schedule "single" has one queue. In schedule "two", queue 1 executes the second trace; event
/// "first" orders its exchange after that of queue 0.
BundleBuilder meshQueuesBundle();

/// Two devices; input "x" and output "y" (2 x 256 floats) are divided over them by rows:
///   b = sum of the rows of x; y = x + b
BundleBuilder meshPartsBundle();

/// One exchange of `kind` between two programs: y = after(exchange(before(x))), with 64 bytes for
/// each device. Not to be executed: the programs' code needs other operands.
BundleBuilder tinyMeshBundle(uint32_t devices, fb::CollectiveKind kind,
                             fb::CollectiveAlgorithm algorithm);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_MESHBUNDLE_H
