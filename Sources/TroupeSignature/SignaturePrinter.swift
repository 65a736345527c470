/// Writes types and signatures in their canonical spelling, which the parser reads as the same type.
///
/// C declares from the inside out: a declarator, such as `*name` or `(*name)[3]`, stands between the base and the rest of the type. So
/// `declaration` takes the text of the declarator so far, and each pointer, array or function wraps it. A record or enumeration with a tag
/// is spelled out at its first use and is its tag afterwards. Two kinds of structs stand in front of the signature: opaque ones, and those
/// to which only members refer, since structs that refer to each other cannot be spelled within each other:
///
///     struct file; struct list { struct list *next; struct file *file; }; int (struct head { struct list *first; } *head)
struct SignaturePrinter {
  private var defined: Set<String> = []
  /// Opaque structs in the order of their first use.
  private var opaque: [String] = []
  /// A record's members are being written.
  private var isInRecord = false
  /// The name of the parameter or member with an index beside the one being written.
  private var siblingName: (Int) -> String = { "#\($0 + 1)" }
  /// Writes a type with a tag as the tag alone.
  var omitsDefinitions = false

  /// The declarations that a type needs, and the type.
  mutating func text(_ type: CType) -> String {
    let front = definitions(behindMembersOf: [type])
    let text = declaration(type)
    return declarations(front) + text
  }

  mutating func signature(_ signature: Signature) -> String {
    let front = definitions(behindMembersOf: [signature.result] + signature.parameters.map(\.type))
    var result = markers(signature.resultOwnership, signature.name)
    if case .function(let function) = signature.result {
      // Its definitions are read in this order.
      let type = declaration(function.result)
      let parameters = parameterList(signature)
      result += type + (type.hasSuffix("*") ? "" : " ") + "(*(\(parameters)))(\(parameterList(function)))"
    } else {
      if case .sequence(let element, let length) = signature.result {
        result += declaration(element) + "[\(length.text(signature.name))]"
      } else {
        result += declaration(signature.result)
      }
      result += (result.hasSuffix("*") ? "(" : " (") + parameterList(signature) + ")"
    }
    if let rule = signature.failureRule { result += " " + Self.failureRule(rule, signature.name) }
    return declarations(front) + result
  }

  private func declarations(_ front: String) -> String { opaque.map { $0 + "; " }.joined() + front }

  /// Writes the definitions to which the records of some types refer, also through each other, and which these types do not mention.
  private mutating func definitions(behindMembersOf types: [CType]) -> String {
    guard !omitsDefinitions else { return "" }
    var (mentioned, referred): (Set<String>, [CType.Record]) = ([], [])
    for type in types { Self.visit(type, isMember: false, &mentioned, &referred) }
    var text = ""
    var next = 0
    while next < referred.count {
      let record = referred[next]
      next += 1
      guard let name = record.name, mentioned.insert("\(record.kind.rawValue) \(name)").inserted else { continue }
      for member in record.members { Self.visit(member.type, isMember: true, &mentioned, &referred) }
      text += self.record(record) + "; "
    }
    return text
  }

  /// - Parameters:
  ///   - mentioned: The tags of the records that the type spells out.
  ///   - referred: The records to which members refer.
  private static func visit(
    _ type: CType, isMember: Bool, _ mentioned: inout Set<String>, _ referred: inout [CType.Record]
  ) {
    switch type {
    case .record(let record):
      if let name = record.name, !mentioned.insert("\(record.kind.rawValue) \(name)").inserted { return }
      for member in record.members { visit(member.type, isMember: true, &mentioned, &referred) }
    case .reference(let reference):
      guard let record = reference.record else { return }
      if isMember { referred.append(record) } else { visit(.record(record), isMember: false, &mentioned, &referred) }
    case .array(let element, _), .sequence(let element, _), .flexible(let element, _):
      visit(element, isMember: isMember, &mentioned, &referred)
    case .function(let signature):
      visit(signature.result, isMember: isMember, &mentioned, &referred)
      for parameter in signature.parameters { visit(parameter.type, isMember: isMember, &mentioned, &referred) }
    default: break
    }
  }

  private static func failureRule(_ rule: Signature.FailureRule, _ name: (Int) -> String) -> String {
    switch rule {
    case .errno: return "errno"
    case .anyErrno: return "errno(any)"
    case .errorNumber: return "errno(result)"
    case .result(let condition, let exceptions, let text):
      let list = exceptions.isEmpty ? "" : " except " + exceptions.map(\.description).joined(separator: ", ")
      let function = text.map { text in
        switch text.argument {
        case .result: ": \(text.name)"
        case .none: ": \(text.name)()"
        case .parameter(let index): ": \(text.name)(\(name(index)))"
        }
      }
      return "error(\(condition.rawValue)\(list)\(function ?? ""))"
    }
  }

  private func markers(_ ownership: Signature.Ownership, _ name: (Int) -> String) -> String {
    (ownership.deallocator.map { "owned(\($0)) " } ?? "")
      + (ownership.borrowedFrom.isEmpty ? "" : "borrows(\(ownership.borrowedFrom.map(name).joined(separator: ", "))) ")
      + (ownership.isConsumed ? "consumed " : "") + (ownership.isKept ? "kept " : "")
  }

  private mutating func parameterList(_ signature: Signature) -> String {
    var pieces: [String] = []
    for (index, parameter) in signature.parameters.enumerated() {
      if signature.fixedCount == index { pieces.append("...") }
      pieces.append(self.parameter(parameter, lengthName: signature.name))
    }
    if signature.isOpenEnded { pieces.append("...") }
    return pieces.isEmpty ? "void" : pieces.joined(separator: ", ")
  }

  /// - Parameter lengthName: The name of the parameter with an index.
  mutating func parameter(_ parameter: Signature.Parameter, lengthName: @escaping (Int) -> String) -> String {
    let outerName = siblingName
    siblingName = lengthName
    defer { siblingName = outerName }
    let markers = markers(parameter.ownership, lengthName)
    let name = parameter.name ?? ""
    switch parameter.passing {
    case .value: return markers + declaration(parameter.type, name: Self.nonnull(parameter.isNonnull, name))
    case .pointer(let direction):
      let word = direction == .output ? "out " : "inout "
      return word + markers + declaration(parameter.type, name: "*" + name)
    case .buffer(let direction, let length, let used):
      let word =
        switch direction {
        case .input: "const "
        case .output: "out "
        case .inputOutput: ""
        }
      let first = length.text(lengthName) + (used.map { ", " + $0.text(lengthName) } ?? "")
      let (element, dimensions) = Self.dimensions(of: parameter.type)
      let declarator = name + "[\(first)]" + dimensions
      switch (direction, element) {
      case (.input, .string), (.input, .wideString), (.input, .pointer), (.input, .reference):
        // The pointer is constant and not its target.
        return markers + declaration(element, name: "const" + (name.isEmpty ? "" : " ") + declarator)
      case (.input, _): return markers + word + declaration(element, name: declarator)
      default: return word + markers + declaration(element, name: declarator)
      }
    }
  }

  /// The declarator behind a star.
  private static func nonnull(_ isNonnull: Bool, _ name: String) -> String {
    isNonnull ? "_Nonnull" + (name.isEmpty ? "" : " ") + name : name
  }

  private mutating func function(_ signature: Signature, name: String) -> String {
    let result = declaration(signature.result)
    return result + (result.hasSuffix("*") ? "" : " ") + "(\(name))(\(parameterList(signature)))"
  }

  /// - Parameter name: The declarator so far.
  mutating func declaration(_ type: CType, name: String = "") -> String {
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
    case .wideString(let integer): base = "const \(integer.name) *"
    case .pointer(let pointer): base = pointer.spelling
    case .reference(let reference): base = (reference.isConstant ? "const " : "") + target(reference) + " *"
    case .sequence(let element, let length):
      return declaration(element, name: "(*\(name))[\(length.text(siblingName))]")
    case .flexible(let element, let length):
      return declaration(element, name: name + "[\(length.text(siblingName))]")
    case .record(let record): base = self.record(record)
    case .array:
      let (element, dimensions) = Self.dimensions(of: type)
      return declaration(element, name: name + dimensions)
    case .function(let signature): return function(signature, name: "*" + name)
    case .resolver: base = "resolver"
    }
    guard !name.isEmpty else { return base }
    return base.hasSuffix("*") || name.hasPrefix("[") ? base + name : "\(base) \(name)"
  }

  /// The struct of a reference: spelled out at its first use in a signature, its tag within another record.
  private mutating func target(_ reference: CType.Reference) -> String {
    guard !omitsDefinitions else { return reference.name }
    guard let record = reference.record else {
      if !opaque.contains(reference.name) { opaque.append(reference.name) }
      return reference.name
    }
    return isInRecord ? reference.name : self.record(record)
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
    return head + body(record)
  }

  mutating func body(_ record: CType.Record) -> String {
    let (outerName, wasInRecord) = (siblingName, isInRecord)
    siblingName = { record.members[$0].name }
    isInRecord = true
    defer { (siblingName, isInRecord) = (outerName, wasInRecord) }
    let members = record.members.map { declaration($0.type, name: Self.nonnull($0.isNonnull, $0.name)) + "; " }
    return " { " + members.joined() + "}" + (record.isPacked ? " packed" : "")
  }
}
