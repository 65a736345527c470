/// The hashes of a request's tags, computed one tag at a time, so that the fast path needs no array of boxed tags.
///
///     add("a"), add(1)     hashes: [ h("a"), h(1) ]     sum: h("a") + h(1), the key in `TypeTable.tagged`
@frozen @usableFromInline
struct TagProbe {
  /// Those of the first four tags, in their order.
  @usableFromInline var hashes = InlineArray<4, UInt>(repeating: 0)
  @usableFromInline var count = 0
  @usableFromInline var sum: UInt = 0
  /// True if a tag may be repeated.
  @usableFromInline var repeatsHash = false

  @inlinable
  init() {}

  /// True if the sum is that of a set of distinct tags. Otherwise the slow path compares the tags.
  @inlinable
  var allowsFastPath: Bool { count <= 4 && !repeatsHash && (sum != 0 || count == 0) }

  @inlinable @inline(__always)
  mutating func add<Value: Hashable>(_ tag: Value) {
    let hash = TagHash.hash(of: tag)
    if count < 4 {
      for index in 0..<count where hashes[index] == hash { repeatsHash = true }
      hashes[count] = hash
    }
    count += 1
    sum &+= hash
  }

  /// Compares the tag at an index with those of an entry, and advances the index.
  @inlinable @inline(__always)
  func compare<Value: Hashable & Sendable>(
    _ tag: Value, with entry: Unmanaged<Entry>, _ isMatch: inout Bool, _ index: inout Int
  ) {
    isMatch = isMatch && Self.contains(entry, count: count, tag, hash: hashes[index])
    index += 1
  }

  /// True if an entry has as many tags and one of them is this.
  @inlinable @inline(__always)
  static func contains<Value: Hashable & Sendable>(
    _ entry: Unmanaged<Entry>, count: Int, _ value: Value, hash: UInt
  ) -> Bool {
    entry._withUnsafeGuaranteedRef { $0.unownedTags.count } == count && contains(entry, value, hash: hash)
  }

  @inlinable @inline(__always)
  static func contains<Value: Hashable & Sendable>(_ entry: Unmanaged<Entry>, _ value: Value, hash: UInt) -> Bool {
    let tags = entry._withUnsafeGuaranteedRef { $0.unownedTags }
    for index in tags.indices {
      let isEqual = tags[index]._withUnsafeGuaranteedRef { tag in
        tag.hash == hash && tag.type == ObjectIdentifier(Value.self)
          && unsafeDowncast(tag, to: TypedTag<Value>.self).value == value
      }
      if isEqual { return true }
    }
    return false
  }
}
