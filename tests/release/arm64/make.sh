#!/usr/bin/env bash
# A Debian 13 for arm64 with systemd, cloud-init, a broker and what oche's package needs, for an emulator: a folder with
# the disk, Debian's kernel and the files it begins with. Prints the folder.
#
# It is made once, in about a quarter of an hour, and kept in the cache under a name that tells what is in it. This
# machine only unpacks Debian's packages; their scripts run where they can, in the emulated machine at its first start.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../../debian/make.sh

RELEASE=trixie
PACKAGES=(
    apt systemd-sysv udev dbus kmod procps # a small Debian
    cloud-init e2fsprogs netplan.io openssh-server sudo tzdata # what reads the files for a Raspberry Pi, and what they set up
    bluez libusb-1.0-0 mosquitto mosquitto-clients podman python3 # what an owner has beside oche
)
MODULES=(virtio_blk ext4)
AGENT=../../appliance/inside/agent.py
SIZE=2400M

digest=$(cat ./*.sh ./init "$AGENT" | sha256sum | cut -c1-12)
target=$CACHE/oche-rig/arm64-$digest
[[ ! -e $target ]] || { echo "$target"; exit; }
require "make test-release" mke2fs:e2fsprogs cpio:cpio depmod:kmod qemu-system-aarch64:qemu-system-arm

# unpack FOLDER PACKAGES [OPTION]... of Debian, without running anything in them.
unpack() {
    mmdebstrap --mode=chrootless --variant=extract --architectures=arm64 --aptopt='Acquire::Languages "none"' \
        --include="${2// /,}" "${@:3}" "$RELEASE" "$1"
}

build() {
    local root=$work/root kernel=$work/kernel made=$work/made
    mkdir "$made"
    unpack "$root" "${PACKAGES[*]}" --include='?essential' --skip=cleanup/apt
    mv "$root/var/cache/apt/archives" "$root/packages"
    rm -r "$root"/var/lib/apt/lists/*
    unpack "$kernel" 'linux-image-arm64 busybox-static'
    cp "$kernel"/boot/vmlinuz-* "$made/vmlinuz"
    local version
    version=$(basename "$kernel"/usr/lib/modules/*)
    make_initrd "$kernel" "$version" >"$made/initrd"
    cp -a "$kernel/usr/lib/modules" "$root/usr/lib/"

    echo "/dev/vda / ext4 defaults 0 1" >"$root/etc/fstab"
    echo arm64 >"$root/etc/hostname"
    printf 'path-exclude=/usr/share/%s/*\n' doc man locale >"$root/etc/dpkg/dpkg.cfg.d/small"
    install -D -m 755 "$AGENT" "$root/usr/local/lib/rig/agent.py"
    grep -v /host ../../appliance/inside/rig-agent.service >"$root/etc/systemd/system/rig-agent.service"
    install -m 755 init "$root/first-start"
    mke2fs -q -F -t ext4 -L arm64 -d "$root" "$made/disk" "$SIZE"
    ./run.sh "$made" "$made/disk,format=raw" init=/first-start </dev/null | tee "$work/console"
    grep -q '^The packages are installed' "$work/console"
    chmod 444 "$made/disk"
}

# make_initrd FOLDER VERSION: the modules that the root needs, in an order in which they load, and who mounts it.
make_initrd() {
    local folder=$1 version=$2 initrd=$work/initrd name
    ln -s usr/lib "$folder/lib"
    depmod --basedir "$folder" "$version"
    mkdir -p "$initrd"/{bin,dev,proc,root,modules}
    cp "$folder/usr/bin/busybox" "$initrd/bin"
    for name in "${MODULES[@]}"; do
        modprobe --dirname "$folder" --set-version "$version" --show-depends "$name"
    done | awk '$1 == "insmod" && !seen[$2]++ {print $2}' >"$work/modules"
    while read -r module; do
        name=$(basename "${module%.xz}")
        case $module in *.xz) xz -dc "$module" >"$initrd/modules/$name" ;; *) cp "$module" "$initrd/modules/$name" ;; esac
        echo "insmod /modules/$name"
    done <"$work/modules" >"$work/load"
    {
        echo '#!/bin/busybox sh'
        echo '/bin/busybox --install /bin; mount -t devtmpfs none /dev; mount -t proc none /proc'
        cat "$work/load"
        echo 'for each in $(cat /proc/cmdline); do case $each in init=*) init=${each#init=} ;; esac; done'
        echo 'until mount -t ext4 /dev/vda /root; do sleep 1; done; umount /proc; mount --move /dev /root/dev'
        echo 'exec switch_root /root "${init:-/sbin/init}"'
    } >"$initrd/init"
    chmod 755 "$initrd/init"
    (cd "$initrd" && find . | cpio --quiet -o -H newc --owner 0:0 | gzip -1)
}

make_once "$target" "the Debian for arm64" build
echo "$target"
