#!/usr/bin/env bash
# The appliance's disk before oche: Debian 12 with systemd, BlueZ and a broker as an ext4 image. Prints its path.
#
# It is made once, in about two minutes, and kept in the cache under a name that tells what is in it, so that a change
# here makes another. Nothing is mounted for it: mmdebstrap writes a tar, mke2fs a disk from the folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

RELEASE=bookworm
PACKAGES=(
    systemd-sysv udev dbus kmod e2fsprogs iproute2 procps # a small Debian
    bluez libusb-1.0-0 mosquitto mosquitto-clients python3 # what an owner of an appliance has beside oche
)
SIZE=1200M

say() { echo "$*" >&2; }

digest=$(cat install.sh inside/*.{py,service,mount} | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/oche-rig
disk=$cache/debian-$digest.ext4
[[ ! -e $disk ]] || { echo "$disk"; exit; }

[[ $(id -u) = 0 ]] || { say "The appliance's Debian is unpacked as root: make appliance needs root."; exit 1; }
for need in mmdebstrap:mmdebstrap mke2fs:e2fsprogs apt-get:apt; do
    command -v "${need%:*}" >/dev/null || { say "Install the Debian package ${need#*:} and try again."; exit 1; }
done
# Where this machine has its own Debian from.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | sort -u | head -n 1)
[[ -n $mirror ]] || { say "apt knows no Debian archive here: run make appliance on Debian."; exit 1; }

mkdir -p "$cache"
work=$(mktemp -d "$cache/debian.XXXXXX")
trap 'rm -rf "$work"' EXIT
log=$cache/debian.log

build() (
    set -euo pipefail
    packages="${PACKAGES[*]}"
    mmdebstrap --mode=root --variant=minbase --include="${packages// /,}" \
        --aptopt='Acquire::Languages "none"' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        "$RELEASE" "$work/root" "$mirror"
    rm -rf "$work"/root/var/{cache/apt,lib/apt/lists}/*
    mkdir "$work/root/host"
    echo "/dev/ubda / ext4 defaults 0 1" >"$work/root/etc/fstab"
    echo appliance >"$work/root/etc/hostname"
    install -D -m 755 inside/agent.py "$work/root/usr/local/lib/rig/agent.py"
    install -D -m 644 -t "$work/root/etc/systemd/system" inside/*.service inside/*.mount
    # What is done by its hands at first boot, and what a machine without a screen and a package archive has no use for.
    systemctl --root="$work/root" --quiet enable rig-agent.service host.mount
    systemctl --root="$work/root" --quiet mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
        e2scrub_all.timer fstrim.timer proc-sys-fs-binfmt_misc.automount systemd-binfmt.service getty.target
    systemctl --root="$work/root" --quiet disable mosquitto.service
    systemctl --root="$work/root" --quiet set-default multi-user.target
    mke2fs -q -F -t ext4 -L appliance -d "$work/root" "$work/disk" "$SIZE"
)

say "Making the appliance's Debian in $cache: about two minutes, once. $log tells how far it is."
started=$SECONDS
# Called so that the shell's `-e` holds inside.
set +e
build >"$log" 2>&1 </dev/null
status=$?
set -e
if ((status)); then
    say "The appliance's Debian could not be made; the last lines of $log tell why:"
    tail -n 5 "$log" >&2
    exit 1
fi
mv "$work/disk" "$disk" # at once, so that nobody boots half of one
say "Made in $((SECONDS - started)) s."
echo "$disk"
