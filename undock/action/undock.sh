#!/usr/bin/env bash
# The steps of action.yml. It runs on GitHub's runners, and anywhere else where GITHUB_OUTPUT and GITHUB_ENV name files.
set -euo pipefail
cd "$UNDOCK_WORKDIR"

undock() {
  if [ -e node_modules/.bin/undock ]; then node_modules/.bin/undock "$@"
  elif command -v undock > /dev/null; then command undock "$@"
  elif [[ "$UNDOCK_VERSION" =~ ^[0-9]+\.[0-9]+\.[0-9]+ ]]; then npx --yes "undock@$UNDOCK_VERSION" "$@"
  else
    echo "undock is not installed. Install it in the project, put a clone's node_modules/.bin on the PATH, or name an exact version." >&2
    exit 1
  fi
}

# What the database is made of: with other migrations, another seed or another undock the kept one is not of use.
hash_of_database() {
  { undock --version; find supabase -type f \( -path '*/migrations/*' -o -path '*/schemas/*' -o -name '*.sql' -o -name config.toml \) \
      -not -path '*/.undock/*' -print0 | LC_ALL=C sort -z | xargs -0 -r cat; } | { sha256sum 2>/dev/null || shasum -a 256; } | cut -c 1-32
}

case "$1" in
  paths)
    case "$(uname -s)" in
      Darwin) caches="$HOME/Library/Caches" ;;
      *) caches="${XDG_CACHE_HOME:-$HOME/.cache}" ;;
    esac
    prefix="undock-$(uname -s)-$(uname -m)-"
    {
      echo "key=$prefix$(hash_of_database)"
      echo "restore=$prefix"
      echo "cached<<END"
      printf '%s\n' "$caches/undock" "$caches/deno" "$PWD/supabase/.undock/snapshots"
      echo END
    } >> "$GITHUB_OUTPUT"
    ;;
  start)
    undock start --detach ${UNDOCK_EXCLUDE:+--exclude "$UNDOCK_EXCLUDE"}
    # Steps that follow have them as variables. They are the keys of a backend that only this job reaches.
    undock status -o env | sed 's/="\(.*\)"$/=\1/' | tee -a "$GITHUB_ENV" >> "$GITHUB_OUTPUT"
    ;;
  *)
    echo "undock.sh paths | start" >&2
    exit 2
    ;;
esac
