/// Lends a caller's arguments to a factory that checks its arguments itself, without boxing them in `Any`.
///
/// The arguments, a pack of static types, are copied to a tuple on the stack. The factory gets a type and an address for each:
///
///     resolve(args: 3, "a")  ─→  tuple (3, "a")  ─→  [ (Int, address of 3), (String, address of "a") ]
///
/// See `BoxedArguments` for the slow path.
@usableFromInline
package enum ArgumentReferences {
  /// An argument's static type and its address, which is valid while the factory runs.
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

  /// Counts the elements of a pack. A loop over the pack would do, but Swift 6.3 miscompiles it without optimization for one element.
  @frozen @usableFromInline
  struct PackCounter {
    @usableFromInline var value = 0

    @inlinable
    init() {}

    @inlinable @inline(__always)
    mutating func add<T>(_ type: T.Type) { value += 1 }
  }

  /// Walks over the elements of a tuple in memory.
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
