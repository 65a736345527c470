internal import TroupeManifest
internal import TroupeBase

/// The checks of Swift code. On Linux, Swift has no stable ABI between the minor versions of its runtime, and a type exists once for each
/// image that contains it.
extension Admission {
  /// Checks that a plugin in Swift was built against an interface that this host has, and for the runtime of this process.
  func checkSwift(_ path: String, _ manifest: Manifest) throws {
    func mismatch(_ problem: String, _ remedy: String = Self.rebuilding) -> Diagnosis {
      Diagnosis(.incompatibleCompiler, path, problem: problem, remedy: remedy)
    }
    let (own, runtime) = (SwiftInterface.version, SwiftRuntime.version)
    guard let text = manifest.interface else { throw mismatch("does not say which interface of Troupe it was built against") }
    guard let interface = ABIVersion(text) else {
      throw mismatch(
        "was built against the interface \(text.shortened()) of Troupe, this host expects a version such as \(own)")
    }
    guard own.loads(interface) else {
      let release = manifest.sdk.map { "Troupe \($0.shortened())" }
      let isNewer = (interface.major, interface.minor) > (own.major, own.minor)
      throw mismatch(
        "requires interface \(interface) of Troupe\(release.map { " (\($0))" } ?? ""), this host has \(own) (Troupe \(Release.version))",
        isNewer ? "update the host\(release.map { " to \($0) or newer" } ?? ""), or \(Self.rebuilding)" : Self.rebuilding)
    }
    guard let text = manifest.compiler else { throw mismatch("does not say which compiler built it") }
    guard let compiler = ABIVersion(text) else {
      throw mismatch("was built by the compiler \(text.shortened()), this host expects a version such as \(runtime)")
    }
    guard compiler == runtime else { throw mismatch("was built by Swift \(compiler), this host runs with Swift \(runtime)") }
  }

  private static let rebuilding = "rebuild it with Swift \(SwiftRuntime.version) against Troupe \(Release.version)"

  /// Rejects an image of Swift code that contains a copy of the Troupe library: with two copies of a type, plugin and host could not
  /// exchange its instances. Costs little for an image without Swift code.
  ///
  /// - Parameter manifest: Nil for a plugin in another language and for an adopted library.
  /// - Returns: True if the image contains Swift code.
  package func checkLinking(_ path: String, _ elf: ELFFile, manifest: Manifest?) throws -> Bool {
    let isSwift = manifest?.language == "swift"
    var holdsSwift = try elf.holdsSwift() || isSwift
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

/// The Swift runtime of this process.
package enum SwiftRuntime {
  /// Without the patch number, which does not follow that of the toolchain.
  package static let version: ABIVersion = {
    let numbers = "\(_SwiftStdlibVersion.current)".split(separator: ".").map { Int($0) ?? 0 }
    return ABIVersion(major: numbers.first ?? 0, minor: numbers.dropFirst().first ?? 0)
  }()
}
