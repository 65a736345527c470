import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TroupeHost

/// A host whose plugins run in workers.
struct IsolatedHost {
  let host: PluginHost
  let directory: PluginDirectory
  let log = LogLines()

  /// - Parameters:
  ///   - fixture: The only plugin.
  ///   - change: Changes the policy.
  init(
    _ fixture: String = "isolation/functions.c", _ definitions: [String: String] = [:], files: [String] = [],
    layers: Set<WorkerPolicy.Layer> = Set(WorkerPolicy.Layer.allCases), opensCopies: Bool = false,
    _ change: (inout WorkerPolicy) -> Void = { _ in }
  ) async throws {
    directory = try PluginDirectory()
    try directory.add(fixture, definitions)
    var policy = WorkerPolicy()
    // No call ends at it, however long its test waits for a thread.
    policy.deadline = .seconds(86_400)
    change(&policy)
    var options = directory.options(log: log)
    options.isolation = .worker(policy)
    options.probeExecutable = Repo.products + "/troupe-probe"
    options.workerLayers = layers
    options.opensCopies = opensCopies
    host = PluginHost(options)
    await host.start()
  }

  /// Calls a function.
  func call(_ name: String, _ arguments: Value...) throws -> Value {
    try host.function(#require(host.functions(name).first, "no function \(name)")).call(arguments)
  }

  /// Returns the error of a call.
  func failure(_ name: String, _ arguments: Value...) -> (any Error)? {
    do {
      _ = try host.function(#require(host.functions(name).first, "no function \(name)")).call(arguments)
      return nil
    } catch {
      return error
    }
  }

  /// The lines that the plugin of functions has printed.
  var printed: [String] {
    let begin = "info org.example.functions: "
    return log.texts.filter { $0.hasPrefix(begin) }.map { String($0.dropFirst(begin.count)) }
  }

  /// The state of the only worker.
  var worker: WorkerStatus {
    get throws { try #require(host.workers.first) }
  }

  /// Returns a transform of the factory `pass`.
  func transform(_ argument: Int = 0) async throws -> any Transform {
    let made = try await host.resolve(tags: ["pass"], arguments: .values([.integer(Int128(argument))]))
    return try #require(made.first?.value as? any Transform)
  }
}

/// Collects the output of a transform.
final class CollectedOutput: TransformOutput {
  private(set) var bytes: [UInt8] = []
  /// The number of bytes after which it takes no more.
  var limit = Int.max

  struct Full: Error {}

  func write(_ bytes: Span<UInt8>) throws {
    if self.bytes.count >= limit { throw Full() }
    bytes.withUnsafeBytes { self.bytes += $0 }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
