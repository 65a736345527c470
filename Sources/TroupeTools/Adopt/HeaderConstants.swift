internal import TroupeBase
internal import TroupeHost

/// The macros of headers that are integers, texts, or other names of functions, and the values of enumerations.
///
///     #define Z_FINISH 4                    enum { troupe_integer_Z_FINISH = (Z_FINISH) };         4
///     #define ZLIB_VERSION "1.3"            const char troupe_text_ZLIB_VERSION[] = ZLIB_VERSION;  "1.3"
///     enum { LZMA_RUN, LZMA_FINISH = 3 };                                                          0, 3
///     #define mpz_add __gmpz_add                                                                   another name of the function
///
/// Only the compiler can compute a macro. So the source that includes the headers declares a constant for each macro; those that are neither
/// are errors, which the compiler skips. The constants of headers that the named headers include are left out, such as those of the system.
struct HeaderConstants {
  /// The macros without parameters, in the order of the text, each once.
  private(set) var macros: [(name: String, isText: Bool)] = []
  /// The macros that may be other names of functions and variables, in the order of the text, with their parameters in parentheses.
  private var aliases: [(name: String, parameters: String)] = []
  /// The words of the named headers, in which the constants of enumerations are.
  private var words: Set<Substring> = []

  /// The limit for macros. Each costs a declaration.
  private static let maximumCount = 4000

  /// - Parameters:
  ///   - text: What `clang -E -dD` writes: the preprocessed text with definitions of macros and the files of lines.
  ///   - headers: The headers as they are named.
  init(preprocessed text: String, of headers: [String]) {
    var names: Set<Substring> = []
    var isOwn = false
    var owners: [Substring: Bool] = [:]
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# ") {
        let parts = line.split(separator: "\"", maxSplits: 2)
        guard parts.count > 1 else { continue }
        let file = parts[1]
        isOwn = owners[file] ?? Self.isOwn(file, headers)
        owners[file] = isOwn
      } else if isOwn, line.hasPrefix("#define ") {
        if let alias = Self.alias(line.dropFirst(8)) { aliases.append(alias) }
        let parts = line.dropFirst(8).split(separator: " ", maxSplits: 1)
        guard parts.count == 2, !parts[0].contains("("), !parts[0].hasPrefix("_"), names.insert(parts[0]).inserted else {
          continue
        }
        if macros.count < Self.maximumCount { macros.append((String(parts[0]), parts[1].contains("\""))) }
      } else if isOwn {
        words.formUnion(line.split { !($0.isLetter || $0.isNumber || $0 == "_") })
      }
    }
  }

  /// Returns a macro that can be another name: its body begins with a name. Returns nil for any other.
  private static func alias(_ definition: Substring) -> (name: String, parameters: String)? {
    let name = word(definition)
    var body = definition[name.endIndex...]
    var parameters = Substring()
    if body.first == "(", let end = body.firstIndex(of: ")") {
      parameters = body[...end]
      body = body[body.index(after: end)...]
    }
    let start = word(body.drop { $0 == " " })
    guard !name.isEmpty, !name.hasPrefix("_"), start != name, let first = start.first, !first.isNumber else { return nil }
    return (String(name), parameters.filter { $0 != " " })
  }

  private static func word(_ text: Substring) -> Substring { text.prefix { $0.isLetter || $0.isNumber || $0 == "_" } }

  /// The lines behind those that include the headers, which the preprocessor expands: `"mpz_add" __gmpz_add`.
  var uses: String { aliases.prefix(Self.maximumCount).map { "\"\($0.name)\" \($0.name)\($0.parameters)\n" }.joined() }

  /// Returns the names that macros give to other names, such as `mpz_add` to `__gmpz_add`, in the order of the headers.
  ///
  /// - Parameter text: The preprocessed text of the headers and `uses`.
  func aliases(preprocessed text: String) -> [(name: String, target: String)] {
    let parameters = Dictionary(aliases.map { ($0.name, $0.parameters) }) { first, _ in first }
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0].isEmpty, let list = parameters[String(parts[1])] else { return nil }
      let use = parts[2].drop { $0 == " " }
      let target = Self.word(use)
      guard !target.isEmpty, target != parts[1], use.dropFirst(target.count).filter({ $0 != " " }) == list else { return nil }
      return (String(parts[1]), String(target))
    }
  }

  /// Returns true for a word of the named headers.
  func isOwn(_ word: String) -> Bool { words.contains(word[...]) }

  /// Returns true for a named header, and for one beside it that belongs to the same library: in a directory of its own, or with a name that
  /// begins with that of the header.
  private static func isOwn(_ file: Substring, _ headers: [String]) -> Bool {
    headers.contains { header in
      guard !file.hasSuffix("/" + header), file != header else { return true }
      let name = header.split(separator: "/").last ?? ""
      let stem = name.hasSuffix(".h") ? name.dropLast(2) : name
      guard let end = file.lastIndex(of: "/") else { return false }
      // In openssl/evp.h, the directory is that of the library.
      let parent = header.dropLast(name.count)
      if !parent.isEmpty, !parent.hasPrefix("/"), file[...end].hasSuffix("/" + parent) { return true }
      return file.contains("/\(stem)/") || file[file.index(after: end)...].hasPrefix(stem)
    }
  }

  /// The declarations behind the lines that include the headers, one for each macro.
  var declarations: String {
    macros.map { name, isText in
      isText
        ? "const char \(Self.textPrefix)\(name)[] = \(name);\n" : "enum { \(Self.integerPrefix)\(name) = (\(name)) };\n"
    }.joined()
  }

  private static let integerPrefix = "troupe_integer_"
  private static let textPrefix = "troupe_text_"

  /// Returns the constants in a syntax tree of the headers and these declarations, by their names.
  func constants(in tree: SyntaxNode) -> [String: Manifest.Constant] {
    var constants: [String: Manifest.Constant] = [:]
    var rest = tree.children[...]
    while let node = rest.popFirst() {
      switch node.kind {
      case "RecordDecl": rest.insert(contentsOf: node.children, at: rest.startIndex)
      case "VarDecl":
        guard let name = node.name, name.hasPrefix(Self.textPrefix), let literal = node.children.first?.value,
          case .string(let text)? = (try? JSONReader.read(Array(literal.utf8)))?.content
        else { continue }
        constants[String(name.dropFirst(Self.textPrefix.count))] = .text(text)
      case "EnumDecl":
        for (constant, value) in zip(node.enumerators, node.enumeratorValues) {
          let name = constant.name ?? ""
          if name.hasPrefix(Self.integerPrefix) {
            // Without an expression, the macro is no integer.
            guard let expression = constant.children.first, (expression.value ?? expression.children.first?.value) != nil else {
              continue
            }
            constants[String(name.dropFirst(Self.integerPrefix.count))] = .integer(value)
          } else if words.contains(name[...]) {
            constants[name] = .integer(value)
          }
        }
      default: break
      }
    }
    return constants
  }
}

extension Manifest.Constant {
  var json: String {
    switch self {
    case .integer(let integer): integer.description
    case .text(let text): text.inJSON
    }
  }
}
