import Foundation
import Testing
import TroupeContainer

@Suite("Memory")
struct MemoryTests {
  @Test("Registering and unregistering for ever takes no more memory than doing so for a while", .timeLimit(.minutes(10)))
  func flat() async {
    // In a process of its own, since other tests take memory, too.
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
      // At the size to which heap and tables grow, and stay.
      try rounds(20_000)
      let before = try MemoryTests.residentBytes()
      let count = ProcessInfo.processInfo.environment["TROUPE_MEMORY_ROUNDS"].flatMap { Int($0) } ?? 50_000
      try rounds(count)
      let grown = try MemoryTests.residentBytes() - before
      // Less than 64 bytes for each, and a registration takes more.
      try #require(grown < 2 << 20, "\(grown) bytes more after \(count) rounds")
    }
  }

  /// How much memory the process has now.
  fileprivate static func residentBytes() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(pages.count > 1 ? Int(pages[1]) : nil) * 4096
  }
}
