#!/usr/bin/env bash
# Whether this user may mount a disk of its own: as root, or as root of a name space.
unshare --mount mount -t tmpfs none /mnt 2>/dev/null ||
    unshare --user --map-root-user --mount mount -t tmpfs none /mnt 2>/dev/null
