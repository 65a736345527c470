internal import TroupeBase

/// A node of the syntax tree that clang dumps as JSON, reduced to declarations.
///
/// The dump of a small header can have many megabytes. Members that declarations do not need, and the bodies of functions, are skipped while
/// the JSON is scanned.
struct SyntaxNode {
  var kind = ""
  /// Identifies the node in its tree.
  var id = ""
  /// The `id` of the struct, union or enumeration that a type leads to.
  var declarationID: String?
  var name: String?
  /// The symbol of a function, which can differ from its name.
  var symbol: String?
  /// `struct`, `union` or `class`.
  var tagKeyword: String?
  /// The type, as C spells it without the name.
  var type: String?
  /// The integer type that an enumeration states.
  var underlyingType: String?
  var value: String?
  /// A line of a comment, or the arguments of a command in it.
  var text: String?
  /// The parameter that a part of a comment describes.
  var parameterName: String?
  var storageClass: String?
  var isComplete = false
  var isImplicit = false
  var isInline = false
  var isBitField = false
  var children: [SyntaxNode] = []

  /// The largest depth of the tree. An expression, also one in an inline function, can be nested deeply.
  static let maximumDepth = 2048

  /// Cost: proportional to the number of bytes.
  init(json: [UInt8]) throws(JSONScanner.SyntaxError) {
    // A node is an object in an array.
    var scanner = JSONScanner(json, maximumDepth: 2 * Self.maximumDepth)
    try self.init(&scanner)
  }

  private init(_ scanner: inout JSONScanner) throws(JSONScanner.SyntaxError) {
    var hasMember = try scanner.enter(.object)
    while hasMember {
      let member = String(decoding: try scanner.scanName(), as: UTF8.self)
      try scanner.skipColon()
      try read(member, &scanner)
      hasMember = try scanner.advance(in: .object)
    }
  }

  private mutating func read(_ member: String, _ scanner: inout JSONScanner) throws(JSONScanner.SyntaxError) {
    switch member {
    case "kind": kind = try scanner.scanString()
    case "id": id = try scanner.scanString()
    case "ownedTagDecl" where Self.types.contains(kind), "decl" where Self.types.contains(kind):
      declarationID = try SyntaxNode(&scanner).id
    case "name": name = try scanner.scanString()
    case "mangledName": symbol = try scanner.scanString()
    case "tagUsed": tagKeyword = try scanner.scanString()
    case "storageClass": storageClass = try scanner.scanString()
    case "value" where scanner.next == UInt8(ascii: "\""): value = try scanner.scanString()
    case "text": text = try scanner.scanString()
    case "args": text = try Self.words(&scanner)
    case "param": parameterName = try scanner.scanString()
    case "type": type = try Self.type(&scanner)
    case "fixedUnderlyingType": underlyingType = try Self.type(&scanner)
    case "completeDefinition": isComplete = try scanner.scanScalar() == "true"
    case "isImplicit": isImplicit = try scanner.scanScalar() == "true"
    case "inline": isInline = try scanner.scanScalar() == "true"
    case "isBitfield": isBitField = try scanner.scanScalar() == "true"
    case "inner" where Self.parents.contains(kind):
      var hasChild = try scanner.enter(.array)
      while hasChild {
        let child = try SyntaxNode(&scanner)
        if Self.isKept(child.kind, in: kind) { children.append(child) }
        hasChild = try scanner.advance(in: .array)
      }
    default: try scanner.skipValue()
    }
  }

  /// The nodes whose children are read. The kind of a node precedes its children.
  private static let parents: Set<String> = [
    "TranslationUnitDecl", "FunctionDecl", "TypedefDecl", "RecordDecl", "FieldDecl", "EnumDecl", "EnumConstantDecl",
    "ImplicitCastExpr", "VarDecl", "FullComment", "ParagraphComment", "BlockCommandComment", "ParamCommandComment",
  ]
  private static let leaves: Set<String> = [
    "ParmVarDecl", "ConstantExpr", "PackedAttr", "AlignedAttr", "MaxFieldAlignmentAttr", "C11NoReturnAttr", "CXX11NoReturnAttr",
    "ReturnsTwiceAttr", "TextComment", "InlineCommandComment", "StringLiteral",
  ]
  /// The types that can lead to a definition. They are read directly below a typedef only.
  private static let types: Set<String> = ["ElaboratedType", "RecordType", "EnumType"]

  private static func isKept(_ kind: String, in parent: String) -> Bool {
    if kind == "FullComment" { return parent == "FunctionDecl" }
    return parents.contains(kind) || leaves.contains(kind) || types.contains(kind)
  }

  private static func words(_ scanner: inout JSONScanner) throws(JSONScanner.SyntaxError) -> String {
    var words: [String] = []
    var hasWord = try scanner.enter(.array)
    while hasWord {
      words.append(try scanner.scanString())
      hasWord = try scanner.advance(in: .array)
    }
    return words.joined(separator: " ")
  }

  private static func type(_ scanner: inout JSONScanner) throws(JSONScanner.SyntaxError) -> String? {
    var type: String?
    var hasMember = try scanner.enter(.object)
    while hasMember {
      let isSpelling = try scanner.scanName().elementsEqual("qualType".utf8)
      try scanner.skipColon()
      if isSpelling { type = try scanner.scanString() } else { try scanner.skipValue() }
      hasMember = try scanner.advance(in: .object)
    }
    return type
  }
}
