extension CType {
  /// The type that an argument behind `...` is passed as: small integers as `int`, `float` as `double` (C11, section 6.5.2.2).
  var promoted: CType {
    switch self {
    case .float: .double
    case .bool: .integer(.int)
    case .integer(let integer) where integer.width < 32: .integer(.int)
    case .enumeration(let enumeration): CType.integer(enumeration.underlying).promoted
    default: self
    }
  }
}
