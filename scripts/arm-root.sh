#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prepares this machine to build the runtime for AArch64 and to run it under an emulator.
#
#   scripts/arm-root.sh
#
# Installs qemu-user-static, if it is missing, and unpacks the packages of scripts/packages-arm.txt that end
# with :arm64, with all that they depend on, into build-arm64-root/. Only the emulator needs the right to install:
# this machine's list of architectures and its packages stay as they are. The preset arm64 builds with this folder.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
[ $# = 0 ] || usage

packages=$(packages_of scripts/packages-arm.txt)
# shellcheck disable=SC2046
install_packages $(grep -v ':arm64$' <<<"$packages")

root="$ROOT/build-arm64-root"
wanted=$(grep ':arm64$' <<<"$packages" | sed 's/:arm64$//')
if [ -f "$root/packages" ] && [ "$(cat "$root/packages")" = "$wanted" ]; then
  exit 0
fi
say "unpacking packages for AArch64 into $root"
rm -rf --one-file-system "$root"
state="$root/apt"
mkdir -p "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
# A package manager of its own, to which nothing is installed.
apt_arm() {
  apt-get -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$state" -o Dir::State::status="$state/status" \
    -o Dir::Cache="$state" -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 "$@"
}
quietly arm-update apt_arm update || fail "apt-get update failed for arm64"
# shellcheck disable=SC2086
quietly arm-download apt_arm install -y --download-only --no-install-recommends $wanted ||
  fail "apt-get could not download all of: $wanted"
for package in "$state"/archives/*.deb; do
  dpkg -x "$package" "$root"
done
rm -rf "$state"
# Links to absolute paths would lead to this machine's libraries.
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfr "$root$(readlink "$link")" "$link"
done
printf '%s\n' "$wanted" >"$root/packages"
