internal import Foundation
internal import Synchronization

/// A temporary directory of plugins that are compiled from the fixtures.
public struct PluginDirectory: Sendable {
  /// The directory, removed with the last copy of this value.
  public let directory: TemporaryDirectory

  /// Creates an empty directory.
  public init() throws { directory = try TemporaryDirectory() }

  /// The absolute path.
  public var path: String { directory.path }

  /// Adds a plugin to the directory. Returns its path.
  ///
  /// - Parameters:
  ///   - fixture: A source below Tests/Fixtures, such as `healthy/stage.c`.
  ///   - name: The name of the library without `.so`; nil for the name of the source.
  ///   - definitions: Macros for the source, each as C text; text is put in quotes by `quoted`.
  ///   - headers: The directory with `troupe.h`.
  ///   - options: Further options for the compiler.
  @discardableResult
  public func add(
    _ fixture: String, as name: String? = nil, _ definitions: [String: String] = [:], headers: String = Repo.headers,
    options: [String] = []
  ) throws -> String {
    let macros = definitions.sorted { $0.key < $1.key }.map { "-D\($0.key)=\($0.value)" }
    let stem = URL(filePath: fixture).deletingPathExtension().lastPathComponent
    return try write((name ?? stem) + ".so", Self.library(fixture, macros + options, headers: headers))
  }

  /// Writes a file into the directory. Returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try directory.write(name, bytes)
  }

  /// Creates a subdirectory. Returns its path.
  public func makeDirectory(_ name: String, mode: Int = 0o755) throws -> String {
    let path = directory.file(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try setMode(mode, of: path)
    return path
  }

  /// The bytes of a compiled fixture. Each is compiled once per run.
  public static func library(_ fixture: String, _ options: [String] = [], headers: String = Repo.headers) throws -> [UInt8] {
    let key = ([fixture, headers] + options).joined(separator: "\n")
    if let known = compiled.withLock({ $0[key] }) { return known }
    let directory = try TemporaryDirectory()
    let library = try Repo.compile(
      [Repo.fixture(fixture)], to: directory.file("fixture.so"), headers: headers, options: options)
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: library)))
    compiled.withLock { $0[key] = bytes }
    return bytes
  }

  private static let compiled = Mutex<[String: [UInt8]]>([:])
}

extension String {
  /// The text as a C string literal.
  public var quoted: String { "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }
}
