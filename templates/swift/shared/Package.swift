// swift-tools-version: 6.2

import Foundation
import PackageDescription

// The plugin links the installed Troupe instead of a package, whose sources would be compiled anew. `troupe` has to
// be on the PATH.
let troupe = try compilerOptions()

let package = Package(
  name: "@NAME@",
  products: [.library(name: "@MODULE@", type: .dynamic, targets: ["@MODULE@"])],
  targets: [
    .target(
      name: "@MODULE@", path: "Sources", swiftSettings: [.unsafeFlags(troupe.compiling)],
      linkerSettings: [.unsafeFlags(troupe.linking)]),
    .testTarget(name: "PluginTests", path: "Tests"),
  ]
)

/// The options that `troupe flags` prints for a plugin, without those for a single compiler call.
func compilerOptions() throws -> (compiling: [String], linking: [String]) {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["troupe", "flags", "--plugin", "--json"]
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
    case "-L": linking += [option, options.removeFirst()]
    case _ where option.hasPrefix("-l") && !option.hasPrefix("-load"): linking.append(option)
    default: compiling.append(option)
    }
  }
  return (compiling, linking)
}
