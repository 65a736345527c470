/// The types of the arguments of a resolve, as a type: `ArgumentList<Int, String>` for `resolve(args: 3, "a")`.
///
/// The arguments travel as one tuple, `(3, "a")`, so that functions need no parameter packs, which the optimizer of Swift 6.3.1 does not
/// specialize. Whoever does not know the types of the tuple gets them from the list:
///
///     resolve(args: 3, "a")      tuple (3, "a"), ArgumentList<Int, String>
///       ArgumentEntry            its list is the same: takes the tuple as it is
///       DynamicEntry             references    [ (Int, address of 3), (String, address of "a") ]
///       slow path                boxed         [ 3, "a" ] as [Any], see `BoxedArguments`
@usableFromInline
protocol ArgumentTypes {
  /// The types, in order.
  static var types: [any Any.Type] { get }

  /// Returns references to the elements of a tuple.
  static func references(_ tuple: UnsafeRawPointer) -> [ArgumentReferences.Reference]

  /// Returns copies of the elements of a tuple.
  static func boxed(_ tuple: UnsafeRawPointer) -> [Any]
}

@frozen @usableFromInline
struct ArgumentList<each Argument>: ArgumentTypes {
  @usableFromInline static var types: [any Any.Type] { BoxedArguments.types(repeat (each Argument).self) }

  @usableFromInline
  static func references(_ tuple: UnsafeRawPointer) -> [ArgumentReferences.Reference] {
    var cursor = TupleCursor(next: tuple)
    repeat _ = cursor.add((each Argument).self)
    return cursor.references
  }

  @usableFromInline
  static func boxed(_ tuple: UnsafeRawPointer) -> [Any] {
    var boxed: [Any] = []
    func add<T>(_ type: T.Type, _ address: UnsafeRawPointer) { boxed.append(address.assumingMemoryBound(to: type).pointee) }
    var cursor = TupleCursor(next: tuple)
    repeat add((each Argument).self, cursor.add((each Argument).self))
    return boxed
  }
}

/// Lends a caller's arguments to a factory that checks its arguments itself, without boxing them in `Any`.
@usableFromInline
package enum ArgumentReferences {
  /// An argument's static type and its address, which is valid while the factory runs.
  @usableFromInline package typealias Reference = (type: ObjectIdentifier, address: UnsafeRawPointer)
}

/// Walks over the elements of a tuple in memory: they follow each other, each at its alignment (The Swift ABI, Type Layout).
private struct TupleCursor {
  var next: UnsafeRawPointer
  var references: [ArgumentReferences.Reference] = []

  mutating func add<T>(_ type: T.Type) -> UnsafeRawPointer {
    let address = next.alignedUp(for: type)
    references.append((ObjectIdentifier(type), address))
    next = address + MemoryLayout<T>.size
    return address
  }
}
