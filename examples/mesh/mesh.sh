#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One model on four devices, as four ranks of MPI: compiles examples/mlp for a mesh of 2x2 (two halves of
# the batch, two halves of the weights), proves the bundle, runs it under mpirun, and compares the result with
# that of one device.
#
#   examples/mesh/mesh.sh
#   MESH=4 PARALLEL=tensor examples/mesh/mesh.sh     another mesh
#   examples/mesh/mesh.sh --host a:2,b:2             options for mpirun: ranks on two hosts
#
# BUILD=FOLDER takes another build.
set -euo pipefail
[ -z "${BUILD:-}" ] || BUILD=$(realpath "$BUILD")
. "$(dirname "$0")/../../scripts/lib/common.sh" # goes to the root

BUILD=${BUILD:-$ROOT/build}
MESH=${MESH:-2x2}
PARALLEL=${PARALLEL:-data:x,tensor:y}
if [ ! -x "$BUILD/bin/ttrun" ] || [ ! -x "$BUILD/bin/ttc-translate" ] || [ ! -e "$BUILD/lib/libttrt-mpi.so.0" ]; then
  [ "$BUILD" = "$ROOT/build" ] || fail "$BUILD has no ttrun, ttc-translate or libttrt-mpi"
  ensure_packages >&2
  build release ttrun ttc-translate ttrt_mpi >&2
fi
command -v mpirun >/dev/null || fail "expected mpirun; on Debian: apt install openmpi-bin"

folder="$BUILD/mesh"
mkdir -p "$folder"
say "compiling examples/mlp/mlp.onnx for a mesh of $MESH, $PARALLEL" >&2
"$BUILD/bin/ttc-translate" --onnx-to-bundle examples/mlp/mlp.onnx -o "$folder/one.ttcb"
"$BUILD/bin/ttc-translate" --onnx-to-bundle examples/mlp/mlp.onnx --mesh="$MESH" --parallel="$PARALLEL" \
  -o "$folder/mesh.ttcb"
"$BUILD/bin/ttrun" check "$folder/mesh.ttcb"
"$BUILD/bin/ttrun" run "$folder/one.ttcb" --random --output=probabilities="$folder/one.npy"

ranks=$("$BUILD/bin/ttrun" read "$folder/mesh.ttcb" --mesh | sed -n 's/^ *mesh of \([0-9]*\) device.*/\1/p')
options=(-n "$ranks" --oversubscribe) # also on a machine with fewer cores
[ "$(id -u)" != 0 ] || options+=(--allow-run-as-root)
say "mpirun -n $ranks ttrun run mesh.ttcb" >&2
exec mpirun "${options[@]}" "$@" "$BUILD/bin/ttrun" run "$folder/mesh.ttcb" --random \
  --expect=probabilities="$folder/one.npy"
