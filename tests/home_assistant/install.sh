#!/usr/bin/env bash
# A real Home Assistant in a folder of its own: Debian forky for its Python, and the release from PyPI. Prints the folder.
#
# Home Assistant wants a newer Python than most machines have, so it gets a small Debian around it and is run there by
# chroot. It is installed once and kept in the cache under a name that tells what is in it, so that a change
# here installs anew. OCHE_HOME_ASSISTANT names such a folder that is already there and switches all of this off.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../debian/make.sh"

VERSION=2026.11.0
PYTHON=python3.14
# What the tests use of it, besides what it always starts; what these need in turn is looked up.
INTEGRATIONS=(config conversation hassio input_boolean light mqtt template)
PACKAGES="$PYTHON-venv $PYTHON-dev ca-certificates g++" # the compiler is for libraries that come as source only

if [[ -n "${OCHE_HOME_ASSISTANT:-}" ]]; then
    [[ -x "$OCHE_HOME_ASSISTANT/venv/bin/hass" ]] || {
        say "OCHE_HOME_ASSISTANT is $OCHE_HOME_ASSISTANT, and no Home Assistant is there: unset it to install one."
        exit 1
    }
    realpath "$OCHE_HOME_ASSISTANT"
    exit
fi

digest=$(sha256sum <<<"$PACKAGES ${INTEGRATIONS[*]}" | cut -c1-12)
root=$CACHE/oche-home-assistant/$VERSION-$digest
[[ ! -d $root ]] || { echo "$root"; exit; }
require "make test-ha"

# Inside a namespace of mounts of its own, so that nothing stays mounted whatever happens.
install_inside() {
    mkdir "$made/config" # where a test puts its own
    mount -t proc proc "$made/proc"
    mount --bind /etc/ssl/certs "$made/etc/ssl/certs"
    cp /etc/resolv.conf /etc/hosts "$made/etc/"
    [[ ! -e /etc/pip.conf ]] || cp /etc/pip.conf "$made/etc/"
    inside() { HOME=/root PATH=/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$made" "$@"; }
    inside "$PYTHON" -m venv /venv
    # First alone: the file in it names a version for everything, without which the search for them has no end.
    inside python -m pip install --no-deps "homeassistant==$VERSION"
    install() { inside python -m pip install --progress-bar off --constraint "$package/package_constraints.txt" "$@"; }
    local package=/venv/lib/$PYTHON/site-packages/homeassistant
    install "homeassistant==$VERSION"
    inside python - "$package/components" "${INTEGRATIONS[@]}" >"$made/requirements.txt" <<-'PYTHON'
	import json, pathlib, sys
	from homeassistant.bootstrap import DEFAULT_INTEGRATIONS
	components, todo, done = pathlib.Path(sys.argv[1]), [*DEFAULT_INTEGRATIONS, *sys.argv[2:]], set()
	while todo:
	    name = todo.pop()
	    if name not in done:
	        done.add(name)
	        manifest = json.loads((components / name / "manifest.json").read_text())
	        print(*manifest.get("requirements", []), sep="\n")
	        todo += manifest.get("dependencies", [])
	PYTHON
    install --requirement /requirements.txt
    rm -rf "$made/root/.cache" "$made/var/cache/apt" "$made/var/lib/apt/lists"
}

build() {
    export made=$work/made VERSION PYTHON
    # The release file of forky may be past its date where a mirror lags; its signature is checked all the same.
    bootstrap forky "$made" "$PACKAGES" --variant=essential --aptopt='Acquire::Check-Valid-Until "false"'
    export -f install_inside
    integrations="${INTEGRATIONS[*]}" unshare --mount --pid --fork --kill-child bash -euo pipefail -c \
        'read -ra INTEGRATIONS <<<"$integrations"; install_inside'
}

make_once "$root" "a Home Assistant $VERSION" build
echo "$root"
