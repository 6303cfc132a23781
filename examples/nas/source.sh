#!/bin/sh
# Fetch a folder of a Debian source package into the current one, as a user who may not install.
#
#     source.sh PACKAGE FOLDER        for example: source.sh simgrid examples/smpi/NAS
#
# The sources come from where this machine's apt takes its packages.
set -eu
package=$1 wanted=$2
command -v apt-get >/dev/null || {
    echo "error: the source of $package comes from Debian, and there is no apt-get here" >&2
    exit 3
}
mkdir -p apt/lists/partial apt/sources
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
    [ -f "$list" ] || continue
    sed -e 's/^Types: .*/Types: deb-src/' -e 's/^deb /deb-src /' "$list" >"apt/sources/${list##*/}"
done
fetch() {
    apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$PWD/apt/sources" \
        -o Dir::State::Lists="$PWD/apt/lists" -o APT::Sandbox::User= "$@"
}
fetch update || true        # a list that cannot be had may not be the one that is needed
fetch source --download-only --tar-only "$package" || {
    echo "error: apt-get has no source of $package for this machine" >&2
    exit 3
}
tar -xf "$package"_*.orig.tar.* --strip-components=1 --wildcards "*/$wanted/*"
