package import FoundationEssentials

/// A registration that is known without running code of its plugin.
package struct KnownRegistration: Sendable {
  /// The file of the plugin.
  package let path: String
  package let uuid: UUID?
  package let name: String
  package let contract: String?
  package let tags: [String]
  /// Whether it is a plain function in C.
  package let isFunction: Bool
}
