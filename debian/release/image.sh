#!/usr/bin/env bash
# An OCI image of oche as an archive, for ARCH amd64 or arm64:
#
#   image.sh ARCH FOLDER PACKAGE [EXTRA]...
#
# PACKAGE is oche's for that machine and Debian 13, EXTRA are packages of extras. The archive, which `podman load` and
# `skopeo` read, is written into FOLDER; its name is printed. With extras the image has also what a league needs of Debian's,
# and `-extras` behind its version.
#
# Debian's packages are unpacked and nothing in them is run, so that neither root nor an emulator is needed. What is left is
# Python, its libraries and oche: no shell, no package manager. But for newer packages of Debian's the same commit gives the
# same bytes.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
arch=$1 folder=$2
mapfile -t packages < <(realpath "${@:3}")
package=${packages[0]}
umask 022
export LC_ALL=C.UTF-8 TZ=UTC0
: "${SOURCE_DATE_EPOCH:=$(git -C "$here" log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
work=$(mktemp -d "${TMPDIR:-/tmp}/oche-image.XXXXXX")
trap 'rm -rf "$work"' EXIT

# What the package needs, and the authorities of TLS, the names of ports and the time zones.
NEEDED=base-files,ca-certificates,libgcc-s1,libstdc++6,libusb-1.0-0,netbase,python3,tzdata
kind=
((${#packages[@]} == 1)) || NEEDED+=,libpq5 kind=-extras
USER_ID=8180

# unpack ARCH PACKAGES [OPTION]... makes the folder $work/ARCH of Debian's packages.
unpack() {
    mmdebstrap --mode=chrootless --variant=extract --architectures="$1" --include="$2" --format=directory --quiet \
        --aptopt='Acquire::Languages "none"' "${@:3}" trixie "$work/$1" >"$work/log" 2>&1 || {
        tail -n 5 "$work/log" >&2
        echo "The packages of Debian 13 for $1 could not be unpacked: the lines above tell why." >&2
        exit 1
    }
}

# The licences stay, and which packages there are: where programs that look for known holes read it.
unpack "$arch" "$NEEDED" --skip=cleanup/apt
root=$work/$arch
status=$root/var/lib/dpkg/status.d
mkdir "$status"
for each in "$root"/var/cache/apt/archives/*.deb "${packages[@]}"; do
    name=$(dpkg-deb --field "$each" Package)
    dpkg-deb --field "$each" >"$status/$name"
done
for each in "${packages[@]}"; do dpkg-deb --extract "$each" "$root"; done
find "$root/usr/share/doc" -type f ! -name copyright -delete
find "$root/usr/bin" ! -type d ! -name 'python3*' ! -name oche -delete
find "$root/var/lib/dpkg" -mindepth 1 -maxdepth 1 ! -name status.d -exec rm -r {} +
(cd "$root" && rm -r usr/sbin usr/lib/*/gconv usr/lib/systemd usr/lib/sysusers.d usr/lib/udev etc/apt var/cache/* var/lib/apt \
    usr/share/{bash-completion,bug,debconf,fish,info,lintian,locale,man,perl5,zsh} usr/lib/python3*/{test,pydoc_data})
find "$root/usr/share" "$root/dev" -mindepth 1 \( -type d -empty -o -type b -o -type c \) -delete # root has got devices

# What the packages' scripts would have done. The groups have Debian's numbers, as the boards in /dev have them.
cat >"$root/etc/passwd" <<END
root:x:0:0:root:/:/nonexistent
oche:x:$USER_ID:$USER_ID:oche:/var/lib/oche:/nonexistent
END
cat >"$root/etc/group" <<END
root:x:0:
dialout:x:20:oche
plugdev:x:46:oche
oche:x:$USER_ID:
END
mkdir -p "$root/etc/ssl/certs" "$root/var/lib/oche"
find "$root/usr/share/ca-certificates" -name '*.crt' | sort | xargs cat >"$root/etc/ssl/certs/ca-certificates.crt"
install -D -m 644 "$root/usr/share/oche/oche.toml" "$root/etc/oche/oche.toml"
install -m 755 "$here/health.py" "$root/usr/lib/oche/health.py"
# psycopg has Python ask ldconfig for libpq. The real one would need a cache, and to make it something would have to run.
[[ -z $kind ]] || install -D -m 755 /dev/stdin "$root/usr/sbin/ldconfig" <<'END'
#!/usr/bin/python3 -IS
print("\tlibpq.so.5 (libc6,x86-64)\n\tlibc.so.6 (libc6,x86-64)")
END

# No container may write the compiled modules, and each start would compile them again. They are the same for every machine.
# -B: those that it imports itself would get the name of this folder.
own=$(dpkg --print-architecture)
[[ -d $work/$own ]] || unpack "$own" python3
loader=$(find "$work/$own/usr" -name 'ld-linux-*' | head -n 1)
PYTHONHOME=$work/$own/usr PYTHONHASHSEED=0 "$loader" --library-path "$(dirname "$loader")" "$work/$own/usr/bin/python3" \
    -B -s -S -m compileall -q -j 1 --invalidation-mode unchecked-hash -s "$root" -p / "$root/usr/lib"

pack() { tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner --format=gnu -C "$root" -f "$work/layer.tar" "$@"; }
pack -c --owner=0 --group=0 --exclude=./var/lib/oche .
pack -r --owner=$USER_ID --group=$USER_ID ./var/lib/oche
# As pyproject.toml has it: names of images have no tilde.
version=$(dpkg-deb --field "$package" Version)
version=${version%+deb*} version=${version/\~dev/.dev} version=${version/\~/}
archive=$folder/oche-$version-oci-$arch$kind.tar
python3 -B "$here/oci_layout.py" write "$arch" "$version$kind" "$work/layer.tar" "$archive"
echo "$archive"
