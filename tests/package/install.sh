#!/usr/bin/env bash
# A Debian 12 in a folder, with all that oche's package asks for and without oche. Prints the folder.
#
# Made once, in about a minute, and kept in the cache under a name that tells what is in it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../debian/make.sh"

RELEASE=bookworm
PACKAGES="python3 libusb-1.0-0 systemd dbus bluez mosquitto mosquitto-clients"

root=$CACHE/oche-package/$RELEASE-$(sha256sum <<<"$PACKAGES" | cut -c1-12)
[[ ! -d $root ]] || { echo "$root"; exit; }
require "make appliance" ip:iproute2

build() {
    bootstrap "$RELEASE" "$work/made" "$PACKAGES" --quiet --variant=apt \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/zoneinfo/*'
    echo "127.0.0.1 localhost" >"$work/made/etc/hosts"
    # No service is started here: there is no systemd that runs.
    printf '#!/bin/sh\nexit 101\n' >"$work/made/usr/sbin/policy-rc.d"
    chmod 755 "$work/made/usr/sbin/policy-rc.d"
}

make_once "$root" "the Debian that oche's package is installed on" build
echo "$root"
