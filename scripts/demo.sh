#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The demo, with all set-up from a fresh Debian 12: compiles examples/digits/digits.onnx to a trace
# bundle and answers the held-out images with it.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

ensure_packages
ensure_python # only for the comparison with ONNX Runtime
enter "$@"
build release ttc ttc-opt ttc-translate ttrun ttc-digits

digits=examples/digits
say "compiling $digits/digits.onnx to build/digits.ttcb"
build/bin/ttc-translate --onnx-to-bundle "$digits/digits.onnx" -o build/digits.ttcb ||
  fail "ttc-translate could not compile the model"
ls -l build/digits.ttcb | awk '{print $5 " bytes"}'

say "classifying the held-out images"
build/bin/ttc-digits build/digits.ttcb "$digits/images.npy" "$digits/labels.npy" 1
if "$PYTHON" -c 'import onnxruntime' 2>/dev/null; then
  "$PYTHON" "$digits/onnxruntime_latency.py" "$digits/digits.onnx" "$digits/images.npy" 1
else
  echo "  ONNX Runtime              skipped: onnxruntime is not in .venv"
fi
