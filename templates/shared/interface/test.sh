# Builds and runs a client of the library.
# usage: sh test.sh DIRECTORY
#   DIRECTORY  the directory with the built library
set -u
directory=$(cd "$1" && pwd) || exit 1
swiftc -O -swift-version 6 -I "$directory" -L "$directory" -l@NAME@ -Xlinker -rpath -Xlinker "$directory" \
  -o "$directory/client" Tests/main.swift || exit 1
actual=$("$directory/client")
if [ "$actual" = 'Good day, Ann' ]; then
  echo 'passed: a client implements and calls the protocol'
else
  printf 'FAILED: a client\n  expected: Good day, Ann\n  actual:   %s\n' "$actual"
  exit 1
fi
