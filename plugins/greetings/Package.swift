// swift-tools-version: 6.2

import Foundation
import PackageDescription

// `troupe` has to be on the PATH.
let plugin = try compilerOptions("--plugin")
let program = try compilerOptions("--swift")

// The library is a package of its own: as a target of this one, it would be linked statically into each of the products.
let greetings = Target.Dependency.product(name: "Greetings", package: "interface")
// From the directory of the plugins to that of the library.
let runPath = ["-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../lib"]

let package = Package(
  name: "hello",
  products: [
    .library(name: "Polite", type: .dynamic, targets: ["Polite"]),
    .library(name: "Chorus", type: .dynamic, targets: ["Chorus"]),
  ],
  dependencies: [.package(path: "interface")],
  targets: [
    .target(
      name: "Polite", dependencies: [greetings], path: "polite", swiftSettings: [.unsafeFlags(plugin.compiling)],
      linkerSettings: [.unsafeFlags(plugin.linking + runPath)]),
    .target(
      name: "Chorus", dependencies: [greetings], path: "chorus", swiftSettings: [.unsafeFlags(plugin.compiling)],
      linkerSettings: [.unsafeFlags(plugin.linking + runPath)]),
    .executableTarget(
      name: "hello", dependencies: [greetings], path: "program", swiftSettings: [.unsafeFlags(program.compiling)],
      linkerSettings: [.unsafeFlags(program.linking)]),
  ]
)

/// The options that `troupe flags` prints for a plugin or a program, without those for a single compiler call.
func compilerOptions(_ kind: String) throws -> (compiling: [String], linking: [String]) {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["troupe", "flags", kind, "--json"]
  process.standardOutput = output
  try process.run()
  let json = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    FileHandle.standardError.write(Data("troupe flags has failed; put troupe on the PATH\n".utf8))
    exit(1)
  }
  var compiling: [String] = []
  var linking: [String] = []
  var options = try JSONDecoder().decode([String].self, from: json)[...]
  while let option = options.popFirst() {
    switch option {
    case "-emit-library", "-parse-as-library": break
    case "-L", "-Xlinker": linking += [option, options.removeFirst()]
    case _ where option.hasPrefix("-l") && !option.hasPrefix("-load"): linking.append(option)
    default: compiling.append(option)
    }
  }
  return (compiling, linking)
}
