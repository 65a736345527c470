/// The interface of `libTroupe.so` for plugins in Swift: the public declarations of Troupe, TroupeContainer and TroupeScopes.
///
/// These modules are built with library evolution, so that a plugin runs in later releases without a rebuild if both were built with the
/// same minor version of Swift: on Linux, Swift's own ABI differs between them. `@Plugin` writes the version into the plugin's manifest, and
/// the host compares it with its own; see ``ABIVersion`` for the rule.
///
/// A change that only adds declarations raises the minor number. A change that removes or alters one raises the major number, and so
/// requires a rebuild of all plugins in Swift.
public enum SwiftInterface {
  /// The version of the interface. Independent of the ``Release``, of which many may have the same interface.
  public static let version = ABIVersion(major: 0, minor: 1)
}
