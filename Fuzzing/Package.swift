// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Fuzzing",
  dependencies: [.package(name: "Troupe", path: "..")],
  targets: [
    .executableTarget(
      name: "FuzzGrammar", dependencies: [.product(name: "TroupeCall", package: "Troupe")],
      swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "FuzzJSON", dependencies: [.product(name: "TroupeCall", package: "Troupe")],
      swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]),
  ]
)
