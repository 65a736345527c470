internal import FoundationEssentials
internal import TroupeTools
internal import TroupeHost

/// `troupe adopt`: writes the file that adopts a C library, from its headers.
enum AdoptCommand: Command {
  private static let library = Option(
    "library", value: "FILE", "The library. Required.",
    details: "FILE is a path, or a name such as libz.so.1 that the host searches.")
  private static let prefix = Option("prefix", value: "PREFIX", "Adopt functions whose names begin so.")
  private static let only = Option("only", value: "REGEX", "Adopt functions whose names match REGEX.")
  private static let guess = Option(
    "guess-buffers", "Infer buffers and outputs from parameter names.")
  private static let id = Option("id", value: "ID", "The plugin's id. Default: adopted.NAME for libNAME.so.")
  private static let file = Option(
    "o", value: "FILE", isLetter: true, "Write FILE.troupe.json. Default: standard output.")
  private static let include = Option("I", value: "DIR", isRepeatable: true, isLetter: true, "Search DIR for headers.")
  private static let define = Option("D", value: "NAME[=VALUE]", isRepeatable: true, isLetter: true, "Define a macro.")

  static let spec = CommandSpec(
    "adopt", "Write the file that turns a C library into a plugin, from its headers.", operands: "HEADER…",
    operandCount: 1...Int.max,
    examples: [
      "troupe adopt zlib.h --library libz.so.1", "troupe adopt zlib.h --library libz.so.1 --only '^crc32' -o zlib.troupe.json",
      "troupe adopt math.h --library libm.so.6 --prefix cos --json",
    ],
    options: [library, prefix, only, guess, id, file, include, define, .json],
    details: [
      "HEADER is a file, or a name such as zlib.h that clang finds in its directories. The command reads the headers with the clang of the Swift toolchain, and runs no code of the library.",
      "It adopts the functions that the library exports and that the headers declare, also in headers that they include. It lists functions that no signature describes on standard error, and fails if no function is left.",
      "The same headers and library give the same file. The UUID of a function has version 5, made of the library's soname and the symbol.",
      "A header does not say who releases an object or text, how long a buffer is, and which pointers may be null. Add owned(…), lengths, out and _Nullable to the signatures by hand where you need them.",
      "A second run overwrites the file. Missing directories of the file are created, and a link of its name is replaced. With --json, the file is written only with -o.",
      "JSON: {id, library, file, count, functions: [{name, symbol, uuid, signature}], refused: [{name, reason}]}.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let library = arguments.one(library) else {
      throw Diagnosis(.usage, problem: "missing --library FILE", remedy: "name the library, such as libz.so.1")
    }
    let path = try path(arguments)
    let isSelected = try selection(arguments)
    let exports = try LibraryExports(of: library)
    let identity = try identity(exports, path, arguments)
    let options = arguments.all(include).flatMap { ["-I", $0] } + arguments.all(define).flatMap { ["-D", $0] }
    let tree = try Clang().syntaxTree(of: arguments.operands, options: options)
    let adoption = try LibraryAdoption(tree: tree, exports, guessesBuffers: arguments.has(guess), where: isSelected)
    let content = try content(adoption, identity, exports)
    if let path { try write(content, to: path) }
    if arguments.has(.json) {
      try Terminal.writeJSON(Report(adoption, identity, path))
    } else {
      if path == nil { try Terminal.write(content) }
      for refusal in adoption.unadopted { Terminal.printMessage("\(refusal.name): no signature describes \(refusal.reason)") }
      let (adopted, count) = (adoption.functions.count, adoption.count)
      Terminal.printMessage("adopted \(adopted) of \(count) exported functions (\(adopted * 100 / count) %)")
    }
    return .success
  }

  // MARK: Options

  /// The path of the file to write; nil for standard output.
  private static func path(_ arguments: ParsedArguments) throws -> String? {
    guard let path = arguments.one(file) else { return nil }
    guard path.hasSuffix(".troupe.json"), Path.lastComponent(of: path) != ".troupe.json" else {
      throw Diagnosis(
        .usage, path, problem: "does not end in .troupe.json, so that no host would read it",
        remedy: "write a name such as zlib.troupe.json")
    }
    return path
  }

  private static func selection(_ arguments: ParsedArguments) throws -> (String) -> Bool {
    let start = arguments.one(prefix) ?? ""
    guard let regex = try arguments.regex(only) else { return { $0.hasPrefix(start) } }
    return { $0.hasPrefix(start) && $0.contains(regex) }
  }

  /// The id, name and version of the plugin: of `libpng16.so.16` are `adopted.png16`, `png16` and `16.0.0`. A library without a number
  /// or with the number 0 has the version 0.1.0, since no other plugin can require a newer one than 0.0.0.
  private static func identity(
    _ exports: LibraryExports, _ path: String?, _ arguments: ParsedArguments
  ) throws -> LibraryAdoption.Identity {
    let parts = exports.name.split(separator: ".", omittingEmptySubsequences: false)
    let stem = parts.prefix { $0 != "so" }.joined(separator: ".")
    let name = stem.hasPrefix("lib") && stem.count > 3 ? String(stem.dropFirst(3)) : stem
    let numbers = parts.drop { $0 != "so" }.dropFirst().prefix(3).compactMap { UInt32($0) }.map(String.init)
    let version = (numbers + ["0", "0", "0"]).prefix(3).joined(separator: ".")
    let derived = "adopted." + name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "-" }.joined()
    let id = arguments.one(id) ?? derived
    if let problem = PluginIdentifier.problem(in: id) {
      throw Diagnosis(.usage, "--id", problem: "\"\(id.shortened())\" \(problem)", remedy: "write one such as org.example.zlib")
    }
    return LibraryAdoption.Identity(
      id: id, name: name, version: version == "0.0.0" ? "0.1.0" : version, library: location(exports, from: path))
  }

  /// The name or path of the library in the file. A library beside the file can be moved together with it.
  private static func location(_ exports: LibraryExports, from path: String?) -> String {
    guard let path, Path.containsSlash(exports.location),
      Path.resolved(Path.directory(of: path)) == Path.directory(of: exports.location)
    else { return exports.location }
    return "./" + Path.lastComponent(of: exports.location)
  }

  // MARK: Results

  /// The content of the file. Throws a `Diagnosis` if the host would not read it.
  private static func content(
    _ adoption: LibraryAdoption, _ identity: LibraryAdoption.Identity, _ exports: LibraryExports
  ) throws -> String {
    guard !adoption.functions.isEmpty else {
      let problem =
        adoption.count == 0
        ? "exports no selected function that the headers declare"
        : "exports \(adoption.count) functions of the headers, and no signature describes one: \(adoption.unadopted[0].reason)"
      throw Diagnosis(.invalidData, exports.path, problem: problem, remedy: "name other headers, or another library")
    }
    let content = adoption.file(identity)
    guard content.utf8.count <= AdoptionFile.maximumSize, adoption.functions.count <= AdoptionFile.maximumFunctionCount else {
      throw Diagnosis(
        .tooLarge, exports.path,
        problem: "has \(adoption.functions.count) functions, for a file of \(content.utf8.count) bytes; "
          + "\(AdoptionFile.maximumSize) are allowed",
        remedy: "divide them among several files with --only and --id")
    }
    return content
  }

  private static func write(_ content: String, to path: String) throws {
    do throws(SystemError) {
      try AtomicFile.write(Array(content.utf8), to: path, mode: 0o644, directoryMode: 0o755)
    } catch {
      throw Diagnosis(.inputOutput, path, problem: "cannot be written: \(error)", remedy: "name another file")
    }
  }

  private struct Report: Encodable {
    struct Function: Encodable {
      let name, symbol, uuid, signature: String
    }

    struct Refusal: Encodable {
      let name, reason: String
    }

    let id, library: String
    let file: String?
    let count: Int
    let functions: [Function]
    let refused: [Refusal]

    init(_ adoption: LibraryAdoption, _ identity: LibraryAdoption.Identity, _ path: String?) {
      (id, library, file, count) = (identity.id, identity.library, path, adoption.count)
      functions = adoption.functions.map {
        Function(name: $0.name, symbol: $0.symbol, uuid: $0.uuid.uuidString.lowercased(), signature: $0.signature)
      }
      refused = adoption.unadopted.map { Refusal(name: $0.name, reason: $0.reason) }
    }
  }
}
