# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by demo.sh and test.sh: packages, Python environment, builds. Sourced, not run.
# Every step says what it does, is skipped when there is nothing to do, and on failure names what is
# missing.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$ROOT"
LOGS="$ROOT/build/logs"
mkdir -p "$LOGS"

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
fail() {
  printf '\nerror: %s\n' "$*" >&2
  exit 1
}

# The comment at the head of the script, as its help.
usage() {
  sed -n '3,/^set /{s/^# \{0,1\}//p}' "$ROOT/scripts/$(basename "$0")"
  exit 2
}

# quietly LOG COMMAND...: the output goes to a log; of a command that fails, its end is shown.
quietly() {
  local log="$LOGS/$1.log"
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 40 "$log" >&2
    echo "(all of it: $log)" >&2
    return 1
  fi
}

# as_root COMMAND...: directly as root, else by sudo where that is allowed.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

may_install() {
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" = 0 ] && return 0
  command -v sudo >/dev/null || return 1
  [ -t 0 ] || sudo -n true 2>/dev/null
}

missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      printf '%s ' "$package"
  done
}

# install_packages PACKAGE...: what is missing of them, by apt.
install_packages() {
  local missing
  command -v dpkg-query >/dev/null ||
    fail "this is not a Debian system; ttc needs the packages of scripts/packages.txt: $*"
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return 0
  may_install ||
    fail "missing packages: $missing
       and no right to install them (not root, no sudo). As root, run:
       apt-get update && apt-get install --no-install-recommends $missing"
  say "installing Debian packages: $missing"
  quietly apt-update as_root env DEBIAN_FRONTEND=noninteractive apt-get update ||
    fail "apt-get update failed; still missing: $missing"
  # shellcheck disable=SC2086
  quietly apt-install as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $missing ||
    fail "apt-get could not install all of: $missing
       (LLVM 22 needs Debian 12 with its security suite among the sources)"
}

packages_of() { sed -e 's/#.*//' -e '/^ *$/d' "$1" | awk '{print $1}'; }

ensure_packages() {
  # shellcheck disable=SC2046
  install_packages $(packages_of scripts/packages.txt)
}

# What only some tests need. Where it cannot be had, the tests are there to say what they skip.
ensure_test_packages() {
  # shellcheck disable=SC2046
  (install_packages $(packages_of scripts/packages-test.txt)) ||
    echo "Going on without; the tests that need one of these packages will be reported as skipped."
}

# The tests' Python: a virtual environment with pinned packages from PyPI; where PyPI cannot be
# reached, Debian's onnx, numpy and pytest, and no ONNX Runtime to compare with. The list is complete, so
# nothing else is installed.
ensure_python() {
  local want stamp=.venv/ttc-requirements
  want=$(cat scripts/requirements.txt)
  PYTHON="$ROOT/.venv/bin/python"
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ] && "$PYTHON" -c '' 2>/dev/null; then
    return 0
  fi
  say "making the tests' Python environment in .venv"
  rm -rf .venv
  /usr/bin/python3 -m venv .venv || fail "python3 -m venv failed (package: python3-venv)"
  if quietly pip .venv/bin/pip install --quiet --disable-pip-version-check --retries 2 --timeout 30 \
    --no-deps -r scripts/requirements.txt; then
    :
  else
    echo "PyPI does not serve these packages here; taking Debian's instead." \
      "Comparisons with ONNX Runtime will be reported as skipped."
    install_packages python3-onnx python3-numpy python3-pytest python3-pytest-xdist
    rm -rf .venv
    /usr/bin/python3 -m venv --system-site-packages .venv
  fi
  printf '%s\n' "$want" >"$stamp"
}

# enter SCRIPT'S ARGUMENTS...: starts the script again in the checkout at its fixed path (enter.sh says
# why). After what needs the right to install, which is lost there without root.
enter() {
  [ -n "${TTC_ENTERED:-}" ] || exec scripts/enter.sh bash "scripts/$(basename "$0")" "$@"
}

# One job a core, and 2 GB of memory for each.
jobs_here() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemTotal/ {print int($2 / 2000000)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# build PRESET [TARGET...]
build() {
  local preset=$1 folder
  shift
  folder=build
  [ "$preset" = release ] || folder="build-$preset"
  # A folder that was configured at another path (by hand, or before enter.sh) starts afresh.
  if [ -f "$folder/CMakeCache.txt" ] && ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$ROOT" "$folder/CMakeCache.txt"; then
    rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles" "$folder/build.ninja"
  fi
  # Again while there is no Python package: what it needs may have been installed since.
  if [ ! -f "$folder/build.ninja" ] || { [ "$preset" = release ] && [ ! -d "$folder/python" ]; }; then
    say "configuring the $preset build in $folder"
    quietly "configure-$preset" cmake --preset "$preset" || fail "cmake failed for preset $preset"
  fi
  say "building the $preset preset in $folder"
  quietly "build-$preset" cmake --build "$folder" -j "$(jobs_here)" ${@:+--target "$@"} ||
    fail "the $preset build failed"
}
