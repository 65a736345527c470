internal import FoundationEssentials
internal import TroupeBase
internal import TroupeHost
internal import TroupeSignature

/// `troupe adopt`: writes the adoption file of a C library from its headers. With that file a host uses the library as a plugin.
///
///     clang -ast-dump=json ─► SyntaxNode ─► Header ─► SignatureWriter ─► signatures ─► NAME.troupe.json
///     library ─► LibraryExports ──────────────┘ (exported functions only)
///
/// Each exported function gets the most detailed signature that `Signature` can read, or a reason why there is none. The same headers
/// and library give the same file: UUIDs have version 5, made of the library's name and the symbol.
package struct LibraryAdoption {
  /// An adopted function.
  package struct Function: Encodable {
    /// The name in the headers, which is also the name of the registration.
    package let name: String
    let symbol: String
    /// The text of the UUID, in lower case.
    let uuid: String
    /// The signature with the declarations that it needs.
    let signature: String
    /// The signature as the file has it, without the declarations that it shares with others.
    var shortened = ""
    fileprivate let declarations: [String]
    /// What a comment of the header says about the function.
    var documentation = Documentation(description: "")
    /// The members of the overlay but for the signature.
    var edits: [JSONMember] = []

    private enum CodingKeys: String, CodingKey { case name, symbol, uuid, signature }
  }

  /// An adopted variable.
  package struct Variable: Encodable {
    package let name: String
    let symbol, uuid: String
    fileprivate(set) var type: String
    fileprivate let declarations: [String]

    private enum CodingKeys: String, CodingKey { case name, symbol, uuid, type }
  }

  /// A function or variable that no signature describes.
  package struct UnadoptedFunction: Encodable {
    package let name: String
    /// What no signature describes, as a part of a sentence: `a va_list`.
    package let reason: String
  }

  /// A library with its headers, and the choices of the user.
  package struct Request {
    /// Paths, or names that clang finds in its directories.
    package var headers: [String]
    /// A path, or a name that the loader searches.
    package var library: String
    /// The file that `write()` writes; nil if the caller uses only `content`.
    package var path: String?
    /// The id of the plugin; nil for `adopted.` and the name of the library.
    package var id: String?
    /// Further arguments of clang, such as `-I` and a directory.
    package var options: [String] = []
    /// Infers buffers and outputs from the names of parameters.
    package var guessesBuffers = false
    /// Infers which functions release the objects that others return.
    package var guessesOwners = false
    /// Compiles the functions that the headers define. Requires `path`.
    package var compilesInline = false
    /// The calls that a host makes when it opens the library, and when nothing uses it any more, such as `initGEOS(null, null)`.
    package var start, stop: String?
    /// A file with edits; see `AdoptionOverlay`.
    package var overlay: String?

    package init(_ headers: [String], of library: String) { (self.headers, self.library) = (headers, library) }
  }

  /// The text of the file. The initializer sets it last, from all other members.
  package private(set) var content = ""
  package let id: String
  /// The name or path of the library, as the file names it.
  package private(set) var library: String
  private let name, version: String
  private let exports: LibraryExports
  /// The macros and enumerators of the headers by their names.
  private var constants: [String: Manifest.Constant] = [:]
  private let request: Request
  private let overlay: AdoptionOverlay?
  /// The functions in the order of the headers.
  package private(set) var functions: [Function] = []
  package private(set) var variables: [Variable] = []
  package private(set) var unadopted: [UnadoptedFunction] = []
  /// The exported variables that no function can return.
  package private(set) var unreadableVariables: [UnadoptedFunction] = []
  /// The declarations that signatures share.
  private var types: [String] = []
  /// The functions whose results each function releases, as they have been guessed.
  package private(set) var owners: [String: [String]] = [:]
  /// The types for which no owner has been guessed, since another object may take theirs over.
  package private(set) var unowned: [String] = []
  private var shim: InlineShim?
  /// The number of selected functions that the headers declare and the library exports.
  package var count: Int { functions.count + unadopted.count }
  private var path: String? { request.path }

  /// Reads the headers and the library, and makes the signatures and the content of the file. Runs no code of the library and writes no
  /// file. Cost: proportional to the size of the syntax tree, about 10 ms for a megabyte.
  ///
  /// - Parameter isSelected: Returns true for the names of the functions to adopt.
  /// - Throws: A `Diagnosis` for headers or a library that cannot be read, for a wrong path or id, and if the host would not read the file.
  package init(_ request: Request, where isSelected: (String) -> Bool) throws {
    self.request = request
    if let path = request.path { try Self.check(path) }
    if request.compilesInline, request.path == nil {
      throw Diagnosis(
        .usage, "--compile-inline", problem: "writes a library beside the file, and no file is named", remedy: "name it with -o"
      )
    }
    overlay = try request.overlay.map { path throws(Diagnosis) in try AdoptionOverlay(path: path) }
    exports = try LibraryExports(of: request.library)
    library = Self.location(exports, from: request.path)
    (id, name, version) = try Self.identity(exports, request.id)
    let clang = try Clang()
    var header = try Header(json: clang.syntaxTree(of: request.headers, options: request.options))
    let text = try clang.preprocessed(request.headers, options: request.options)
    header.add(ParameterLists(preprocessed: text))
    let macros = HeaderConstants(preprocessed: text, of: request.headers)
    if let tree = try clang.syntaxTree(of: request.headers, with: macros.declarations, options: request.options) {
      constants = (try? SyntaxNode(json: tree)).map(macros.constants) ?? [:]
    }
    let exported = header.functions.filter { exports.functions.contains($0.symbol) }
    let compiled =
      request.compilesInline
      ? header.inlineFunctions.filter {
        !exports.functions.contains($0.symbol) && macros.isOwn($0.name) && InlineShim.canCall($0)
      } : []
    let aliases = macros.aliases(
      preprocessed: try clang.preprocessed(request.headers, with: macros.uses, options: request.options))
    var candidates = Self.named(exported, compiled, aliases)
    let writers = SignatureWriters(header, exported, request)
    let exportedVariables = header.variables.filter { exports.variables.contains($0.symbol) }.map { variable in
      (variable.name.hasPrefix("_") ? aliases.first { $0.target == variable.name }?.name : nil, variable)
    }.map { alias, variable in (name: alias ?? variable.name, variable: variable) }
    let known = candidates.map(\.name) + exportedVariables.map(\.name)
    for (name, symbol) in try overlay?.additions(to: known, candidates.map(\.symbol)) ?? [] {
      if let original = candidates.first(where: { $0.symbol == symbol }) { candidates.append(original.named(name)) }
    }
    let called = Set([request.start, request.stop].compactMap { $0?.prefix { $0 != "(" && $0 != " " } }.map(String.init))
    var inline: [Header.Function] = []
    // The functions whose signatures come from the headers.
    var described: Set<String> = []
    for candidate in candidates {
      let isWanted = isSelected(candidate.name) || candidate.isAddition && isSelected(candidate.function.name)
      guard isWanted || called.contains(candidate.name), overlay?.removes(candidate.name) != true else { continue }
      let edited = try overlay?.signature(of: candidate.name, writers.definitions)
      do throws(InexpressibleError) {
        if let edited {
          add(candidate, edited)
        } else {
          add(candidate, try writers.signature(candidate.function))
          described.insert(candidate.name)
        }
        if candidate.isInline, !inline.contains(where: { $0.name == candidate.function.name }) {
          inline.append(candidate.function)
        }
      } catch {
        unadopted.append(UnadoptedFunction(name: candidate.name, reason: error.reason))
      }
    }
    for (name, variable) in exportedVariables where isSelected(name) && overlay?.removes(name) != true {
      do throws(InexpressibleError) {
        let (declarations, type) = try writers.type(variable)
        variables.append(
          Variable(
            name: name, symbol: variable.symbol, uuid: uuid(of: variable.symbol), type: type, declarations: declarations))
      } catch {
        unreadableVariables.append(UnadoptedFunction(name: name, reason: error.reason))
      }
    }
    shareDeclarations()
    owners = writers.owners.mapValues { $0.filter(described.contains) }.filter {
      described.contains($0.key) && !$0.value.isEmpty
    }
    unowned = writers.unowned.filter { !described.isDisjoint(with: $0.value) }.keys.sorted()
    if let path = request.path, !inline.isEmpty {
      let shim = InlineShim(inline, in: request.headers, for: path, exports.path, options: request.options)
      (self.shim, library) = (shim, "./" + Path.lastComponent(of: shim.path))
    }
    guard !functions.isEmpty else {
      let problem =
        count == 0
        ? "exports no selected function that the headers declare"
        : "exports \(count) functions of the headers, and no signature describes one: \(unadopted[0].reason)"
      throw Diagnosis(.invalidData, exports.path, problem: problem, remedy: "name other headers, or another library")
    }
    content = try AdoptionFileText(
      id: id, name: name, version: version, library: library, request: request, overlay: overlay, functions: functions,
      variables: variables, types: types, constants: constants
    ).text(of: exports.path)
  }

  // MARK: Functions

  /// A function with the name of its registration.
  private struct Candidate {
    let name: String
    let function: Header.Function
    /// The symbol in the library or in the shim.
    let symbol: String
    /// The part of the UUID's name behind `#`.
    let key: String
    let isInline: Bool
    /// The overlay adopts the function once more.
    var isAddition = false

    func named(_ name: String) -> Candidate {
      Candidate(name: name, function: function, symbol: symbol, key: name, isInline: isInline, isAddition: true)
    }
  }

  /// Returns the functions with their names. A macro that is another name of a function replaces a name that C reserves, such as
  /// `__gmpz_add`, and is one more name of another function.
  private static func named(
    _ exported: [Header.Function], _ compiled: [Header.Function], _ aliases: [(name: String, target: String)]
  ) -> [Candidate] {
    var names = Set((exported + compiled).map(\.name))
    var aliasNames: [String: [String]] = [:]
    for alias in aliases where names.insert(alias.name).inserted { aliasNames[alias.target, default: []].append(alias.name) }
    var candidates: [Candidate] = []
    for (functions, isInline) in [(exported, false), (compiled, true)] {
      for function in functions {
        let symbol = isInline ? InlineShim.symbol(function) : function.symbol
        var names = aliasNames[function.name] ?? []
        let name = function.name.hasPrefix("_") && !names.isEmpty ? names.removeFirst() : function.name
        candidates.append(
          Candidate(name: name, function: function, symbol: symbol, key: function.symbol, isInline: isInline))
        candidates += names.map {
          Candidate(name: $0, function: function, symbol: symbol, key: $0, isInline: isInline)
        }
      }
    }
    return candidates
  }

  private mutating func add(_ candidate: Candidate, _ signature: (declarations: [String], type: String)) {
    let edits = overlay?.members(of: candidate.name).filter { $0.name != "signature" } ?? []
    func edited(_ member: String, _ text: String) -> String {
      if case .string(let text)? = edits.first(where: { $0.name == member })?.value.content { text } else { text }
    }
    functions.append(
      Function(
        name: edited("name", candidate.name), symbol: edited("symbol", candidate.symbol),
        uuid: edited("uuid", uuid(of: candidate.key)),
        signature: (signature.declarations + [signature.type]).joined(separator: " "), shortened: signature.type,
        declarations: signature.declarations, documentation: candidate.function.documentation, edits: edits))
  }

  /// The UUID of a function or variable. Files of one library with ids of their own have different ones.
  private func uuid(of key: String) -> String {
    let prefix = request.id.map { $0 + "/" } ?? ""
    return UUID("\(prefix)\(exports.name)#\(key)", in: .adoption).uuidString.lowercased()
  }

  // MARK: Types

  /// Moves the declarations of all signatures to `types`, each once. A definition takes the place of a declaration without members. A signature
  /// that needs another definition of a tag, or that cannot be read with all of them, keeps its own in front.
  private mutating func shareDeclarations() {
    var texts: [Substring: String] = [:]
    for declaration in (functions.map(\.declarations) + variables.map(\.declarations)).joined() {
      let tag = Self.tag(declaration)
      if let known = texts[tag] {
        guard Self.isOpaque(known), !Self.isOpaque(declaration) else { continue }
        types.removeAll { $0 == known }
      }
      types.append(declaration)
      texts[tag] = declaration
    }
    let shared = SharedDeclarations(types)
    func shortened(_ type: String, _ declarations: [String], isVariable: Bool = false) -> String {
      let own = declarations.filter { texts[Self.tag($0)] != $0 && !Self.isOpaque($0) }
      let short = (own + [type]).joined(separator: " ")
      let isReadable = (try? Signature(parsing: shared.complete(short) + (isVariable ? " (void)" : ""))) != nil
      return isReadable ? short : (declarations + [type]).joined(separator: " ")
    }
    for index in functions.indices {
      functions[index].shortened = shortened(functions[index].shortened, functions[index].declarations)
    }
    for index in variables.indices {
      variables[index].type = shortened(variables[index].type, variables[index].declarations, isVariable: true)
    }
  }

  /// Such as `struct point`.
  private static func tag(_ declaration: String) -> Substring {
    var spaces = 0
    return declaration.prefix { character in
      if character == " " { spaces += 1 }
      return spaces < 2 && character != ";"
    }
  }

  private static func isOpaque(_ declaration: String) -> Bool { !declaration.contains("{") }

  // MARK: Identity

  /// Returns the id, name and version of the plugin. For `libpng16.so.16` they are `adopted.png16`, `png16` and `16.0.0`. A library without
  /// a number or with the number 0 has the version 0.1.0, since `troupe validate` warns of 0.0.0.
  private static func identity(
    _ exports: LibraryExports, _ wanted: String?
  ) throws(Diagnosis) -> (id: String, name: String, version: String) {
    let parts = exports.name.split(separator: ".", omittingEmptySubsequences: false)
    let stem = parts.prefix { $0 != "so" }.joined(separator: ".")
    let name = stem.hasPrefix("lib") && stem.count > 3 ? String(stem.dropFirst(3)) : stem
    let numbers = parts.drop { $0 != "so" }.dropFirst().prefix(3).compactMap { UInt32($0) }.map(String.init)
    let version = (numbers + ["0", "0", "0"]).prefix(3).joined(separator: ".")
    let derived = "adopted." + name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "-" }.joined()
    let id = wanted ?? derived
    if let problem = PluginIdentifier.problem(in: id) {
      throw Diagnosis(.usage, "--id", problem: "\"\(id.shortened())\" \(problem)", remedy: "write one such as org.example.zlib")
    }
    return (id, name, version == "0.0.0" ? "0.1.0" : version)
  }

  /// Returns the library as the file names it: a path relative to the file if the library is beside it, so that both can be moved together.
  private static func location(_ exports: LibraryExports, from path: String?) -> String {
    guard let path, Path.containsSlash(exports.location),
      Path.resolved(Path.directory(of: path)) == Path.directory(of: exports.location)
    else { return exports.location }
    return "./" + Path.lastComponent(of: exports.location)
  }

  // MARK: The file

  private static func check(_ path: String) throws(Diagnosis) {
    guard path.hasSuffix(PluginFileName.adoptionSuffix), Path.lastComponent(of: path) != PluginFileName.adoptionSuffix else {
      throw Diagnosis(
        .usage, path, problem: "does not end in .troupe.json, so that no host would read it",
        remedy: "write a name such as zlib.troupe.json")
    }
  }

  /// Writes the file to the path of the request, if it has one, and the shim beside it.
  package func write() throws {
    guard let path else { return }
    try shim?.write()
    do throws(SystemError) {
      try AtomicFile.write(Array(content.utf8), to: path, mode: 0o644, directoryMode: 0o755)
    } catch {
      throw Diagnosis(.inputOutput, path, problem: "cannot be written: \(error)", remedy: "name another file")
    }
  }
}
