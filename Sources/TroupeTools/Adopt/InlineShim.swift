internal import Glibc
internal import TroupeBase
internal import TroupeHost

/// A small library with code for the functions that a header defines: `static inline int f(int x) { … }` is in no library.
///
///     f.h ─► int troupe_inline_f(int x) { return f(x); } ─► NAME-inline.so ─► libf.so.1
///
/// The shim stands beside the adoption file, which names it as its library, and links the adopted library: through it the host finds the
/// functions of both. So the host trusts, pins and opens it as it does any library.
struct InlineShim {
  /// The path of an adoption file without its suffix, and `-inline.so`.
  let path: String
  private let headers: [String]
  private let options: [String]
  private let source: String
  private let linking: [String]

  static func symbol(_ function: Header.Function) -> String { "troupe_inline_" + function.name }

  /// Returns true for a function whose parameters have types that a source can repeat.
  static func canCall(_ function: Header.Function) -> Bool {
    function.parameterTypes.allSatisfy { !$0.isEmpty && !$0.contains("(unnamed") && !$0.contains("(anonymous") }
      && !function.type.hasSuffix("...)")
  }

  /// - Parameters:
  ///   - functions: Functions that the headers define, for which `canCall` is true.
  ///   - file: The path of the adoption file.
  ///   - library: The path of the adopted library.
  ///   - options: Those of the compiler.
  init(_ functions: [Header.Function], in headers: [String], for file: String, _ library: String, options: [String]) {
    path = file.dropLast(PluginFileName.adoptionSuffix.count) + "-inline.so"
    (self.headers, self.options) = (headers, options)
    source = functions.map(Self.definition).joined()
    let directory = Path.directory(of: library)
    let absolute = Path.resolved(directory) ?? directory
    let isBeside = Path.resolved(Path.directory(of: file)) == absolute
    // The loader finds a library of the system by its name.
    let isSystem = ["/usr/lib", "/lib", "/lib64"].contains { absolute == $0 || absolute.hasPrefix($0 + "/") }
    // By its name, which the linker records for a library without a soname.
    linking =
      ["-Wl,--no-as-needed", "-L" + directory, "-l:" + Path.lastComponent(of: library)]
      + (isSystem ? [] : ["-Wl,-rpath," + (isBeside ? "$ORIGIN" : absolute)])
  }

  /// A function in C that calls another one. `typeof` repeats types in any spelling.
  private static func definition(_ function: Header.Function) -> String {
    let types = function.parameterTypes.map { "__typeof__(\($0))" }
    let call = "\(function.name)(\(types.map { "*(\($0) *)0" }.joined(separator: ", ")))"
    let parameters = types.enumerated().map { "\($1) a\($0)" }.joined(separator: ", ")
    let arguments = types.indices.map { "a\($0)" }.joined(separator: ", ")
    return """
      __attribute__((visibility("default"))) __typeof__(\(call)) \(symbol(function))(\(parameters.isEmpty ? "void" : parameters)) {
        return \(function.name)(\(arguments));
      }

      """
  }

  /// Compiles the shim. Throws a `Diagnosis`.
  func write() throws {
    do throws(SystemError) {
      try AtomicFile.makeDirectory(Path.directory(of: path), 0o755)
    } catch {
      throw Diagnosis(.inputOutput, path, problem: "cannot be written: \(error)", remedy: "name another file with -o")
    }
    try Clang().compile(headers, with: source, to: path, options: options, linking: linking)
  }
}
