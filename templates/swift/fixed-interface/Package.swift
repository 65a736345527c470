// swift-tools-version: 6.2

import PackageDescription

// The mark of the declarations in Sources. `make mark` writes it here and to the directory mark; commit both.
let mark = "@NAME@_0000000000000000"

// The options that `troupe flags --interface @NAME@ --fixed` prints, without those that the package manager sets. scripts/link
// checks the mark.
let package = Package(
  name: "@NAME@",
  products: [.library(name: "@NAME@", type: .dynamic, targets: ["@NAME@"])],
  targets: [
    .target(
      name: "@NAME@", path: "Sources",
      swiftSettings: [.unsafeFlags(["-module-link-name", mark, "-autolink-force-load", "-disable-cmo"])],
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker", "-soname", "-Xlinker", "lib@NAME@.so",
          "-Xlinker", "--version-script=\(Context.packageDirectory)/mark/@NAME@.map",
          "-Xclang-linker", "--ld-path=\(Context.packageDirectory)/scripts/link",
        ])
      ])
  ]
)
