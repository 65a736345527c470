import Foundation
import Testing
import TroupeContainer

@Suite("Tags are equal exactly when they are as AnyHashable")
struct TagEqualityTests {
  /// A class whose instances of one name are equal, those of subclasses included.
  private class Named: Hashable, @unchecked Sendable {
    // Sendable because it is constant, and so is its subclass.
    let name: String
    init(_ name: String) { self.name = name }
    static func == (left: Named, right: Named) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  // Sendable as its base is, to which it adds nothing.
  private final class Special: Named, @unchecked Sendable {}

  private final class Apart: Hashable, Sendable {
    let name: String
    init(_ name: String) { self.name = name }
    static func == (left: Apart, right: Apart) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  private enum Color: Hashable, Sendable { case red, mixed(String), level(Int) }
  private enum Number: Int, Hashable, Sendable { case one = 1 }

  /// Stands for a number when it is hashed, as `AnyHashable` allows a type to.
  private struct Alias: Hashable, Sendable, _HasCustomAnyHashableRepresentation {
    let name: String
    func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(name) }
  }

  /// A value as a tag, and what compares tags in each way that the container has.
  private struct Sample {
    let value: any Hashable & Sendable

    var hashable: AnyHashable { AnyHashable(value) }
    var name: String { "\(type(of: value)) \(value)" }
    var key: Key<Int> { key(value) }

    private func key(_ value: some Hashable & Sendable) -> Key<Int> { Key(tags: value) }

    /// Whether a container that has a registration under this tag finds it under another one, by the short way.
    func isFound(by other: Sample) -> Bool {
      let container = Container()
      container.register(key: key) { _ in 1 }
      return isFound(in: container, other.value)
    }

    private func isFound(in container: Container, _ tag: some Hashable & Sendable) -> Bool {
      (try? container.resolve(Int.self, tags: tag)) == 1
    }
  }

  private var samples: [Sample] {
    let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var values: [any Hashable & Sendable] = [
      "1", "a", "red", Substring("a"), Character("a"), "e\u{301}", "\u{E9}", true, false, id, id.uuidString,
      Color.red, Color.mixed("a"), Color.level(1), Number.one, Named("a"), Special("a"), Special("b"), Apart("a"),
      Alias(name: "a"), Alias(name: "1"), Decimal(1), Decimal(0), Date(timeIntervalSinceReferenceDate: 1),
      Int?.some(1), Int?.none, UInt8?.some(1), String?.some("a"), String?.none, Int??.some(.some(1)), Double?.some(1.5),
      Color?.some(.red), Color?.none, Alias?.some(Alias(name: "a")), Named?.some(Named("a")),
      [1], [1.0], [UInt8(1)], [Int?.some(1)], ["a"], [Substring("a")], [Int](), [String](), ContiguousArray([1]),
      ArraySlice([1]),
      [[1]], [[1.0]], Set([1]), Set([1.0]), Set(["a"]), [1: "a"], [1.0: "a"], [UInt8(1): "a"], 1..<2, 1...2,
      AnySendableHashable?.some(AnySendableHashable(1)),
    ]
    let integers = [0, 1, -1, 127, 255, 65504, 1 << 53, (1 << 53) + 1, .max, .min]
    for integer in integers {
      values += [integer, Double(integer), Float(integer), CGFloat(integer), Float16(Float(integer)), Int128(integer)]
      #if arch(x86_64)
        values.append(Float80(integer))
      #endif
      if let small = Int8(exactly: integer) { values += [small, Int16(small), Int32(small), Int64(small)] }
      if let small = UInt8(exactly: integer) {
        values += [small, UInt16(small), UInt32(small), UInt64(small), UInt(small), UInt128(small)]
      }
    }
    values += [
      UInt64.max, UInt.max, UInt64(1) << 63, UInt128(1) << 100, Int128(1) << 100, 0x1p63, 0x1p64, 0x1p100, Float(0x1p100),
    ]
    values += [-0.0, Float(-0.0), 0.1, Float(0.1), 1.5, Float(1.5), Float16(1.5), CGFloat(1.5), Double.nan, Float.nan]
    values += [Double.infinity, Float.infinity, -Double.infinity, Float16.infinity, 1e300]
    return values.map { Sample(value: $0) }
  }

  @Test("Keys, tags, and what a container finds under a tag, for each pair of a table of values")
  func table() {
    let samples = samples
    let keys = samples.map(\.key)
    for (index, left) in samples.enumerated() {
      for (otherIndex, right) in samples.enumerated() {
        let isEqual = left.hashable == right.hashable
        let pair = "\(left.name) and \(right.name)"
        #expect((keys[index] == keys[otherIndex]) == isEqual, "keys of \(pair)")
        #expect((AnySendableHashable(left.value) == AnySendableHashable(right.value)) == isEqual, "tags \(pair)")
        #expect(left.isFound(by: right) == isEqual, "found \(pair)")
        if isEqual { #expect(keys[index].hashValue == keys[otherIndex].hashValue, "hashes of \(pair)") }
      }
    }
  }

  @Test("Two equal tags of different types on one registration are one")
  func distinct() throws {
    let container = Container()
    container.register(Int.self, tags: Named("a"), Special("a"), [1], [1.0], 1, Int?.some(1)) { _ in 7 }
    #expect(try container.resolve(Int.self, tags: [1.0], 1.0, Special("a")) == 7)
    #expect(try container.resolve(Int.self, tags: 1, [UInt8(1)], Named("a"), Special("a")) == 7)
    #expect(try container.resolve([Int].self, tags: Special("a")) == [7])
    #expect(Key<Int>(tags: Named("a"), Special("a")).tagset.count == 1)
  }

  @Test("A tag that is equal to one of another type is given back as it was")
  func given() throws {
    let tags = Key<Int>(tags: Special("a"), 1.5, [UInt8(1)]).tagset.map(\.value)
    #expect(tags.contains { $0 is Special })
    #expect(tags.contains { $0 as? Double == 1.5 })
    #expect(tags.contains { $0 as? [UInt8] == [1] })
  }
}
