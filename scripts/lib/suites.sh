# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by test.sh and nightly.sh: test runners, each timed, with results that tally.py adds up. Sourced
# after common.sh.

# begin_results FOLDER: empties it. tally.py reads its *.xml and the times in stages.txt.
begin_results() {
  results="$1"
  rm -rf "$results"
  mkdir -p "$results"
  export TTC_PYTHON="$PYTHON"
  export PYTHONDONTWRITEBYTECODE=1
}

# stage NAME COMMAND...: runs it and notes how long it took.
stage() {
  local name=$1 begun=$SECONDS status=0
  shift
  "$@" || status=$?
  printf '%s %s\n' "$name" $((SECONDS - begun)) >>"$results/stages.txt"
  return $status
}

# suite NAME COMMAND...: a runner of tests, with its output shown. One that dies before it wrote its results
# counts as one failure (tally.py finds the empty mark).
suite() {
  local name=$1
  shift
  say "$name"
  : >"$results/$name.xml"
  stage "$name" "$@" || true
}

lit() { # PRESET FOLDER
  suite "$1-lit" /usr/lib/llvm-22/bin/lit -s --no-progress-bar -j "$(jobs_here)" -v \
    --xunit-xml-output "$results/$1-lit.xml" "$2/test"
}

# Each program of GoogleTest writes the results of its cases beside what ctest writes of the program.
unit() { # PRESET FOLDER [CTEST'S OPTIONS]
  mkdir -p "$results/$1-unit"
  suite "$1-unit" env GTEST_OUTPUT="xml:$results/$1-unit/" ctest --test-dir "$2" "${@:3}" -j "$(jobs_here)" \
    --output-on-failure --no-tests=error --quiet --output-log "$LOGS/$1-unit.log" \
    --output-junit "$results/$1-unit.xml"
}

# One worker more than cores: for a fifth of their time, tests wait for what they have started.
python_tests() { # PRESET FOLDER [PYTEST'S ARGUMENTS]
  local parallel=()
  "$PYTHON" -c 'import xdist' 2>/dev/null && parallel=(-n $(($(jobs_here) + 1)) --dist worksteal)
  suite "$1-python" env TTC_BUILD_DIR="$ROOT/$2" "$PYTHON" -m pytest -q -rs -p no:cacheprovider \
    "${parallel[@]}" --junitxml "$results/$1-python.xml" "${@:3}" test
}
