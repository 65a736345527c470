# Resolves the objects of the plugin with troupe and compares the output.
# usage: sh test.sh DIRECTORY
#   DIRECTORY  the directory with the built plugin
set -u
directory=$1
failed=0
command -v "${TROUPE:-troupe}" > /dev/null || { echo 'error: troupe is not on the PATH' >&2; exit 1; }
texts=$(mktemp -d)
trap 'rm -rf "$texts"' EXIT

check() { # WHAT EXPECTED ACTUAL
  if [ "$2" = "$3" ]; then
    echo "passed: $1"
  else
    printf 'FAILED: %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
    failed=1
  fi
}

number() { "${TROUPE:-troupe}" run --plugins "$directory" --tag @NAME@ "$@" "$texts/one" "$texts/two"; }

printf 'a\nb\n' >"$texts/one"
printf 'c\n' >"$texts/two"
check 'a counter for each text' "$(printf '1\ta\n2\tb\n1\tc')" "$(number)"
check 'a counter for all texts' 3 "$(number --log info 2>&1 >"$texts/output" | sed -n 's/.* \([0-9]*\) is the last.*/\1/p' | tail -n 1)"
check 'the setting start' "$(printf '5\ta\n6\tb\n5\tc')" "$(number --set @ID@:start=5)"
check 'the registrations' 3 "$("${TROUPE:-troupe}" inspect @ID@ --plugins "$directory" --json | grep -c '"uuid"')"
exit $failed
