#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the wheels of dist/ in clean Debian systems that have Python and no compiler, and runs the
# README's Python there, and the tools.
#
#   sudo scripts/check-wheels.sh [SUITE...]        (default: bookworm trixie)
#
# Needs root and debootstrap, which takes Debian's mirror unless DEBIAN_MIRROR names another. Packages
# of Python are downloaded out here; inside is no network. The systems are kept in build-wheel/roots,
# for the next time.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
[ $# -gt 0 ] || set -- bookworm trixie
[ "$(id -u)" = 0 ] || fail "debootstrap and chroot need root"
ls dist/ttc-*.whl dist/ttrt-*.whl >/dev/null || fail "no wheels in dist/: run scripts/wheels.sh"
install_packages debootstrap

roots="${TTC_ROOTS:-$ROOT/build-wheel/roots}"
mkdir -p "$roots"
for suite in "$@"; do
  root="$roots/$suite"
  if [ ! -e "$root/usr/bin/python3" ]; then
    say "making a $suite system in $root"
    quietly "debootstrap-$suite" debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" \
      ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} || fail "debootstrap failed for $suite"
  fi
  for tool in cc c++ gcc clang ld; do
    [ ! -e "$root/usr/bin/$tool" ] || fail "$root has $tool: it is not a clean system"
  done
  version=$(chroot "$root" /usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  say "$suite: Python $version"
  abi=cp312-abi3
  [ "$version" != 3.11 ] || abi=cp311-cp311
  ls dist/ttc-*-"$abi"-*.whl dist/ttrt-*-"$abi"-*.whl >/dev/null 2>&1 ||
    fail "dist/ has no wheels for Python $version: run scripts/wheels.sh with such a Python, or another from 3.12 on"
  rm -rf "$root/ttc"
  mkdir -p "$root/ttc/wheels"
  quietly "check-wheels-$suite" python3 -m pip download --quiet --dest "$root/ttc/wheels" --only-binary=:all: \
    --python-version "$version" numpy || fail "no numpy for Python $version"
  cp dist/*.whl "$root/ttc/wheels"
  cp -r examples README.md "$root/ttc"
  sed -n '/^```python$/,/^```$/{//!p}' README.md >"$root/ttc/readme.py"
  [ -s "$root/ttc/readme.py" ] || fail "README.md has no Python"
  env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin chroot "$root" /bin/bash -e -c '
    cd /ttc
    trap "umount /proc /dev" EXIT; mount -t proc proc /proc; mount --bind /dev /dev
    for name in ttrt ttc; do
      python3 -m venv /ttc/$name-env
      /ttc/$name-env/bin/pip install --quiet --disable-pip-version-check --no-index --find-links wheels $name
    done
    /ttc/ttc-env/bin/python readme.py
    PATH=/ttc/ttc-env/bin:$PATH
    ttc examples/digits/digits.onnx -o digits.ttcb
    ttrun check --execute digits.ttcb | head -1
    ttrun bench examples/digits/digits.onnx --seconds=0.1
    python -m ttc examples/mlp/mlp.onnx
    ttrt-env/bin/python -c "import ttrt; print(ttrt.__version__, ttrt.load(\"digits.ttcb\").perf())"
    ! ttrt-env/bin/python -c "import ttc" 2>/dev/null' || fail "the wheels do not run in $suite"
done
say "the wheels run in: $*"
