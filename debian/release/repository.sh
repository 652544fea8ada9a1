#!/usr/bin/env bash
# An apt repository as files that any web server can serve, signed:
#
#   repository.sh FOLDER KEY PACKAGE...
#
# FOLDER is made. KEY is what gpg knows the secret key by; its public half goes to FOLDER/oche.asc. Each package goes to the
# Debian that its version names, and one for all architectures to each Debian. But for the signatures the same packages give the same bytes: the time of all is
# SOURCE_DATE_EPOCH.
set -euo pipefail
folder=$1 key=$2
shift 2

declare -A SUITES=([12]=bookworm [13]=trixie)
mkdir -p "$folder"
for package in "$@"; do
    debian=${package##*+deb} && debian=${debian%%_*}
    if [[ $package == *_all.deb ]]; then
        suites=("${SUITES[@]}")
    else
        suites=("${SUITES[$debian]:?no Debian for $package}")
    fi
    for suite in "${suites[@]}"; do
        mkdir -p "$folder/pool/$suite"
        cp "$package" "$folder/pool/$suite"
    done
done

cd "$folder"
for suite in "${SUITES[@]}"; do
    [[ -d pool/$suite ]] || continue
    for arch in amd64 arm64; do
        index=dists/$suite/main/binary-$arch
        mkdir -p "$index"
        apt-ftparchive --arch "$arch" packages "pool/$suite" >"$index/Packages"
        gzip -9nk "$index/Packages"
    done
    release=$(apt-ftparchive \
        -o APT::FTPArchive::MD5=false -o APT::FTPArchive::SHA1=false \
        -o APT::FTPArchive::Release::Origin=oche -o APT::FTPArchive::Release::Label=oche \
        -o APT::FTPArchive::Release::Suite="$suite" -o APT::FTPArchive::Release::Codename="$suite" \
        -o APT::FTPArchive::Release::Architectures="amd64 arm64" -o APT::FTPArchive::Release::Components=main \
        release "dists/$suite")
    # It would be the time of now.
    sed "s/^Date: .*/Date: $(date -u -R -d "@$SOURCE_DATE_EPOCH")/" <<<"$release" >"dists/$suite/Release"
    gpg --batch --quiet --digest-algo SHA512 --local-user "$key" --clearsign --output "dists/$suite/InRelease" "dists/$suite/Release"
    gpg --batch --quiet --digest-algo SHA512 --local-user "$key" --armor --detach-sign --output "dists/$suite/Release.gpg" "dists/$suite/Release"
done
gpg --batch --quiet --armor --export "$key" >oche.asc
