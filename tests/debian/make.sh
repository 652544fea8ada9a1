# What the scripts share that make a Debian for the tests and keep it in the cache: sourced by them, not run.

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}

say() { echo "$*" >&2; }

# require WHAT [PROGRAM:PACKAGE]... ends with a sentence unless this is root and the programs are there. WHAT, as in
# "make appliance", begins the sentence.
require() {
    local what=$1 need
    shift
    [[ $(id -u) = 0 ]] || { say "$what makes a Debian in a folder first, and that needs root."; exit 1; }
    for need in mmdebstrap:mmdebstrap unshare:util-linux apt-get:apt "$@"; do
        command -v "${need%:*}" >/dev/null || { say "$what: install the Debian package ${need#*:} and try again."; exit 1; }
    done
}

# bootstrap RELEASE FOLDER PACKAGES [OPTION]... unpacks a Debian into the folder, from the archive that this machine has
# its own Debian from. PACKAGES are separated by blanks; the options are mmdebstrap's.
bootstrap() {
    local release=$1 folder=$2 packages=$3 mirror
    shift 3
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | sort -u | head -n 1)
    [[ -n $mirror ]] || { say "apt knows no Debian archive here: do this on Debian."; return 1; }
    mmdebstrap --mode=root --include="${packages// /,}" --aptopt='Acquire::Languages "none"' "$@" "$release" "$folder" "$mirror"
    rm -rf "$folder"/var/{cache/apt,lib/apt/lists}/*
}

# make_once TARGET WHAT BUILD: unless TARGET is there, the function BUILD makes $work/made, which then becomes TARGET at
# once, so that half of one is never used. A second script that wants the same waits for the first. WHAT, as in "the
# appliance's disk", is for the sentences.
make_once() {
    local target=$1 what=$2 build=$3 log=$1.log started=$SECONDS lock status
    mkdir -p "$(dirname "$target")"
    exec {lock}>"$target.lock"
    flock "$lock"
    [[ ! -e $target ]] || return 0
    work=$(mktemp -d "$target.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    say "Making $what, once, a matter of minutes: $log tells how far it is."
    # Called so that the shell's `-e` holds inside.
    set +e
    (
        set -euo pipefail
        "$build"
    ) >"$log" 2>&1 </dev/null
    status=$?
    set -e
    if ((status)); then
        say "Making $what did not work; the last lines of $log tell why:"
        tail -n 5 "$log" >&2
        exit 1
    fi
    mv -T "$work/made" "$target"
    say "Made in $((SECONDS - started)) s."
}
