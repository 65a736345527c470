/// A file of the site.
package struct SiteFile: Sendable {
  /// The path in the site, such as `plugins/org.example.geometry.html`.
  package let path: String
  /// The content.
  package let bytes: [UInt8]
}
