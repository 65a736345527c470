internal import CTroupe
internal import TroupeCall
internal import TroupeManifest

/// The versions of everything that decides whether a plugin fits.
public struct HostVersions: Sendable, Encodable {
  /// The release of Troupe.
  public let troupe: String
  /// The fingerprint of the interface that plugins in Swift are compiled against.
  public let interface: String
  /// The version of the plugin ABI.
  public let abi: String
  /// The version of the Swift runtime in use.
  public let swift: String
  /// What the library's own file says about the compiler that built it; nil if it does not say.
  public let compiler: String?
  /// The file of the libffi in use, such as `libffi.so.8.1.2`, whose name tells its version, since releases before 3.5 have no
  /// function that does; nil if the loader does not say.
  public let libffi: String?

  /// The versions of this host.
  public static var current: HostVersions {
    HostVersions(
      troupe: Release.version, interface: SwiftInterface.fingerprint, abi: "\(TROUPE_ABI_MAJOR).\(TROUPE_ABI_MINOR)",
      swift: swiftVersion, compiler: SwiftToolchain.compiler,
      libffi: LibFFI.address.flatMap(LoadedFile.path(containing:)).map(Path.lastComponent(of:)))
  }

  /// Identifies the hosts for which the same file has the same probe result.
  static var key: String {
    "\(Release.version) \(SwiftInterface.fingerprint) \(TROUPE_ABI_MAJOR).\(TROUPE_ABI_MINOR) \(SwiftToolchain.compiler ?? "")"
  }

  /// Major and minor: the runtime's own patch number does not follow the toolchain's.
  private static var swiftVersion: String {
    "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(separator: ".")
  }
}
