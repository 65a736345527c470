internal import FoundationEssentials
internal import TroupeTools
internal import TroupeHost

/// `troupe adopt`: writes the file that adopts a C library, from its headers.
enum AdoptCommand: Command {
  private static let library = Option(
    "library", value: "FILE", "The library. Default: that of --pkg.",
    details: "FILE is a path, or a name such as libz.so.1 that the host searches.")
  private static let package = Option(
    "pkg", value: "NAME", "Take the library and the compiler's flags from pkg-config.",
    details: "The library is the first that pkg-config --libs NAME names.")
  private static let prefix = Option("prefix", value: "PREFIX", "Adopt functions whose names begin so.")
  private static let only = Option("only", value: "REGEX", "Adopt functions whose names match REGEX.")
  private static let guess = Option(
    "guess-buffers", "Infer buffers and outputs from parameter names.")
  private static let guessOwners = Option(
    "guess-owners", "Infer from names which function releases an object.")
  private static let compileInline = Option(
    "compile-inline", "Compile the functions that headers define.",
    details: "The code is in a library beside the file of -o, NAME-inline.so, which the host opens with the file.")
  private static let start = Option(
    "start", value: "CALL", "The call with which the library starts.",
    details: "CALL is a function with its arguments, such as 'initGEOS(null, null)' or sodium_init. The host makes it once.")
  private static let stop = Option(
    "stop", value: "CALL", "The call with which the library stops.")
  private static let id = Option("id", value: "ID", "The plugin's id. Default: adopted.NAME for libNAME.so.")
  private static let file = Option(
    "o", value: "FILE", isLetter: true, "Write FILE.troupe.json. Default: standard output.")
  private static let overlay = Option(
    "overlay", value: "FILE", "Apply the edits in FILE, which a new run keeps.",
    details:
      "FILE is a JSON merge patch in which functions go by their names: {\"functions\": {\"frexp\": {\"signature\": \"…\"}, \"gamma\": null}}. A new name with a symbol adopts that function once more."
  )
  private static let include = Option("I", value: "DIR", isRepeatable: true, isLetter: true, "Search DIR for headers.")
  private static let define = Option("D", value: "NAME[=VALUE]", isRepeatable: true, isLetter: true, "Define a macro.")

  static let spec = CommandSpec(
    "adopt", "Write the file that turns a C library into a plugin, from its headers.", operands: "HEADER…",
    operandCount: 1...Int.max, flags: "FLAG …",
    examples: [
      "troupe adopt zlib.h --library libz.so.1", "troupe adopt zlib.h --library libz.so.1 --only '^crc32' -o zlib.troupe.json",
      "troupe adopt zlib.h --pkg zlib -o zlib.troupe.json",
    ],
    options: [
      library, package, prefix, only, guess, guessOwners, compileInline, start, stop, overlay, id, file, include, define, .json,
    ],
    details: [
      "HEADER is a file, or a name such as zlib.h that clang finds in its directories. The command reads the headers with the clang of the Swift toolchain, and runs no code of the library.",
      "Words behind -- are flags of clang, such as -std=c99, -isystem DIR or -pthread. They follow those of --pkg, -I and -D.",
      "It adopts the functions that the library exports and that the headers declare, also in headers that they include. It lists functions that no signature describes on standard error, and fails if no function is left.",
      "The same headers and library give the same file. The UUID of a function has version 5, made of the library's soname and the symbol.",
      "Structs, unions and enumerations stand once in the file, as its types. A macro that is another name of a function is its name, as mpz_add of __gmpz_add. A variable is read with troupe call NAME.",
      "A header does not say who releases an object or text, and how long a buffer is. Write owned(…), lengths and out into an overlay where you need them.",
      "A second run overwrites the file, with the edits of --overlay. Missing directories of the file are created, and a link of its name is replaced. With --json, the file is written only with -o.",
      "JSON: {id, library, file, count, functions: [{name, symbol, uuid, signature}], variables: [{name, symbol, uuid, type}], owners: {FUNCTION: [NAME]}, unowned: [TYPE], refused: [{name, reason}]}.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let package = try arguments.one(package).map { name throws(Diagnosis) in try PkgConfigPackage(name) }
    guard let library = try arguments.one(library) ?? package?.library() else {
      throw Diagnosis(
        .usage, problem: "missing --library FILE", remedy: "name the library, such as libz.so.1, or a package with --pkg")
    }
    var request = LibraryAdoption.Request(arguments.operands, of: library)
    (request.path, request.id, request.guessesBuffers) = (arguments.one(file), arguments.one(id), arguments.has(guess))
    (request.guessesOwners, request.compilesInline) = (arguments.has(guessOwners), arguments.has(compileInline))
    (request.start, request.stop) = (arguments.one(start), arguments.one(stop))
    request.overlay = arguments.one(overlay)
    request.options =
      (package?.compilerFlags ?? []) + arguments.all(include).flatMap { ["-I", $0] }
      + arguments.all(define).flatMap { ["-D", $0] } + arguments.flags
    let adoption = try LibraryAdoption(request, where: selection(arguments))
    try adoption.write()
    let refused = adoption.unadopted + adoption.unreadableVariables
    if arguments.has(.json) {
      try Terminal.writeJSON(
        Report(
          id: adoption.id, library: adoption.library, file: request.path, count: adoption.count, functions: adoption.functions,
          variables: adoption.variables, owners: adoption.owners, unowned: adoption.unowned,
          refused: refused))
    } else {
      if request.path == nil { try Terminal.write(adoption.content) }
      for declaration in refused {
        Terminal.printMessage("\(declaration.name): no signature describes \(declaration.reason)")
      }
      for (function, results) in adoption.owners.sorted(by: { $0.key < $1.key }) {
        Terminal.printMessage("\(function) releases the results of \(results.listed(atMost: 10))")
      }
      if !adoption.unowned.isEmpty {
        Terminal.printMessage("no owner for \(adoption.unowned.listed(atMost: 10)), which other objects may take over")
      }
      let (adopted, count, variables) = (adoption.functions.count, adoption.count, adoption.variables.count)
      let others = variables == 0 ? "" : variables == 1 ? ", and 1 variable" : ", and \(variables) variables"
      Terminal.printMessage("adopted \(adopted) of \(count) exported functions (\(adopted * 100 / count) %)\(others)")
    }
    return .success
  }

  private static func selection(_ arguments: ParsedArguments) throws -> (String) -> Bool {
    let start = arguments.one(prefix) ?? ""
    guard let regex = try arguments.regex(only) else { return { $0.hasPrefix(start) } }
    return { $0.hasPrefix(start) && $0.contains(regex) }
  }

  private struct Report: Encodable {
    let id, library: String
    let file: String?
    let count: Int
    let functions: [LibraryAdoption.Function]
    let variables: [LibraryAdoption.Variable]
    let owners: [String: [String]]
    let unowned: [String]
    let refused: [LibraryAdoption.UnadoptedFunction]
  }
}
