// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "Troupe", path: "..")],
  targets: [
    .target(name: "CFunctions", linkerSettings: [.linkedLibrary("ffi")]),
    .executableTarget(
      name: "Benchmarks", dependencies: [.product(name: "Troupe", package: "Troupe"), "CFunctions"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
