#!/usr/bin/env bash
# The Debian packages that a target of the Makefile needs: root gets them installed, another user is told which.
#
#   packages.sh need TARGET PLACE:PACKAGE...    fails with one sentence that names those that are missing
#   packages.sh lacking FILE...                 prints what tests have to do without, for OCHE_WITHOUT
#   packages.sh install PACKAGE...              fails for an ordinary user, and where there is no apt-get
#
# PLACE is a program on PATH or a file in /usr. A line of FILE is PROGRAM:PACKAGES, and the first package is the word for
# all of them.
set -euo pipefail
updated=

install() {
    [[ $(id -u) = 0 ]] && command -v apt-get >/dev/null || return 1
    echo "Installing the Debian package $*." >&2
    [[ -n $updated ]] || apt-get update -qq >&2 || true
    updated=1
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "$@" </dev/null >/dev/null
}

is_there() {
    case $1 in
    */*) [[ -e /usr/$1 ]] ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

need() {
    local target=$1 each missing=()
    for each in "${@:2}"; do
        is_there "${each%:*}" || install "${each#*:}" || missing+=("${each#*:}")
    done
    ((!${#missing[@]})) || {
        echo "make $target needs the Debian packages ${missing[*]}: install them and try again." >&2
        exit 1
    }
}

lacking() {
    local without=${OCHE_WITHOUT:-} program packages
    while IFS=: read -r program packages; do
        [[ -n $packages && $program != \#* && ",$without," != *",${packages%% *},"* ]] || continue
        # shellcheck disable=SC2086  # several packages are separated by blanks
        is_there "$program" || install $packages || without+=${without:+,}${packages%% *}
    done < <(cat -- "$@")
    echo "$without"
}

"$@"
