// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "@NAME@",
  products: [.library(name: "@MODULE@", type: .dynamic, targets: ["@MODULE@"])],
  targets: [
    .target(name: "@MODULE@", dependencies: ["CTypes"], path: "Sources"),
    // The structs of the functions' parameters and results.
    .systemLibrary(name: "CTypes", path: "Types"),
    .testTarget(name: "PluginTests", path: "Tests"),
  ]
)
