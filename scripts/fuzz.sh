#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fuzzes everything that reads a file, for hours.
#
#   scripts/fuzz.sh HOURS [TARGET...]
#
#   loader    any bytes as a bundle, with the hashes made right
#   commands  changed command streams, executed where the proof accepts them
#   log       any bytes, and any records, as the log of a profiler
#   npy       any bytes as a .npy file
#   text      any bytes as the tokenizer or the chat template of a bundle
#   target    any bytes as the JSON description of a target
#   gguf      any bytes as a GGUF file
#   onnx      any bytes, and any messages, as an ONNX model
#   stablehlo any text, and any module, as a module of StableHLO
#   tables    any field of any table and command of several bundles, executed where accepted
#
# It takes HOURS (a fraction is allowed) for all targets together, one process per core, after the
# builds: the release preset's tools, and the fuzz preset (30 minutes on two cores the first time,
# 2 GB of disk). Each process takes up to 4 GB of memory.
# What was interesting is kept in build-fuzz/corpus, and is where the next call begins; findings are
# written to build-fuzz/findings. Exit status 1 if there are any. build-fuzz/test/fuzz/fuzz-TARGET FILE
# repeats one. When it is fixed, its file belongs in test/fuzz/corpus/TARGET.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

known="loader commands log npy text target gguf onnx stablehlo tables"
[[ "${1:-}" =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage
hours=$1
shift
targets=("$@")
[ ${#targets[@]} != 0 ] || read -ra targets <<<"$known"
for target in "${targets[@]}"; do
  [[ " $known " = *" $target "* ]] || usage
done

ensure_packages
enter "$hours" "${targets[@]}"
build release ttrun ttc-translate onnx-text ttrt-write-sample ttrt-mutate-tables
for target in "${targets[@]}"; do
  [ "$target" = tables ] || fuzzers+=("fuzz-$target")
done
[ -z "${fuzzers+some}" ] || build fuzz "${fuzzers[@]}"

corpus="$ROOT/build-fuzz/corpus"
findings="$ROOT/build-fuzz/findings"
mkdir -p "$corpus" "$findings"
/usr/bin/python3 test/fuzz/seeds.py build "$corpus" "${targets[@]}"

# Each target's share: all cores, divided among them.
jobs=$(jobs_here)
[ "$jobs" -le ${#targets[@]} ] || jobs=${#targets[@]}
seconds=$(awk "BEGIN {printf \"%d\", $hours * 3600 * $jobs / ${#targets[@]}}")
say "${#targets[@]} targets, $jobs at a time, $seconds s each"

# The shared libMLIR is not instrumented and keeps objects until the process ends.
export ASAN_OPTIONS=detect_leaks=0:allow_user_poisoning=0 UBSAN_OPTIONS=print_stacktrace=1
export TTC_FUZZ_BUNDLE="$corpus/loader/certified.ttcb"
[ -f "$TTC_FUZZ_BUNDLE" ] || /usr/bin/python3 test/fuzz/seeds.py build "$corpus" loader

fuzz() { # TARGET
  local options=(-max_len=4096)
  case "$1" in
    tables)
      # A new seed each time: mutants depend on nothing else.
      local bundles=("$corpus"/tables/*.ttcb)
      build/test/unit/ttrt-mutate-tables --all --seed="$(date +%s)" --count=1000000000 \
        --seconds=$((seconds / ${#bundles[@]})) "${bundles[@]}"
      return
      ;;
    loader) options=(-max_len=200000) ;;
    log) options=(-max_len=65536) ;;
    commands) options=(-max_len=64) ;;
    gguf) options=(-max_len=16384) ;;
    onnx | stablehlo) options=(-max_len=8192) ;;
  esac
  [ ! -f "test/fuzz/dictionaries/$1.dict" ] || options+=("-dict=test/fuzz/dictionaries/$1.dict")
  "build-fuzz/test/fuzz/fuzz-$1" "${options[@]}" -max_total_time="$seconds" -timeout=300 \
    -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$findings/$1-" "$corpus/$1"
}

failed=()
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  (
    fuzz "$target" >"$findings/$target.log" 2>&1 && echo ok >"$findings/$target.end" ||
      echo failed >"$findings/$target.end"
  ) &
done
wait
for target in "${targets[@]}"; do
  result=$(cat "$findings/$target.end")
  [ "$result" = ok ] || failed+=("$target")
  executed=$(awk '/number_of_executed_units:/ {n += $2} / mutants of / {n += $2} END {print n + 0}' \
    "$findings/$target.log")
  printf '%-10s %12s executions  %s\n' "$target" "$executed" "$result"
done
if [ ${#failed[@]} != 0 ]; then
  for target in "${failed[@]}"; do
    say "$target: the end of $findings/$target.log"
    tail -n 30 "$findings/$target.log"
  done
  exit 1
fi
