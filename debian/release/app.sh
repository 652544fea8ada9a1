#!/usr/bin/env bash
# The app for Home Assistant as an archive with one folder, to be unpacked into the folder `addons` there:
#
#   app.sh VERSION ARCHIVE IMAGE...
#
# Each IMAGE is an OCI archive of image.sh: its layer goes into the folder, so that Home Assistant builds the app of what lies
# there and asks no hub. The same images give the same bytes.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
version=$1 archive=$(realpath "$2")
shift 2
umask 022
: "${SOURCE_DATE_EPOCH:=$(git -C "$here" log -1 --format=%ct)}"
work=$(mktemp -d "${TMPDIR:-/tmp}/oche-app.XXXXXX")
trap 'rm -rf "$work"' EXIT

app=$work/oche
cp -r --no-preserve=mode "$here/home_assistant" "$app"
rm -rf "$app/__pycache__"
sed -i "s/^version: VERSION$/version: $version/" "$app/config.yaml"
cp "$here/../../CHANGELOG.md" "$app"
icon=$here/../../daemon/web/page/favicon.svg
rsvg-convert --width 128 --height 128 "$icon" >"$app/icon.png"
rsvg-convert --width 250 --height 250 "$icon" >"$app/logo.png"
for image; do
    python3 -B "$here/oci_layout.py" layer "$image" "$app"
done
tar -c --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX --format=gnu \
    -C "$work" -f "$archive" oche
