#!/usr/bin/env bash
# `make install`: builds the package and installs or updates it. It is built as the owner of the checkout, so
# that nothing in it becomes root's. What is in /etc/oche stays as it is. The extras that are installed already are updated
# with it: they fit no other version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

.ci/environment.sh
.ci/packages.sh need install dh:debhelper
extras=${EXTRAS:-}
for file in debian/extras/*.txt; do
    extra=$(basename "$file" .txt)
    [[ " $extras " == *" $extra "* || $extras == all ]] ||
        [[ $(dpkg-query --show --showformat '${db:Status-Status}' "oche-$extra" 2>/dev/null) != installed ]] || extras+=" $extra"
done
owner=$(stat -c %U .)
echo "Building the package as $owner. This takes a minute."
packages=$(runuser -u "$owner" -- env HOME="$(getent passwd "$owner" | cut -d: -f6)" make -s deb EXTRAS="$extras")
mapfile -t packages < <(grep '^build/' <<<"$packages") # what else it says is of what it set up
apt-get update -qq || true
DEBIAN_FRONTEND=noninteractive apt-get install -qq --reinstall --allow-downgrades \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "${packages[@]/#/./}"
echo "Installed. docs/install.md says how to go on; oche doctor says what is missing."
