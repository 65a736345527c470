import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeHost

/// A directory with a plugin, `healthy/versioned.c`, that is replaced while hosts use it.
struct VersionedPlugin {
  let directory: PluginDirectory
  let path: String

  init(number: Int = 1) throws {
    directory = try PluginDirectory()
    path = directory.directory.file("versioned.so")
    try replace(number: number)
  }

  /// Replaces the file by a version of the plugin. Writes a temporary file and renames it, as an installer does.
  func replace(number: Int, _ definitions: [String: String] = [:], name: String = "versioned.so") throws {
    let bytes = try Self.library(number: number, definitions)
    let temporary = try directory.write(".new", bytes)
    try setMode(0o755, of: temporary)
    try #require(rename(temporary, directory.directory.file(name)) == 0)
  }

  /// Replaces the file by a library.
  func replace(_ library: [UInt8]) throws {
    let temporary = try directory.write(".new", library)
    try setMode(0o755, of: temporary)
    try #require(rename(temporary, path) == 0)
  }

  static func library(number: Int, _ definitions: [String: String] = [:]) throws -> [UInt8] {
    let macros = definitions.merging(["NUMBER": "\(number)", "VERSION": "1.\(number).0".quoted]) { own, _ in own }
    return try PluginDirectory.library(
      "healthy/versioned.c", macros.sorted { $0.key < $1.key }.map { "-D\($0.key)=\($0.value)" })
  }

  /// A host that opens plugins on the first resolve.
  func lazyHost(services: [HostService] = [], log: LogLines = LogLines(), unloads: Bool = false) throws -> PluginHost {
    var options = directory.options(log: log, services: services)
    options.unloadsImages = unloads
    options.loading = .lazy
    options.probing = .newContent
    options.cacheDirectory = directory.directory.file("cache")
    options.quarantineDirectory = directory.directory.file("quarantine")
    return PluginHost(options)
  }

  /// The tag of all registrations of the plugin; their UUIDs follow.
  static let tag = "versioned"
  static let number = uuid("5e110000-0000-4000-8000-000000000001")
  static let object = uuid("5e110000-0000-4000-8001-000000000001")
  static let single = uuid("5e110000-0000-4000-8002-000000000001")
}

/// The counts of instances that all versions of the plugin made and ended.
final class Census: Sendable {
  let service: HostService
  // The plugin writes to this memory. Tests read it after the last write.
  nonisolated(unsafe) private let counts: UnsafeMutablePointer<Int64>

  init() {
    counts = .allocate(capacity: 2)
    counts.initialize(repeating: 0, count: 2)
    service = HostService("org.example.census/1", counts)
  }

  deinit { counts.deallocate() }

  var values: (made: Int64, ended: Int64) { (counts[0], counts[1]) }
}

extension PluginHost {
  /// The result of the plugin's plain function.
  var number: Value? {
    get throws { try (container.resolve(tags: VersionedPlugin.number, VersionedPlugin.tag) as ForeignFunction)() }
  }

  /// The numbers of all objects with the plugin's tag, resolved as an array.
  var numbers: [Int32] {
    get throws { try container.resolve([ForeignInstance].self, tags: VersionedPlugin.tag).map(\.number) }
  }

  /// An object of the versioned plugin.
  func object(_ id: UUID = VersionedPlugin.object) throws -> ForeignInstance {
    try container.resolve(tags: id, VersionedPlugin.tag)
  }
}

extension ForeignInstance {
  /// The number that the versioned plugin stored in the instance.
  var number: Int32 { object.load(as: Int32.self) }
}
