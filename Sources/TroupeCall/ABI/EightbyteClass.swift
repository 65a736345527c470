/// The kind of register for eight bytes of a value, by the calling convention of x86-64.
///
/// A type of at most 16 bytes is one or two eightbytes. Each has the merged class of the members in it, and an integer in it outweighs a
/// floating-point number:
///
///     struct { double x; int n; }     [ float | integer ]      xmm0, rdi
///     struct { float x; int n; }      [ integer ]              rdi
///     long double                     [ x87   | x87Upper ]     st(0) as a result, the stack as an argument
///     struct { char bytes[17]; }      in memory
///
/// On AArch64 only the classes of scalars are used.
///
/// Source: System V Application Binary Interface, AMD64 Architecture Processor Supplement, section 3.2.3.
enum EightbyteClass {
  case integer, float
  /// The two eightbytes of a `long double`.
  case x87, x87Upper

  /// Returns the class of an eightbyte with parts of two classes, as in a union; nil if that is in memory.
  func merged(with other: EightbyteClass) -> EightbyteClass? {
    if self == other { return self }
    if self == .integer || other == .integer { return .integer }
    return nil
  }
}

extension CType {
  /// The classes of a result; nil if the result is in memory.
  var eightbytes: [EightbyteClass]? {
    guard size <= 16 else { return nil }
    var eightbytes: [EightbyteClass?] = Array(repeating: nil, count: (size + 7) / 8)
    guard classify(at: 0, &eightbytes) else { return nil }
    // No type has an eightbyte that is only padding, since C has no members without size here.
    return eightbytes.map { $0 ?? .float }
  }

  /// The classes of an argument; nil if the argument is in memory.
  var argumentEightbytes: [EightbyteClass]? {
    guard let eightbytes, !eightbytes.contains(.x87), !eightbytes.contains(.x87Upper) else { return nil }
    return eightbytes
  }

  /// Merges the classes of the type's parts into those of the eightbytes. Returns false if the whole is in memory.
  private func classify(at offset: Int, _ eightbytes: inout [EightbyteClass?]) -> Bool {
    // The alignment of a packed record is 1, and its members decide.
    guard offset % alignment == 0 else { return false }
    switch self {
    case .longDouble:
      return Self.merge(.x87, &eightbytes[offset / 8]) && Self.merge(.x87Upper, &eightbytes[offset / 8 + 1])
    case .float, .double: return Self.merge(.float, &eightbytes[offset / 8])
    case .complex(let real):
      return real.type.classify(at: offset, &eightbytes) && real.type.classify(at: offset + real.type.size, &eightbytes)
    case .record(let record):
      // Each record is classified by itself first: a union of a long double and an int is in memory, also as a member of a union
      // whose other members would make integers of its eightbytes.
      var own = [EightbyteClass?](repeating: nil, count: eightbytes.count)
      guard record.members.allSatisfy({ $0.type.classify(at: offset + $0.offset, &own) }) else { return false }
      if own.last == .x87Upper, own.first != .x87 { return false }
      return own.indices.allSatisfy { index in own[index].map { Self.merge($0, &eightbytes[index]) } ?? true }
    case .array(let element, let count):
      return (0..<count).allSatisfy { element.classify(at: offset + $0 * element.size, &eightbytes) }
    case .flexible: return true
    default: return Self.merge(.integer, &eightbytes[offset / 8])
    }
  }

  /// Merges a class into that of an eightbyte. Returns false if the whole is in memory.
  private static func merge(_ new: EightbyteClass, _ eightbyte: inout EightbyteClass?) -> Bool {
    guard let old = eightbyte else {
      eightbyte = new
      return true
    }
    eightbyte = old.merged(with: new)
    return eightbyte != nil
  }
}
