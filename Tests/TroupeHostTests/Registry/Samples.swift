import Foundation

@testable import TroupeHost

extension PluginSummary {
  /// What a plugin registers that has a bit of everything.
  static let sample = PluginSummary(
    factories: [
      Factory(
        uuid: uuid("5a3b1e00-0000-4000-8000-000000000001"), name: "one", contract: "org.example.box/1", tags: ["a", "b"],
        signature: "pointer ()", lifetime: .singleton, metadata: ["key": "value"], types: nil),
      Factory(
        uuid: nil, name: "two", contract: nil, tags: [], signature: "(Int) -> String", lifetime: .transient, metadata: [:],
        types: Types(instance: "SS", arguments: ["Si"]), place: "Sample/Plugin.swift:7"),
      Factory(
        uuid: nil, name: "three", contract: nil, tags: [], signature: "() -> String", lifetime: .scoped, metadata: [:],
        types: Types(instance: "SS", arguments: [])),
    ], isComplete: false)
}

extension PluginFault {
  /// A fault that has a bit of everything.
  static let sample = PluginFault(
    path: "/a.so", code: .crashed, problem: "crashed", remedy: "mend it", backtrace: ["a.so+0x1", "b.so+0x2"])
}

extension ProbeRequest {
  /// A request that has a bit of everything.
  static let sample = ProbeRequest(
    path: "/a.so", library: "/lib/a.so.1", id: "org.example.a", needs: ["/b.so"],
    configuration: ["org.example.a": ["key": "value"]], memory: 1 << 30, descriptors: 256,
    pins: nil)
}

extension RegistryFile.Entry {
  /// What is known of a file with a path and a content.
  static func sample(_ path: String, content: [UInt8] = [1]) -> Self {
    Self(
      files: [
        RegistryFile.FileState(
          path: path,
          identity: PluginFile.Identity(
            device: 1, inode: 2, size: 3, mode: 4,
            modified: .init(seconds: -5, nanoseconds: 7), changed: .init(seconds: 6, nanoseconds: 8)))
      ], content: ContentHash(of: content), configuration: ContentHash(of: []), summary: .sample)
  }
}

extension SystemError: Equatable {
  /// Whether both have the same code.
  static func == (one: Self, other: Self) -> Bool { one.code == other.code }
}
