internal import FoundationEssentials
internal import TroupeBase
package import TroupeHost
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
    let signature: String
    /// What a comment of the header says about the function.
    var documentation = Documentation(description: "")

    private enum CodingKeys: String, CodingKey { case name, symbol, uuid, signature }
  }

  /// A function that no signature describes.
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
    /// A file with edits; see `AdoptionOverlay`.
    package var overlay: String?

    package init(_ headers: [String], of library: String) { (self.headers, self.library) = (headers, library) }
  }

  /// The text of the file. The initializer sets it last, from all other members.
  package private(set) var content = ""
  package let id: String
  /// The name or path of the library, as the file names it.
  package let library: String
  private let name, version: String
  private let exports: LibraryExports
  /// The macros and enumerators of the headers by their names.
  private var constants: [String: Manifest.Constant] = [:]
  private let path: String?
  private let overlay: AdoptionOverlay?
  /// The functions in the order of the headers.
  package private(set) var functions: [Function] = []
  package private(set) var unadopted: [UnadoptedFunction] = []
  /// The number of selected functions that the headers declare and the library exports.
  package var count: Int { functions.count + unadopted.count }

  /// Reads the headers and the library, and makes the signatures and the content of the file. Runs no code of the library and writes no
  /// file. Cost: proportional to the size of the syntax tree, about 10 ms for a megabyte.
  ///
  /// - Parameter isSelected: Returns true for the names of the functions to adopt.
  /// - Throws: A `Diagnosis` for headers or a library that cannot be read, for a wrong path or id, and if the host would not read the file.
  package init(_ request: Request, where isSelected: (String) -> Bool) throws {
    path = request.path
    if let path { try Self.check(path) }
    overlay = try request.overlay.map { path throws(Diagnosis) in try AdoptionOverlay(path: path) }
    exports = try LibraryExports(of: request.library)
    library = Self.location(exports, from: path)
    (id, name, version) = try Self.identity(exports, request.id)
    let clang = try Clang()
    let header = try Header(json: clang.syntaxTree(of: request.headers, options: request.options))
    let macros = HeaderConstants(
      preprocessed: try clang.preprocessed(request.headers, options: request.options), of: request.headers)
    if let tree = try clang.syntaxTree(of: request.headers, with: macros.declarations, options: request.options) {
      constants = (try? SyntaxNode(json: tree)).map(macros.constants) ?? [:]
    }
    let exported = header.functions.filter { exports.functions.contains($0.symbol) }
    // Functions that are not selected also show which objects only the library can read.
    let handles = Header.Handles(exported, in: header)
    let details = SignatureWriter.Detail.allCases.filter { request.guessesBuffers || $0 != .guesses }
    try overlay?.check(exported.map(\.name))
    for function in exported where isSelected(function.name) && overlay?.removes(function.name) != true {
      do throws(InexpressibleError) {
        var signature = overlay?.signatures[function.name] ?? ""
        if signature.isEmpty { signature = try Self.signature(function, header, handles, details) }
        functions.append(
          Function(
            name: function.name, symbol: function.symbol,
            uuid: UUID("\(exports.name)#\(function.symbol)", in: .adoption).uuidString.lowercased(), signature: signature,
            documentation: function.documentation))
      } catch {
        unadopted.append(UnadoptedFunction(name: function.name, reason: error.reason))
      }
    }
    content = try readableContent()
  }

  /// Returns the first signature that can be read, of those with less and less detail. Throws the error of the one with the least detail.
  private static func signature(
    _ function: Header.Function, _ header: Header, _ handles: Header.Handles, _ details: [SignatureWriter.Detail]
  ) throws(InexpressibleError) -> String {
    var lastError = InexpressibleError("the type \(function.type)")
    for detail in details {
      var writer = SignatureWriter(header, handles, detail)
      do throws(InexpressibleError) {
        let text = try writer.signature(function)
        do throws(SignatureError) {
          _ = try Signature(parsing: text)
          return text
        } catch {
          lastError = InexpressibleError("the type \(function.type): \(error.problem)")
        }
      } catch {
        lastError = error
      }
    }
    throw lastError
  }

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

  /// Returns the content of the file. Throws a `Diagnosis` if no function is left, or if the host would not read the file.
  private func readableContent() throws(Diagnosis) -> String {
    guard !functions.isEmpty else {
      let problem =
        count == 0
        ? "exports no selected function that the headers declare"
        : "exports \(count) functions of the headers, and no signature describes one: \(unadopted[0].reason)"
      throw Diagnosis(.invalidData, exports.path, problem: problem, remedy: "name other headers, or another library")
    }
    // What is no function goes first if the file is too large.
    let undocumented = functions.map { Function(name: $0.name, symbol: $0.symbol, uuid: $0.uuid, signature: $0.signature) }
    let contents = [(functions, constants), (undocumented, constants), (undocumented, [:])].lazy.map { json($0, $1) }
    let content = contents.first { $0.utf8.count <= AdoptionFile.maximumSize } ?? json(undocumented, [:])
    guard content.utf8.count <= AdoptionFile.maximumSize, functions.count <= AdoptionFile.maximumFunctionCount else {
      throw Diagnosis(
        .tooLarge, exports.path,
        problem: "has \(functions.count) functions, for a file of \(content.utf8.count) bytes; "
          + "\(AdoptionFile.maximumFunctionCount) functions in \(AdoptionFile.maximumSize) bytes are allowed",
        remedy: "divide them among several files with --only and --id")
    }
    try overlay?.check(content)
    return content
  }

  /// Writes the file to the path of the request, if it has one.
  package func write() throws(Diagnosis) {
    guard let path else { return }
    do throws(SystemError) {
      try AtomicFile.write(Array(content.utf8), to: path, mode: 0o644, directoryMode: 0o755)
    } catch {
      throw Diagnosis(.inputOutput, path, problem: "cannot be written: \(error)", remedy: "name another file")
    }
  }

  /// The members have a fixed order, so that the same input gives the same file.
  private func json(_ functions: [Function], _ constants: [String: Manifest.Constant]) -> String {
    var members: [(name: String, json: String)] = [
      ("id", id.inJSON), ("name", name.inJSON), ("version", version.inJSON), ("library", library.inJSON),
    ]
    let list = functions.map { function in
      var members: [(name: String, json: String)] = [
        ("uuid", function.uuid.inJSON), ("name", function.name.inJSON), ("symbol", function.symbol.inJSON),
        ("signature", function.signature.inJSON),
      ]
      let documentation = function.documentation
      if !documentation.description.isEmpty { members.append(("description", documentation.description.inJSON)) }
      if !documentation.parameters.isEmpty {
        let texts = documentation.parameters.sorted { $0.key < $1.key }.map { "\($0.key.inJSON): \($0.value.inJSON)" }
        members.append(("parameters", "{\(texts.joined(separator: ", "))}"))
      }
      members.merge(overlay?.members(of: function.name) ?? [])
      return "    {\n\(Self.lines(members, indentation: 6))\n    }"
    }
    if !constants.isEmpty {
      let texts = constants.sorted { $0.key < $1.key }.map { (name: $0.key, json: $0.value.json) }
      members.append(("constants", "{\n\(Self.lines(texts, indentation: 4))\n  }"))
    }
    members.merge(overlay?.members ?? [])
    members.append(("functions", "[\n\(list.joined(separator: ",\n"))\n  ]"))
    return "{\n\(Self.lines(members, indentation: 2))\n}\n"
  }

  private static func lines(_ members: [(name: String, json: String)], indentation: Int) -> String {
    let start = String(repeating: " ", count: indentation)
    return members.map { "\(start)\($0.name.inJSON): \($0.json)" }.joined(separator: ",\n")
  }
}
