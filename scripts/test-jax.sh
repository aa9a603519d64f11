#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the tests of ttc.compile() of functions of JAX and of ttc.jit (test/python/jax), and the code of
# docs/python-jax.md and docs/stablehlo.md, in an environment of their own with JAX.
# usage: scripts/test-jax.sh [PYTEST ARGUMENTS]
#
# TTC_JAX_VENV names the environment (default: .venv-jax at the root). It is made once, and takes 640 MB on disk.
# Needs a build with the Python package ttrt (TTC_BUILD_DIR, default: build).
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${TTC_JAX_VENV:-$PWD/.venv-jax}
build=${TTC_BUILD_DIR:-$PWD/build}
if ! ls "$build"/python/ttrt/_ttrt.*.so > /dev/null 2>&1; then
  echo "test-jax.sh: $build/python/ttrt is not built: cmake --build $build --target _ttrt ttc-translate" >&2
  exit 1
fi
if [ ! -e "$venv/complete" ]; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet -r scripts/requirements-jax.txt
  touch "$venv/complete"
fi
TTC_BUILD_DIR=$build exec "$venv/bin/python" -m pytest -q -p no:cacheprovider \
  test/python/jax "test/docs/test_python_blocks.py::test_page[docs/python-jax.md]" \
  "test/docs/test_python_blocks.py::test_page[docs/stablehlo.md]" "$@"
