#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a mesh of four devices for long, and compares every output.
#
#   scripts/endure-mesh.sh [ITERATIONS]
#
# ITERATIONS (default 1000000) exchanges of random kinds, algorithms and sizes, by threads and again by
# processes; before one in eight, a device waits for up to 0.3 ms. Then as many inferences of an MLP whose
# weights four processes divide, and of one in two stages of two devices each.
#
# It takes about 20 minutes on two cores after the build, and 200 MB of memory. Exit status 1 if an output differs,
# or if shared memory is left.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

iterations=${1:-1000000}
if ! [[ "$iterations" =~ ^[1-9][0-9]*$ ]] || [ $# -gt 1 ]; then
  usage
fi
ensure_packages
enter "$@"
build release ttc-translate ttrun mesh-tests

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
left() { find /dev/shm -maxdepth 1 -name 'ttrt*' | sort; }
before=$(left)

say "$iterations exchanges of four devices with random delays, by threads and by processes"
TTRT_TEST_EXCHANGES=$iterations build/test/unit/mesh-tests --gtest_filter='TransportEndurance.*'

build/bin/ttc-translate --onnx-to-bundle examples/mlp/mlp.onnx -o "$folder/one.ttcb"
output=$(build/bin/ttrun read "$folder/one.ttcb" --json | "$(command -v python3)" -c \
  'import json, sys; print(json.load(sys.stdin)["entries"][0]["outputs"][0]["name"])')
build/bin/ttrun run "$folder/one.ttcb" --random=3 --output "$output=$folder/y.npy" >/dev/null
for how in "--mesh=4 --parallel=tensor" "--mesh=2x2 --parallel=data:x,pipeline:y"; do
  say "$iterations inferences of four processes, $how"
  # shellcheck disable=SC2086
  build/bin/ttc-translate --onnx-to-bundle examples/mlp/mlp.onnx $how -o "$folder/mesh.ttcb"
  build/bin/ttrun run "$folder/mesh.ttcb" --random=3 --processes=4 --loops="$iterations" \
    --expect "$output=$folder/y.npy" --rtol=1e-5 --atol=1e-6
done
[ "$(left)" = "$before" ] || fail "shared memory is left: $(left)"
say "nothing differed"
