#!/usr/bin/env bash
# What the tests run on Node.js. npm leaves a mark of its own in the folder; ours comes last and says that it is whole.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' || {
    echo "The tests on Node.js need its version 18 or newer, and this is $(node --version)." >&2
    exit 1
}
echo "Installing what the tests run on Node.js: this takes a minute, once."
npm install --loglevel=error >/dev/null
touch node_modules/.installed
