#!/usr/bin/env bash
# Runs an arm64 machine like a Raspberry Pi 3 or 4 (their processor, 1 GB of memory) in an emulator, without a network:
#
#   run.sh FOLDER DISK KERNEL_OPTIONS [OPTION]...
#
# FOLDER is what make.sh has made. The options are qemu's: serial lines, disks. The console goes to standard output.
set -euo pipefail
folder=$1 disk=$2 options=$3
shift 3
exec qemu-system-aarch64 -machine virt -cpu cortex-a72 -smp 2 -m 1024 -accel tcg,thread=multi \
    -nodefaults -display none -no-reboot -serial stdio \
    -kernel "$folder/vmlinuz" -initrd "$folder/initrd" \
    -append "console=ttyAMA0 root=/dev/vda rw panic=-1 $options" \
    -drive "if=none,id=root,file=$disk,cache=unsafe" -device virtio-blk-pci,drive=root "$@"
