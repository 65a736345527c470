import Foundation
import Testing

/// Loads the plugin that the package manager has built through `troupe`, as its users do.
@Test func plugin() throws {
  let files = FileManager.default
  let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  // The tests are built into the directory of the plugin.
  let built = URL(filePath: try files.destinationOfSymbolicLink(atPath: "/proc/self/exe")).deletingLastPathComponent()
  let directory = files.temporaryDirectory.appending(path: UUID().uuidString)
  try files.createDirectory(at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  defer { try? files.removeItem(at: directory) }
  try files.copyItem(at: built.appending(path: "lib@MODULE@.so"), to: directory.appending(path: "@NAME@.so"))
  // The file that declares the functions, if the plugin has one.
  try? files.copyItem(
    at: package.appending(path: "@NAME@.troupe.json"), to: directory.appending(path: "@NAME@.troupe.json"))

  let process = Process()
  let output = Pipe()
  process.executableURL = URL(filePath: "/bin/sh")
  process.arguments = [package.appending(path: "test.sh").path, directory.path]
  process.standardOutput = output
  try process.run()
  let text = try String(decoding: output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  process.waitUntilExit()
  #expect(process.terminationStatus == 0, "\(text)")
}
