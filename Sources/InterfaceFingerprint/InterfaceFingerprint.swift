import Foundation
import PackagePlugin

/// Generates the source of `SwiftInterface`, and again after a change of a file that its fingerprint covers.
@main
struct InterfaceFingerprint: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let root = context.package.directoryURL
    let script = root.appending(path: "scripts/interface-fingerprint")
    let output = context.pluginWorkDirectoryURL.appending(path: "SwiftInterface.swift")
    let folders = ["Troupe", "TroupeContainer", "TroupeScopes"].map { root.appending(path: "Sources/" + $0) }
    let sources = try folders.flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        .sorted().map { folder.appending(path: $0) }
    }
    return [
      .buildCommand(
        displayName: "Hashing the interface for plugins in Swift", executable: URL(filePath: "/bin/sh"),
        arguments: [script.path, output.path],
        inputFiles: [script, root.appending(path: "Package.swift"), root.appending(path: "include/troupe.h")] + sources,
        outputFiles: [output])
    ]
  }
}
