import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeHost

extension PluginDirectory {
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
      if message.level >= level, level == .debug || message.diagnosis == nil { lines.withLock { $0.append(message) } }
    }
  }

  /// Every line so far, such as `info org.example.stage: text`.
  var all: [String] { lines.withLock { $0 }.map { "\($0.level) \($0)" } }

  /// Every line so far, without the number of the worker that wrote it.
  var texts: [String] { lines.withLock { $0 }.map { "\($0.level) \($0.plugin): \($0.text)" } }
}

extension PluginHost {
  /// The fault of the plugin in a file, or nil.
  func diagnosis(_ path: String) -> Diagnosis? {
    plugins.first { $0.path == path }?.state.diagnosis
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
