#!/usr/bin/env bash
# `make libraries`: writes debian/libraries.txt, what the package carries: the newest that pyproject.toml allows.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rm -rf build/libraries
mapfile -t wanted < <("${PYTHON:-python3}" -c \
    'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")')
.ci/environment.sh build/libraries "${wanted[@]}"
sed -i '/^[^#]/d' debian/libraries.txt
build/libraries/bin/python -m pip freeze >>debian/libraries.txt
