internal import TroupeBase
internal import TroupeHost

/// The functions, definitions and typedefs that C headers declare, from clang's syntax tree.
struct Header {
  struct Function {
    let name: String
    /// The symbol in the library.
    let symbol: String
    /// The type, as C spells it.
    let type: String
    /// The names of the parameters; nil for one without a name.
    var parameterNames: [String?]
    /// The types of the parameters, as C spells them.
    let parameterTypes: [String]
    /// The number of elements of each parameter that is an array of a fixed length; empty for none.
    var arrayLengths: [Int?] = []
    /// The indices of the parameters that an attribute declares as never null.
    var nonnullParameters: Set<Int> = []
    /// True if the function does not return, or returns twice.
    let leaves: Bool
    /// From a comment in front of a declaration.
    var documentation: Documentation
  }

  /// A variable that the header declares.
  struct Variable {
    let name: String
    /// The symbol in the library.
    let symbol: String
    /// The type, as C spells it.
    let type: String
  }

  /// The functions in the order of their first declarations, without functions that are local to the header.
  private(set) var functions: [Function] = []
  /// The functions that the header defines, for which a library need not have code.
  private(set) var inlineFunctions: [Function] = []
  /// The variables that the header declares, each once.
  private(set) var variables: [Variable] = []
  /// The definitions of structs, unions and enumerations by their names, such as `struct point`.
  private(set) var definitions: [String: SyntaxNode] = [:]
  /// The type that a typedef names, as C spells it.
  private var typedefs: [String: String] = [:]

  /// - Parameter json: What clang prints with `-Xclang -ast-dump=json`. Throws a `Diagnosis` if it is damaged or too deep.
  init(json: [UInt8]) throws(Diagnosis) {
    do throws(JSONScanner.SyntaxError) {
      self.init(try SyntaxNode(json: json))
    } catch {
      throw Self.diagnosis(error)
    }
  }

  private static func diagnosis(_ error: JSONScanner.SyntaxError) -> Diagnosis {
    switch error.problem {
    case .tooDeep:
      Diagnosis(
        .tooLarge, problem: "the headers have an expression whose syntax tree has more than \(SyntaxNode.maximumDepth) levels",
        remedy: "shorten the expression, or name headers without it")
    case .expected(let expectation):
      Diagnosis(
        .invalidData, problem: "clang wrote no syntax tree: byte \(error.offset) is not \(expectation)",
        remedy: "use the clang of the Swift toolchain")
    case .repeatedName:
      Diagnosis(
        .invalidData, problem: "clang wrote no syntax tree: the name at byte \(error.offset) occurs twice",
        remedy: "use the clang of the Swift toolchain")
    }
  }

  private init(_ tree: SyntaxNode) {
    var indices: [String: Int] = [:]
    var unnamed: [String: SyntaxNode] = [:]
    for node in tree.children {
      switch node.kind {
      case "FunctionDecl": add(function: node, &indices)
      case "VarDecl": add(variable: node)
      case "TypedefDecl": add(typedef: node, unnamed)
      default: add(definition: node)
      }
      if node.isDefinition, node.name == nil { unnamed[node.id] = node }
    }
  }

  private mutating func add(function node: SyntaxNode, _ indices: inout [String: Int]) {
    guard let name = node.name, let type = node.type, !node.isImplicit else { return }
    let parameters = node.children.filter { $0.kind == "ParmVarDecl" }
    let function = Function(
      name: name, symbol: node.symbol ?? name, type: type, parameterNames: parameters.map(\.name),
      parameterTypes: parameters.map { $0.type ?? "" },
      leaves: node.children.contains { ["C11NoReturnAttr", "CXX11NoReturnAttr", "ReturnsTwiceAttr"].contains($0.kind) },
      documentation: node.children.first { $0.kind == "FullComment" }.map { Documentation(comment: $0) }
        ?? Documentation(description: ""))
    if node.isInline { inlineFunctions.append(function) }
    if node.storageClass == "static" { return }
    if let index = indices[function.symbol] {
      // Another declaration of a function may have names.
      let names = functions[index].parameterNames
      if names.allSatisfy({ $0 == nil }), names.count == parameters.count {
        functions[index].parameterNames = function.parameterNames
      }
      if functions[index].documentation == Documentation(description: "") {
        functions[index].documentation = function.documentation
      }
    } else {
      indices[function.symbol] = functions.count
      functions.append(function)
    }
  }

  /// Adds what the text says about parameters: the lengths of arrays, and the pointers that are never null.
  mutating func add(_ lists: ParameterLists) {
    (functions, inlineFunctions) = (functions.map { completed($0, lists) }, inlineFunctions.map { completed($0, lists) })
  }

  private func completed(_ function: Function, _ lists: ParameterLists) -> Function {
    var function = function
    function.nonnullParameters = Set(function.parameterNames.indices.filter(lists.nonnullParameters(of: function.name)))
    let lengths = lists[function.name].map(arrayLength)
    if lengths.count == function.parameterNames.count { function.arrayLengths = lengths }
    return function
  }

  private mutating func add(variable node: SyntaxNode) {
    guard let name = node.name, let type = node.type, node.storageClass != "static",
      !variables.contains(where: { $0.name == name })
    else { return }
    variables.append(Variable(name: name, symbol: node.symbol ?? name, type: type))
  }

  /// Adds a definition, and the named ones in it.
  private mutating func add(definition node: SyntaxNode) {
    if let name = node.name, node.isDefinition { definitions["\(node.keyword) \(name)"] = node }
    if node.kind == "RecordDecl" { for child in node.children { add(definition: child) } }
  }

  /// - Parameter unnamed: The definitions without a name by their ids. A typedef names one: `typedef struct { int x; } point`.
  private mutating func add(typedef node: SyntaxNode, _ unnamed: [String: SyntaxNode]) {
    guard let name = node.name, let type = node.type else { return }
    // The type alone does not show an alignment of its own.
    let isAligned = node.children.contains { $0.kind == "AlignedAttr" }
    typedefs[name] = isAligned ? "__attribute__((aligned)) \(type)" : type
    let id = node.children.lazy.compactMap(\.declarationID).first
    if let definition = id.flatMap({ unnamed[$0] }), type == "\(definition.keyword) \(name)" { definitions[type] = definition }
  }

  /// Replaces the names of typedefs by their types, but not those of the C standard. Throws `InexpressibleError`.
  ///
  /// - Parameter handles: The typedefs of `void` that are structs without members in signatures.
  func resolve(_ type: HeaderType, _ handles: Handles? = nil) throws(InexpressibleError) -> HeaderType {
    switch type {
    case .base(let words, let isConstant):
      if handles?.voids.contains(words) == true { return .base("struct " + words, isConstant: isConstant) }
      if words.hasSuffix(" _Nonnull") {
        return try resolve(.base(String(words.dropLast(9)), isConstant: isConstant), handles).nonnull
      }
      guard !Self.standardNames.contains(words), let meaning = typedefs[words] else { return type }
      let resolved = try resolve(try HeaderTypeParser.type(meaning), handles)
      return isConstant ? resolved.constant : resolved
    case .pointer(let pointee, let isConstant, let isNonnull):
      // A pointer to a type that signatures lack is a pointer nevertheless.
      let target =
        isCharacter(pointee)
        ? .base("char", isConstant: pointee.isConstant)
        : (try? resolve(pointee, handles)) ?? .base("void", isConstant: pointee.isConstant)
      return .pointer(target, isConstant: isConstant, isNonnull: isNonnull)
    case .array(let element, let count):
      return .array(try resolve(element, handles), count: count)
    case .function(let result, var parameters):
      var types: [HeaderType] = []
      for type in parameters.types { types.append(try resolve(type, handles)) }
      parameters.types = types
      return .function(try resolve(result, handles), parameters)
    }
  }

  /// Returns true for a typedef of `unsigned char` that is named as a character, such as `xmlChar`, `FcChar8` and `char8_t`. Pointers to it are
  /// text. `guchar` and `u_char` are short for `unsigned char`, and name bytes.
  private func isCharacter(_ type: HeaderType) -> Bool {
    guard let words = type.words, typedefs[words] != nil, ["unsigned char", "uint8_t"].contains((try? resolve(type))?.words)
    else {
      return false
    }
    var name = words.lowercased()
    for suffix in ["_t", "8"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
    return name.hasSuffix("char") && !name.hasSuffix("uchar") && !name.hasSuffix("u_char")
  }

  /// The name of the typedef of `void` that a type leads to, such as `CURL`; nil for any other type.
  func nameOfVoid(_ type: HeaderType) -> String? {
    guard let name = type.words, let meaning = typedefs[name] else { return nil }
    if meaning == "void" { return name }
    return (try? HeaderTypeParser.type(meaning)).flatMap(nameOfVoid)
  }

  /// The typedefs that every signature knows.
  static let standardNames: Set<String> = [
    "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "ssize_t", "ptrdiff_t",
    "intptr_t", "uintptr_t", "intmax_t", "uintmax_t", "wchar_t", "wint_t", "char16_t", "char32_t",
  ]
}

extension SyntaxNode {
  /// True for the definition of a struct, a union or an enumeration.
  var isDefinition: Bool { kind == "RecordDecl" && isComplete || kind == "EnumDecl" && !children.isEmpty }

  /// The constants of an enumeration.
  var enumerators: [SyntaxNode] { children.filter { $0.kind == "EnumConstantDecl" } }

  /// The values of the enumerators: those that are written, and else one more than the value in front.
  var enumeratorValues: [Int128] {
    var next: Int128 = 0
    return enumerators.map { constant in
      let child = constant.children.first
      let value = (child?.value ?? child?.children.first?.value).flatMap { Int128($0) } ?? next
      next = value + 1
      return value
    }
  }

  /// `struct`, `union` or `enum`.
  var keyword: String { tagKeyword ?? "enum" }
}

extension Header {
  /// The objects that a library makes itself, to which its functions take pointers. No guess takes them for buffers.
  struct Handles {
    /// The typedefs of `void` to which a function returns a pointer, such as `CURL`.
    private(set) var voids: Set<String> = []
    /// The defined structs that functions return and take by pointer, and in no other form.
    private(set) var structs: Set<String> = []
    /// The typedefs of `void *` that a function returns, or takes without an integer that can be a length, such as `cmsHPROFILE`.
    private(set) var pointers: Set<String> = []

    /// - Parameter functions: The functions of the library.
    init(_ functions: [Function], in header: Header) {
      var (returned, taken, read): (Set<String>, Set<String>, Set<String>) = ([], [], [])
      for function in functions {
        guard case .function(let result, let list)? = try? HeaderTypeParser.type(function.type) else { continue }
        if let pointee = result.pointee, !pointee.isConstant, let name = header.nameOfVoid(pointee) { voids.insert(name) }
        let resolved = ([result] + list.types).map { try? header.resolve($0) }
        let hasLength = resolved.dropFirst().contains { $0?.words.map(SignatureWriter.isInteger) ?? false }
        for (index, spelled) in ([result] + list.types).enumerated() {
          if let name = spelled.words, index == 0 || !hasLength, resolved[index]?.pointee == .base("void", isConstant: false) {
            pointers.insert(name)
          }
          guard let type = resolved[index], let words = type.words ?? type.pointee?.words else { continue }
          if type.pointee?.isConstant ?? true {
            read.insert(words)
          } else if index == 0 {
            returned.insert(words)
          } else {
            taken.insert(words)
          }
        }
      }
      // A program passes streams of the C library without reading them.
      structs = returned.intersection(taken).subtracting(read).union(["struct _IO_FILE"])
    }

    func contains(_ words: String, _ header: Header) -> Bool {
      guard words.hasPrefix("struct ") || words.hasPrefix("union "), !words.hasSuffix(HeaderTypeParser.anonymous) else {
        return false
      }
      return structs.contains(words) || header.definitions[words] == nil
    }
  }
}
