#!/usr/bin/env bash
# A Debian in a folder with git, make and Python and nothing else. Prints the folder.
#
#   tests/debian/install.sh bookworm
#
# Made once, in about a minute, and kept in the cache under a name that tells what is in it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/make.sh"

RELEASE=$1
PACKAGES="git make python3"

root=$CACHE/oche-debian/$RELEASE-$(sha256sum <<<"$PACKAGES" | cut -c1-12)
[[ ! -d $root ]] || { echo "$root"; exit; }
require "make test-debian"

build() {
    # The release file of forky may be past its date where a mirror lags; its signature is checked all the same.
    bootstrap "$RELEASE" "$work/made" "$PACKAGES" --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"'
    chroot "$work/made" useradd --create-home --shell /bin/bash user
}

make_once "$root" "the Debian $RELEASE" build
echo "$root"
