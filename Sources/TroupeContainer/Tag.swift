public import struct FoundationEssentials.UUID

/// A tag as an entry keeps it: a value of any type, and its hash.
///
/// Two tags are equal exactly if they have the same type and are equal values of it.
@usableFromInline
class Tag: @unchecked Sendable {
  // Sendable because both members are constant, and the subclass adds a constant that is Sendable.
  /// The hash of the value and its type, never 0.
  @usableFromInline final let hash: UInt
  /// The type of the value.
  @usableFromInline final let type: ObjectIdentifier

  fileprivate init(hash: UInt, type: ObjectIdentifier) {
    self.hash = hash
    self.type = type
  }

  /// The value, for callers that do not know its type.
  var anyValue: any Hashable & Sendable { preconditionFailure("\(Self.self) has no value") }

  /// The tag as a public value.
  final var erased: AnySendableHashable { AnySendableHashable(tag: self) }

  /// Whether both are equal values of the same type.
  func equals(_ other: Tag) -> Bool { preconditionFailure("\(Self.self) cannot compare") }

  /// Makes a tag of a value, or returns the tag of an `AnySendableHashable`.
  static func make<Value: Hashable & Sendable>(_ value: Value) -> Tag {
    // The types of most tags. The class is named, since the runtime would take longer to find it than the rest takes.
    if Value.self == String.self { return TypedTag(unsafeBitCast(value, to: String.self)) }
    if Value.self == Int.self { return TypedTag(unsafeBitCast(value, to: Int.self)) }
    if Value.self == UUID.self { return TypedTag(unsafeBitCast(value, to: UUID.self)) }
    if Value.self == AnySendableHashable.self { return unsafeBitCast(value, to: AnySendableHashable.self).tag }
    return TypedTag(value)
  }
}

/// A tag that knows its type.
@usableFromInline
final class TypedTag<Value: Hashable & Sendable>: Tag, @unchecked Sendable {
  // Sendable because its one member is constant and Sendable.
  @usableFromInline let value: Value

  init(_ value: Value) {
    self.value = value
    super.init(hash: TagHash.hash(of: value), type: ObjectIdentifier(Value.self))
  }

  override var anyValue: any Hashable & Sendable { value }

  override func equals(_ other: Tag) -> Bool {
    other.type == type && unsafeDowncast(other, to: TypedTag<Value>.self).value == value
  }
}

/// How tags are hashed, the same for a tag at hand and a tag that is kept.
@usableFromInline
enum TagHash {
  /// The hash of a tag and its type, never 0.
  @inlinable @inline(__always)
  static func hash<Value: Hashable>(of value: Value) -> UInt {
    let type = UInt(bitPattern: ObjectIdentifier(Value.self))
    // Most tags are short words or UUIDs, for which the general hash takes longer than everything else together.
    let own =
      if Value.self == String.self {
        hash(of: unsafeBitCast(value, to: String.self))
      } else if Value.self == UUID.self {
        hash(of: unsafeBitCast(value, to: UUID.self))
      } else {
        UInt(bitPattern: value.hashValue)
      }
    let hash = own ^ (type &* 0x9E37_79B9_7F4A_7C15)
    return hash == 0 ? 1 : hash
  }

  /// The hash of a UUID, whose bits are random but for a few; both halves are multiplied as in FxHash.
  @inlinable @inline(__always)
  static func hash(of uuid: UUID) -> UInt {
    let (first, second) = unsafeBitCast(uuid.uuid, to: (UInt64, UInt64).self)
    let hash = UInt(truncatingIfNeeded: first) &* 0x517C_C1B7_2722_0A95
    return ((hash << 5 | hash >> 59) ^ UInt(truncatingIfNeeded: second)) &* 0x517C_C1B7_2722_0A95
  }

  /// The hash of a text: for ASCII eight bytes at a time, multiplied as in FxHash; for other text, in which the same characters
  /// may be written in several ways, Swift's own.
  @usableFromInline
  static func hash(of text: String) -> UInt {
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
    return ascii(text).map { self.hash(of: $0) } ?? UInt(bitPattern: text.hashValue)
  }

  /// The same text in ASCII, if it can be written so. Outside of ASCII, Unicode has these three characters that are the same as one
  /// inside (the singletons of chapter 3.11, Normalization Forms).
  private static func ascii(_ text: String) -> String? {
    let same: [Unicode.Scalar: Unicode.Scalar] = ["\u{37E}": ";", "\u{1FEF}": "`", "\u{212A}": "K"]
    var ascii = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard let character = scalar.isASCII ? scalar : same[scalar] else { return nil }
      ascii.append(character)
    }
    return String(ascii)
  }

  /// The hash of a set of tags that are all different: the sum, which does not depend on the order; never 0.
  static func sum(_ tags: [Tag]) -> UInt {
    if tags.isEmpty { return 0 }
    let sum = tags.reduce(0) { $0 &+ $1.hash }
    return sum == 0 ? 1 : sum
  }

  /// Whether two sets of distinct tags, sorted by hash, are the same.
  static func areEqual(_ left: [Tag], _ right: [Tag]) -> Bool {
    guard left.count == right.count else { return false }
    var start = 0
    return left.allSatisfy { tag in
      // None of those before can equal this one or one that comes after it.
      while start < right.count, right[start].hash < tag.hash { start += 1 }
      return right[start...].prefix { $0.hash == tag.hash }.contains { $0.equals(tag) }
    }
  }

  /// Tags without repeats, sorted by hash.
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
