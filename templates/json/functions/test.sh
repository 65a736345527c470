# Calls the functions of the plugin with troupe and compares the results.
# usage: sh test.sh DIRECTORY
#   DIRECTORY  the directory with the built plugin
set -u
directory=$1
failed=0
command -v "${TROUPE:-troupe}" > /dev/null || { echo 'error: troupe is not on the PATH' >&2; exit 1; }

check() { # EXPECTED ARGUMENT...
  expected=$1
  shift
  actual=$("${TROUPE:-troupe}" call --plugins "$directory" "$@" 2>&1)
  if [ "$actual" = "$expected" ]; then
    echo "passed: troupe call $*"
  else
    printf 'FAILED: troupe call %s\n  expected: %s\n  actual:   %s\n' "$*" "$expected" "$actual"
    failed=1
  fi
}

check 7 absolute -7
check 'two words' duplicate 'two words'
check '{"return": 0.5, "whole": 2.0}' split 2.5
check '{"quotient": 3, "remainder": 2}' divide 17 5
check 0 check_access / readable
check '{"words": ["apple", "fig", "pear"]}' sort_words '["pear", "apple", "fig"]' word alphabetical

case $("${TROUPE:-troupe}" call --plugins "$directory" check_access /missing exists 2>&1) in
*ENOENT*) echo 'passed: a missing file is an error' ;;
*) echo 'FAILED: a missing file is no error' && failed=1 ;;
esac
exit $failed
