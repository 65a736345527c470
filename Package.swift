// swift-tools-version: 6.2

import CompilerPluginSupport
import Glibc
import PackageDescription

// SwiftSyntax comes with the toolchain that runs this manifest, so that no package has to be fetched. The toolchain is
// found through the library that this manifest is linked with, which does not depend on PATH.
let swiftSyntax = toolchainLibraries() + "/swift/host"

/// What a target links that has SwiftSyntax.
let swiftSyntaxLinking: [LinkerSetting] =
  [.unsafeFlags(["-L", swiftSyntax, "-Xlinker", "-rpath", "-Xlinker", swiftSyntax])]
  + [
    "SwiftSyntax", "SwiftParser", "SwiftSyntaxMacros", "SwiftSyntaxBuilder", "SwiftIfConfig", "SwiftDiagnostics",
    "SwiftCompilerPluginMessageHandling",
  ].map { .linkedLibrary($0) }

/// The settings that every Swift target of this package has.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "Troupe",
  products: [
    // Everything that a host and its plugins share, in one image, so that its types exist once in a process.
    .library(
      name: "Troupe", type: .dynamic,
      targets: [
        "Troupe", "TroupeContainer", "TroupeScopes", "TroupeFiles", "TroupeSandbox", "TroupeHost", "TroupeHostC",
        "TroupeCommands",
      ]),
    // The container alone, for a program that has no plugins.
    .library(name: "TroupeContainer", targets: ["TroupeContainer"]),
    // The container with its other face, the builder and its scopes.
    .library(name: "TroupeScopes", targets: ["TroupeScopes"]),
    // For the tests of such a program, which run in Swift Testing.
    .library(name: "TroupeTesting", targets: ["TroupeTesting"]),
    // The calling of C alone, for a program that has no plugins.
    .library(name: "TroupeCall", targets: ["TroupeCall"]),
    // The rules of manifests alone, for a tool that writes or checks them.
    .library(name: "TroupeManifest", targets: ["TroupeManifest"]),
    .executable(name: "troupe", targets: ["troupe"]),
    // Runs probes for programs that cannot be started as probes.
    .executable(name: "troupe-probe", targets: ["troupe-probe"]),
  ],
  targets: [
    .target(name: "TroupeContainer"),
    .target(name: "TroupeScopes", dependencies: ["TroupeContainer", "TroupeMacros"]),
    .target(name: "TroupeTesting", dependencies: ["TroupeContainer"]),
    .target(name: "TroupeManifest", dependencies: ["TroupeBase"]),
    // Diagnoses, descriptors, records and JSON, which all modules of the host share.
    .target(name: "TroupeBase", dependencies: ["CLinux"]),
    // The types of C functions: their model, the parser and the printer.
    .target(name: "TroupeSignature", dependencies: ["TroupeBase"]),
    .systemLibrary(name: "CFFI"),
    .target(name: "CCallbacks", dependencies: ["CFFI"]),
    // The loops of calls over columns.
    .target(name: "CColumns"),
    .target(
      name: "TroupeCall", dependencies: ["TroupeSignature", "TroupeBase", "CFFI", "CCallbacks", "CColumns", "CLinux"],
      linkerSettings: [.linkedLibrary(embedded("libffi_pic.a") ?? "ffi")]),
    .systemLibrary(name: "CTroupe", path: "include"),
    // The parts of child processes that are written in C: confinement, supervision, reports of crashes, the channel to workers.
    .target(name: "CSandbox", dependencies: ["CLinux"]),
    .systemLibrary(name: "CDigest"),
    // Functions of Linux and glibc that Swift's module Glibc lacks.
    .target(name: "CLinux"),
    .macro(
      name: "TroupeMacros", dependencies: ["TroupeManifest"],
      swiftSettings: [.unsafeFlags(["-I", swiftSyntax])],
      linkerSettings: swiftSyntaxLinking),
    .target(
      name: "Troupe", dependencies: ["TroupeContainer", "TroupeScopes", "CTroupe", "TroupeMacros", "TroupeManifest"],
      exclude: ["exports.map"],
      // The loader recognizes the library that is already open by this name; the package manager sets none. All symbols but those of
      // Troupe's interface are local to the library, so that a plugin's function of the same name is the plugin's.
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker", "-soname=libTroupe.so",
          "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/Troupe/exports.map",
        ])
      ]),
    .target(
      name: "TroupeFiles",
      dependencies: ["TroupeContainer", "TroupeSignature", "TroupeManifest", "TroupeBase", "CTroupe", "CDigest", "CLinux"],
      linkerSettings: [.linkedLibrary(embedded("libmd.a") ?? "md")]),
    .target(
      name: "TroupeSandbox", dependencies: ["TroupeFiles", "TroupeCall", "TroupeManifest", "CSandbox", "CLinux"]),
    .target(
      name: "TroupeHost",
      dependencies: [
        "Troupe", "TroupeContainer", "TroupeSignature", "TroupeCall", "TroupeFiles", "TroupeSandbox", "TroupeManifest",
        "TroupeBase", "CTroupe", "CSandbox", "CLinux",
      ]),
    // The functions of include/troupe-host.h, for hosts in C and other languages.
    .target(
      name: "TroupeHostC",
      dependencies: ["TroupeHost", "Troupe", "TroupeContainer", "TroupeCall", "CTroupe", "CLinux"]),
    .target(name: "CValidation"),
    // The work of the commands adopt, bench, catalog, doctor, map, run and validate.
    .target(
      name: "TroupeTools",
      dependencies: [
        "TroupeHost", "Troupe", "TroupeSignature", "TroupeCall", "TroupeFiles", "TroupeSandbox", "TroupeBase",
        "CDigest", "CLinux", "CValidation",
      ]),
    .target(
      name: "TroupeCommands",
      dependencies: ["TroupeHost", "TroupeTools", "TroupeManifest", "TroupeSignature", "TroupeBase", "CLinux"]),
    // The common code of the two programs, which open libTroupe.so.
    .target(name: "CLauncher", linkerSettings: [.linkedLibrary("dl")]),
    .executableTarget(name: "troupe", dependencies: ["CLauncher"]),
    .executableTarget(name: "troupe-probe", dependencies: ["CLauncher"]),

    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .testTarget(name: "TroupeContainerTests", dependencies: ["TroupeContainer", "TroupeTesting"]),
    .testTarget(name: "TroupeScopesTests", dependencies: ["TroupeScopes", "TroupeContainer"]),
    // Sources as they were written for Lambdaspire, in the language mode of their time.
    .testTarget(
      name: "OlderClientTests", dependencies: ["TroupeScopes", "TroupeContainer"], swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "TroupeTestingTests", dependencies: ["TroupeTesting", "TroupeContainer"]),
    .testTarget(name: "TroupeManifestTests", dependencies: ["TroupeManifest", "TroupeBase"]),
    // Expands macros without a compiler. It has their sources by a link, since a test that needs a macro's target has the package
    // manager build all that there is a second time, for the tools.
    .testTarget(
      name: "TroupeMacrosTests", dependencies: ["TroupeManifest"], exclude: ["Macros/CompilerPlugin.swift"],
      swiftSettings: [.unsafeFlags(["-I", swiftSyntax])],
      linkerSettings: swiftSyntaxLinking + [.linkedLibrary("SwiftSyntaxMacroExpansion")]),
    .testTarget(name: "TroupeBaseTests", dependencies: ["TroupeBase", "TestSupport"]),
    .testTarget(name: "TroupeSignatureTests", dependencies: ["TroupeSignature", "TestSupport"]),
    .testTarget(
      name: "TroupeCallTests",
      dependencies: ["TroupeCall", "TroupeSignature", "TroupeBase", "TestSupport", "CLinux"]),
    .testTarget(name: "TroupeTests", dependencies: ["Troupe", "TroupeContainer", "TestSupport", "CTroupe"]),
    .testTarget(
      name: "TroupeFilesTests",
      dependencies: ["TroupeFiles", "TroupeManifest", "TroupeSignature", "TroupeBase", "TestSupport", "CLinux"]),
    .testTarget(
      name: "TroupeSandboxTests",
      dependencies: ["TroupeSandbox", "TroupeCall", "TroupeContainer", "TroupeFiles", "CSandbox", "TestSupport"]),
    .testTarget(
      name: "TroupeHostTests",
      dependencies: [
        "TroupeHost", "Troupe", "TroupeContainer", "TroupeCall", "TroupeFiles", "TroupeSandbox", "TroupeManifest",
        "TestSupport",
      ]),
    .testTarget(
      name: "TroupeToolsTests",
      dependencies: ["TroupeTools", "TroupeHost", "Troupe", "TroupeCall", "TroupeFiles", "TroupeBase", "TestSupport"]),
    .testTarget(
      name: "TroupeCommandsTests",
      dependencies: [
        "TroupeCommands", "TroupeTools", "TroupeHost", "TroupeContainer", "TroupeSignature", "TestSupport", "CTroupe",
      ]),
    // Runs the built command. Plugins in Swift are tested only here: in a test's own process, which links everything
    // statically, a second copy of all types would come with them.
    .testTarget(name: "CommandLineTests", dependencies: ["TestSupport"]),
  ]
)

// What plugins in Swift import keeps its binary interface between releases: see Documentation/StableInterface.md.
for target in package.targets where ["TroupeContainer", "TroupeScopes", "Troupe"].contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .unsafeFlags(["-enable-library-evolution", "-emit-module-interface", "-no-verify-emitted-module-interface"])
    ]
}

let withoutStrict = [
  "troupe", "troupe-probe", "CLauncher", "CCallbacks", "CColumns", "CLinux", "CSandbox", "CValidation", "OlderClientTests",
]
for target in package.targets where target.type != .system && !withoutStrict.contains(target.name) {
  target.swiftSettings = strict + (target.swiftSettings ?? [])
}

// These tests contain no inlined code of the modules that they test, so that the optimizer would only delay their build.
let withoutOptimization = [
  "CommandLineTests", "TroupeFilesTests", "TroupeSandboxTests", "TroupeHostTests", "TroupeToolsTests", "TroupeCommandsTests",
  "TroupeMacrosTests", "TroupeManifestTests", "TroupeBaseTests",
]
for target in package.targets where withoutOptimization.contains(target.name) {
  target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
}

// `make fuzz` sets this. The fuzzers are a package of their own, which reaches only products of this one.
if Context.environment["TROUPE_FUZZERS"] != nil {
  package.products += ["TroupeFiles", "TroupeSandbox"].map { .library(name: $0, targets: [$0]) }
}

// With TROUPE_ONLY in the environment, the names of test targets, the package is these and what they need, for those who want to
// build no more.
if let names = Context.environment["TROUPE_ONLY"] {
  var needed = Set(names.split(separator: " ").map(String.init))
  let unknown = needed.subtracting(package.targets.map(\.name))
  guard unknown.isEmpty else { fatalError("TROUPE_ONLY names \(unknown.sorted()), which are no targets") }
  while let target = package.targets.first(where: { needed.contains($0.name) && !needed.isSuperset(of: dependencies($0)) }) {
    needed.formUnion(dependencies(target))
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}

/// The names of the targets that a target depends on.
func dependencies(_ target: Target) -> [String] {
  target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
}

/// The linker's name for an archive of the system, whose code becomes part of libTroupe.so; nil if the system has only the shared library.
/// The symbols of a shared library would be visible to all plugins of a program that links libTroupe.so.
func embedded(_ archive: String) -> String? {
  #if arch(arm64)
    let machine = "aarch64"
  #else
    let machine = "x86_64"
  #endif
  let folders = ["/usr/lib/\(machine)-linux-gnu", "/usr/lib64", "/usr/lib"]
  return folders.contains { access("\($0)/\(archive)", R_OK) == 0 } ? ":\(archive)" : nil
}

/// The folder `usr/lib` of the running toolchain: three levels above the library that every manifest is linked with.
func toolchainLibraries() -> String {
  let marker = "/swift/pm/ManifestAPI/libPackageDescription.so"
  // Not with Foundation, which takes the first piece that such a file gives for the whole.
  let maps = fopen("/proc/self/maps", "re")
  var line: UnsafeMutablePointer<CChar>?
  var capacity = 0
  while let maps, getline(&line, &capacity, maps) > 0, let text = line.map({ String(cString: $0).dropLast() }) {
    if text.hasSuffix(marker), let slash = text.firstIndex(of: "/") { return String(text[slash...].dropLast(marker.count)) }
  }
  fatalError("Troupe's manifest cannot find the Swift toolchain: no \(marker) among the mapped files")
}
