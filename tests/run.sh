#!/usr/bin/env bash
# Installs what is missing, builds everything with its tests and runs them. Arguments go to ctest (for example -R tokenizer).
set -euo pipefail
project_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$project_dir/resources/install_packages.sh"
install_packages build run test

build_dir="$project_dir/build/release"
cmake -S "$project_dir" --preset release -DDESKHAND_TESTS=ON >/dev/null
cmake --build "$build_dir"
ctest --test-dir "$build_dir" --output-on-failure --parallel 2 "$@"
