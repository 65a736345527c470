/// References to a caller's arguments, so that a factory that checks its arguments itself can read them without boxing.
@usableFromInline
package enum ArgumentReferences {
  /// The identity of an argument's static type, and its address, valid while the factory runs.
  @usableFromInline package typealias Reference = (type: ObjectIdentifier, address: UnsafeRawPointer)

  /// Passes references to the elements of a pack to a closure.
  @inlinable @inline(__always)
  static func withReferences<Result, each Argument>(
    _ argument: repeat each Argument, body: (UnsafeBufferPointer<Reference>) throws -> Result
  ) rethrows -> Result {
    var count = PackCounter()
    repeat count.add((each Argument).self)
    // The elements of a tuple follow each other, each at its alignment (The Swift ABI, Type Layout).
    let tuple = (repeat each argument)
    return try withUnsafePointer(to: tuple) { tuple in
      try withUnsafeTemporaryAllocation(of: Reference.self, capacity: count.value) { references in
        var walk = TupleCursor(next: UnsafeRawPointer(tuple), references: references)
        repeat walk.add((each Argument).self)
        return try body(UnsafeBufferPointer(references))
      }
    }
  }

  /// The number of elements of a pack. Not counted in a loop over the pack, which Swift 6.3 miscompiles without optimization if
  /// there is one element.
  @frozen @usableFromInline
  struct PackCounter {
    @usableFromInline var value = 0

    @inlinable
    init() {}

    @inlinable @inline(__always)
    mutating func add<T>(_ type: T.Type) { value += 1 }
  }

  /// An iteration over the elements of a tuple.
  @frozen @usableFromInline
  struct TupleCursor {
    @usableFromInline var next: UnsafeRawPointer
    @usableFromInline let references: UnsafeMutableBufferPointer<Reference>
    @usableFromInline var index = 0

    @inlinable @inline(__always)
    init(next: UnsafeRawPointer, references: UnsafeMutableBufferPointer<Reference>) {
      self.next = next
      self.references = references
    }

    @inlinable @inline(__always)
    mutating func add<T>(_ type: T.Type) {
      let address = next.alignedUp(for: type)
      references.initializeElement(at: index, to: (ObjectIdentifier(type), address))
      next = address + MemoryLayout<T>.size
      index += 1
    }
  }
}
