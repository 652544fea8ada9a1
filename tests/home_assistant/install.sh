#!/usr/bin/env bash
# A real Home Assistant in a folder of its own: Debian forky for its Python, and the release from PyPI. Prints the folder.
#
# Home Assistant wants a newer Python than most machines have, so it gets a small Debian around it and is run there by
# chroot. It is installed once and kept in the cache under a name that tells what is in it, so that a change
# here installs anew. OCHE_HOME_ASSISTANT names such a folder that is already there and switches all of this off.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

VERSION=2026.11.0
PYTHON=python3.14
# What the tests use of it, besides what it always starts; what these need in turn is looked up.
INTEGRATIONS=(config hassio input_boolean light mqtt template)
PACKAGES="$PYTHON-venv $PYTHON-dev ca-certificates g++" # the compiler is for libraries that come as source only

say() { echo "$*" >&2; }

if [[ -n "${OCHE_HOME_ASSISTANT:-}" ]]; then
    [[ -x "$OCHE_HOME_ASSISTANT/venv/bin/hass" ]] || {
        say "OCHE_HOME_ASSISTANT is $OCHE_HOME_ASSISTANT, and no Home Assistant is there: unset it to install one."
        exit 1
    }
    realpath "$OCHE_HOME_ASSISTANT"
    exit
fi

digest=$(sha256sum <<<"$PACKAGES ${INTEGRATIONS[*]}" | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/oche-home-assistant
root=$cache/$VERSION-$digest
[[ ! -d $root ]] || { echo "$root"; exit; }

[[ $(id -u) = 0 ]] || { say "Home Assistant is run here in a chroot: make test-ha needs root."; exit 1; }
for need in mmdebstrap:mmdebstrap unshare:util-linux apt-get:apt; do
    command -v "${need%:*}" >/dev/null || { say "Install the Debian package ${need#*:} and try again."; exit 1; }
done
# Where this machine has its own Debian from.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | sort -u | head -n 1)
[[ -n $mirror ]] || { say "apt knows no Debian archive here: run make test-ha on Debian."; exit 1; }

mkdir -p "$cache"
work=$(mktemp -d "$cache/install.XXXXXX")
trap 'rm -rf "$work"' EXIT
log=$cache/install.log

# Inside a namespace of mounts of its own, so that nothing stays mounted whatever happens.
install_inside() {
    mkdir "$work/config" # where a test puts its own
    mount -t proc proc "$work/proc"
    mount --bind /etc/ssl/certs "$work/etc/ssl/certs"
    cp /etc/resolv.conf /etc/hosts "$work/etc/"
    [[ ! -e /etc/pip.conf ]] || cp /etc/pip.conf "$work/etc/"
    inside() { HOME=/root PATH=/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$work" "$@"; }
    inside "$PYTHON" -m venv /venv
    # First alone: the file in it names a version for everything, without which the search for them has no end.
    inside python -m pip install --no-deps "homeassistant==$VERSION"
    install() { inside python -m pip install --progress-bar off --constraint "$package/package_constraints.txt" "$@"; }
    local package=/venv/lib/$PYTHON/site-packages/homeassistant
    install "homeassistant==$VERSION"
    inside python - "$package/components" "${INTEGRATIONS[@]}" >"$work/requirements.txt" <<-'PYTHON'
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
    rm -rf "$work/root/.cache" "$work/var/cache/apt" "$work/var/lib/apt/lists"
}

build() (
    set -euo pipefail
    # The release file of forky may be past its date where a mirror lags; its signature is checked all the same.
    mmdebstrap --variant=essential --include="${PACKAGES// /,}" \
        --aptopt='Acquire::Check-Valid-Until "false"' forky "$work" "$mirror"
    export work VERSION PYTHON
    export -f install_inside
    integrations="${INTEGRATIONS[*]}" unshare --mount --pid --fork --kill-child bash -euo pipefail -c \
        'read -ra INTEGRATIONS <<<"$integrations"; install_inside'
)

say "Installing Home Assistant $VERSION in $root: about two minutes, once. $log tells how far it is."
started=$SECONDS
# Called so that the shell's `-e` holds inside.
set +e
build >"$log" 2>&1 </dev/null
status=$?
set -e
if ((status)); then
    say "Home Assistant could not be installed; the last lines of $log tell why:"
    tail -n 5 "$log" >&2
    exit 1
fi
chmod 755 "$work"
mv "$work" "$root" # at once, so that nobody runs half of one
say "Installed in $((SECONDS - started)) s."
echo "$root"
