#!/usr/bin/env bash
# `make audit`: asks PyPI which advisories there are about the libraries that the packages carry and are built
# with, and about the oldest versions that pyproject.toml allows. Fails where there is one, and where it cannot ask: a
# library that nothing could be learnt of does not pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
audit=build/audit

.ci/environment.sh "$audit" 'pip-audit>=2.9,<3' >&2
"$audit/bin/python" - >"$audit/oldest.txt" <<'PYTHON'
import re, tomllib

with open("pyproject.toml", "rb") as file:
    read = tomllib.load(file)
project = read["project"]
wanted = [*project["dependencies"], *read["build-system"]["requires"]]
wanted += [each for extra in project["optional-dependencies"].values() for each in extra]
oldest = dict(re.findall(r"^([\w.-]+)>=([\w.]+)", "\n".join(wanted), re.MULTILINE))
print("\n".join(f"{name}=={version}" for name, version in oldest.items()))
PYTHON

failed=0
ask() {
    echo "$1:"
    # Without --strict a library that PyPI gives no answer about would pass.
    "$audit/bin/pip-audit" --strict --disable-pip --progress-spinner off "${@:2}" || failed=1
}
ask "What the packages carry" --require-hashes -r debian/libraries.txt
for file in debian/extras/*.txt; do ask "What the package oche-$(basename "$file" .txt) carries" --require-hashes -r "$file"; done
ask "What they are built with" --require-hashes -r debian/release/tools.txt
ask "The oldest that pyproject.toml allows" --no-deps -r "$audit/oldest.txt"
((!failed)) || {
    echo "An advisory above asks for a newer version, in debian/libraries.txt (make libraries) or as the bound in pyproject.toml;" \
        "where there is only an error, PyPI could not be asked, and nothing is known." >&2
    exit 1
}
