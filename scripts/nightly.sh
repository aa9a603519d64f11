#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs what takes too long for scripts/test.sh, and records the result in test/nightly.json.
#
#   scripts/nightly.sh [STAGE...]
#
#   release    the release build's tests, with the slow ones (TTC_NIGHTLY=1, as in the next two)
#   asan       everything, the compiler too, under the address and undefined-behaviour sanitizers; no Python
#   tsan       all tests of the runtime under the thread sanitizer
#   headers    a build without precompiled headers, benchmarks included
#   fuzz       every fuzzer, ten minutes a target (TTC_FUZZ_MINUTES)
#   torch      torch.compile(backend="ttc"), exported decoders, the examples in Python
#   jax        ttc.compile() of functions of JAX, ttc.jit, docs/python-jax.md
#   extension  the Python package ttrt over a runtime under the address sanitizer
#   endure     a generator's 100,000 steps; a mesh's million exchanges and inferences (TTC_EXCHANGES)
#   kills      ranks of a mesh that end by SIGKILL
#   meshes     whole models on every mesh, by every transport
#   arm        bundles and the runtime for AArch64, in an emulator
#   tidy       clang-tidy over the compiler, the runtime and the tools
#   wheels     the wheels of Python, in clean systems
#   root       the README's two commands in a new Debian 12 (needs root)
#
# Without names: all of them, in this order, for hours. Each stage that ran on a
# checkout without changes is recorded with its commit; test/tree/test_nightly.py fails if a record says "failed"
# or is more than 150 commits old, and skips the stages that have none. Commit test/nightly.json afterwards.
# The last line is "N passed, N failed" over the stages.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. scripts/lib/suites.sh

known="release asan tsan headers fuzz torch jax extension endure kills meshes arm tidy wheels root"
stages=("$@")
[ ${#stages[@]} != 0 ] || read -ra stages <<<"$known"
for stage in "${stages[@]}"; do
  [[ " $known " = *" $stage "* ]] || usage
done

ensure_packages
ensure_test_packages
# shellcheck disable=SC2046
(install_packages $(packages_of scripts/packages-nightly.txt) qemu-user-static) || true
ensure_python
enter "$@"

tallied() { /usr/bin/python3 scripts/lib/tally.py "$results"; }

stage_release() {
  export TTC_NIGHTLY=1
  build release all
  lit release build
  unit release build
  python_tests release build
  tallied
}
stage_asan() {
  export TTC_NIGHTLY=1
  build asan-compiler all
  lit asan-compiler build-asan-compiler
  unit asan-compiler build-asan-compiler
  tallied
}
stage_tsan() {
  export TTC_NIGHTLY=1
  build tsan all
  unit tsan build-tsan
  tallied
}
stage_headers() { build headers all; }
stage_fuzz() {
  # All targets share the cores.
  scripts/fuzz.sh "$(awk "BEGIN {print 10 * ${TTC_FUZZ_MINUTES:-10} / 60 / $(jobs_here)}")"
}
stage_torch() {
  build release all
  scripts/test-torch.sh
}
stage_jax() {
  build release all
  scripts/test-jax.sh
}
stage_extension() {
  build release ttc-translate
  build/bin/ttc-translate --onnx-to-bundle examples/digits/digits.onnx -o "$results/digits.ttcb"
  build/bin/ttc-translate --onnx-to-bundle examples/host-ops/swish.onnx '--host-ops=com.acme.*' -o "$results/swish.ttcb"
  cmake -S . -B build-asan-python -G Ninja -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    -DCMAKE_BUILD_TYPE=None -DTTC_BUILD_COMPILER=OFF -DTTC_BUILD_TESTS=OFF -DTTC_PYTHON_BINDINGS=ON \
    -DCMAKE_CXX_FLAGS="-O1 -gline-tables-only -fsanitize=address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=all -shared-libasan"
  cmake --build build-asan-python --target _ttrt
  LD_PRELOAD="$(clang-22 -print-file-name=libclang_rt.asan-x86_64.so) $(g++ -print-file-name=libstdc++.so.6)" \
    ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=8 PYTHONMALLOC=malloc PYTHONPATH=build-asan-python/python \
    "$PYTHON" test/python/ttrt/stress.py "$results"
}
stage_endure() {
  scripts/endure-generate.sh
  scripts/endure-mesh.sh "${TTC_EXCHANGES:-1000000}"
}
stage_kills() {
  build release ttc-translate ttrun ttrt_mpi
  local bundle="$results/mesh.ttcb" how
  build/bin/ttc-translate --onnx-to-bundle examples/mlp/mlp.onnx --mesh=2x2 --parallel=data:x,pipeline:y -o "$bundle"
  for how in processes mpi; do
    "$PYTHON" scripts/kill-ranks.py "$bundle" 4 --how="$how"
  done
}
stage_meshes() {
  build release ttc-translate ttrun ttrt_mpi
  "$PYTHON" scripts/check-mesh.py
  if [ -d "$TTC_SHARED/data/light" ]; then
    "$PYTHON" "$TTC_SHARED/tools/realize_light_models.py" "$TTC_SHARED/data/light/light_resnet50.onnx" "$results/resnet50.onnx"
    "$PYTHON" scripts/check-mesh.py --batch=4 "$results/resnet50.onnx"
  else
    echo "SKIPPED ResNet-50: no shared models at $TTC_SHARED"
  fi
}
stage_arm() {
  build release all
  scripts/arm-root.sh
  build arm64 ttrt ttrun ttc-outputs
  suite arm-python env TTC_NIGHTLY=1 TTC_BUILD_DIR="$ROOT/build" "$PYTHON" -m pytest -q -rs -p no:cacheprovider \
    --junitxml "$results/arm-python.xml" test/arm
  tallied
}
stage_tidy() { # Headers come with the files that include them.
  build headers all
  local tool=run-clang-tidy-22
  command -v $tool >/dev/null || fail "no $tool: install clang-tidy-22"
  $tool -quiet -p build-headers -j "$(jobs_here)" -warnings-as-errors='*' '/(dialects|lib|runtime|tooling|tools)/.*\.cpp$'
}
stage_wheels() {
  scripts/wheels.sh
  scripts/check-wheels.sh
}
stage_root() { scripts/check-root.sh; }

# With changes that no commit has, there is nothing to record a result for.
commit=$(git rev-parse HEAD)
[ -z "$(git status --porcelain --untracked-files=no -- . ':!test/nightly.json')" ] || commit=
passed=0 failed=0
for stage in "${stages[@]}"; do
  say "nightly: $stage"
  begin_results "$ROOT/build/nightly/$stage"
  begun=$SECONDS result=passed
  # Not "... || result=failed": bash ignores the stage's own set -e before that.
  set +e
  (set -e; "stage_$stage") 2>&1 | tee "$results/output.log"
  [ "${PIPESTATUS[0]}" = 0 ] || result=failed
  set -e
  if [ "$result" = passed ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  echo "(nightly: $stage $result after $((SECONDS - begun)) s)"
  if [ -n "$commit" ]; then
    /usr/bin/python3 scripts/lib/record_nightly.py test/nightly.json "$stage" "$commit" "$result" $((SECONDS - begun)) \
      "$results/output.log"
  fi
done
[ -n "$commit" ] || echo "not recorded: tracked files are changed"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
