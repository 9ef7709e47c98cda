# Sourced by the test scripts: makes sure that programs are there, installing their Debian packages where they are not.

# need PROGRAM PACKAGE [PROGRAM PACKAGE ...]: installs the packages of the programs that are missing, or fails.
need() {
    local missing=()
    while [ $# -ge 2 ]; do
        command -v "$1" >/dev/null 2>&1 || missing+=("$2")
        shift 2
    done
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

# install_packages PACKAGE...: installs Debian packages; needs root, fails with the command to run where it is not.
install_packages() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "missing: $*. Run as root: apt-get install --no-install-recommends $*" >&2
        return 1
    fi
    echo "installing: $*"
    apt_lists
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# apt_lists: fetches the package lists once a run; a fresh machine has none, an old one names files that are gone.
apt_lists() {
    [ -n "${APT_LISTS_FRESH:-}" ] || apt-get update -qq
    APT_LISTS_FRESH=1
}
