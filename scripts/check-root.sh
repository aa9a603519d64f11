#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the README's two commands in a new Debian 12 that has nothing but Debian's base system and git.
#
#   sudo scripts/check-root.sh [COMMAND...]       (default: scripts/demo.sh, then scripts/test.sh)
#
# Needs root and debootstrap. Packages come from where this machine takes them: its lists of sources and the
# configurations of apt and pip are copied. The system is made in build-root/ and removed at the end, unless
# TTC_KEEP_ROOT is set. It has the last commit, not what is uncommitted, and no shared models.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
[[ "${1:-}" != -* ]] || usage

[ "$(id -u)" = 0 ] || fail "debootstrap and chroot need root"
install_packages debootstrap
root="$ROOT/build-root"
say "making a Debian 12 system in $root"
rm -rf --one-file-system "$root"
quietly debootstrap debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root" \
  ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} || fail "debootstrap failed"
for tool in cc c++ clang cmake python3; do
  [ ! -e "$root/usr/bin/$tool" ] || fail "$root has $tool: it is not a clean system"
done
cp -rT /etc/apt "$root/etc/apt"
for file in /etc/pip.conf /etc/resolv.conf /etc/hosts /etc/ssl /usr/local/share/ca-certificates; do
  [ ! -e "$file" ] || cp -rLT "$file" "$root$file"
done
git clone -q --no-hardlinks "$ROOT" "$root/root/ttc"

pip_settings=()
while IFS= read -r -d '' setting; do
  case "$setting" in PIP_* | *_PROXY=* | *_proxy=* | SSL_CERT_FILE=*) pip_settings+=("$setting") ;; esac
done < <(env -0)
[ $# -gt 0 ] || set -- 'scripts/demo.sh && scripts/test.sh'
# In a namespace of its own, so that its mounts end with it.
status=0
unshare --mount --propagation private env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  "${pip_settings[@]}" sh -c '
    mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" && mount -t tmpfs shm "$0/dev/shm" &&
    exec chroot "$0" /bin/bash -c "cd /root/ttc && $*"' "$root" "$@" || status=$?
[ -n "${TTC_KEEP_ROOT:-}" ] || rm -rf --one-file-system "$root"
exit $status
