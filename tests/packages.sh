# shellcheck shell=bash Sourced by the test scripts: makes sure that programs are there, installing
# their Debian packages where they are not.

# need PROGRAM PACKAGE [PROGRAM PACKAGE ...]: installs the packages of the programs that are
# missing, or fails.
need() {
    local missing=()
    while [ $# -ge 2 ]; do
        command -v "$1" >/dev/null 2>&1 || missing+=("$2")
        shift 2
    done
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

# install_packages PACKAGE...: installs Debian packages; needs root, fails with the command to run
# where it is not.
install_packages() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "missing: $*. Run as root: apt-get install --no-install-recommends $*" >&2
        return 1
    fi
    echo "installing: $*"
    apt_lists
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# need_vulkan: the Vulkan loader and lavapipe, a driver that computes on the CPU: the GPU's passes
# are tested on it, everywhere alike.
need_vulkan() {
    local missing=()
    compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' >/dev/null || missing+=(mesa-vulkan-drivers)
    compgen -G '/usr/lib/*/libvulkan.so.1' >/dev/null || missing+=(libvulkan1)
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

# need_display: an X server that shows nothing, and the libraries that a window asks for when it
# opens.
need_display() {
    local missing=() library
    need Xvfb xvfb
    for library in libX11.so.6=libx11-6 libX11-xcb.so.1=libx11-xcb1 libXcursor.so.1=libxcursor1 libXi.so.6=libxi6 libXrender.so.1=libxrender1 \
        libxkbcommon.so.0=libxkbcommon0 libxkbcommon-x11.so.0=libxkbcommon-x11-0; do
        compgen -G "/usr/lib/*/${library%=*}" >/dev/null || missing+=("${library#*=}")
    done
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

# need_vm: what the machine with HID arms is made and emulated with.
need_vm() {
    need qemu-system-x86_64 qemu-system-x86 busybox busybox-static cpio cpio cc build-essential
    # The dynamic busybox has no use in a machine without libraries.
    if ldd "$(command -v busybox)" >/dev/null 2>&1; then install_packages busybox-static; fi
}

# need_ray_queries: a newer lavapipe, which has ray queries, unpacked under build/mesa25 beside the
# system's, which stays; prints the file that names it to the Vulkan loader. Needs no root.
need_ray_queries() {
    local folder=$PWD/build/mesa25 suite=bookworm-backports driver mirror
    driver=usr/lib/x86_64-linux-gnu/libvulkan_lvp.so
    if ! [ -e "$folder/$driver" ]; then
        (
            set -e
            rm -rf "$folder"
            mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
            # Lists and archives of its own: neither the system's sources nor its packages change.
            # From where the system's packages come.
            mirror=$(grep -rhv '^ *#' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 || true)
            [ -n "$mirror" ] || { echo "no source of Debian 12's packages is set up"; exit 1; }
            printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$mirror" "$suite" >"$folder/sources.list"
            apt=(apt-get -qq -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder/cache"
                -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- -o "APT::Sandbox::User=$(id -un)")
            cd "$folder"
            "${apt[@]}" update
            "${apt[@]}" download mesa-vulkan-drivers
            dpkg -x mesa-vulkan-drivers_*.deb unpacked
            # Whole, or not there.
            mkdir -p "${driver%/*}"
            mv "unpacked/$driver" "$driver"
            rm -r lists cache unpacked mesa-vulkan-drivers_*.deb
        ) >&2
    fi
    [ -e "$folder/$driver" ] || { echo "no driver with ray queries came from $suite" >&2; return 1; }
    # What it links to is what the system's driver does.
    if ldd "$folder/$driver" | grep 'not found' >&2; then
        echo "the driver in $folder lacks these libraries" >&2
        return 1
    fi
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.4.305"}}\n' "$folder/$driver" >"$folder/driver.json"
    echo "$folder/driver.json"
}

# apt_lists: fetches the package lists once a run; a fresh machine has none, an old one names files
# that are gone.
apt_lists() {
    [ -n "${APT_LISTS_FRESH:-}" ] || apt-get update -qq
    APT_LISTS_FRESH=1
}

# need_python: Debian's Python with what a package is built, checked and used with.
need_python() {
    local missing=() module
    [ -x /usr/bin/python3 ] || install_packages python3
    for module in venv=python3-venv setuptools=python3-setuptools wheel=python3-wheel numpy=python3-numpy mypy=mypy; do
        /usr/bin/python3 -c "import ${module%=*}" 2>/dev/null || missing+=("${module#*=}")
    done
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

# need_c: two compilers of C and C++ with their sanitizers, and what finds an installed library.
need_c() {
    need gcc gcc g++ g++ clang clang cmake cmake make make pkg-config pkg-config nm binutils setarch util-linux
    # The sanitizers' run-time libraries come with gcc, but not with Debian's clang.
    compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.tsan-*.a' >/dev/null ||
        install_packages "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
}

# need_csharp: Mono's compiler and runtime, with the class libraries that the package uses.
need_csharp() {
    need mcs mono-mcs mono mono-runtime python3 python3 cc build-essential
    [ -e /usr/lib/mono/4.5/System.Core.dll ] || install_packages libmono-system-core4.0-cil
}

# need_browser: Chromium without a screen, and npm for what drives it.
need_browser() {
    need chromium chromium node nodejs npm npm
}

# need_rust: a Rust compiler at least as new as Cargo.toml's rust-version, with rustfmt and clippy;
# installed with rustup where there is none (Debian 12's own is too old).
need_rust() {
    local wanted have
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    # shellcheck disable=SC1091
    if ! command -v cargo >/dev/null 2>&1 && [ -e "$HOME/.cargo/env" ]; then . "$HOME/.cargo/env"; fi
    have=$(rustc --version 2>/dev/null | sed 's/^rustc \([0-9.]*\).*/\1/' || true)
    if [ "$(printf '%s\n' "$wanted" "${have:-0}" | sort -V | head -n 1)" = "$wanted" ] &&
        cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1; then
        return
    fi
    need curl curl
    [ -e /etc/ssl/certs/ca-certificates.crt ] || install_packages ca-certificates
    echo "installing: Rust $wanted (found: ${have:-none})"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
        sh -s -- -y -q --profile minimal --component rustfmt --component clippy --default-toolchain "$wanted"
    # shellcheck disable=SC1091
    . "$HOME/.cargo/env"
}
