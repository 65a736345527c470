import Foundation
import Testing
import TroupeContainer

@Suite("Memory")
struct MemoryTests {
  @Test("Repeated registering and unregistering does not increase memory use", .timeLimit(.minutes(10)))
  func flat() async {
    // Runs in a separate process, since other tests allocate memory as well.
    await #expect(processExitsWith: .success) {
      let container = Container()
      let owner = Owner(name: "plugin")
      func rounds(_ count: Int) throws {
        for number in 0..<count {
          container.register(Int.self, tags: "replaced") { _ in number }
          let key = container.registrar(owner: owner).register(Instance.self, tags: number, "all", lifetime: .singleton) { _ in
            Instance()
          }
          if number % 8 == 0 { _ = try container.resolve([Instance].self, tags: "all") }
          if number % 2 == 0 { container[key] = nil } else { container.unregister(owner: owner) }
        }
      }
      // After these rounds, the heap and the tables have their final size.
      try rounds(20_000)
      let before = try MemoryTests.residentBytes()
      let count = ProcessInfo.processInfo.environment["TROUPE_MEMORY_ROUNDS"].flatMap { Int($0) } ?? 50_000
      try rounds(count)
      let grown = try MemoryTests.residentBytes() - before
      // Less than 64 bytes for each round; a registration is larger.
      try #require(grown < 2 << 20, "\(grown) bytes more after \(count) rounds")
    }
  }

  /// Returns the resident memory of the process.
  fileprivate static func residentBytes() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(pages.count > 1 ? Int(pages[1]) : nil) * 4096
  }
}
