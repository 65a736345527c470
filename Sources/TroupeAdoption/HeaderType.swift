/// A type as a header spells it.
indirect enum HeaderType: Equatable {
  /// Words such as `unsigned int`, `struct point` and `uint32_t`, without qualifiers.
  case base(String, isConstant: Bool)
  case pointer(HeaderType, isConstant: Bool, isNullable: Bool)
  /// An array; the count is nil for `[]`.
  case array(HeaderType, count: Int?)
  case function(HeaderType, FunctionParameters)

  struct FunctionParameters: Equatable {
    var types: [HeaderType] = []
    var isVariadic = false
    /// Whether the parentheses are empty.
    var isUnknown = false
    var doesNotReturn = false
  }

  /// The type with `const`, which for an array is that of the elements.
  var constant: HeaderType {
    switch self {
    case .base(let name, _): .base(name, isConstant: true)
    case .pointer(let pointee, _, let isNullable): .pointer(pointee, isConstant: true, isNullable: isNullable)
    case .array(let element, let count): .array(element.constant, count: count)
    case .function: self
    }
  }

  /// The type behind a pointer.
  var pointee: HeaderType? { if case .pointer(let pointee, _, _) = self { pointee } else { nil } }

  /// The words of a type that is neither a pointer nor an array nor a function.
  var words: String? { if case .base(let words, _) = self { words } else { nil } }

  var isConstant: Bool {
    switch self {
    case .base(_, let isConstant), .pointer(_, let isConstant, _): isConstant
    case .array, .function: false
    }
  }
}

/// The reason why a signature cannot express a type or a function.
struct InexpressibleError: Error, Equatable {
  /// A part of a sentence, such as `a bit-field in struct flags`.
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
