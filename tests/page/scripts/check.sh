#!/usr/bin/env bash
# Checks the page's scripts for `make check`: their types with tsc, the rest with a linter. What it needs of npm is
# installed beside this file, once. Without Node.js it says that nothing was checked, and that is no failure.
# Usage: check.sh PYTHON
set -euo pipefail

python=$(realpath --no-symlinks "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
page=../../../daemon/web/page

if [[ ",${OCHE_WITHOUT:-}," == *,nodejs,* ]] || ! command -v npm >/dev/null ||
    ! node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null; then
    echo "The page's scripts were not checked: that needs Node.js 18 or newer and npm, the Debian packages nodejs and npm." >&2
    exit 0
fi

# npm leaves a mark of its own in the folder; ours comes last and says that it is whole.
if [[ ! node_modules/.installed -nt package.json ]]; then
    echo "Installing what checks the page's scripts: a few seconds, once."
    npm install --no-package-lock --no-audit --no-fund --loglevel=error >/dev/null || {
        echo "What checks the page's scripts could not be installed: OCHE_WITHOUT=nodejs make check goes on without." >&2
        exit 1
    }
    touch node_modules/.installed
fi

# At once, for two checks may run at the same time.
(cd ../../.. && "$python" -m tests.page.schemas) | node write_types.mjs >node_modules/.types.$$
mv node_modules/.types.$$ node_modules/oche.d.ts

failed=0
node_modules/.bin/tsc --project . || failed=1
# Which says how many files it has read, whatever it is told.
found=$(node_modules/.bin/biome lint --config-path=. --error-on-warnings --max-diagnostics=100 $page 2>&1) || {
    echo "$found" >&2
    failed=1
}
exit $failed
