internal import FoundationEssentials
internal import Glibc
internal import TroupeFiles
package import TroupeHost

/// A shared library with the protocols and types that a program and its plugins share, and the compiler options that build it.
///
/// A client is compiled against one version of the library and may run with another. How the two fit depends on the build:
///
/// **With library evolution** clients find requirements, stored properties and enum cases at run time, by symbols. Additions are
/// compatible, and what is missing is an undefined symbol. The library exports the symbol `_troupe_resilient_Greetings`, since a library
/// without protocols and classes has no other trace of evolution.
///
/// **Without it** clients contain the layout: offsets of properties, positions of requirements. The loader compares names alone, so that an
/// old client calls the wrong requirement. A mark makes the layout a name:
///
///     Greetings_5f0c1e8a9b3d7246
///     module    the first 8 bytes of the SHA-256 of all declarations
///
/// All exports have this ELF version, and the library defines the symbol `_swift_FORCE_LOAD_$_` with the mark. The compiler writes a weak
/// reference to that symbol into each client that imports the module, also if the client refers to nothing else, and has it linked with
/// `-lGreetings_5f0c1e8a9b3d7246`. That file is a linker script which names the library, so that clients need no option for the mark.
package struct InterfaceLibrary: Sendable {
  package let module: String

  /// Throws a `Diagnosis` unless the module's name consists of letters, digits and underscores.
  package init(module: String) throws(Diagnosis) {
    let isValid = module.utf8.allSatisfy { $0 == UInt8(ascii: "_") || Self.isAlphanumeric($0) }
    guard isValid, let first = module.first, !first.isNumber, module.utf8.count <= Self.maximumLength else {
      throw Diagnosis(
        .usage, module.shortened(), problem: "expected the name of a Swift module",
        remedy:
          "write up to \(Self.maximumLength) letters, digits and underscores that do not begin with a digit, as in Greetings")
    }
    self.module = module
  }

  private static let maximumLength = 100

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  // MARK: Options

  /// The options for a build with library evolution.
  package var evolutionOptions: [String] {
    options(compiling: ["-enable-library-evolution"], linking: ["--defsym=_troupe_resilient_\(module)=0"])
  }

  /// The options for a build with a mark, whose files are in a directory.
  package func options(mark: String, directory: String) -> [String] {
    options(
      // Otherwise clients inline bodies of functions, which are not part of the mark.
      compiling: ["-module-link-name", mark, "-autolink-force-load", "-disable-cmo"],
      linking: ["--version-script=\(versionScript(in: directory))"])
  }

  private func options(compiling: [String], linking: [String]) -> [String] {
    ["-emit-library", "-emit-module", "-parse-as-library", "-module-name", module] + compiling
      + (["-soname", "lib\(module).so"] + linking).flatMap { ["-Xlinker", $0] }
  }

  // MARK: The mark

  /// Computes the mark of the library's declarations.
  ///
  /// The hash covers all declarations in the order of the sources, also private ones: stored properties and methods of classes are part of
  /// the layout. It covers the marks of imported libraries, whose types may be stored, the headers of imported Clang modules outside of
  /// the system, and the bodies that are `@inlinable`, as those are with which the compiler implements raw values. It does not cover comments
  /// and other bodies of functions. Takes three runs of the compiler's frontend, about 0.2 s.
  ///
  /// - Parameters:
  ///   - sources: The paths of the sources, in any order: they are sorted, and their order is part of the mark.
  ///   - options: The compiler's options that declarations depend on, such as `-D`, `-I` and `-swift-version`.
  /// - Throws: A `Diagnosis`: `.unreadable` for a source or a header that is not a readable file, `.invalidData` with the compiler's first error.
  package func mark(of sources: [String], options: [String]) throws -> String {
    for source in sources where access(source, R_OK) != 0 || source.hasPrefix("-") {
      throw Diagnosis(.unreadable, source, problem: "is not a readable file", remedy: "name the Swift sources of \(module)")
    }
    var limits = ToolchainProgram.Limits()
    limits.memory = 16 << 30
    // The first import of Foundation writes a Clang module of 11 MB to the compiler's cache.
    limits.files = 1 << 30
    let frontend = try ToolchainProgram("swift-frontend", limits: limits)
    let arguments = ["-parse-as-library", "-module-name", module] + options + sources.sorted()
    func output(_ action: String) throws -> [UInt8] {
      let (status, output, errors) = try frontend.run(["-frontend", action] + arguments)
      guard status == 0, let output else { throw diagnosis(status, errors) }
      return output
    }
    let declarations = try output("-print-ast-decl")
    let dependencies = try output("-scan-dependencies")
    let links = String(decoding: dependencies, as: UTF8.self).matches(of: /"linkName": "(\w+_[0-9a-f]{16})"/)
    let marks = Set(links.map { String($0.output.1) })
    // The content and not the path, which differs between machines.
    let headers = try JSONDecoder().decode(Dependencies.self, from: Data(dependencies)).headers.map { path in
      do {
        return ContentHash(of: try FileDescriptor(opening: path, O_RDONLY).readToEnd()).description
      } catch {
        throw Diagnosis(.unreadable, path, problem: "cannot be read: \(error)", remedy: "make the imported header readable")
      }
    }
    let bodies = Self.inlinableBodies(in: String(decoding: try output("-print-ast"), as: UTF8.self)).map { String($0) }
    let parts = marks.sorted() + headers.sorted() + bodies
    let hash = ContentHash(of: declarations + parts.flatMap { Array("\n\($0)".utf8) })
    return "\(module)_\(hash.description.prefix(16))"
  }

  /// The compiler's list of the modules that sources import, directly or not: the name of each, followed by its details.
  private struct Dependencies: Decodable {
    struct NameOrDetails: Decodable {
      /// The name, for a Clang module.
      let clang: String?
      let sourceFiles: [String]?
    }

    let modules: [NameOrDetails]

    /// The files of the Clang modules, without those of the system and the toolchain, and without those of Troupe, whose structs keep their
    /// layout.
    var headers: Set<String> {
      let files = zip(modules, modules.dropFirst()).filter { name, _ in name.clang != nil && name.clang != "CTroupe" }
        .flatMap { _, details in details.sourceFiles ?? [] }
      let toolchain = ["/lib/swift/", "/lib/swift_static/", "/lib/clang/"]
      return Set(files).filter { path in !path.hasPrefix("/usr/include/") && !toolchain.contains { path.contains($0) } }
    }
  }

  /// Returns the lines of the declarations with `@inlinable`, from each of these to the brace that closes it.
  private static func inlinableBodies(in text: String) -> [Substring] {
    var end: String?
    return text.split(separator: "\n").filter { line in
      if end == nil, line.contains("@inlinable") {
        end = line.hasSuffix("{") ? String(line.prefix { $0 == " " }) + "}" : ""
      }
      guard let last = end else { return false }
      if last.isEmpty || line == last { end = nil }
      return true
    }
  }

  /// The compiler's first error, or else how it ended.
  private func diagnosis(_ status: Int32, _ messages: String) -> Diagnosis {
    let lines = messages.split(separator: "\n")
    if let error = lines.lazy.compactMap({ $0.wholeMatch(of: /(.+):(\d+):(\d+): error: (.+)/) }).first {
      let (_, file, line, column, problem) = error.output
      return Diagnosis(
        .invalidData, String(file), problem: "does not compile at line \(line), column \(column): \(problem)",
        remedy: "correct the source, or write options such as -I and -D behind --")
    }
    if let error = lines.lazy.compactMap({ $0.wholeMatch(of: /<unknown>:0: error: (.+)/) }).first {
      return Diagnosis(
        .usage, problem: "the compiler: \(error.output.1)",
        remedy: "write only options such as -I, -D and -swift-version behind --")
    }
    let end = status < 0 ? "was ended by \(SignalName.of(-status))" : "ended with status \(status)"
    return Diagnosis(.unavailable, "swift-frontend", problem: end, remedy: "compile the sources with swiftc -typecheck")
  }

  // MARK: Files for the linker

  private func versionScript(in directory: String) -> String { "\(directory)/\(module).map" }

  /// Writes the version script and the linker script of a mark to a directory, and removes the linker scripts of former marks.
  ///
  /// - Throws: A `Diagnosis` if a file cannot be written.
  package func writeLinkerFiles(mark: String, to directory: String) throws(Diagnosis) {
    let script = "INPUT(-l\(module))\n"
    do throws(SystemError) {
      try AtomicFile.makeDirectory(directory, 0o777)
      try Self.write("\(mark) { global: *; };\n", to: versionScript(in: directory))
      try Self.write(script, to: "\(directory)/lib\(mark).so")
    } catch {
      throw Diagnosis(.inputOutput, directory, problem: "cannot be written: \(error)", remedy: "name another directory")
    }
    for name in (try? Path.entries(in: directory)) ?? [] where name != "lib\(mark).so" {
      let path = "\(directory)/\(name)"
      guard name.hasPrefix("lib\(module)_"), name.hasSuffix(".so"), name.utf8.count == "lib\(mark).so".utf8.count,
        (try? FileDescriptor(opening: path, O_RDONLY).readToEnd()) == Array(script.utf8)
      else { continue }
      unlink(path)
    }
  }

  /// Leaves a file with the same content alone, so that build tools do not link anew.
  private static func write(_ text: String, to path: String) throws(SystemError) {
    let bytes = Array(text.utf8)
    guard (try? FileDescriptor(opening: path, O_RDONLY).readToEnd()) != bytes else { return }
    try AtomicFile.write(bytes, to: path, mode: 0o644, directoryMode: 0o777)
  }
}
