#!/usr/bin/env bash
# `make site`: the pages of the repository as a site with a search, into dist/site and a tar of it. The pages keep their places
# among each other, so that the links in them lead there as they do in the repository.
#
# MkDocs with Material, because they read the pages as they are; MkDocs itself has had no release since August 2024, Material
# has one a month, and its successor Zensical reads the same mkdocs.yml.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH

work=build/site
rm -rf "$work/pages" dist/site
mkdir -p "$work/pages" dist
[[ -e $work/python/.made && ! debian/release/site.txt -nt $work/python/.made ]] || {
    .ci/environment.sh "$work/python" -r debian/release/site.txt >&2
    touch "$work/python/.made"
}
git ls-files -z --cached --others --exclude-standard '*.md' docs systemd daemon/web/page/favicon.svg LICENSE 'tests/*.py' |
    tar -c --null --files-from=- | tar -x -C "$work/pages"
SITE_PAGES=$PWD/$work/pages SITE_FOLDER=$PWD/dist/site NO_MKDOCS_2_WARNING=1 \
    "$work/python/bin/mkdocs" build --strict --config-file debian/release/mkdocs.yml >"$work/log" 2>&1 || {
    grep -E '^(WARNING|ERROR|Aborted)' "$work/log" >&2
    echo "The site could not be built: the lines above tell why; $work/log has them all." >&2
    exit 1
}
tar -c --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX --format=gnu \
    -C dist -f dist/oche-site.tar site
echo "dist/site"
