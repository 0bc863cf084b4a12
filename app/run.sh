#!/usr/bin/env bash
# Installs what is missing, builds Deskhand and runs it. Arguments go to the program.
set -euo pipefail
project_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$project_dir/resources/install_packages.sh"
install_packages build run

build_dir="$project_dir/build/release"
[ -f "$build_dir/build.ninja" ] || cmake -S "$project_dir" --preset release -DDESKHAND_TESTS=OFF >/dev/null
cmake --build "$build_dir" --target deskhand >&2
exec "$build_dir/bin/deskhand" "$@"
