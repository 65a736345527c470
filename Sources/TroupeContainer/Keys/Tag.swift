internal import FoundationEssentials

/// A tag as entries store it: a boxed value of any `Hashable` type, with its hash computed once.
///
/// Entries of different types share lists of tags, so the value is behind a class. `Tag` is its untyped face, `TypedTag` has the
/// value. A comparison first compares the hashes, then the types, and only then calls the `==` of the type.
///
/// Two tags are equal exactly if their types and values are equal: `1` as `Int` and `1` as `UInt8` are different tags.
@usableFromInline
class Tag: @unchecked Sendable {
  // Sendable because both members are constant, and the subclass adds a constant that is Sendable.
  /// The hash of the value and its type, never 0.
  final let hash: UInt
  final let type: ObjectIdentifier

  fileprivate init(hash: UInt, type: ObjectIdentifier) {
    self.hash = hash
    self.type = type
  }

  var anyValue: any Hashable & Sendable { preconditionFailure("\(Self.self) has no value") }

  final var erased: AnySendableHashable { AnySendableHashable(tag: self) }

  func equals(_ other: Tag) -> Bool { preconditionFailure("\(Self.self) cannot compare") }

  /// Makes a tag of a value, or returns the tag of an `AnySendableHashable`.
  static func make<Value: Hashable & Sendable>(_ value: Value) -> Tag {
    // Most tags have one of these types. A cast to the known type saves the runtime's lookup of the generic class, which takes
    // longer than the rest.
    if Value.self == String.self { return TypedTag(unsafeBitCast(value, to: String.self)) }
    if Value.self == Int.self { return TypedTag(unsafeBitCast(value, to: Int.self)) }
    if Value.self == UUID.self { return TypedTag(unsafeBitCast(value, to: UUID.self)) }
    if Value.self == AnySendableHashable.self { return unsafeBitCast(value, to: AnySendableHashable.self).tag }
    return TypedTag(value)
  }
}

final class TypedTag<Value: Hashable & Sendable>: Tag, @unchecked Sendable {
  // Sendable because its one member is constant and Sendable.
  let value: Value

  init(_ value: Value) {
    self.value = value
    super.init(hash: TagHash.hash(of: value), type: ObjectIdentifier(Value.self))
  }

  override var anyValue: any Hashable & Sendable { value }

  override func equals(_ other: Tag) -> Bool {
    other.type == type && unsafeDowncast(other, to: TypedTag<Value>.self).value == value
  }
}

/// The hash functions of tags. A request and an entry hash the same tag to the same word, so that most lookups compare only words.
///
/// The hash of a set is the sum of the hashes of its tags, since a sum does not depend on the order. The hash 0 is left for "no tag".
enum TagHash {
  /// Returns the hash of a tag and its type, never 0.
  @specialized(where Value == String)
  @specialized(where Value == Int)
  static func hash<Value: Hashable>(of value: Value) -> UInt {
    let type = UInt(bitPattern: ObjectIdentifier(Value.self))
    // Most tags are short words or UUIDs. For these the general hash takes longer than all other steps together.
    let own =
      if Value.self == String.self {
        hash(ofText: unsafeBitCast(value, to: String.self))
      } else if Value.self == UUID.self {
        hash(ofUUID: unsafeBitCast(value, to: (UInt64, UInt64).self))
      } else {
        UInt(bitPattern: value.hashValue)
      }
    let hash = own ^ (type &* 0x9E37_79B9_7F4A_7C15)
    return hash == 0 ? 1 : hash
  }

  /// Returns the hash of a UUID, nearly all of whose bits are random. Multiplies both halves as FxHash does.
  @inline(__always)
  private static func hash(ofUUID halves: (UInt64, UInt64)) -> UInt {
    let hash = UInt(truncatingIfNeeded: halves.0) &* 0x517C_C1B7_2722_0A95
    return ((hash << 5 | hash >> 59) ^ UInt(truncatingIfNeeded: halves.1)) &* 0x517C_C1B7_2722_0A95
  }

  /// Returns the hash of a text. For ASCII, multiplies eight bytes at a time as FxHash does. For other texts, uses Swift's hash,
  /// because Unicode can represent the same characters in several ways.
  private static func hash(ofText text: String) -> UInt {
    let hash = text.utf8.withContiguousStorageIfAvailable { bytes -> UInt? in
      var hash = UInt(bytes.count)
      var seen: UInt = 0
      var index = 0
      while index < bytes.count {
        var word: UInt = 0
        if bytes.count - index >= 8 {
          word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt.self)
        } else {
          for byte in bytes[index...] { word = word << 8 | UInt(byte) }
        }
        seen |= word
        hash = (hash << 5 | hash >> 59) ^ word
        hash &*= 0x517C_C1B7_2722_0A95
        index += 8
      }
      return seen & 0x8080_8080_8080_8080 == 0 ? hash : nil
    }
    if let hash, let hash { return hash }
    return ascii(text).map { self.hash(ofText: $0) } ?? UInt(bitPattern: text.hashValue)
  }

  /// Returns the ASCII text that is canonically equivalent, if one is. Three characters outside of ASCII are equivalent to one
  /// inside (singletons, Unicode Standard 3.11, Normalization Forms).
  private static func ascii(_ text: String) -> String? {
    let same: [Unicode.Scalar: Unicode.Scalar] = ["\u{37E}": ";", "\u{1FEF}": "`", "\u{212A}": "K"]
    var ascii = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard let character = scalar.isASCII ? scalar : same[scalar] else { return nil }
      ascii.append(character)
    }
    return String(ascii)
  }

  /// Returns the hash of distinct tags: 0 exactly if there are none.
  static func sum(_ tags: [Tag]) -> UInt {
    if tags.isEmpty { return 0 }
    let sum = tags.reduce(0) { $0 &+ $1.hash }
    return sum == 0 ? 1 : sum
  }

  /// Compares two sets of distinct tags, each sorted by hash.
  static func areEqual(_ left: [Tag], _ right: [Tag]) -> Bool {
    guard left.count == right.count else { return false }
    var start = 0
    return left.allSatisfy { tag in
      // No earlier tag can equal this one or a later one.
      while start < right.count, right[start].hash < tag.hash { start += 1 }
      return right[start...].prefix { $0.hash == tag.hash }.contains { $0.equals(tag) }
    }
  }

  /// Returns the tags without repeats, sorted by hash.
  static func distinct(_ tags: consuming [Tag]) -> [Tag] {
    if tags.count < 2 { return tags }
    if tags.count == 2, tags[0].hash != tags[1].hash {
      if tags[0].hash > tags[1].hash { tags.swapAt(0, 1) }
      return tags
    }
    var distinct: [Tag] = []
    for tag in tags.sorted(by: { $0.hash < $1.hash }) {
      let isRepeat = distinct.reversed().prefix { $0.hash == tag.hash }.contains { $0.equals(tag) }
      if !isRepeat { distinct.append(tag) }
    }
    return distinct
  }
}

/// Distinct tags, sorted by hash. Entries with the same tags can share one list.
@usableFromInline
package struct TagList: Sendable {
  let tags: [Tag]

  package init(_ tags: Set<AnySendableHashable>) { self.tags = TagHash.distinct(tags.map(\.tag)) }

  // No declaration names UUID: a tool that reads the module, such as the compiler of a client, need not load FoundationEssentials.
  package init(_ texts: [String], _ uuid: (some Hashable & Sendable)?) {
    tags = TagHash.distinct(texts.map { Tag.make($0) } + [uuid].compactMap(\.self).map { Tag.make($0) })
  }

  /// Returns the distinct tags of some values, sorted by hash.
  @usableFromInline
  static func boxed<each Value: Hashable & Sendable>(_ values: repeat each Value) -> [Tag] {
    var tags: [Tag] = []
    tags.reserveCapacity(2)
    for value in repeat each values { tags.append(Tag.make(value)) }
    return TagHash.distinct(tags)
  }
}
