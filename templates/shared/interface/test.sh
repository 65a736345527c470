# Builds and runs a client of the library. It ends with 0 if the library does what it expects.
# usage: sh test.sh DIRECTORY
#   DIRECTORY  the directory with the built library
set -u
directory=$(cd "$1" && pwd) || exit 1
options=$(troupe flags) || exit 1
swiftc -O -swift-version 6 $options -I "$directory" -L "$directory" -l@NAME@ -Xlinker -rpath -Xlinker "$directory" \
  -o "$directory/client" Tests/main.swift || exit 1
if "$directory/client"; then
  echo 'passed: a client implements and calls the protocol'
else
  echo "FAILED: the client ended with status $?; expected 0"
  exit 1
fi
