#!/usr/bin/env bash
# The rig's kernel: User Mode Linux from Debian's kernel source, which runs as an ordinary program. Prints its path.
#
# It is built once, in about nine minutes, and kept in the cache under a name that holds a digest of kernel.config and of
# the line changed below, so that a change there builds a new one and other checkouts keep theirs. OCHE_RIG_KERNEL names
# a kernel that is already there and switches all of this off.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# How much room a program's floating-point registers get when they are taken out of it. Linux 6.1 says 2696 bytes, which
# is AVX-512; the tiles of AMX make it 11008, and on a processor with those the kernel panics before its first program
# runs. As later kernels ask the processor instead, a line that is not there any more is no mistake.
MORE_ROOM='s/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 12288)/'

say() { echo "$*" >&2; }

if [[ -n "${OCHE_RIG_KERNEL:-}" ]]; then
    [[ -x "$OCHE_RIG_KERNEL" ]] || { say "OCHE_RIG_KERNEL is $OCHE_RIG_KERNEL, and no program is there: unset it to build one."; exit 1; }
    realpath "$OCHE_RIG_KERNEL"
    exit
fi

digest=$({ cat kernel.config; echo "$MORE_ROOM"; } | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/oche-rig
kernel=$cache/linux-$digest
[[ ! -x $kernel ]] || { echo "$kernel"; exit; }

[[ $(uname -m) = x86_64 ]] || { say "User Mode Linux runs on x86-64 only, and this is $(uname -m): run the rig on a PC."; exit 1; }

# program:package, and a header of libc6-dev
missing=()
for need in apt-get:apt dpkg-deb:dpkg bc:bc bison:bison flex:flex gcc:gcc make:make perl:perl tar:tar xz:xz-utils; do
    command -v "${need%:*}" >/dev/null || missing+=("${need#*:}")
done
[[ -e /usr/include/stdio.h ]] || missing+=(libc6-dev)
if ((${#missing[@]})); then
    say "The rig's kernel cannot be built yet: install the Debian packages ${missing[*]} and try again."
    exit 1
fi

mkdir -p "$cache"
work=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
log=$cache/build.log

say "Building the rig's kernel in $cache: about nine minutes, once. $log tells how far it is."
build() (
    set -euo pipefail
    config=$PWD/kernel.config
    cd "$work"
    source=$(apt-cache depends linux-source | sed -n 's/^ *Depends: *\(linux-source-[0-9.]*\)$/\1/p')
    apt-get download "$source"
    dpkg-deb --fsys-tarfile "$source"_*.deb | tar -x --to-stdout --wildcards '*/linux-source-*.tar.xz' | tar -xJ --strip-components 1
    sed -i "$MORE_ROOM" arch/x86/um/user-offsets.c
    make ARCH=um defconfig
    scripts/kconfig/merge_config.sh -m .config "$config"
    make ARCH=um olddefconfig
    while read -r line; do
        case $line in
            CONFIG_*=*) grep -qx "$line" .config || { echo "the kernel did not take $line"; exit 1; } ;;
        esac
    done <"$config"
    nice make ARCH=um -j"$(nproc)" linux
    strip linux
)
started=$SECONDS
# Called so that the shell's `-e` holds inside.
set +e
build >"$log" 2>&1 </dev/null
status=$?
set -e
if ((status)); then
    say "The rig's kernel could not be built; the last lines of $log tell why:"
    tail -n 5 "$log" >&2
    exit 1
fi
mv "$work/linux" "$kernel"  # at once, so that nobody runs half of one
say "Built in $((SECONDS - started)) s."
echo "$kernel"
