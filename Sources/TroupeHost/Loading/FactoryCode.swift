internal import CTroupe
internal import FoundationEssentials
internal import Troupe
internal import TroupeCall
internal import TroupeContainer
internal import TroupeFiles

/// The code of a factory in C, beside its `RegistrationDescription`.
struct FactoryCode {
  let type: FunctionType
  let function: UnsafeRawPointer
  let destroy: ForeignInstance.Destroy?
  let vtable: UnsafeRawPointer?
  /// The address of the vectorized body, a `troupe_loop`; nil for none.
  let body: UInt?

  /// The addresses of its functions, as the plugin declares them.
  var addresses: [UInt] {
    [UInt(bitPattern: function)] + (destroy.map { [UInt(bitPattern: unsafeBitCast($0, to: UnsafeRawPointer.self))] } ?? [])
      + (body.map { [$0] } ?? [])
  }
}

extension FactoryCode {
  /// Copies a factory that a plugin in C registers. Throws a `Diagnosis` for members that the header does not allow.
  ///
  /// - Parameters:
  ///   - plugin: The id of the plugin.
  ///   - abiMinor: The minor version of the ABI that the plugin is built for.
  static func reading(
    _ factory: UnsafePointer<CFactory>?, plugin: String, abiMinor: Int
  ) throws(Diagnosis) -> (RegistrationDescription, FactoryCode) {
    guard let factory else {
      throw Diagnosis(.invalidArgument, problem: "it registers NULL", remedy: "pass the address of a troupe_factory")
    }
    guard let source = ABIStruct.factory.copy(factory, as: CFactory.self, minor: abiMinor) else {
      let (size, minimum) = (ABIStruct.declaredSize(of: factory), ABIStruct.factory.size(inMinor: abiMinor))
      throw Diagnosis(
        .invalidArgument, problem: "it registers a factory with struct_size \(size)",
        remedy: "set it to sizeof(troupe_factory), which is \(minimum)")
    }
    let uuid = try RegistrationDescription.uuid(text(source.uuid, "uuid", of: "a factory"))
    let name = try text(source.name, "name", of: "the factory \(uuid.uuidString.lowercased())")
    try RegistrationDescription.check(name: name, uuid)
    // Only error messages need it.
    var subject: String { RegistrationDescription.subject(name) }
    guard let function = source.function else {
      throw Diagnosis(.invalidArgument, subject, problem: "has NULL as its function")
    }
    let lifetime: Lifetime
    switch Int(source.lifetime) {
    case Int(TROUPE_TRANSIENT): lifetime = .transient
    case Int(TROUPE_SINGLETON): lifetime = .singleton
    case Int(TROUPE_SCOPED): lifetime = .scoped
    case let other:
      throw Diagnosis(
        .invalidArgument, subject, problem: "has the lifetime \(other)",
        remedy: "set it to TROUPE_TRANSIENT, TROUPE_SINGLETON or TROUPE_SCOPED")
    }
    let tags = try self.tags(source, of: subject)
    let metadata = try self.metadata(source, of: subject)
    let type = try RegistrationDescription.type(text(source.signature, "signature", of: subject), of: subject)
    let description = RegistrationDescription(
      plugin: plugin, uuid: uuid, name: name,
      contract: source.contract == nil ? nil : try text(source.contract, "contract", of: subject), tags: tags,
      signature: type.text, lifetime: lifetime, metadata: metadata)
    try description.check(subject, result: type.signature.result, destroys: source.destroy != nil)
    let body = source.map.map { UInt(bitPattern: unsafeBitCast($0, to: UnsafeRawPointer.self)) }
    guard body == nil || description.contract == nil && type.signature.isNumeric else {
      throw Diagnosis(
        .invalidSignature, subject, problem: "has a vectorized body and the signature \(type.text)",
        remedy:
          "leave out the body: it is for functions whose parameters and result are numbers, without \"errno\" and \"error\"")
    }
    let code = FactoryCode(
      type: type, function: unsafeBitCast(function, to: UnsafeRawPointer.self), destroy: source.destroy,
      vtable: source.vtable, body: body)
    return (description, code)
  }

  private static func text(
    _ pointer: UnsafePointer<CChar>?, _ member: String, of subject: @autoclosure () -> String
  ) throws(Diagnosis) -> String {
    guard let pointer else { throw Diagnosis(.invalidArgument, subject(), problem: "has NULL as its \(member)") }
    guard let text = String(validatingCString: pointer) else {
      throw Diagnosis(.invalidArgument, subject(), problem: "has a \(member) that is not UTF-8")
    }
    return text
  }

  private static func tags(_ source: CFactory, of subject: @autoclosure () -> String) throws(Diagnosis) -> [String] {
    try RegistrationDescription.check(tagCount: Int(source.tag_count), of: subject())
    guard source.tag_count > 0 else { return [] }
    guard let pointer = source.tags else {
      throw Diagnosis(.invalidArgument, subject(), problem: "has \(source.tag_count) tags but NULL for them")
    }
    var tags: [String] = []
    for index in 0..<Int(source.tag_count) {
      let tag = try text(pointer[index], "tag", of: subject())
      try RegistrationDescription.check(tag: tag, of: subject())
      if !tags.contains(tag) { tags.append(tag) }
    }
    return tags
  }

  private static func metadata(
    _ source: CFactory, of subject: @autoclosure () -> String
  ) throws(Diagnosis) -> [String: String] {
    try RegistrationDescription.check(metadataCount: Int(source.metadata_count), of: subject())
    guard source.metadata_count > 0 else { return [:] }
    guard let pointer = source.metadata else {
      throw Diagnosis(
        .invalidArgument, subject(), problem: "has \(source.metadata_count) entries of metadata but NULL for them")
    }
    var metadata: [String: String] = [:]
    for index in 0..<Int(source.metadata_count) {
      let key = try text(pointer[index].key, "metadata key", of: subject())
      metadata[key] = try text(pointer[index].value, "metadata value", of: subject())
    }
    return metadata
  }
}
