# Runs the stages of the plugin with troupe and compares the output.
# usage: sh test.sh DIRECTORY
#   DIRECTORY  the directory with the built plugin
set -u
directory=$1
failed=0
command -v "${TROUPE:-troupe}" > /dev/null || { echo 'error: troupe is not on the PATH' >&2; exit 1; }

stage() { "${TROUPE:-troupe}" run --plugins "$directory" "$@"; }

check() { # WHAT EXPECTED ACTUAL
  if [ "$2" = "$3" ]; then
    echo "passed: $1"
  else
    printf 'FAILED: %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
    failed=1
  fi
}

check 'a prefix for each line' "$(printf '> one\n> \n> two')" "$(printf 'one\n\ntwo\n' | stage --tag @NAME@)"
check 'the setting prefix' '- one' "$(echo one | stage --tag @NAME@ --set '@ID@:prefix=- ')"
check 'the argument' '# one' "$(echo one | stage --tag @NAME@-with --arg '# ')"
check 'empty input' '' "$(printf '' | stage --tag @NAME@)"
check '100,000 lines in many pieces' "$(seq 100000 | sed 's/^/> /' | cksum)" "$(seq 100000 | stage --tag @NAME@ | cksum)"

if echo three | stage --tag @NAME@ --set @ID@:longest=4 >/dev/null 2>&1; then
  echo 'FAILED: a line that is too long is no error'
  failed=1
else
  echo 'passed: a line that is too long is an error'
fi
exit $failed
