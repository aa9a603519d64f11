#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs every test, with all set-up from a fresh Debian 12: packages, Python environment, builds.
#
#   scripts/test.sh [--quick] [release] [asan] [tsan]
#
# Without names: the release build's tests (lit, unit, whole models and tools), lit and unit tests
# under the address and undefined-behaviour sanitizers, and the runtime's unit tests under the
# thread sanitizer. --quick is the release build's lit and unit tests only.
# The last line is "N passed, N failed, N skipped" over all of them.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

quick=
presets=()
for argument in "$@"; do
  case "$argument" in
    --quick) quick=1 ;;
    release | asan | tsan) presets+=("$argument") ;;
    *) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
if [ -n "$quick" ]; then
  presets=(release)
elif [ ${#presets[@]} = 0 ]; then
  presets=(release asan tsan)
fi

started=$SECONDS
ensure_packages
[ -n "$quick" ] || ensure_test_packages
ensure_python
enter "$@"

results="$ROOT/build/test-results"
rm -rf "$results"
mkdir -p "$results"
export TTC_PYTHON="$PYTHON"
export PYTHONDONTWRITEBYTECODE=1

# suite NAME COMMAND...: runs it, with its output shown; a runner that dies before it wrote its
# results counts as one failure (tally.py finds the empty mark).
suite() {
  local name=$1 begun=$SECONDS
  shift
  say "$name"
  : >"$results/$name.xml"
  "$@" || true
  echo "($name: $((SECONDS - begun)) s)"
}

lit() { # PRESET FOLDER
  suite "$1-lit" /usr/lib/llvm-22/bin/lit -s --no-progress-bar -j "$(jobs_here)" -v \
    --xunit-xml-output "$results/$1-lit.xml" "$2/test"
}
unit() { # PRESET FOLDER [CTEST'S OPTIONS]
  suite "$1-unit" ctest --test-dir "$2" "${@:3}" -j "$(jobs_here)" --output-on-failure --no-tests=error \
    --quiet --output-log "$LOGS/$1-unit.log" --output-junit "$results/$1-unit.xml"
}
python_tests() { # PRESET FOLDER
  local parallel=()
  "$PYTHON" -c 'import xdist' 2>/dev/null && parallel=(-n "$(jobs_here)" --dist worksteal)
  suite "$1-python" env TTC_BUILD_DIR="$ROOT/$2" "$PYTHON" -m pytest -q -rs -p no:cacheprovider \
    "${parallel[@]}" --junitxml "$results/$1-python.xml" test
}

for preset in "${presets[@]}"; do
  folder=build
  [ "$preset" = release ] || folder="build-$preset"
  build "$preset" all
  case "$preset" in
    release)
      lit release "$folder"
      unit release "$folder"
      [ -n "$quick" ] || python_tests release "$folder"
      ;;
    asan)
      lit asan "$folder"
      # Sanitizers see the generator of the kernels' code and not that code: what is left out runs the
      # same kernels for other CPUs, or over more shapes.
      unit asan "$folder" -E \
        'kernels-test\..*\.(Avx2|Host|HostWithoutVnni|OneVector|Plain|Convolution|Depthwise)$'
      ;;
    tsan)
      unit tsan "$folder"
      ;;
  esac
done

say "all tests, $((SECONDS - started)) s"
exec /usr/bin/python3 scripts/lib/tally.py "$results"
