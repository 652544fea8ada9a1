#!/usr/bin/env bash
# `make install`: builds the package and installs or updates it. It is built as the owner of the checkout, so
# that nothing in it becomes root's. What is in /etc/oche stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

.ci/environment.sh
.ci/packages.sh need install dh:debhelper
owner=$(stat -c %U .)
echo "Building the package as $owner. This takes a minute."
package=$(runuser -u "$owner" -- env HOME="$(getent passwd "$owner" | cut -d: -f6)" make -s deb | tail -n 1)
apt-get update -qq || true
DEBIAN_FRONTEND=noninteractive apt-get install -qq --reinstall --allow-downgrades \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "./$package"
echo "Installed. docs/install.md says how to go on; oche doctor says what is missing."
