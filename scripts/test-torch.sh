#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the tests of torch.compile(backend="ttc") and of exported decoders (test/python/torch), and those of the
# examples, in an environment of their own with PyTorch.
# usage: scripts/test-torch.sh [PYTEST ARGUMENTS]
#
# TTC_TORCH_VENV names the environment (default: .venv-torch at the root). It is made once: PyTorch for CPUs takes
# 190 MB to download and 700 MB on disk, all packages together 1.5 GB. Needs a build with the Python package ttrt
# (TTC_BUILD_DIR, default: build). The tests take 14 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${TTC_TORCH_VENV:-$PWD/.venv-torch}
build=${TTC_BUILD_DIR:-$PWD/build}
if ! ls "$build"/python/ttrt/_ttrt.*.so > /dev/null 2>&1; then
  echo "test-torch.sh: $build/python/ttrt is not built: cmake --build $build --target _ttrt ttc-translate" >&2
  exit 1
fi
if [ ! -e "$venv/vision" ]; then
  python3 -m venv --clear "$venv"
  # Without their dependencies: those of PyPI's torch are CUDA's libraries, which the CPU does not need.
  "$venv/bin/pip" install --quiet --no-deps torch==2.13.0 transformers==5.23.0
  # In a folder of its own, which benchmarks/torch_models.py adds: transformers imports every torchvision that it
  # finds, and fails where that was built for another PyTorch.
  "$venv/bin/pip" install --quiet --no-deps --target "$venv/vision.part" torchvision==0.28.0
  "$venv/bin/pip" install --quiet -r scripts/requirements-torch.txt
  mv "$venv/vision.part" "$venv/vision"
fi
TTC_BUILD_DIR=$build exec "$venv/bin/python" -m pytest -q -p no:cacheprovider \
  test/python/torch test/python/ttc/test_python_examples.py "$@"
