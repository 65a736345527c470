internal import CTroupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeManifest

/// The versions that decide whether a plugin is compatible.
public struct HostVersions: Sendable, Encodable {
  /// The release of Troupe.
  public let troupe: String
  /// The version of the interface for plugins in Swift, `SwiftInterface`.
  public let interface: String
  /// The version of the plugin ABI.
  public let abi: String
  /// The version of the Swift runtime in use, without its patch number. The compilers of this version build plugins for this host.
  public let swift: String

  /// The versions of this host.
  public static var current: HostVersions {
    HostVersions(
      troupe: Release.version, interface: "\(SwiftInterface.version)", abi: "\(TROUPE_ABI_MAJOR).\(TROUPE_ABI_MINOR)",
      swift: "\(SwiftRuntime.version)")
  }

  /// Identifies the hosts for which the same file has the same probe result.
  static var key: String {
    let versions = current
    return "\(versions.troupe) \(versions.interface) \(versions.abi) \(versions.swift)"
  }
}
