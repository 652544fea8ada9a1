#!/usr/bin/env bash
# The Debian package, for ARCH (amd64, arm64) and DEBIAN (12, 13), into build/; prints where it is. See `make deb`. WHEEL
# is the wheel of oche that goes into it; without one it is made from the checkout. EXTRAS names those of debian/extras
# whose packages are built beside it, as in EXTRAS="feed proxy", or is `all`; each is on a line of its own below.
#
# Built in a copy of the checkout, in which nothing is left so. There its changelog is written too, for the version is
# pyproject.toml's alone; the Debian it was built for comes behind it, because the package has that Debian's Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. debian/targets.sh
python=$(realpath --no-symlinks "$1") # one with pip
wheel=${WHEEL:+$(realpath "$WHEEL")}

case $ARCH in amd64 | arm64) ;; *)
    echo "oche is packaged for amd64 and arm64, and this would be $ARCH: as in make deb ARCH=arm64" >&2
    exit 1
    ;;
esac
case $DEBIAN in 12) target=3.11 ;; 13) target=3.13 ;; *)
    echo "oche is packaged for Debian 12 and 13, and this would be ${DEBIAN:-another system}: as in make deb DEBIAN=12" >&2
    exit 1
    ;;
esac

known=(debian/extras/*.txt) known=("${known[@]##*/}") known=("${known[@]%.txt}")
read -ra extras <<<"${EXTRAS:-}"
[[ ${EXTRAS:-} != all ]] || extras=("${known[@]}")
for extra in "${extras[@]}"; do
    [[ -e debian/extras/$extra.txt ]] || {
        echo "There is no package of the extra $extra; those that there are: ${known[*]}, or all of them: EXTRAS=all" >&2
        exit 1
    }
done

build=$PWD/build
work=$build/deb/$ARCH-$DEBIAN
log=$work/build.log
rm -rf "$work"
mkdir -p "$work/oche"
tar -c --exclude=__pycache__ protocol engine drivers simulator daemon systemd docs debian \
    pyproject.toml setup.py README.md CHANGELOG.md LICENSE | tar -x -C "$work/oche"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y pyproject.toml)}
export SOURCE_DATE_EPOCH

cd "$work/oche"
version=$("$python" - <<'PYTHON'
import re, tomllib
with open("pyproject.toml", "rb") as file:
    print(re.sub(r"[.]?(a|b|rc|dev)(?=\d)", r"~\1", tomllib.load(file)["project"]["version"]))
PYTHON
)+deb$DEBIAN
cat >debian/changelog <<END
oche ($version) unstable; urgency=medium

  * What is new is in /usr/share/doc/oche/changelog.gz.

 -- the oche authors <oche@localhost>  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
"$python" - >>debian/homepage <<'PYTHON'
import tomllib
with open("pyproject.toml", "rb") as file:
    homepage = tomllib.load(file)["project"].get("urls", {}).get("Homepage")
if homepage:
    print("Homepage:", homepage)
PYTHON
sed -i '/^Standards-Version:/r debian/homepage' debian/control && rm debian/homepage
cp systemd/oche.service debian/ # where debhelper looks for it

profiles=$(printf ',pkg.oche.%s' "${extras[@]}")
DEB_BUILD_PROFILES='' PYTHON=$target WHEELS=$(wheel_options "$ARCH" "$DEBIAN") PIP="$python -m pip" OCHE=${wheel:-.} \
    dpkg-buildpackage --build=binary ${extras:+"--build-profiles=${profiles#,}"} --no-sign --no-check-builddeps --host-arch "$ARCH" >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    echo "The package could not be built: the lines above tell why; $log has them all." >&2
    exit 1
}
for package in oche "${extras[@]/#/oche-}"; do
    mv "$work/${package}_${version}_$ARCH.deb" "$build"
    echo "build/${package}_${version}_$ARCH.deb"
done
