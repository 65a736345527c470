// swift-tools-version: 6.2

import PackageDescription

// The options that `troupe flags --interface @NAME@` prints, without those that the package manager sets.
let package = Package(
  name: "@NAME@",
  products: [.library(name: "@NAME@", type: .dynamic, targets: ["@NAME@"])],
  targets: [
    .target(
      name: "@NAME@", path: "Sources", swiftSettings: [.unsafeFlags(["-enable-library-evolution"])],
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker", "-soname", "-Xlinker", "lib@NAME@.so", "-Xlinker", "--defsym=_troupe_resilient_@NAME@=0",
        ])
      ])
  ]
)
