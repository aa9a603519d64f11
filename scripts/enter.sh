#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a command in this checkout as seen at one fixed path, the same for every checkout.
#
#   scripts/enter.sh [COMMAND [ARGUMENT...]]     without a command: a shell
#
# Compilers write absolute paths into what they make, so the compiler cache serves two checkouts only
# if both are built at one path. This makes one: in a private mount namespace, which no other process
# sees, the checkout is bound at /tmp/ttc/checkout. Every build by the other scripts is made there, and a
# build folder that was configured there can be used only there:
#
#   scripts/enter.sh cmake --build build
#
# Needs root, or user namespaces that users may create. Where neither is allowed, the command runs in
# the checkout where it is, and says so.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd -P)
fixed=/tmp/ttc/checkout
[ $# -gt 0 ] || set -- "${SHELL:-/bin/sh}"
export TTC_SHARED="${TTC_SHARED:-$here/../shared}"

if [ -n "${TTC_ENTERED:-}" ]; then # nested: it is there already, or cannot be
  cd "$here"
  exec "$@"
fi
# The checkout may itself lie below /tmp/ttc; that path would be hidden.
case "$here/" in
  /tmp/ttc/*) may_enter= ;;
  *) may_enter=1 ;;
esac
bind='mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"'
if [ -n "$may_enter" ] && mkdir -p "$fixed" 2>/dev/null; then
  export TTC_ENTERED="$fixed"
  if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
    exec unshare --mount --propagation private sh -c "$bind" "$here" "$fixed" "$@"
  fi
  # The inner namespace gives the user back the user's own number.
  inner=(unshare --user --map-user="$(id -u)" --map-group="$(id -g)")
  if unshare --map-root-user --mount "${inner[@]}" true 2>/dev/null; then
    exec unshare --map-root-user --mount --propagation private sh -c "$bind" "$here" "$fixed" "${inner[@]}" "$@"
  fi
fi
export TTC_ENTERED="$here"
echo "note: no mount namespace may be made here, so this builds in place; the compiler cache then serves this checkout alone" >&2
cd "$here"
exec "$@"
