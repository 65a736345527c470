// swift-tools-version: 6.2

import PackageDescription

// Links the dynamic product, as a program that embeds Troupe does, so that what is measured is what such a program gets.
let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "Troupe", path: "..")],
  targets: [
    .executableTarget(
      name: "Benchmarks", dependencies: [.product(name: "Troupe", package: "Troupe")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
