#!/bin/sh
# PID 1 of the rig: the host's own files, read-only, under a layer that is forgotten at power-off.
#
# $OCHE_RIG is a folder of the host, /run/rig in here: it holds the script `job`, and receives what the job says
# (`output`) and its exit status (`status`). $OCHE_CHECKOUT may lie in one of the folders that are empty in here.
mount -t tmpfs tmpfs /mnt
mkdir /mnt/layer /mnt/work /mnt/root
mount -t overlay -o lowerdir=/,upperdir=/mnt/layer,workdir=/mnt/work overlay /mnt/root
cd /mnt/root || exit
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t devtmpfs devtmpfs dev
mkdir -p dev/pts dev/shm
mount -t devpts devpts dev/pts
for folder in dev/shm run tmp; do mount -t tmpfs -o mode=1777 tmpfs "$folder"; done
mkdir -p /mnt/own /mnt/own-work ".$OCHE_CHECKOUT"
mount -t overlay -o lowerdir="$OCHE_CHECKOUT",upperdir=/mnt/own,workdir=/mnt/own-work overlay ".$OCHE_CHECKOUT"
mkdir run/rig
mount -t hostfs -o "$OCHE_RIG" none run/rig
pivot_root . mnt  # a real root: in a mere chroot some programs of systemd refuse to work
cd /
ip link set lo up
sh /run/rig/job >/run/rig/output 2>&1 </dev/null
echo $? >/run/rig/status
echo o >/proc/sysrq-trigger
sleep 60  # a PID 1 that ends is a panic
