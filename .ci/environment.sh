#!/usr/bin/env bash
# A virtual environment: made where there is none yet, and the libraries installed in it.
#
#   environment.sh                        whether one could be made here, and if not, why
#   environment.sh FOLDER [ARGUMENT]...   the arguments are those of pip install
#
# PYTHON is the Python to make it with. pip comes last into a new environment, so its presence says that it is whole.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
python=${PYTHON:-python3}
folder=${1:-}

fail() {
    echo "$*" >&2
    exit 1
}

if [[ ! -e $folder/bin/pip ]]; then
    command -v "$python" >/dev/null || "$here/packages.sh" install python3 ||
        fail "There is no $python: install the Debian packages python3 and python3-venv and try again."
    "$python" "$here/../daemon/admin/doctor/machine.py"
    "$python" -c 'import ensurepip' 2>/dev/null || "$here/packages.sh" install python3-venv ||
        fail "$python cannot make a virtual environment: install the Debian package python3-venv and try again."
    [[ -z $folder ]] || "$python" -m venv --clear "$folder"
fi
(($# > 1)) || exit 0
echo "Setting up $folder: this takes a minute, once."
"$folder/bin/python" -m pip install -qq --disable-pip-version-check "${@:2}" ||
    fail "The libraries could not be installed: see the lines above, mend what they name and try again."
