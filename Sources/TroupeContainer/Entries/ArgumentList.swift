/// The types of the arguments of a resolve, as a type: `ArgumentList<Int, String>` for `resolve(args: 3, "a")`.
///
/// The arguments travel as one tuple, `(3, "a")`, so that functions need no parameter packs, which the optimizer of Swift 6.3.1 does not
/// specialize. Whoever does not know the types of the tuple gets them from the list:
///
///     resolve(args: 3, "a")      tuple (3, "a"), ArgumentList<Int, String>
///       ArgumentEntry            its list is the same: takes the address of the tuple
///       dynamic ArgumentEntry    references    [ (Int, address of 3), (String, address of "a") ]
///       slow path                boxed         [ 3, "a" ] as [Any], see `BoxedArguments`
@usableFromInline
protocol ArgumentTypes {
  /// The types, in order.
  static var types: [any Any.Type] { get }

  /// Passes references to the elements of a tuple to a closure.
  static func withReferences<Result>(
    _ tuple: UnsafeRawPointer, _ body: (UnsafeBufferPointer<ArgumentReference>) throws -> Result
  ) rethrows -> Result

  /// Returns copies of the elements of a tuple.
  static func boxed(_ tuple: UnsafeRawPointer) -> [Any]
}

@frozen @usableFromInline
struct ArgumentList<each Argument>: ArgumentTypes {
  @usableFromInline static var types: [any Any.Type] {
    var types: [any Any.Type] = []
    for type in repeat (each Argument).self { types.append(type) }
    return types
  }

  @usableFromInline
  static func withReferences<Result>(
    _ tuple: UnsafeRawPointer, _ body: (UnsafeBufferPointer<ArgumentReference>) throws -> Result
  ) rethrows -> Result {
    var count = 0
    for _ in repeat (each Argument).self { count += 1 }
    return try withUnsafeTemporaryAllocation(of: ArgumentReference.self, capacity: count) { references in
      var (cursor, index) = (TupleCursor(next: tuple), 0)
      func add<T>(_ type: T.Type) {
        references.initializeElement(at: index, to: (ObjectIdentifier(type), cursor.advance(over: type)))
        index += 1
      }
      repeat add((each Argument).self)
      return try body(UnsafeBufferPointer(references))
    }
  }

  @usableFromInline
  static func boxed(_ tuple: UnsafeRawPointer) -> [Any] {
    var (cursor, boxed) = (TupleCursor(next: tuple), [Any]())
    for type in repeat (each Argument).self { boxed.append(cursor.copyNext(type)) }
    return boxed
  }
}

/// Walks over the elements of a tuple in memory: they follow each other, each at its alignment (The Swift ABI, Type Layout). Asks for the
/// layout of each element, since that of a tuple of unknown types takes the runtime a search.
struct TupleCursor {
  private var next: UnsafeRawPointer

  init(next: UnsafeRawPointer) { self.next = next }

  /// Returns the address of the next element.
  mutating func advance<T>(over type: T.Type) -> UnsafeRawPointer {
    let address = next.alignedUp(for: type)
    next = address + MemoryLayout<T>.size
    return address
  }

  /// Returns a copy of the next element.
  mutating func copyNext<T>(_ type: T.Type) -> T { advance(over: type).assumingMemoryBound(to: type).pointee }
}

/// An argument without a box: its static type and its address, which is valid while the factory runs.
@usableFromInline package typealias ArgumentReference = (type: ObjectIdentifier, address: UnsafeRawPointer)

/// The arguments of a factory in boxes, for the slow path and for callers that do not know the types. `next` casts and
/// removes the first one.
struct BoxedArguments {
  private var rest: ArraySlice<Any>

  /// - Throws: An `ArgumentTypeError` if the factory takes another number of arguments.
  init(_ arguments: [Any], for list: any ArgumentTypes.Type) throws {
    guard arguments.count == list.types.count else { throw ArgumentTypeError() }
    rest = arguments[...]
  }

  /// Returns the next argument, cast to the type that the factory takes.
  mutating func next<Argument>(_ type: Argument.Type) throws -> Argument {
    guard let first = rest.popFirst(), let argument = first as? Argument else { throw ArgumentTypeError() }
    return argument
  }
}

/// The factory does not take the arguments. The container turns it into `ResolutionError.Reason.invalidArgsType`.
struct ArgumentTypeError: Error {}
