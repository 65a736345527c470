internal import Glibc

extension Value {
  /// The elements of a buffer in C's layout: 10 million `double` take 80 MB, and an array of values would take ten times as much.
  ///
  ///     let outcome = try call.call([.integer(3)])
  ///     if case .packedArray(let values) = outcome["values"] {
  ///       for value in values { print(value) }
  ///       let sum = values.withUnsafeBytes { $0.bindMemory(to: Double.self).reduce(0, +) }
  ///     }
  ///
  /// The array is a collection that makes a value of an element at each access. Copies share the memory, which ends with the last of them. Use
  /// it on any thread, also on several at once.
  public struct PackedArray: RandomAccessCollection, Sendable {
    /// The C type of an element, without texts.
    public let elementType: CType
    /// The number of elements.
    public let count: Int
    private let memory: Memory

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { count }

    /// Takes ownership of memory from `malloc` with at least as many elements. The type has to be `isBitwiseCopyable`.
    init(_ elementType: CType, count: Int, owning start: UnsafeMutableRawPointer) {
      (self.elementType, self.count, memory) = (elementType, count, Memory(start))
    }

    /// Writes each element with a closure. The type has to be `isBitwiseCopyable`.
    init(
      _ elementType: CType, count: Int,
      _ write: (_ place: UnsafeMutableRawPointer, _ position: Int) throws(CallError) -> Void
    ) throws(CallError) {
      guard let start = calloc(Swift.max(count, 1), elementType.size) else { throw .noRoom(Int128(count), elementType) }
      self.init(elementType, count: count, owning: start)
      for position in 0..<count {
        try Value.within("[\(position)]") { () throws(CallError) in try write(start + position * elementType.size, position) }
      }
    }

    /// Copies elements from memory of C. Returns nil if the system has no memory. The type has to be `isBitwiseCopyable`.
    package init?(_ elementType: CType, count: Int, copying start: UnsafeRawPointer?) {
      let size = count * elementType.size
      guard let copy = malloc(Swift.max(size, 1)) else { return nil }
      if let start { copy.copyMemory(from: start, byteCount: size) }
      self.init(elementType, count: count, owning: copy)
    }

    /// Copies the elements of a Swift array.
    public init<Element: CScalar>(_ elements: [Element]) {
      let array = elements.withUnsafeBytes { bytes in
        Self(.scalar(Element.self), count: elements.count, copying: bytes.baseAddress)
      }
      guard let array else { fatalError("there is no memory for \(elements.count) elements of \(Element.self)") }
      self = array
    }

    /// Makes a value of the element at a position.
    public subscript(position: Int) -> Value {
      precondition(indices.contains(position), "the position \(position) is not in 0..<\(count)")
      do throws(CallError) {
        return try Value.read(elementType, at: memory.start + position * elementType.size)
      } catch {
        preconditionFailure("only text cannot be read, and \(elementType) has none: \(error)")
      }
    }

    /// Calls a closure with the memory of the elements, which is valid until the closure returns.
    public func withUnsafeBytes<Result, Failure: Error>(
      _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try body(bytes)
    }

    /// Valid for as long as the array.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.start, count: count * elementType.size) }

    /// Memory from `malloc`.
    private final class Memory: @unchecked Sendable {
      // Sendable because the memory is constant once the array exists.
      let start: UnsafeMutableRawPointer

      init(_ start: UnsafeMutableRawPointer) { self.start = start }
      deinit { free(start) }
    }
  }
}

extension CType {
  /// A copy of the bytes can be read at any later time: reading follows no pointer, whose target the library may free.
  package var isBitwiseCopyable: Bool {
    switch self {
    case .void, .string, .wideString, .reference, .sequence, .flexible, .resolver: false
    case .record(let record): record.members.allSatisfy(\.type.isBitwiseCopyable)
    case .array(let element, _): element.isBitwiseCopyable
    case .bool, .integer, .enumeration, .float, .double, .longDouble, .complex, .pointer, .function: true
    }
  }

  var isNumber: Bool {
    switch self {
    case .integer, .float, .double, .longDouble: true
    default: false
    }
  }

  /// Values contain no enumerations, whose numbers have names, and no bytes.
  package var isPlainNumbers: Bool {
    switch self {
    case .enumeration, .void, .string, .wideString, .reference, .sequence, .flexible, .resolver: false
    case .array(let element, _): !isBytes && element.isPlainNumbers
    case .record(let record): record.members.allSatisfy(\.type.isPlainNumbers)
    case .bool, .integer, .float, .double, .longDouble, .complex, .pointer, .function: true
    }
  }

  /// The memory of a value is also a value of the other type, and equal.
  func hasSameLayout(as other: CType) -> Bool {
    if case .integer(let integer) = self, case .integer(let other) = other {
      return integer.width == other.width && integer.isSigned == other.isSigned
    }
    return self == other
  }

  package static func scalar<Scalar: CScalar>(_ type: Scalar.Type) -> CType {
    let types = [.bool, .float, .double, .pointer(.toVoid)] + Integer.typedefs.map(CType.integer)
    guard let type = types.first(where: Scalar._is) else { preconditionFailure("\(Scalar.self) is not a scalar of C") }
    return type
  }
}
