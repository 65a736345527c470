internal import TroupeCall

/// The type of the elements of an array of numbers in a message.
enum ScalarCode: UInt8, CaseIterable {
  case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double

  /// Nil for another type. Types of the same width and sign have the same code.
  init?(_ type: CType) {
    if let integer = type.integer {
      let codes: [ScalarCode] = integer.isSigned ? [.int8, .int16, .int32, .int64] : [.uint8, .uint16, .uint32, .uint64]
      guard let code = codes.first(where: { $0.type.size == type.size }) else { return nil }
      self = code
      return
    }
    switch type {
    case .bool: self = .bool
    case .float: self = .float
    case .double: self = .double
    default: return nil
    }
  }

  var type: CType {
    switch self {
    case .bool: .bool
    case .int8: .scalar(Int8.self)
    case .int16: .scalar(Int16.self)
    case .int32: .scalar(Int32.self)
    case .int64: .scalar(Int64.self)
    case .uint8: .scalar(UInt8.self)
    case .uint16: .scalar(UInt16.self)
    case .uint32: .scalar(UInt32.self)
    case .uint64: .scalar(UInt64.self)
    case .float: .float
    case .double: .double
    }
  }
}
