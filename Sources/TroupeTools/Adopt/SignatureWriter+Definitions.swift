/// Definitions of structs, unions and enumerations, in front of the result of a signature. Each is written once.
extension SignatureWriter {
  /// Declares a struct without members, to which handles point.
  mutating func declare(handle words: String) {
    let declaration = words + ";"
    if !declarations.contains(declaration) { declarations.append(declaration) }
  }

  /// Declares a struct to which a pointer refers. Its members can be read through the pointer if the headers define them and a signature can
  /// describe them; else only the library reads it. A program passes streams of the C library without reading them.
  ///
  /// Structs may refer to each other, so those behind members are defined only after the struct with the members.
  mutating func reference(_ words: String) {
    if detail == .words || words == "struct _IO_FILE" || header.definitions[words] == nil {
      declare(handle: words)
    } else if isDefining {
      declare(handle: words)
      referenced.append(words)
    } else if (try? define(words)) == nil {
      declare(handle: words)
    }
  }

  /// Adds the definition of a struct, a union or an enumeration, behind the definitions that it needs. Throws `InexpressibleError`.
  mutating func define(_ words: String) throws(InexpressibleError) {
    if let error = errors[words] {
      if let error { throw error }
      return
    }
    let isOutermost = !isDefining
    isDefining = true
    defer {
      if isOutermost {
        while let other = referenced.popLast() { try? define(other) }
        isDefining = false
      }
    }
    // Until it is defined.
    errors[words] = InexpressibleError("\(words), which contains itself")
    do throws(InexpressibleError) {
      guard let node = header.definitions[words] else { throw InexpressibleError("\(words), which the headers do not define") }
      let text = node.kind == "EnumDecl" ? try constants(node, words) : try members(node, words)
      declarations.append("\(words)\(text);")
      errors[words] = .some(nil)
    } catch {
      errors[words] = error
      throw error
    }
  }

  /// The text of the last definition without a name.
  mutating func anonymousDefinition() throws(InexpressibleError) -> String {
    guard let node = unnamed else { throw InexpressibleError("a struct without a name") }
    return node.keyword + (node.kind == "EnumDecl" ? try constants(node, "an enumeration") : try members(node, "a struct"))
  }

  /// The members of a struct or union in braces.
  private mutating func members(_ node: SyntaxNode, _ subject: String) throws(InexpressibleError) -> String {
    let outer = unnamed
    defer { unnamed = outer }
    var text = " { "
    var isPacked = false
    for child in node.children {
      switch child.kind {
      case "PackedAttr": isPacked = true
      case "AlignedAttr", "MaxFieldAlignmentAttr": throw InexpressibleError("the alignment of \(subject)")
      case "RecordDecl", "EnumDecl": if child.name == nil { unnamed = child }
      case "FieldDecl": text += try member(child, subject) + "; "
      default: break
      }
    }
    return text + "}" + (isPacked ? " packed" : "")
  }

  private mutating func member(_ node: SyntaxNode, _ subject: String) throws(InexpressibleError) -> String {
    if node.isBitField { throw InexpressibleError("a bit-field in \(subject)") }
    if node.children.contains(where: { ["AlignedAttr", "PackedAttr"].contains($0.kind) }) {
      throw InexpressibleError("the alignment of a member of \(subject)")
    }
    guard let name = node.name else { return try anonymousDefinition() }
    let type = try header.resolve(try HeaderTypeParser.type(node.type ?? ""), handles)
    if case .array(_, nil) = type { throw InexpressibleError("an array without a length in \(subject)") }
    return try declaration(type, Self.isName(name) ? name : name + "_", .member)
  }

  // MARK: Enumerations

  /// The constants of an enumeration in braces, behind its type if that is not C's usual one.
  private func constants(_ node: SyntaxNode, _ subject: String) throws(InexpressibleError) -> String {
    let values = Self.values(node)
    if let name = values.first(where: { !Self.isName($0.name) })?.name { throw InexpressibleError("\(name) in \(subject)") }
    var next: Int128 = 0
    let texts = values.map { name, value in
      defer { next = value + 1 }
      return value == next ? name : "\(name) = \(value)"
    }
    let type = try self.type(node, values.map(\.value))
    return (type == nil ? "" : " : \(type ?? "")") + " { \(texts.joined(separator: ", ")) }"
  }

  private static func values(_ node: SyntaxNode) -> [(name: String, value: Int128)] {
    zip(node.enumerators, node.enumeratorValues).map { ($0.name ?? "", $1) }
  }

  /// The integer type that a signature has to state; nil for the usual one.
  private func type(_ node: SyntaxNode, _ values: [Int128]) throws(InexpressibleError) -> String? {
    if let type = node.underlyingType { return try header.resolve(try HeaderTypeParser.type(type), handles).words }
    let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
    if node.children.contains(where: { $0.kind == "PackedAttr" }) { return Self.smallestType(least, greatest) }
    if least >= Int128(Int32.min), greatest <= (least < 0 ? Int128(Int32.max) : Int128(UInt32.max)) { return nil }
    return least < 0 ? "long" : "unsigned long"
  }

  /// The smallest integer type for values, which a packed enumeration has.
  private static func smallestType(_ least: Int128, _ greatest: Int128) -> String {
    let types = [("char", 8), ("short", 16), ("int", 32)]
    if least >= 0 { return "unsigned " + (types.first { greatest < Int128(1) << $0.1 }?.0 ?? "long") }
    return "signed " + (types.first { max(greatest, -1 - least) < Int128(1) << ($0.1 - 1) }?.0 ?? "long")
  }

  func integer(ofEnumeration words: String) throws(InexpressibleError) -> String {
    guard let node = header.definitions[words] else { throw InexpressibleError("\(words), which the headers do not define") }
    let values = Self.values(node).map(\.value)
    return try type(node, values) ?? (values.contains { $0 < 0 } ? "int" : "unsigned int")
  }
}
