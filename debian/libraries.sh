#!/usr/bin/env bash
# `make libraries`: writes debian/libraries.txt, what the package carries, and debian/release/tools.txt, what it is built
# with: the newest that pyproject.toml allows. Beside each stand the sums of its wheels for every machine the package is
# built for, so that pip takes nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. debian/targets.sh

# pin FILE LEFT_OUT KEY... writes what the requirements at these keys of pyproject.toml come to; LEFT_OUT is a library that
# a new environment has and that nothing here asked for.
pin() {
    local file=$1 left_out=$2 wanted pinned options target wheels sum
    rm -rf build/libraries
    mapfile -t wanted < <("${PYTHON:-python3}" -c 'import functools, sys, tomllib
found = tomllib.load(open("pyproject.toml", "rb"))
for key in sys.argv[1:]:
    print(*functools.reduce(dict.get, key.split("."), found), sep="\n")' "${@:3}")
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

pin debian/libraries.txt setuptools project.dependencies project.optional-dependencies.league
pin debian/release/tools.txt "" build-system.requires
