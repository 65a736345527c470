/// The arguments of one parameter for all rows of a call over columns, in memory of the caller.
///
///     data ─► [ row 0 ]…[ row 1 ]…[ row 2 ]…        stride bytes from row to row
///     validity ─► bits 1, 0, 1                     row 1 is null
///
///     let widths: [Double] = [1, 2, 3]
///     let heights: [Double] = [2]
///     var areas = [Double](repeating: 0, count: 3)
///     try widths.withUnsafeBufferPointer { widths in
///       try heights.withUnsafeBufferPointer { heights in
///         try areas.withUnsafeMutableBufferPointer { areas in
///           try call.map([Column(widths), Column(repeating: heights)], rows: 3, into: [OutputColumn(areas)])
///         }
///       }
///     }
///
/// All rows get the whole column of a buffer parameter, such as `const double values[count]`. The column of a pointer to a defined struct
/// contains the structs, or pointers to them. The memory must be valid until the call returns.
public struct Column {
  /// The type of an element.
  public var element: Element
  /// The element of the first row, with any alignment. Nil only without rows.
  public var data: UnsafeRawPointer?
  /// The bytes from one row to the next. It may be negative; 0 gives all rows the first element.
  public var stride: Int
  /// The number of elements of a buffer. Other columns ignore it.
  public var count: Int
  /// A bitmap in the layout of Arrow: 1 for a row with a value, the least significant bit of a byte first. Nil if no row is null.
  public var validity: UnsafePointer<UInt8>?
  /// The bit of the first row in the bitmap.
  public var validityOffset: Int

  /// Creates a column.
  public init(
    _ element: Element, data: UnsafeRawPointer?, stride: Int, count: Int = 0, validity: UnsafePointer<UInt8>? = nil,
    validityOffset: Int = 0
  ) {
    (self.element, self.data, self.stride, self.count) = (element, data, stride, count)
    (self.validity, self.validityOffset) = (validity, validityOffset)
  }

  /// Creates a column of neighboring elements: one for each row, or the elements of a buffer.
  public init<Scalar: CScalar>(_ elements: UnsafeBufferPointer<Scalar>) {
    self.init(Element(Scalar.self), data: elements.baseAddress, stride: MemoryLayout<Scalar>.size, count: elements.count)
  }

  /// Creates a column that gives all rows the first element of a buffer.
  public init<Scalar: CScalar>(repeating elements: UnsafeBufferPointer<Scalar>) {
    self.init(Element(Scalar.self), data: elements.baseAddress, stride: 0, count: elements.count)
  }
}

/// Memory of the caller for one output of all rows of a call over columns: the result, or a parameter with `out` or `inout`.
public struct OutputColumn {
  /// The type of an element.
  public var element: Column.Element
  /// The element of the first row, with any alignment. Nil only without rows.
  public var data: UnsafeMutableRawPointer?
  /// The bytes from one row to the next, at least the size of an element unless there is one row. It may be negative.
  public var stride: Int
  /// A bitmap as that of a ``Column``, which the call writes. Nil if no row may be null.
  public var validity: UnsafeMutablePointer<UInt8>?
  /// The bit of the first row in the bitmap.
  public var validityOffset: Int

  /// Creates an output column.
  public init(
    _ element: Column.Element, data: UnsafeMutableRawPointer?, stride: Int, validity: UnsafeMutablePointer<UInt8>? = nil,
    validityOffset: Int = 0
  ) {
    (self.element, self.data, self.stride) = (element, data, stride)
    (self.validity, self.validityOffset) = (validity, validityOffset)
  }

  /// Creates an output column of neighboring elements.
  public init<Scalar: CScalar>(_ elements: UnsafeMutableBufferPointer<Scalar>) {
    self.init(Column.Element(Scalar.self), data: elements.baseAddress, stride: MemoryLayout<Scalar>.size)
  }
}

extension Column {
  /// The type of the elements of a column. Integers are classified by width and sign.
  public enum Element: Sendable, Hashable {
    /// A byte, 0 or 1.
    case bool
    /// An integer, also of an enumeration.
    case int8, int16, int32, int64, uint8, uint16, uint32, uint64
    /// A floating-point number.
    case float, double, longDouble
    /// The real part and the imaginary part.
    case complex(CType.Real)
    /// The address of a C string, which is not copied.
    case string
    /// Any other address.
    case pointer
    /// A struct, union or array of a size in bytes.
    case memory(size: Int)
  }
}

extension Column.Element {
  init<Scalar: CScalar>(_ type: Scalar.Type) {
    self =
      switch type {
      case is Bool.Type: .bool
      case is Float.Type: .float
      case is Double.Type: .double
      case is Value.Pointer.Type: .pointer
      case let integer as any FixedWidthInteger.Type: Self(width: integer.bitWidth, isSigned: integer.isSigned)
      // Only the types above conform to the protocol.
      default: .memory(size: MemoryLayout<Scalar>.size)
      }
  }

  fileprivate init(width: Int, isSigned: Bool) {
    self =
      switch (width, isSigned) {
      case (8, true): .int8
      case (16, true): .int16
      case (32, true): .int32
      case (_, true): .int64
      case (8, false): .uint8
      case (16, false): .uint16
      case (32, false): .uint32
      case (_, false): .uint64
      }
  }

  /// Returns nil for a C type that no column can have.
  package init?(_ type: CType) {
    switch type {
    case .bool: self = .bool
    case .float: self = .float
    case .double: self = .double
    case .longDouble: self = .longDouble
    case .complex(let real): self = .complex(real)
    case .string: self = .string
    case .wideString, .pointer, .function: self = .pointer
    // The address of an opaque object says nothing of its type and its life.
    case .reference(let reference) where reference.record != nil: self = .pointer
    case .record, .array: self = .memory(size: type.size)
    case .integer(let integer): self = Self(width: integer.width, isSigned: integer.isSigned)
    case .enumeration(let enumeration):
      self = Self(width: enumeration.underlying.width, isSigned: enumeration.underlying.isSigned)
    case .void, .reference, .sequence, .flexible, .resolver: return nil
    }
  }

  /// In bytes.
  package var size: Int {
    switch self {
    case .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double, .string, .pointer: 8
    case .longDouble: CType.longDouble.size
    case .complex(let real): 2 * real.type.size
    case .memory(let size): size
    }
  }

  /// Returns true if elements of another type have the same layout.
  func accepts(_ other: Self) -> Bool { self == other || self == .string && other == .pointer }

  /// The name in a message.
  var name: String {
    switch self {
    case .longDouble: "long double"
    case .complex(let real): "\(real.rawValue) _Complex"
    case .memory(let size): "memory of \(size) bytes"
    default: "\(self)"
    }
  }
}
