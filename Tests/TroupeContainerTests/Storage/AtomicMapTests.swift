import Synchronization
import Testing

@testable import TroupeContainer

@Suite("The map that readers share with one writer")
struct AtomicMapTests {
  /// A map and what it gave up when it grew.
  private final class Owned {
    let map = AtomicMap()
    var retired: [UnsafeMutableRawPointer] = []

    func set(_ key: UInt, _ value: UInt) {
      map.cell(for: key) { retired.append($0) }.pointee.value.store(value, ordering: .releasing)
    }

    func all() -> [UInt: UInt] {
      var all: [UInt: UInt] = [:]
      map.forEach { key, value, _ in all[key] = value }
      return all
    }

    deinit { retired.forEach { $0.deallocate() } }
  }

  @Test("An empty map has nothing")
  func empty() {
    let owned = Owned()
    #expect(owned.map[1] == 0)
    #expect(owned.all().isEmpty)
  }

  @Test("A key has a second value beside its first")
  func second() {
    let owned = Owned()
    for key in 1...10 as ClosedRange<UInt> {
      owned.set(key, key * 3)
      owned.map.cell(for: key) { owned.retired.append($0) }.pointee.second.store(key * 5, ordering: .releasing)
    }
    for key in 1...10 as ClosedRange<UInt> {
      #expect(owned.map[key] == key * 3)
      #expect(owned.map.second(key) == key * 5)
    }
    #expect(owned.map.second(11) == 0)
    #expect(Owned().map.second(1) == 0)
  }

  @Test("Every key keeps its value while the map grows", arguments: [1, 3, 4, 100, 20_000])
  func growth(count: UInt) {
    let owned = Owned()
    for key in 1...count {
      owned.set(key, key * 3)
      #expect(owned.map[key] == key * 3)
    }
    #expect((1...count).allSatisfy { owned.map[$0] == $0 * 3 })
    #expect(owned.map[count + 1] == 0)
    #expect(owned.all().count == Int(count))
    #expect(owned.retired.count < 20)
  }

  @Test("Keys that begin at the same cell are told apart")
  func collisions() {
    let owned = Owned()
    // Of such a key's product with the hash's factor only the eight highest bits are set: in a small table each begins at cell 0.
    let keys = (1...64).map { UInt($0) << 56 }
    for (value, key) in keys.enumerated() { owned.set(key, UInt(value + 1)) }
    for (value, key) in keys.enumerated() { #expect(owned.map[key] == UInt(value + 1)) }
  }

  @Test("A key whose value is taken away has none, may get another, and takes no room when the map grows")
  func zero() {
    let owned = Owned()
    owned.set(7, 1)
    owned.set(7, 0)
    #expect(owned.map[7] == 0)
    #expect(owned.all().isEmpty)
    owned.set(7, 2)
    #expect(owned.all() == [7: 2])
    for key in UInt(100)..<100_100 {
      owned.set(key, key)
      owned.set(key, 0)
    }
    #expect(owned.all() == [7: 2])
    // A table of four cells makes way for another after a few keys, but never for a larger one.
    #expect(owned.retired.count > 1000)
  }

  @Test("A key keeps both of its values, each for itself, while the map grows")
  func both() {
    let owned = Owned()
    func setSecond(_ key: UInt, _ value: UInt) {
      owned.map.cell(for: key) { owned.retired.append($0) }.pointee.second.store(value, ordering: .releasing)
    }
    for key in UInt(1)...1000 {
      if key % 2 == 0 { owned.set(key, key) }
      if key % 3 == 0 { setSecond(key, key * 5) }
    }
    for key in UInt(1)...1000 {
      #expect(owned.map[key] == (key % 2 == 0 ? key : 0))
      #expect(owned.map.second(key) == (key % 3 == 0 ? key * 5 : 0))
    }
    #expect(owned.map.second(5000) == 0)
    var seconds = 0
    owned.map.forEach { _, _, second in seconds += second == 0 ? 0 : 1 }
    #expect(seconds == 333)
  }

  @Test("The largest keys and values are kept")
  func extremes() {
    let owned = Owned()
    owned.set(.max, .max)
    owned.set(1, 1 << 63)
    #expect(owned.all() == [.max: .max, 1: 1 << 63])
  }

  @Test("Keys that differ in a few bits alone are spread, whichever bits these are", arguments: [0, 24, 40, 48, 56])
  func spreading(shift: UInt) {
    let starts = Set((1...255).map { AtomicMap.start($0 << shift) & 1023 })
    #expect(starts.count > 128)
  }
}
