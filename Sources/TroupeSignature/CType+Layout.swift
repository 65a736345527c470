extension CType {
  /// The size in bytes of a value in memory; 0 for `void`.
  package var size: Int {
    switch self {
    case .void: 0
    case .bool: 1
    case .integer(let integer): integer.width / 8
    case .enumeration(let enumeration): enumeration.underlying.width / 8
    case .float: 4
    case .double: 8
    case .longDouble: 16
    case .complex(let real): 2 * real.type.size
    case .string, .wideString, .pointer, .handle, .sequence, .function, .resolver: MemoryLayout<UnsafeRawPointer>.size
    case .record(let record): record.size
    case .array(let element, let count): element.size * count
    case .flexible: 0
    }
  }

  /// The alignment in bytes of a value in memory.
  package var alignment: Int {
    switch self {
    case .void: 1
    case .complex(let real): real.type.alignment
    case .record(let record): record.alignment
    case .array(let element, _), .flexible(let element, _): element.alignment
    default: size
    }
  }

  /// How deeply records, arrays and callbacks lie within each other in it, itself included.
  var depth: Int {
    switch self {
    case .record(let record): record.depth
    case .array(let element, _), .sequence(let element, _), .flexible(let element, _): 1 + element.depth
    case .pointer(let pointer): pointer.pointee?.depth ?? 0
    case .function(let signature): 1 + signature.parameters.reduce(signature.result.depth) { max($0, $1.type.depth) }
    default: 0
    }
  }

  /// How many types it consists of, itself included. A type that is mentioned by its tag counts whole each time, since
  /// each comparison and search visits it each time.
  var weight: Int {
    switch self {
    case .record(let record): record.weight
    case .array(let element, _), .sequence(let element, _), .flexible(let element, _): 1 + element.weight
    case .pointer(let pointer): 1 + (pointer.pointee?.weight ?? 0)
    case .function(let signature): signature.parameters.reduce(1 + signature.result.weight) { $0 + $1.type.weight }
    default: 1
    }
  }
}

extension Int {
  /// The next multiple of an alignment.
  @inlinable package func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) / alignment * alignment }
}
