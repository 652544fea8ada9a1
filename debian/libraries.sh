#!/usr/bin/env bash
# `make libraries`: writes debian/libraries.txt, what the package carries, debian/extras/NAME.txt, what that of an extra
# carries beside it, and debian/release/tools.txt, what they are built with: the newest that pyproject.toml allows. Beside
# each stand the sums of its wheels for every machine the packages are built for, so that pip takes nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. debian/targets.sh

# What the packages pinned so far have: those that follow fit beside it, and carry none of it twice.
mkdir -p build
before=build/pinned.txt
: >"$before"

# pin FILE LEFT_OUT KEY... writes what the requirements at these keys of pyproject.toml come to; LEFT_OUT are libraries that
# are not to be in it, such as what a new environment has and nothing here asked for.
pin() {
    local file=$1 left_out wanted pinned options target wheels sum
    read -ra left_out <<<"$2"
    rm -rf build/libraries
    mapfile -t wanted < <("${PYTHON:-python3}" -c 'import functools, sys, tomllib
found = tomllib.load(open("pyproject.toml", "rb"))
for key in sys.argv[1:]:
    print(*functools.reduce(dict.get, key.split("."), found), sep="\n")' "${@:3}")
    .ci/environment.sh build/libraries --constraint "$before" "${wanted[@]}"
    sed -i '/^[^#]/d' "$file"
    build/libraries/bin/python -m pip freeze --all "${left_out[@]/#/--exclude=}" --exclude=pip >build/frozen.txt
    grep -vxFf "$before" build/frozen.txt | while read -r pinned; do
        wheels=build/libraries/wheels/${pinned%%==*}
        for target in "${TARGETS[@]}"; do
            read -ra options < <(wheel_options "${target% *}" "${target#* }")
            build/libraries/bin/python -m pip download -qq --disable-pip-version-check --no-deps \
                "${options[@]}" --dest "$wheels" "$pinned" </dev/null
        done
        printf '%s' "$pinned"
        sha256sum "$wheels"/*.whl | cut -d' ' -f1 | sort | while read -r sum; do printf ' \\\n    --hash=sha256:%s' "$sum"; done
        echo
    done >>"$file"
    cat build/frozen.txt >>"$before"
}

pin debian/libraries.txt setuptools project.dependencies project.optional-dependencies.league
pin debian/extras/feed.txt setuptools project.optional-dependencies.feed
pin debian/extras/photo.txt setuptools project.optional-dependencies.photo
# PyRIC, which has no wheel, is imported only to reset an adapter of this computer, which oche has nobody do.
pin debian/extras/proxy.txt "setuptools PyRIC" project.optional-dependencies.proxy
: >"$before"
pin debian/release/tools.txt "" build-system.requires
