# The machines the Debian package is built for: sourced by scripts, not run.

# ARCH and DEBIAN of each, as debian/build.sh takes them.
TARGETS=("amd64 12" "arm64 12" "amd64 13" "arm64 13")

# wheel_options ARCH DEBIAN prints the options with which pip takes the wheels for that machine, on any machine; fails for
# another than TARGETS has. The tags are all those that the C library of the oldest Debian can load; pip takes no tag to
# include older ones.
wheel_options() {
    local machine python tag
    case $1 in amd64) machine=x86_64 ;; arm64) machine=aarch64 ;; *) return 1 ;; esac
    case $2 in 12) python=3.11 ;; 13) python=3.13 ;; *) return 1 ;; esac
    printf '%s ' --only-binary :all: --implementation cp --python-version "$python"
    for tag in manylinux_2_34 manylinux_2_31 manylinux_2_28 manylinux_2_24 manylinux_2_17 manylinux2014; do
        printf '%s ' --platform "${tag}_$machine"
    done
    echo
}
