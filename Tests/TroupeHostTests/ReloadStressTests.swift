import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeHost

/// Runs for `TROUPE_SOAK_SECONDS`, two by default, and for as long as ten reloads take.
@Suite("Reloads under load", .timeLimit(.minutes(20)))
struct ReloadStressTests {
  private static let duration = Duration.seconds(
    ProcessInfo.processInfo.environment["TROUPE_SOAK_SECONDS"].flatMap { Int($0) } ?? 2)

  @Test("Ten reloads a second under eight threads: no resolve fails, nothing is lost or doubled, and memory stays what it was")
  func soak() async throws {
    let plugin = try VersionedPlugin(number: 0)
    let versions = try (0..<4).map { try VersionedPlugin.library(number: $0) }
    let census = Census()
    var options = plugin.directory.options(services: [census.service])
    (options.loading, options.probing, options.opensCopies) = (.lazy, .newContent, true)
    options.cacheDirectory = plugin.directory.directory.file("cache")
    let host = PluginHost(options)
    await host.start()
    let isOver = Atomic(false)
    let failures = Mutex<[String]>([])
    let resolves = Atomic(0)

    let threads = (0..<8).map { number in
      let thread = JoinableThread {
        while !isOver.load(ordering: .relaxed) {
          if let failure = Self.failure(of: host) { failures.withLock { $0.append("thread \(number): \(failure)") } }
          resolves.add(1, ordering: .relaxed)
        }
      }
      return thread
    }
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + Self.duration
    var memory: [Int] = []
    var reloads = 0
    while clock.now < end || reloads < 10 {
      reloads += 1
      try plugin.replace(versions[reloads % versions.count])
      let isReplaced = try await host.reload("org.example.versioned")
      // As long as it has never been opened, whoever resolves may have been the first to see that its file is another one.
      #expect(isReplaced || reloads == 1)
      if reloads.isMultiple(of: 10) { memory.append(try Self.residentBytes()) }
      // One that took longer is made up for.
      try await Task.sleep(until: start + .milliseconds(100 * reloads))
    }
    isOver.store(true, ordering: .relaxed)
    threads.forEach { $0.join() }
    #expect(failures.withLock { $0.prefix(5) } == [])
    host.shutdown()
    // What readers may still have looked at goes with a later change, or is swept away by another thread.
    while try isMapped("memfd:org.example.versioned"), !Task.isCancelled {
      try host.container.batch { _ in }
      await Task.yield()
    }
    #expect(try !isMapped("memfd:org.example.versioned"))
    #expect(census.values.made == census.values.ended)
    #expect(census.values.made > 0)
    // Not the beginning, when everything is needed for the first time.
    let settled = memory.dropFirst(memory.count / 4)
    if settled.count > 4, let first = settled.first, let last = settled.last { #expect(last - first < 8 << 20, "\(memory)") }
    let range = "\((memory.min() ?? 0) >> 20) to \((memory.max() ?? 0) >> 20) MB resident"
    print("\(reloads) reloads under \(resolves.load(ordering: .relaxed)) rounds of resolves, \(range)")
  }

  @Test("A plugin that is retired and comes back is there or not for eight threads that resolve, look at keys and call")
  func retired() async throws {
    let plugin = try VersionedPlugin(number: 0)
    let versions = try (0..<2).map { try VersionedPlugin.library(number: $0) }
    var options = plugin.directory.options()
    (options.loading, options.probing, options.opensCopies) = (.lazy, .newContent, true)
    options.cacheDirectory = plugin.directory.directory.file("cache")
    let host = PluginHost(options)
    await host.start()
    let isOver = Atomic(false)
    let failures = Mutex<[String]>([])
    let threads = (0..<8).map { number in
      JoinableThread {
        while !isOver.load(ordering: .relaxed) {
          do {
            if number.isMultiple(of: 2) {
              let count = try host.numbers.count
              if ![0, 2].contains(count) { failures.withLock { $0.append("an array of \(count)") } }
            } else if let function = host.functions("number").first {
              // Only that it has gone in between may be said.
              do { _ = try host.call(function, .none) } catch let error where "\(error)".contains("nothing is registered") {}
            }
          } catch {
            failures.withLock { $0.append("thread \(number): \(error)") }
          }
        }
      }
    }
    for round in 1...50 {
      try host.retire("org.example.versioned")
      try plugin.replace(versions[round % 2])
      await host.refresh()
    }
    isOver.store(true, ordering: .relaxed)
    threads.forEach { $0.join() }
    #expect(failures.withLock { $0.prefix(5) } == [])
    #expect(try host.numbers.count == 2)
  }

  /// Resolves in every way and says what was wrong.
  private static func failure(of host: PluginHost) -> String? {
    do {
      guard case .integer(let number)? = try host.number, 0..<4 ~= number else { return "the function gave something else" }
      guard 0..<4 ~= (try host.object().number) else { return "an object is damaged" }
      let all = try host.numbers
      guard all.count == 2 else { return "an array of \(all.count)" }
      guard all[0] == all[1] else { return "an array of two versions" }
      let shown = try host.resolve(tags: [VersionedPlugin.tag])
      guard shown.count == 3 else { return "\(shown.count) by their tag" }
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(fields[1]) ?? 0) * Int(getpagesize())
  }
}
