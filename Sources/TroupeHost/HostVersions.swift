internal import CTroupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeManifest

/// The versions that decide whether a plugin is compatible.
public struct HostVersions: Sendable, Encodable {
  /// The release of Troupe.
  public let troupe: String
  /// The fingerprint of the interface that plugins in Swift are compiled against.
  public let interface: String
  /// The version of the plugin ABI.
  public let abi: String
  /// The version of the Swift runtime in use.
  public let swift: String
  /// The compiler that built the library, as recorded in its file; nil without a record.
  public let compiler: String?

  /// The versions of this host.
  public static var current: HostVersions {
    HostVersions(
      troupe: Release.version, interface: SwiftInterface.fingerprint, abi: "\(TROUPE_ABI_MAJOR).\(TROUPE_ABI_MINOR)",
      swift: swiftVersion, compiler: SwiftToolchain.compiler)
  }

  /// Identifies the hosts for which the same file has the same probe result.
  static var key: String {
    "\(Release.version) \(SwiftInterface.fingerprint) \(TROUPE_ABI_MAJOR).\(TROUPE_ABI_MINOR) \(SwiftToolchain.compiler ?? "")"
  }

  /// Major and minor: the patch number of the runtime does not follow that of the toolchain.
  private static var swiftVersion: String {
    "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(separator: ".")
  }
}
