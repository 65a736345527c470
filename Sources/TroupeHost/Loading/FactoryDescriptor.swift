internal import CTroupe
internal import FoundationEssentials
internal import Troupe
internal import TroupeCall

/// What a plugin in C registers, copied from its `troupe_factory` and checked.
struct FactoryDescriptor {
  let uuid: UUID
  let name: String
  let contract: String?
  let signature: Signature
  let function: UnsafeRawPointer
  let destroy: ForeignInstance.Destroy?
  let vtable: UnsafeRawPointer?
  let tags: [String]
  let metadata: [String: String]
  let lifetime: Lifetime

  /// Copies a descriptor. Throws a `RegistrationError` for what the header does not allow.
  init(_ factory: UnsafePointer<CFactory>?) throws(RegistrationError) {
    guard let factory else { throw .argument("it registers NULL; pass the address of a troupe_factory") }
    let size = UnsafeRawPointer(factory).load(as: UInt32.self)
    guard size >= UInt32(MemoryLayout<CFactory>.size) else {
      throw .argument(
        "it registers a factory with struct_size \(size); set it to sizeof(troupe_factory), which is \(MemoryLayout<CFactory>.size)"
      )
    }
    let source = factory.pointee
    let uuidText = try Self.text(source.uuid, "uuid", of: "a factory")
    guard let uuid = UUID(uuidString: uuidText) else {
      throw .argument("it registers a factory with the uuid \"\(uuidText)\", which is not one; make one with uuidgen")
    }
    self.uuid = uuid
    name = try Self.text(source.name, "name", of: "the factory \(uuid)")
    let subject = "the factory \"\(name)\""
    guard !name.isEmpty, name.utf8.count <= 255 else {
      throw .argument("the factory \(uuid) has a name of \(name.utf8.count) bytes; give it 1 to 255")
    }
    guard let function = source.function else { throw .argument("\(subject) has NULL as its function") }
    self.function = unsafeBitCast(function, to: UnsafeRawPointer.self)
    destroy = source.destroy
    vtable = source.vtable
    guard [TROUPE_TRANSIENT, TROUPE_SINGLETON].contains(Int(source.lifetime)) else {
      throw .argument("\(subject) has the lifetime \(source.lifetime); it is TROUPE_TRANSIENT or TROUPE_SINGLETON")
    }
    lifetime = Int(source.lifetime) == Int(TROUPE_SINGLETON) ? .singleton : .transient
    tags = try Self.tags(source, of: subject)
    metadata = try Self.metadata(source, of: subject)
    let signatureText = try Self.text(source.signature, "signature", of: subject)
    do {
      signature = try Signature(parsing: signatureText)
    } catch {
      throw .signature("\(subject): \(error)")
    }
    contract = source.contract == nil ? nil : try Self.text(source.contract, "contract", of: subject)
    try check(subject)
  }

  /// What holds between the members.
  private func check(_ subject: String) throws(RegistrationError) {
    if let contract {
      guard Contract.isName(contract) else {
        throw .contract(
          "\(subject) has the contract \"\(contract)\"; write a name, a slash and a number, as in troupe.transform/1")
      }
      guard case .pointer = signature.result else {
        throw .signature(
          "\(subject) makes instances of \(contract) and returns \(signature.result); it has to return a pointer")
      }
    } else {
      guard destroy == nil else {
        throw .argument("\(subject) has a destroy function but no contract; a plain function makes nothing to destroy")
      }
      guard lifetime == .transient else {
        throw .argument("\(subject) is a singleton but has no contract; a plain function is TROUPE_TRANSIENT")
      }
    }
  }

  /// No descriptor has more tags or metadata than this; a larger count is a mistake, and following it would be a fault.
  private static let maximumCount: UInt32 = 1024

  private static func text(
    _ pointer: UnsafePointer<CChar>?, _ member: String, of subject: String
  ) throws(RegistrationError) -> String {
    guard let pointer else { throw .argument("\(subject) has NULL as its \(member)") }
    guard let text = String(validatingCString: pointer) else { throw .argument("\(subject) has a \(member) that is not UTF-8") }
    return text
  }

  private static func tags(_ source: CFactory, of subject: String) throws(RegistrationError) -> [String] {
    guard source.tag_count <= maximumCount else {
      throw .argument("\(subject) has \(source.tag_count) tags; at most \(maximumCount) are allowed")
    }
    guard source.tag_count > 0 else { return [] }
    guard let pointer = source.tags else { throw .argument("\(subject) has \(source.tag_count) tags but NULL for them") }
    var tags: [String] = []
    for index in 0..<Int(source.tag_count) {
      let tag = try text(pointer[index], "tag", of: subject)
      guard !tag.isEmpty else { throw .argument("\(subject) has an empty tag") }
      guard UUID(uuidString: tag) == nil else {
        throw .argument("\(subject) has the tag \(tag), which reads as a UUID; its own UUID is a tag by itself")
      }
      if !tags.contains(tag) { tags.append(tag) }
    }
    return tags
  }

  private static func metadata(_ source: CFactory, of subject: String) throws(RegistrationError) -> [String: String] {
    guard source.metadata_count <= maximumCount else {
      throw .argument("\(subject) has \(source.metadata_count) entries of metadata; at most \(maximumCount) are allowed")
    }
    guard source.metadata_count > 0 else { return [:] }
    guard let pointer = source.metadata else {
      throw .argument("\(subject) has \(source.metadata_count) entries of metadata but NULL for them")
    }
    var metadata: [String: String] = [:]
    for index in 0..<Int(source.metadata_count) {
      let key = try text(pointer[index].key, "metadata key", of: subject)
      metadata[key] = try text(pointer[index].value, "metadata value", of: subject)
    }
    return metadata
  }
}
