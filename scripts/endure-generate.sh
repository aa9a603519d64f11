#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Generates texts for long, and checks that nothing changes: tokens, memory, mappings, files, threads.
#
#   scripts/endure-generate.sh [STEPS [MODEL.gguf [STEPS]]]
#
# A small decoder with random weights takes STEPS steps (default 100000) on one core and again on two, in
# texts that end with the context, are drawn, are computed by steps, or are left in their middle, with
# resets of the states. With a model, it does the same with that one (default 4000 steps, on two cores).
#
# It takes 20 seconds after the build, and with SmolLM2-135M another minute; 200 MB of memory and of disk.
# Exit status 1 if something differs.
set -euo pipefail
[ -z "${2:-}" ] || set -- "$1" "$(realpath "$2")" "${@:3}"
. "$(dirname "$0")/lib/common.sh"

steps=${1:-100000} model=${2:-} model_steps=${3:-4000}
if ! [[ "$steps $model_steps" =~ ^[1-9][0-9]*\ [1-9][0-9]*$ ]] || [ $# -gt 3 ]; then
  usage
fi
if [ -n "$model" ] && ! [ -r "$model" ]; then
  fail "cannot read '$model'"
fi
ensure_packages
ensure_python
enter "$@"
build release ttc-translate ttrt-endure-generate

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$PYTHON" test/conformance/gguf_models.py "$folder/small.gguf"
build/bin/ttc-translate --gguf-to-bundle "$folder/small.gguf" --context=256 --prefill=16 -o "$folder/small.ttcb"
for cores in 1 2; do
  say "$steps steps of a small decoder, cores: $cores"
  build/test/unit/ttrt-endure-generate "$folder/small.ttcb" "$steps" "$cores"
done
if [ -n "$model" ]; then
  build/bin/ttc-translate --gguf-to-bundle "$model" --context=512 --prefill=16 -o "$folder/model.ttcb"
  say "$model_steps steps of $model, cores: 2"
  build/test/unit/ttrt-endure-generate "$folder/model.ttcb" "$model_steps" 2
fi
