import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeHost

/// A temporary directory of plugins that are compiled from the fixtures.
struct PluginDirectory {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  var path: String { directory.path }

  /// Adds a plugin to the directory. Returns its path.
  ///
  /// - Parameters:
  ///   - fixture: A source below Tests/Fixtures, such as `healthy/stage.c`.
  ///   - name: The name of the library without `.so`; nil for the name of the source.
  ///   - definitions: Macros for the source, each as C text; text is put in quotes by `quoted`.
  ///   - headers: The folder with `troupe.h`.
  ///   - options: Further options for the compiler.
  @discardableResult
  func add(
    _ fixture: String, as name: String? = nil, _ definitions: [String: String] = [:], headers: String = Repo.headers,
    options: [String] = []
  ) throws -> String {
    let macros = definitions.sorted { $0.key < $1.key }.map { "-D\($0.key)=\($0.value)" }
    let stem = URL(filePath: fixture).deletingPathExtension().lastPathComponent
    return try write((name ?? stem) + ".so", Self.library(fixture, macros + options, headers: headers))
  }

  /// Writes a file into the directory. Returns its path.
  @discardableResult
  func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try directory.write(name, bytes)
  }

  /// Creates a subdirectory. Returns its path.
  func makeDirectory(_ name: String, mode: Int = 0o755) throws -> String {
    let path = directory.file(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try setMode(mode, of: path)
    return path
  }

  /// A host for the directory.
  ///
  /// - Parameter unloads: Whether it unmaps the images of retired plugins.
  func host(
    log: LogLines = LogLines(), contracts: [Contract] = [], configuration: [String: [String: String]] = [:],
    services: [HostService] = [], unloads: Bool = false
  ) -> PluginHost {
    var options = options(log: log, contracts: contracts, configuration: configuration, services: services)
    options.unloadsImages = unloads
    return PluginHost(options)
  }

  /// Options for a host that opens all plugins at once in this process.
  func options(
    log: LogLines = LogLines(), contracts: [Contract] = [], configuration: [String: [String: String]] = [:],
    services: [HostService] = []
  ) -> PluginHost.Options {
    var options = PluginHost.Options(
      directories: [path], contracts: contracts, configuration: configuration, services: services, log: log.log)
    options.loading = .eager
    options.probing = .never
    // The user's own cache and quarantine must not influence tests.
    (options.cacheDirectory, options.quarantineDirectory) = (nil, nil)
    if Self.isolates {
      options.isolation = .worker(WorkerPolicy())
      options.probeExecutable = Repo.products + "/troupe-probe"
    }
    return options
  }

  /// Whether plugins run in workers, for a second run of the same tests.
  static let isolates = ProcessInfo.processInfo.environment["TROUPE_ISOLATE"] != nil

  /// The bytes of a compiled fixture. Each is compiled once per run.
  static func library(_ fixture: String, _ options: [String] = [], headers: String = Repo.headers) throws -> [UInt8] {
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
  var quoted: String { "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }
}

/// Whether a file is mapped into this process.
func isMapped(_ path: String) throws -> Bool {
  try succeed(["cat", "/proc/\(getpid())/maps"]).text.contains(path)
}

/// Collects the lines of a host's log. Drops state transitions and faults of plugins unless its level is `.debug`.
final class LogLines: Sendable {
  private let lines = Mutex<[LogMessage]>([])
  private let level: LogLevel

  init(from level: LogLevel = .info) { self.level = level }

  var log: Log {
    Log { [self] message in
      if message.level >= level, level == .debug || message.fault == nil { lines.withLock { $0.append(message) } }
    }
  }

  /// Every line so far, such as `info org.example.stage: text`.
  var all: [String] { lines.withLock { $0 }.map { "\($0.level) \($0)" } }

  /// Every line so far, without the number of the worker that wrote it.
  var texts: [String] { lines.withLock { $0 }.map { "\($0.level) \($0.plugin): \($0.text)" } }
}

extension PluginHost {
  /// The fault of the plugin in a file, or nil.
  func fault(_ path: String) -> Diagnosis? {
    plugins.first { $0.path == path }?.state.fault
  }

  /// Each plugin's file name and state.
  var states: [String] {
    plugins.map { URL(filePath: $0.path).lastPathComponent + " " + $0.state.name }
  }
}

extension PluginHost {
  /// Calls the first plain function with a name.
  func call(_ name: String, _ arguments: Value...) throws -> Value {
    let registration = try #require(functions(name).first, "there is no function \(name): \(states)")
    return try function(registration).call(arguments)
  }
}

/// Collects the output of a transform.
final class Collector: TransformOutput {
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: Span<UInt8>) throws {
    for index in bytes.indices { self.bytes.append(bytes[index]) }
  }
}

extension Transform {
  /// Returns the transform's output for a text that is fed in one call.
  func transformed(_ text: String) throws -> String {
    let output = Collector()
    try feed(Array(text.utf8).span, to: output)
    try finish(to: output)
    return String(decoding: output.bytes, as: UTF8.self)
  }
}

/// A thread-safe counter.
final class Counter: Sendable {
  private let count = Mutex(0)

  func add() { count.withLock { $0 += 1 } }
  var value: Int { count.withLock { $0 } }
}

extension Trait where Self == ConditionTrait {
  /// A test of what only plugins in the process of the host have: libraries that are open here, contracts other than transforms, typed calls,
  /// the host's resolver and services, probes, and files outside a worker's policy.
  static var inProcess: Self { .disabled(if: PluginDirectory.isolates, "only in the process of the host") }
}
