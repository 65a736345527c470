@testable import TroupeCall

/// Writes C statements that hash a value, or derive it from the function's state.
enum ConformanceStatements {
  case hash, fill

  /// Returns statements for a variable or member.
  func value(_ type: CType, _ place: String, depth: Int = 0) -> String {
    switch type {
    case .void: return ""
    case .record(let record):
      if let tag = record.name { return "\(self)_\(tag)(state, &\(place));" }
      return members(of: record, place, depth: depth)
    case .array(let element, let count): return elements(element, place, count: "\(count)", depth: depth)
    case .complex(let real):
      // C reports an array of two.
      return ["0", "1"].map { value(real.type, "((\(real.rawValue) *)&\(place))[\($0)]") }.joined(separator: " ")
    case .reference(let reference):
      guard let record = reference.record, let tag = record.name else { return scalar(type, place) }
      let name = "p\(depth)"
      let inner = "\(self)_\(tag)(state, \(name));"
      if self == .hash { return "if (\(place)) \(inner.replacing(name, with: place)) else hash(state, \"\\xff\", 1);" }
      // With room for a flexible array member.
      return "{ \(record.kind.rawValue) \(tag) *\(name) = borrow(sizeof *\(name) + 512); \(inner) \(place) = \(name); }"
    default: return scalar(type, place)
    }
  }

  /// Returns the statement that reads a variadic argument: reads the promoted type and converts it to the listed one.
  static func nextArgument(_ spelled: String, _ type: CType, _ name: String) -> String {
    let promoted =
      switch type {
      case .bool: "int"
      case .float: "double"
      case .integer, .enumeration: type.size < 4 ? "int" : spelled
      default: spelled
      }
    return "\(spelled) \(name) = va_arg(list, \(promoted));"
  }

  private func scalar(_ type: CType, _ place: String) -> String {
    switch (self, type) {
    case (.hash, .string): "hash_text(state, \(place));"
    case (.hash, .wideString): "hash_wide(state, \(place), sizeof *\(place));"
    case (.hash, .reference): "hash_handle(state, \(place));"
    case (.hash, .longDouble): "hash(state, &\(place), 10);"
    case (.hash, _): "hash(state, &\(place), sizeof \(place));"
    case (.fill, .bool): "\(place) = fill_bool(state);"
    case (.fill, .string): "\(place) = fill_text(state);"
    case (.fill, .wideString): "\(place) = fill_wide(state, sizeof *\(place));"
    case (.fill, .reference): "\(place) = fill_handle(state, borrow);"
    case (.fill, .longDouble): "fill_long(state, &\(place));"
    case (.fill, _): "fill(state, &\(place), sizeof \(place));"
    }
  }

  /// Returns statements for the elements behind a pointer.
  ///
  /// - Parameters:
  ///   - count: An expression; nil if the elements end at the first that is zero.
  ///   - areNonzero: Whether no element may become zero.
  func elements(
    _ element: CType, _ place: String, count: String?, areNonzero: Bool = false, depth: Int = 0
  ) -> String {
    let index = "i\(depth)"
    let item = "\(place)[\(index)]"
    let condition = count.map { "\(index) < (size_t)(\($0))" } ?? "\(place) && \(item)"
    let one = areNonzero && self == .fill ? " if (!\(item)) \(item) = \(element == .string ? "\"\"" : "1");" : ""
    return "for (size_t \(index) = 0; \(condition); \(index)++) { \(value(element, item, depth: depth + 1))\(one) }"
  }

  /// Returns statements that allocate elements, fill them and end them with a zero.
  ///
  /// - Parameter count: An expression; nil for a random number of elements, none of which is zero.
  static func allocate(
    _ element: CType, _ place: String, count: String?, by function: String = "borrow", depth: Int = 0
  ) -> String {
    let number = "c\(depth)"
    let filling = ConformanceStatements.fill.elements(
      element, place, count: number, areNonzero: count == nil, depth: depth)
    return """
      { size_t \(number) = \(count ?? "fill_count(state, 4)"); \
      \(place) = \(function)((\(number) + 1) * sizeof *\(place)); \(filling) }
      """
  }

  /// Returns statements for the members of a record; a union's for the member that has all of its bytes.
  func members(of record: CType.Record, _ place: String, depth: Int = 0) -> String {
    var members = record.kind == .union ? [ConformanceValues.active(record)] : record.members
    // The lengths of others come first.
    if self == .fill { members = members.filter(\.isCount) + members.filter { !$0.isCount } }
    return members.map { member in
      let own = member.name.isEmpty ? place : "\(place).\(member.name)"
      if member.isCount, self == .fill { return "\(own) = fill_count(state, 4);" }
      guard let (element, length) = member.type.extent else { return value(member.type, own, depth: depth) }
      let count = length.inC(element) { "\(place).\(record.members[$0].name)" }
      guard self == .fill else { return elements(element, own, count: count, depth: depth) }
      if case .sequence = member.type { return Self.allocate(element, own, count: count, depth: depth) }
      let number = "c\(depth)"
      return "{ size_t \(number) = \(count ?? "fill_count(state, 4)"); "
        + elements(element, own, count: number, areNonzero: count == nil, depth: depth)
        + (count == nil ? " memset(&\(own)[\(number)], 0, sizeof \(own)[0]); }" : " }")
    }.joined(separator: " ")
  }
}

extension CType.Record.Member {
  /// Whether it is the length of another member, by its name, and so a small number.
  var isCount: Bool { name.hasPrefix("n") }
}

extension CType {
  /// The type and number of the elements that a member points to or ends with.
  var extent: (element: CType, length: LengthExpression)? {
    switch self {
    case .sequence(let element, let length), .flexible(let element, let length): (element, length)
    default: nil
    }
  }
}

extension LengthExpression {
  /// The number of elements as an expression in C; nil if they end at the first that is zero.
  fileprivate func inC(_ element: CType, _ name: (Int) -> String) -> String? {
    if isTerminated { return nil }
    let text = text(name)
    return isInBytes ? "(\(text.replacing(" bytes", with: ""))) / \(element.size)" : text
  }
}
