#!/usr/bin/env bash
# A Debian 12 in a folder, with all that oche's package asks for and without oche. Prints the folder.
#
# Made once, in about a minute, and kept in the cache under a name that tells what is in it.
set -euo pipefail

RELEASE=bookworm
PACKAGES=python3,libusb-1.0-0,systemd,dbus,bluez,mosquitto,mosquitto-clients

cache=${XDG_CACHE_HOME:-$HOME/.cache}/oche-package
root=$cache/$RELEASE-$(sha256sum <<<"$PACKAGES" | cut -c1-12)
[[ ! -d $root ]] || { echo "$root"; exit; }

[[ $(id -u) = 0 ]] || { echo "oche's package is installed in a chroot: this needs root." >&2; exit 1; }
for need in mmdebstrap:mmdebstrap unshare:util-linux ip:iproute2 apt-get:apt; do
    command -v "${need%:*}" >/dev/null || { echo "Install the Debian package ${need#*:} and try again." >&2; exit 1; }
done
# Where this machine has its own Debian from.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | sort -u | head -n 1)
[[ -n $mirror ]] || { echo "apt knows no Debian archive here: do this on Debian." >&2; exit 1; }

mkdir -p "$cache"
work=$(mktemp -d "$cache/install.XXXXXX")
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --mode=root --variant=apt --include="$PACKAGES" --aptopt='Acquire::Languages "none"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/zoneinfo/*' "$RELEASE" "$work" "$mirror" >&2
rm -rf "$work"/var/{cache/apt,lib/apt/lists}/*
echo "127.0.0.1 localhost" >"$work/etc/hosts"
# Nobody starts services here: there is no systemd that runs.
printf '#!/bin/sh\nexit 101\n' >"$work/usr/sbin/policy-rc.d"
chmod 755 "$work/usr/sbin/policy-rc.d" "$work"
mv "$work" "$root" # at once, so that nobody runs half of one
echo "$root"
