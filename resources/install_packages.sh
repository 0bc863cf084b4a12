# Sourced by app/run.sh and tests/run.sh: installs the Debian packages of the named sections of packages.txt.
# Usage: install_packages SECTION…   (needs root or sudo only when something is missing)

install_packages() {
  local list="$project_dir/resources/packages.txt" section wanted=() missing=()
  for section in "$@"; do
    mapfile -t -O "${#wanted[@]}" wanted < <(awk -v s="[$section]" '/^\[/ {on = ($0 == s); next} on && NF && !/^#/' "$list")
  done
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null | awk '$1 == "ii" {print $2}' | sort -u)
  mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) <(printf '%s\n' "$installed"))
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    echo "These packages are missing and neither root rights nor sudo are here to install them:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    return 1
  fi
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "Installing ${#missing[@]} packages: ${missing[*]}"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  "${as_root[@]}" "${apt[@]}" update
  "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
}
