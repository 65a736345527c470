import Synchronization
import Testing

@testable import TroupeContainer

@Suite("Readers of a map find every key that the writer has inserted")
struct AtomicMapTests {
  /// A map and the tables it retired.
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

  @Test("An empty map has no values")
  func empty() {
    let owned = Owned()
    #expect(owned.map[1] == 0)
    #expect(owned.all().isEmpty)
  }

  @Test("A key has a second value besides its first")
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

  @Test("Keys with the same first cell are distinguished")
  func collisions() {
    let owned = Owned()
    // Only the eight highest bits of these keys' hashes are set, so each key begins at cell 0 of a small table.
    let keys = (1...64).map { UInt($0) << 56 }
    for (value, key) in keys.enumerated() { owned.set(key, UInt(value + 1)) }
    for (value, key) in keys.enumerated() { #expect(owned.map[key] == UInt(value + 1)) }
  }

  @Test("A key whose value is removed has none, may get another, and takes no space when the map grows")
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
    // A table of four cells is replaced after a few keys, but never by a larger one.
    #expect(owned.retired.count > 1000)
  }

  @Test("A key keeps both of its values independently while the map grows")
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

  @Test("Keys that differ only in a few bits are spread, at any position of the bits", arguments: [0, 24, 40, 48, 56])
  func spreading(shift: UInt) {
    let starts = Set((1...255).map { AtomicMap.start($0 << shift) & 1023 })
    #expect(starts.count > 128)
  }
}
