#!/usr/bin/env bash
# `make install`: builds the package and installs or updates it. Built by whom the checkout belongs to, so that nothing
# in it becomes root's; what the owner has written in /etc/oche stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

.ci/environment.sh
.ci/packages.sh need install dh:debhelper
owner=$(stat -c %U .)
echo "Building the package as $owner: a minute."
package=$(runuser -u "$owner" -- env HOME="$(getent passwd "$owner" | cut -d: -f6)" make -s deb | tail -n 1)
apt-get update -qq || true
DEBIAN_FRONTEND=noninteractive apt-get install -qq --reinstall --allow-downgrades \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "./$package"
echo "Installed. What now: docs/install.md; what is missing: oche doctor"
