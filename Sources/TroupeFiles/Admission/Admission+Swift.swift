internal import TroupeManifest
internal import TroupeBase

/// The checks of Swift code. Swift has no stable ABI between compilers, and a type exists once for each image that contains it.
extension Admission {
  /// Checks that a plugin in Swift was built by this host's compiler against this host's interface. The release of Troupe may differ.
  func checkSwift(_ path: String, _ elf: ELFFile, _ manifest: Manifest) throws {
    guard let interface = manifest.interface else {
      throw Diagnosis(
        .incompatibleCompiler, path, problem: "does not say which interface of Troupe it was built against",
        remedy: Self.rebuilding)
    }
    guard interface == SwiftInterface.fingerprint else {
      throw Diagnosis(
        .incompatibleCompiler, path,
        problem:
          "was built against another interface of Troupe (\(Self.shown(manifest.sdk, interface)), this host is \(Self.shown(Release.version, SwiftInterface.fingerprint)))",
        remedy: Self.rebuilding)
    }
    guard let own = SwiftToolchain.compiler else {
      throw Diagnosis(
        .incompatibleCompiler, path, problem: "is in Swift, and this host does not know which compiler built it",
        remedy: "install a libTroupe.so whose section .comment has not been stripped")
    }
    guard let compiler = try elf.swiftCompiler() else {
      throw Diagnosis(
        .incompatibleCompiler, path, problem: "does not say which compiler built it",
        remedy: "build it with this host's compiler and do not strip the section .comment")
    }
    guard compiler == own else {
      throw Diagnosis(
        .incompatibleCompiler, path, problem: "was built by another compiler (\(compiler), this host by \(own))",
        remedy: Self.rebuilding)
    }
  }

  private static func shown(_ release: String?, _ fingerprint: String) -> String {
    "\(release ?? "unknown release"), interface \(fingerprint)"
  }

  private static let rebuilding = "build it with this host's compiler against Troupe \(Release.version)"

  /// Rejects an image of Swift code that contains a copy of the Troupe library: with two copies of a type, plugin and host could not
  /// exchange its instances. Costs little for an image without Swift code.
  ///
  /// - Parameter manifest: Nil for a plugin in another language and for an adopted library.
  /// - Returns: True if the image contains Swift code.
  package func checkLinking(_ path: String, _ elf: ELFFile, manifest: Manifest?) throws -> Bool {
    let isSwift = manifest?.language == "swift"
    var holdsSwift = try isSwift || elf.holdsSwift()
    // Without section headers, the needed libraries show whether the image contains Swift code.
    let isUnknown = try !holdsSwift && elf.lacksSectionHeaders()
    guard holdsSwift || isUnknown, let dynamic = try elf.dynamicSection() else { return holdsSwift }
    if isUnknown { holdsSwift = dynamic.needed.contains { $0.utf8.starts(with: "libswift".utf8) } }
    for symbol in HostTypeSymbols.symbols where try elf.defines(symbol, dynamic) {
      throw Diagnosis(
        .duplicatesHostTypes, path, problem: "has a copy of Troupe's types of its own (\(symbol)), which are not the host's",
        remedy: HostTypeSymbols.remedy)
    }
    guard !isSwift || dynamic.needed.contains(HostTypeSymbols.library) else {
      throw Diagnosis(
        .duplicatesHostTypes, path,
        problem: "is in Swift and does not link \(HostTypeSymbols.library), which has the host's types",
        remedy: HostTypeSymbols.remedy)
    }
    return holdsSwift
  }
}

/// The symbols that distinguish a copy of the Troupe library from a library that links it.
package enum HostTypeSymbols {
  package static let library = "libTroupe.so"

  /// The type descriptor of one type of each module whose types plugins can use. The compiler emits a descriptor for every type that is
  /// linked in, and stripping keeps it. Extensions of these types in other modules have other symbols.
  package static let symbols: [SymbolQuery] = [
    "$s15TroupeContainer0B0CMn", "$s6Troupe13PluginContextCMn", "$s10TroupeHost06PluginB0CMn",
    "$s14TroupeManifest15SemanticVersionVMn", "$s15TroupeSignature0B0VMn",
    "$s10TroupeCall5ValueOMn",
  ]

  static let remedy =
    "link it with the options of troupe flags --plugin and with none of Troupe's object files or static libraries; with the package manager, depend on the product Troupe alone"
}

/// The toolchain that built this library.
package enum SwiftToolchain {
  /// Nil if the file of the library does not name a compiler.
  package static let compiler: String? = OwnLibrary.path.flatMap { try? ELFFile(path: $0).swiftCompiler() }
}
