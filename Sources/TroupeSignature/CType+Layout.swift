/// The size and alignment of types on this machine, and the measures by which the parser limits types.
extension CType {
  /// In bytes; 0 for `void`.
  @inlinable package var size: Int {
    switch self {
    case .void: 0
    case .bool: 1
    case .integer(let integer): integer.width / 8
    case .enumeration(let enumeration): enumeration.underlying.width / 8
    case .float: 4
    case .double: 8
    case .longDouble: 16
    case .complex(let real): 2 * real.type.size
    case .string, .wideString, .pointer, .reference, .sequence, .function, .resolver: MemoryLayout<UnsafeRawPointer>.size
    case .record(let record): record.size
    case .array(let element, let count): element.size * count
    case .flexible: 0
    }
  }

  /// In bytes.
  @inlinable package var alignment: Int {
    switch self {
    case .void: 1
    case .complex(let real): real.type.alignment
    case .record(let record): record.alignment
    case .array(let element, _), .flexible(let element, _): element.alignment
    default: size
    }
  }

  /// The number of records, arrays and callbacks that lie within each other, this type included.
  var depth: Int {
    switch self {
    case .record(let record): record.depth
    case .array(let element, _), .sequence(let element, _), .flexible(let element, _): 1 + element.depth
    case .function(let signature): 1 + signature.parameters.reduce(signature.result.depth) { max($0, $1.type.depth) }
    default: 0
    }
  }

  /// The number of types in the type, itself included. A type counts again at each use of its tag, since comparisons and searches visit it
  /// each time.
  var typeCount: Int {
    switch self {
    case .record(let record): record.typeCount
    case .array(let element, _), .sequence(let element, _), .flexible(let element, _): 1 + element.typeCount
    case .function(let signature): signature.parameters.reduce(1 + signature.result.typeCount) { $0 + $1.type.typeCount }
    default: 1
    }
  }
}

// MARK: Passing records

extension CType {
  /// Compilers disagree where a call passes the value. On x86-64, a record of at most 16 bytes travels in registers, unless one of its scalars is
  /// misaligned. Clang looks for one in all elements of an array, as the psABI has it, and GCC in the first element alone:
  ///
  ///     struct { struct { int n; char c; } packed a[2]; }     a[1].n at offset 5: memory for Clang, registers for GCC
  var isPassedDifferentlyByCompilers: Bool {
    #if arch(x86_64)
      guard case .record(let record) = self, record.size <= 16 else { return false }
      return hasMisalignedScalar(at: 0, inAllElements: true) && !hasMisalignedScalar(at: 0, inAllElements: false)
    #else
      false
    #endif
  }

  private func hasMisalignedScalar(at offset: Int, inAllElements: Bool) -> Bool {
    switch self {
    case .record(let record):
      record.members.contains { $0.type.hasMisalignedScalar(at: offset + $0.offset, inAllElements: inAllElements) }
    case .array(let element, let count):
      (0..<(inAllElements ? count : 1)).contains {
        element.hasMisalignedScalar(at: offset + $0 * element.size, inAllElements: inAllElements)
      }
    case .flexible: false
    default: !offset.isMultiple(of: alignment)
    }
  }
}

extension Int {
  /// The next multiple of an alignment.
  @inlinable package func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) / alignment * alignment }
}
