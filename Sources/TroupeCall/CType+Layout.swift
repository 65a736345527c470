extension CType {
  /// The size in bytes of a value in memory; 0 for `void`.
  var size: Int {
    switch self {
    case .void: 0
    case .bool: 1
    case .integer(let integer): integer.width / 8
    case .enumeration(let enumeration): enumeration.underlying.width / 8
    case .float: 4
    case .double: 8
    case .longDouble: 16
    case .complex(let real): 2 * real.type.size
    case .string, .pointer, .function, .resolver: MemoryLayout<UnsafeRawPointer>.size
    case .record(let record): record.size
    case .array(let element, let count): element.size * count
    }
  }

  /// The alignment in bytes of a value in memory.
  var alignment: Int {
    switch self {
    case .void: 1
    case .complex(let real): real.type.alignment
    case .record(let record): record.alignment
    case .array(let element, _): element.alignment
    default: size
    }
  }

  /// Whether it is an array of plain `char`, which C uses for text.
  var isText: Bool {
    if case .array(.integer(let integer), _) = self { integer.name == "char" } else { false }
  }

  /// Whether it is an array of single bytes.
  var isBytes: Bool {
    if case .array(.integer(let integer), _) = self { integer.width == 8 } else { false }
  }

  /// The integer type that values are kept as; nil for what is no integer.
  var integer: Integer? {
    switch self {
    case .integer(let integer): integer
    case .enumeration(let enumeration): enumeration.underlying
    default: nil
    }
  }
}

extension Int {
  /// The next multiple of an alignment.
  func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) / alignment * alignment }
}
