// swift-tools-version: 6.2

import PackageDescription

// Built with the fuzzer's and the address sanitizer's code in all of it, TroupeCall as well, by `make fuzz`. The fuzzer has the
// main function; a target has LLVMFuzzerTestOneInput, which runs once for each input. What reads plugin files is no library by
// itself, and what it is a part of comes with macros, which cannot be built so; PluginReaders links its sources.
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
    .target(
      name: "PluginReaders", dependencies: [.product(name: "TroupeManifest", package: "Troupe")],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
    .executableTarget(
      name: "FuzzELF", dependencies: ["PluginReaders"],
      swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "FuzzManifest", dependencies: ["PluginReaders", .product(name: "TroupeManifest", package: "Troupe")],
      swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]),
    // The part of a probe that is in C, under the name by which the host imports it.
    .target(name: "ProbeCode"),
    .executableTarget(
      name: "FuzzRegistry",
      dependencies: [
        "ProbeCode", .product(name: "TroupeContainer", package: "Troupe"),
        .product(name: "TroupeManifest", package: "Troupe"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"),
        .unsafeFlags([
          "-parse-as-library", "-I", Context.packageDirectory + "/../Sources/CDigest", "-I",
          Context.packageDirectory + "/../Sources/CSystem",
        ]),
      ],
      linkerSettings: [.linkedLibrary("md")]),
  ]
)
