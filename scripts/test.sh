#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the tests, with all set-up from a fresh Debian 12: packages, Python environment, builds.
#
#   scripts/test.sh [--quick] [release] [asan] [tsan]
#
# Without names: the release build's tests (lit, unit, whole models and tools); the runtime, its tools and
# the planner under the address and undefined-behaviour sanitizers; what has threads under the thread sanitizer.
# --quick is the release build's lit and unit tests only. What takes longer is in scripts/nightly.sh.
# The last lines say where the time went, how far the whole is from the 25 minutes that it may take on two
# cores, and "N passed, N failed, N skipped" over all of them.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. scripts/lib/suites.sh

quick=
presets=()
for argument in "$@"; do
  case "$argument" in
    --quick) quick=1 ;;
    release | asan | tsan) presets+=("$argument") ;;
    *) usage ;;
  esac
done
if [ -n "$quick" ]; then
  presets=(release)
elif [ ${#presets[@]} = 0 ]; then
  presets=(release asan tsan)
fi

ensure_packages
[ -n "$quick" ] || ensure_test_packages
ensure_python
enter "$@"

started=$SECONDS
begin_results "$ROOT/build/test-results"
for preset in "${presets[@]}"; do
  case "$preset" in
    release)
      stage release-build build release all
      lit release build
      unit release build
      [ -n "$quick" ] || python_tests release build
      ;;
    asan)
      stage asan-build build asan all
      lit asan build-asan
      # What tries every order of execution, or searches for long, repeats the same accesses; nightly.sh has it.
      GTEST_FILTER='-*Explore*:Search.*:Chooser.Is*' unit asan build-asan
      ;;
    tsan)
      stage tsan-build build tsan ttc-thread-tests
      unit tsan build-tsan -L threads
      ;;
  esac
done

say "all tests, $((SECONDS - started)) s"
most=()
[ "${presets[*]}" != "release asan tsan" ] || most=(1500)
exec /usr/bin/python3 scripts/lib/tally.py "$results" "${most[@]}"
