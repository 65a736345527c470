/// Writes types in C's spelling. A record or enumeration with a tag is spelled out where it is first mentioned and by its tag from
/// then on.
struct SignaturePrinter {
  private var defined: Set<String> = []
  /// Whether what has a tag is named by it alone and never spelled out.
  var omitsDefinitions = false

  /// A whole signature.
  mutating func signature(_ signature: Signature) -> String {
    var result = signature.resultOwner.map { "owned(\($0)) " } ?? ""
    result += declaration(signature.result, name: nil)
    let list = parameterList(signature)
    if let length = signature.resultLength { result += "[\(signature.parameters[length].name ?? "")]" }
    result += result.hasSuffix("*") ? "(\(list))" : " (\(list))"
    switch signature.errorRule {
    case .failure: result += " errno"
    case .any: result += " errno(any)"
    case nil: break
    }
    return result
  }

  /// What stands between the parentheses.
  private mutating func parameterList(_ signature: Signature) -> String {
    var pieces: [String] = []
    for (index, parameter) in signature.parameters.enumerated() {
      if signature.fixedCount == index { pieces.append("...") }
      pieces.append(self.parameter(parameter) { signature.parameters[$0].name ?? "" })
    }
    if signature.isOpenEnded { pieces.append("...") }
    return pieces.isEmpty ? "void" : pieces.joined(separator: ", ")
  }

  /// One parameter.
  ///
  /// - Parameter lengthName: The name of the parameter with an index.
  mutating func parameter(_ parameter: Signature.Parameter, lengthName: (Int) -> String) -> String {
    let owner = parameter.owner.map { "owned(\($0)) " } ?? ""
    switch parameter.passing {
    case .value:
      return owner + declaration(parameter.type, name: parameter.name)
    case .reference(let direction):
      let word = direction == .output ? "out " : "inout "
      let type = declaration(parameter.type, name: nil)
      return word + owner + type + (type.hasSuffix("*") ? "*" : " *") + (parameter.name ?? "")
    case .buffer(let direction, let length):
      let word =
        switch direction {
        case .input: "const "
        case .output: "out "
        case .inputOutput: ""
        }
      let first =
        switch length {
        case .parameter(let index): lengthName(index)
        case .constant(let count): "\(count)"
        }
      let (element, dimensions) = Self.dimensions(of: parameter.type)
      let name = (parameter.name ?? "") + "[\(first)]" + dimensions
      // Of pointers it is the pointer that is constant and not what it points to.
      switch element {
      case .string where direction == .input, .pointer where direction == .input:
        return declaration(element, name: "const" + (name.hasPrefix("[") ? name : " " + name))
      default: break
      }
      return word + owner + declaration(element, name: name)
    }
  }

  /// A type with a name in the place that C gives it.
  mutating func declaration(_ type: CType, name: String?) -> String {
    let base: String
    switch type {
    case .void: base = "void"
    case .bool: base = "bool"
    case .integer(let integer): base = integer.name
    case .enumeration(let enumeration): base = self.enumeration(enumeration)
    case .float: base = "float"
    case .double: base = "double"
    case .longDouble: base = "long double"
    case .complex(let real): base = real.rawValue + " _Complex"
    case .string: base = "const char *"
    case .pointer(let pointer): base = pointer.spelling
    case .record(let record): base = self.record(record)
    case .array:
      let (element, dimensions) = Self.dimensions(of: type)
      return declaration(element, name: (name ?? "") + dimensions)
    case .function(let signature):
      let result = declaration(signature.result, name: nil)
      return result + (result.hasSuffix("*") ? "" : " ") + "(*\(name ?? ""))(\(parameterList(signature)))"
    case .resolver: base = "resolver"
    }
    guard let name, !name.isEmpty else { return base }
    return base.hasSuffix("*") || name.hasPrefix("[") ? base + name : "\(base) \(name)"
  }

  private static func dimensions(of type: CType) -> (element: CType, text: String) {
    guard case .array(let element, let count) = type else { return (type, "") }
    let (innermost, rest) = dimensions(of: element)
    return (innermost, "[\(count)]" + rest)
  }

  private mutating func enumeration(_ enumeration: CType.Enumeration) -> String {
    let head = "enum" + (enumeration.name.map { " " + $0 } ?? "")
    if enumeration.name != nil, omitsDefinitions || !defined.insert(head).inserted { return head }
    var next: Int128 = 0
    let cases = enumeration.cases.map { item in
      defer { next = item.value + 1 }
      return item.value == next ? item.name : "\(item.name) = \(item.value)"
    }
    let type = enumeration.hasWrittenType ? " : " + enumeration.underlying.name : ""
    return head + type + " { " + cases.joined(separator: ", ") + " }"
  }

  private mutating func record(_ record: CType.Record) -> String {
    let head = record.kind.rawValue + (record.name.map { " " + $0 } ?? "")
    if record.name != nil, omitsDefinitions || !defined.insert(head).inserted { return head }
    var body = ""
    for member in record.members { body += declaration(member.type, name: member.name) + "; " }
    return head + " { " + body + "}" + (record.isPacked ? " packed" : "")
  }
}
