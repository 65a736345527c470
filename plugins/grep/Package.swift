// swift-tools-version: 6.2

import PackageDescription

// A plugin as a separate package. Authors outside this repository name a version of Troupe instead of a directory:
// .package(url: "…/troupe.git", from: "0.1.0")
let package = Package(
  name: "grep",
  products: [.library(name: "grep", type: .dynamic, targets: ["Grep"])],
  dependencies: [.package(name: "Troupe", path: "../..")],
  targets: [.target(name: "Grep", dependencies: [.product(name: "Troupe", package: "Troupe")])]
)
