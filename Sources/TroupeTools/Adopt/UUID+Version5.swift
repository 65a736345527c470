internal import CDigest
package import FoundationEssentials

/// Name-based UUIDs: equal names in a namespace have equal UUIDs.
extension UUID {
  /// The namespace of the UUIDs of adopted functions: the UUIDv5 of the URL `urn:troupe:adoption`.
  package static let adoption = UUID(
    uuid: (0x27, 0x53, 0x73, 0xA9, 0x81, 0xD7, 0x50, 0xFA, 0xB8, 0xBB, 0xCC, 0x72, 0x43, 0x3E, 0x7D, 0xAB))

  /// Creates the UUID of version 5 (RFC 9562, section 5.5) of a name in a namespace.
  package init(_ name: String, in namespace: UUID) {
    let bytes = withUnsafeBytes(of: namespace.uuid) { Array($0) } + Array(name.utf8)
    var hash = [UInt8](repeating: 0, count: 20)
    var context = SHA1_CTX()
    SHA1Init(&context)
    SHA1Update(&context, bytes, bytes.count)
    SHA1Final(&hash, &context)
    hash[6] = hash[6] & 0x0F | 0x50
    hash[8] = hash[8] & 0x3F | 0x80
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: hash.prefix(16)) }
    self.init(uuid: uuid)
  }
}
