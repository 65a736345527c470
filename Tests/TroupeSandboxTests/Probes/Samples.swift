import Foundation
import TestSupport
import TroupeContainer

@testable import TroupeFiles
@testable import TroupeSandbox

extension PluginSummary {
  /// A summary with every kind of factory.
  static let sample = PluginSummary(
    registrations: [
      RegistrationDescription(
        plugin: "org.example.a", uuid: uuid("5a3b1e00-0000-4000-8000-000000000001"), name: "one", contract: "org.example.box/1",
        tags: ["a", "b"], signature: "pointer ()", lifetime: .singleton, metadata: ["key": "value"]),
      RegistrationDescription(
        plugin: "org.example.a", uuid: nil, name: "two", contract: nil, tags: [], signature: "(Int) -> String",
        lifetime: .transient, metadata: [:], location: "Sample/Plugin.swift:7", context: .asynchronous,
        types: .swift(instance: "SS", arguments: ["Si"])),
      RegistrationDescription(
        plugin: "org.example.a", uuid: nil, name: "three", contract: nil, tags: [], signature: "() -> String",
        lifetime: .scoped, metadata: [:], isCallableFromAnyThread: false, types: .swift(instance: "SS", arguments: [])),
      RegistrationDescription(
        plugin: "org.example.a", uuid: nil, name: "four", contract: nil, tags: ["7"], signature: "() -> String",
        lifetime: .transient, metadata: [:], types: .opaque),
    ], isComplete: false)
}

extension Diagnosis {
  /// A fault with every member set.
  static let sample = Diagnosis(.crashed, "/a.so", problem: "crashed", remedy: "fix it", backtrace: ["a.so+0x1", "b.so+0x2"])
}

extension ProbeRequest {
  /// A request with most members set.
  static let sample = ProbeRequest(
    host: "0.1.0", path: "/a.so", library: "/lib/a.so.1", id: "org.example.a", needs: ["/b.so"],
    configuration: ["org.example.a": ["key": "value"]], memory: 1 << 30, descriptors: 256,
    pins: nil)
}

extension ProbeCacheFile.Entry {
  /// An entry for a file with a path and a content.
  static func sample(_ path: String, content: [UInt8] = [1]) -> Self {
    Self(
      files: [
        FileState(
          path: path,
          stamp: FileStamp(
            device: 1, inode: 2, size: 3, mode: 4,
            modified: .init(seconds: -5, nanoseconds: 7), changed: .init(seconds: 6, nanoseconds: 8)))
      ], content: ContentHash(of: content), configuration: ContentHash(of: []), summary: .sample)
  }
}
