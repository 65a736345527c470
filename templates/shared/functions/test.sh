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

check 212.0 fahrenheit 100
check 'Hello, Ann!' greeting Ann
check 3.0 mean '[1, 2, 6]'
check '{"x": 1.0, "y": 3.0}' midpoint '{"x": 0, "y": 2}' '{"x": 2, "y": 4}'
check '{"return": 0, "quotient": 3, "remainder": 2}' divide 17 5
check '{"numbers": [3, 2, -1]}' sort '[3, -1, 2]' descending

case $("${TROUPE:-troupe}" call --plugins "$directory" divide 1 0 2>&1) in
*EDOM*) echo 'passed: divide by 0 is an error' ;;
*) echo 'FAILED: divide by 0 is no error' && failed=1 ;;
esac
exit $failed
