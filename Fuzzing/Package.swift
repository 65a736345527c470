// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]

// Built by `make fuzz` with the code of the fuzzer and of the address sanitizer in all modules. The fuzzer has the main function; a target
// has LLVMFuzzerTestOneInput, which runs once for each input. The targets import the modules that read foreign files with @testable,
// so all modules are built with -enable-testing.
let package = Package(
  name: "Fuzzing",
  dependencies: [.package(name: "Troupe", path: "..")],
  targets: [
    .executableTarget(
      name: "FuzzGrammar", dependencies: [.product(name: "TroupeCall", package: "Troupe")], swiftSettings: settings),
    .executableTarget(
      name: "FuzzJSON", dependencies: [.product(name: "TroupeCall", package: "Troupe")], swiftSettings: settings),
    .executableTarget(
      name: "FuzzELF",
      dependencies: [.product(name: "TroupeFiles", package: "Troupe"), .product(name: "TroupeSandbox", package: "Troupe")],
      swiftSettings: settings),
    .executableTarget(
      name: "FuzzManifest", dependencies: [.product(name: "TroupeManifest", package: "Troupe")], swiftSettings: settings),
    .executableTarget(
      name: "FuzzChannel", dependencies: [.product(name: "TroupeSandbox", package: "Troupe")], swiftSettings: settings),
    .executableTarget(
      name: "FuzzRegistry", dependencies: [.product(name: "TroupeSandbox", package: "Troupe")], swiftSettings: settings),
  ]
)
