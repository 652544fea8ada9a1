#!/usr/bin/env bash
# Runs a command in the Debian of a folder:
#
#   unshare --mount --pid --fork --kill-child enter.sh ROOT UID APT_CACHE PIP_CACHE FOLDER COMMAND...
#
# unshare gives it mounts and processes of its own, so that nothing stays behind however it ends. The network is this
# machine's. ROOT becomes the root by pivot_root: inside of a chroot the kernel gives nobody name spaces, which programs
# of an ordinary machine make use of.
set -euo pipefail
root=$1 uid=$2 apt=$3 pip=$4 folder=$5
shift 5

mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --bind /dev "$root/dev"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mkdir -p "$root/var/cache/apt/archives" "$root/var/cache/pip"
mount --bind "$apt" "$root/var/cache/apt/archives"
mount --bind "$pip" "$root/var/cache/pip"
cd "$root"
PATH=$PATH:/usr/sbin pivot_root . mnt
umount --lazy /mnt
cd "$folder"
# No signal is ignored there, as some are by what runs in the background. Not by `exec`: the first process of a name space
# is the one that takes leave of those whose parents have gone.
setpriv --reuid "$uid" --regid "$uid" --clear-groups env --default-signal "$@"
