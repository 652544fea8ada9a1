#!/usr/bin/env bash
# `make release`: all that is published of HEAD, into dist/: source distribution and wheel, Debian packages, those of the
# extras and of the voice among them, an apt repository of them, container images, the app for Home Assistant, the files
# for a Raspberry Pi, the site, the bill of materials, the licences, the file that tells daemons of the version, and the
# sums of all that. KEY names the key that signs, as gpg knows it.
#
# The same commit gives the same bytes, signatures aside: built from what git has and from nothing else in the
# folder, with pinned tools, sorted, and with the commit's time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=$(realpath --no-symlinks "$1") # one with pip
umask 022
export LC_ALL=C.UTF-8 TZ=UTC0
. debian/targets.sh

say() { echo "$*" >&2; }

git rev-parse --verify --quiet HEAD >/dev/null || {
    say "make release builds what is committed: run it in a clone of the repository."
    exit 1
}
[[ -z $(git status --porcelain) ]] || {
    say "make release builds what is committed, and here is more: commit or remove what git status names and try again."
    exit 1
}
version=$("$python" debian/release/version.py)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

work=$PWD/build/release
dist=$PWD/dist
rm -rf "$work" "$dist"
mkdir -p "$work/source" "$dist"
git -c tar.umask=022 archive HEAD | tar -x -C "$work/source"

# The key first: a wrong one is told before minutes of work.
key=${KEY:-}
if [[ -n $key ]]; then
    gpg --batch --quiet --list-secret-keys "$key" >/dev/null 2>&1 || {
        say "gpg has no secret key $key here: gpg --list-secret-keys shows those it has."
        exit 1
    }
else
    say "There is no KEY: a new key signs this, and it is thrown away. That is for trying it."
    GNUPGHOME=$(mktemp -d)
    export GNUPGHOME
    trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
    key="oche, a key to try it with"
    gpg --batch --quiet --passphrase '' --quick-generate-key "$key" ed25519 sign never 2>/dev/null
fi

# build KIND FOLDER makes the sdist or the wheel of the current folder.
.ci/environment.sh "$work/python" --require-hashes -r debian/release/tools.txt >&2
build() {
    "$work/python/bin/python" -c 'import sys; from setuptools import build_meta
getattr(build_meta, "build_" + sys.argv[1])(sys.argv[2])' "$1" "$2" >"$work/$1.log" 2>&1 || {
        tail -n 20 "$work/$1.log" >&2
        say "The $1 could not be built: the lines above tell why."
        exit 1
    }
}

say "Building the source distribution and the wheel of oche $version."
(cd "$work/source" && build sdist "$work")
mkdir "$work/sdist"
tar -x -z -C "$work/sdist" -f "$work/oche-$version.tar.gz"
tar -c -C "$work/sdist" --format=pax --pax-option='exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime' --sort=name \
    --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "oche-$version" | gzip -9n >"$dist/oche-$version.tar.gz"
(cd "$work/sdist/oche-$version" && build wheel "$dist") # from what the source distribution has

for target in "${TARGETS[@]}"; do
    read -r arch debian <<<"$target"
    say "Building the packages for Debian $debian on $arch."
    packages=$(ARCH=$arch DEBIAN=$debian EXTRAS=all WHEEL="$dist/oche-$version-py3-none-any.whl" \
        "$work/source/debian/build.sh" "$work/python/bin/python")
    (cd "$work/source" && xargs mv -t "$dist" <<<"$packages")
done
package=$(echo "$dist"/oche_*+deb13_arm64.deb)

say "Making the voice in the box."
number=${package##*/oche_}
"$python" -B debian/release/voice.py "$dist" "${number%%+deb*}" >&2

images=()
for arch in amd64 arm64; do
    say "Building the container images for $arch."
    debian/release/image.sh "$arch" "$dist" "$dist"/oche_*+deb13_"$arch".deb >&2
    # The app is made of this one: there is no other way to put an extra into it.
    images+=("$(debian/release/image.sh "$arch" "$dist" "$dist"/oche{,-*}_*+deb13_"$arch".deb)")
done
debian/release/app.sh "$version" "$dist/oche-$version-home-assistant.tar" "${images[@]}"
mkdir "$work/oche"
cp debian/release/raspberry_pi/* "$package" "$work/oche"
tar -c -C "$work" --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u+rw,go=rX -f "$dist/oche-$version-raspberry-pi.tar" oche

debian/release/site.sh >&2
mv "$dist/oche-site.tar" "$dist/oche-$version-site.tar"
rm -r "$dist/site" # it is in the tar

for each in "$dist"/oche{,-*}_*+deb13_arm64.deb; do dpkg-deb --extract "$each" "$work/package"; done
carried() { "$python" -B debian/release/carried.py "$1" "$work/package"/usr/lib/oche*; }
carried sbom >"$dist/oche-$version.cdx.json"
carried licences >"$dist/oche-$version-licences.txt"
(cd "$work/source" && "$python" -B debian/release/version.py latest) >"$dist/latest.json"

debian/release/repository.sh "$dist/apt" "$key" "$dist"/*.deb
cd "$dist"
# Signatures have sums of their own each time; the list itself is signed.
find . -type f ! -name InRelease ! -name Release.gpg ! -name oche.asc -printf '%P\n' | sort | xargs sha256sum >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" .
gpg --batch --quiet --digest-algo SHA512 --local-user "$key" --armor --detach-sign SHA256SUMS
say "oche $version is in dist:"
du -ah --apparent-size --exclude=./apt/?* . | sort -k2
