import Foundation
import PackagePlugin

/// Generates the source of `SwiftInterface`, and again after a change of a file that its fingerprint covers.
@main
struct InterfaceFingerprint: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let root = context.package.directoryURL
    let script = root.appending(path: "scripts/interface-fingerprint")
    let output = context.pluginWorkDirectoryURL.appending(path: "SwiftInterface.swift")
    let directories = ["Troupe", "TroupeContainer", "TroupeScopes"].map { root.appending(path: "Sources/" + $0) }
    let headers = try files(in: root.appending(path: "include"), endingIn: ".h")
    let sources = try directories.flatMap { try files(in: $0, endingIn: ".swift") }
    return [
      .buildCommand(
        displayName: "Hashing the interface for plugins in Swift", executable: URL(filePath: "/bin/sh"),
        arguments: [script.path, output.path],
        inputFiles: [script, root.appending(path: "Package.swift")] + headers + sources,
        outputFiles: [output])
    ]
  }

  private func files(in directory: URL, endingIn suffix: String) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(suffix) }.sorted()
      .map { directory.appending(path: $0) }
  }
}
