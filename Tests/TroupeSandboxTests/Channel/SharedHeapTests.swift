import Testing

@testable import TroupeSandbox

@Suite("The heap for large contents")
struct SharedHeapTests {
  let channel: Channel

  init() throws { channel = try Channel(.init(slots: 1, capacity: 64, heap: 64 << 10)) }

  @Test("Regions are apart, and their memory can be used again in any order")
  func regions() throws {
    var regions = try (0..<16).map { _ in try #require(channel.heap.allocate(4096)) }
    #expect(Set(regions.map(\.offset)) == Set((0..<16).map { $0 * 4096 }))
    #expect(channel.heap.allocate(1) == nil)
    // The ones between, and then their neighbors.
    for index in stride(from: 14, through: 0, by: -2) { regions.remove(at: index) }
    #expect(channel.heap.allocate(8192) == nil)
    let one = channel.heap.allocate(100)
    #expect(one?.count == 100 && one?.bytes.count == 100)
    regions = []
    #expect(channel.heap.allocate(64 << 10) == nil)
    withExtendedLifetime(one) {}
  }

  @Test("The whole heap is one region again once all are released")
  func coalescing() throws {
    for _ in 0..<10 {
      let regions = (0..<5).map { channel.heap.allocate(1 + $0 * 3000) }
      #expect(regions.allSatisfy { $0 != nil })
    }
    #expect(channel.heap.allocate(64 << 10)?.count == 64 << 10)
    #expect(channel.heap.allocate(64 << 10 + 1) == nil)
  }

  @Test("An address has an offset only in the heap")
  func offsets() throws {
    _ = channel.heap.allocate(4096)
    let region = try #require(channel.heap.allocate(4096))
    let start = try #require(region.bytes.baseAddress)
    #expect(channel.heap.offset(of: start + 5) == region.offset + 5)
    #expect(channel.heap.offset(of: channel.memory.start) == nil)
    #expect(channel.heap.offset(of: start - region.offset + 64 << 10) == nil)
  }

  @Test("Large regions give their memory back to the system")
  func discarding() throws {
    let channel = try Channel(.init(slots: 1, capacity: 64, heap: 4 << 20))
    var region = channel.heap.allocate(2 << 20)
    region?.bytes.initializeMemory(as: UInt8.self, repeating: 7)
    region = nil
    #expect(channel.heap.allocate(2 << 20)?.bytes.allSatisfy { $0 == 0 } == true)
  }
}
