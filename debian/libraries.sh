#!/usr/bin/env bash
# `make libraries`: writes debian/libraries.txt, what the package carries, and debian/release/tools.txt, what it is built
# with: the newest that pyproject.toml allows. Beside each stand the sums of its wheels for every machine the package is
# built for, so that pip takes nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. debian/targets.sh

# pin FILE TABLE KEY [LEFT_OUT] writes what the requirements in this place of pyproject.toml come to; LEFT_OUT is a library
# that a new environment has and that nothing here asked for.
pin() {
    local file=$1 table=$2 key=$3 left_out=${4:-} wanted pinned options target wheels sum
    rm -rf build/libraries
    mapfile -t wanted < <("${PYTHON:-python3}" -c 'import sys, tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))[sys.argv[1]][sys.argv[2]], sep="\n")' "$table" "$key")
    .ci/environment.sh build/libraries "${wanted[@]}"
    sed -i '/^[^#]/d' "$file"
    build/libraries/bin/python -m pip freeze --all --exclude pip ${left_out:+--exclude "$left_out"} | while read -r pinned; do
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
}

pin debian/libraries.txt project dependencies setuptools
pin debian/release/tools.txt build-system requires
