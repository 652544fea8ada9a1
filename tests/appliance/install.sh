#!/usr/bin/env bash
# The appliance's disk before oche: Debian 12 with systemd, BlueZ, a broker and a database as an ext4 image. Prints its
# path.
#
# It is made once, in about two minutes, and kept in the cache under a name that tells what is in it, so that a change
# here makes another. Nothing is mounted for it: mmdebstrap writes a folder, mke2fs a disk from it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../debian/make.sh

RELEASE=bookworm
PACKAGES=(
    systemd-sysv udev dbus kmod e2fsprogs iproute2 procps # a small Debian
    bluez libusb-1.0-0 mosquitto mosquitto-clients python3 # what an owner of an appliance has beside oche
    postgresql libpq5                                      # what the server of a league has as well
)
SIZE=1200M

digest=$(cat install.sh inside/*.{py,service,mount} | sha256sum | cut -c1-12)
disk=$CACHE/oche-rig/debian-$digest.ext4
[[ ! -e $disk ]] || { echo "$disk"; exit; }
require "make appliance" mke2fs:e2fsprogs

build() {
    local root=$work/root
    bootstrap "$RELEASE" "$root" "${PACKAGES[*]}" --variant=minbase \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*'
    mkdir "$root/host"
    echo "/dev/ubda / ext4 defaults 0 1" >"$root/etc/fstab"
    echo appliance >"$root/etc/hostname"
    install -D -m 755 inside/agent.py "$root/usr/local/lib/rig/agent.py"
    install -D -m 644 -t "$root/etc/systemd/system" inside/*.service inside/*.mount
    # What is done by its hands at first boot, and what a machine without a screen and a package archive has no use for.
    systemctl --root="$root" --quiet enable rig-agent.service host.mount
    systemctl --root="$root" --quiet mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
        e2scrub_all.timer fstrim.timer proc-sys-fs-binfmt_misc.automount systemd-binfmt.service getty.target
    systemctl --root="$root" --quiet disable mosquitto.service postgresql.service
    systemctl --root="$root" --quiet set-default multi-user.target
    mke2fs -q -F -t ext4 -L appliance -d "$root" "$work/made" "$SIZE"
}

make_once "$disk" "the appliance's disk" build
echo "$disk"
