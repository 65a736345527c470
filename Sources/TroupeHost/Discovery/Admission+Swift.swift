internal import TroupeManifest

extension Admission {
  /// Checks that a plugin in Swift was built by this host's compiler against this release.
  func checkSwift(_ path: String, _ elf: ELFFile, _ manifest: Manifest) throws {
    let remedy = "build it with this host's compiler against Troupe \(Release.version)"
    guard manifest.sdk == Release.version else {
      let other = manifest.sdk.map { "Troupe \($0)" } ?? "no release of Troupe that it names"
      throw PluginFault(
        path: path, code: .incompatibleCompiler, problem: "was built against \(other), and this host is \(Release.version)",
        remedy: remedy)
    }
    guard let own = SwiftToolchain.compiler else {
      throw PluginFault(
        path: path, code: .incompatibleCompiler, problem: "is in Swift, and this host does not know which compiler built it",
        remedy: "install a libTroupe.so whose section .comment has not been stripped")
    }
    guard let compiler = try elf.swiftCompiler() else {
      throw PluginFault(
        path: path, code: .incompatibleCompiler, problem: "does not say which compiler built it",
        remedy: "build it with this host's compiler and do not strip the section .comment")
    }
    guard compiler == own else {
      throw PluginFault(
        path: path, code: .incompatibleCompiler, problem: "was built by another compiler (\(compiler), this host by \(own))",
        remedy: remedy)
    }
  }
}
