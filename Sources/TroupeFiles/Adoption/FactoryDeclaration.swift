package import FoundationEssentials
internal import TroupeManifest
package import TroupeCall
internal import TroupeJSON

/// The declaration of a factory in C, from a `troupe_factory` or from a file that adopts a library. Both have to pass the same checks.
package struct FactoryDeclaration: Sendable {
  package let uuid: UUID
  package let name: String
  package let contract: String?
  package let type: FunctionType
  package let tags: [String]
  package let metadata: [String: String]
  package let lifetime: FactoryLifetime

  package init(
    uuid: UUID, name: String, contract: String?, type: FunctionType, tags: [String], metadata: [String: String],
    lifetime: FactoryLifetime
  ) {
    (self.uuid, self.name, self.contract, self.type) = (uuid, name, contract, type)
    (self.tags, self.metadata, self.lifetime) = (tags, metadata, lifetime)
  }

  /// The parameters and the result of the function.
  package var signature: Signature { type.signature }

  /// The largest number of tags, and of metadata entries. A larger count is a mistake, and reading so many could crash.
  static let maximumCount = 1024

  /// Returns the phrase for a factory in a message.
  package static func subject(_ name: String) -> String { "the factory \"\(name)\"" }

  /// Reads a UUID.
  package static func uuid(_ text: String) throws(RegistrationError) -> UUID {
    guard let uuid = UUID(reading: text) else {
      throw .argument("it registers a factory with the uuid \(text.shown), which is not one", "make one with uuidgen")
    }
    return uuid
  }

  /// Checks a name.
  package static func check(name: String, _ uuid: UUID) throws(RegistrationError) {
    guard 1...255 ~= name.utf8.count else {
      throw .argument("the factory \(uuid.uuidString.lowercased()) has a name of \(name.utf8.count) bytes", "give it 1 to 255")
    }
  }

  /// Reads a signature.
  package static func type(_ text: String, of subject: @autoclosure () -> String) throws(RegistrationError) -> FunctionType {
    do {
      return try FunctionType.parsing(text)
    } catch {
      throw .signature("\(subject()): \(error)")
    }
  }

  /// Checks the number of tags.
  package static func check(tagCount: Int, of subject: @autoclosure () -> String) throws(RegistrationError) {
    guard tagCount <= maximumCount else {
      throw .argument("\(subject()) has \(tagCount) tags", "at most \(maximumCount) are allowed")
    }
  }

  /// Checks a tag.
  package static func check(tag: String, of subject: @autoclosure () -> String) throws(RegistrationError) {
    guard !tag.isEmpty else { throw .argument("\(subject()) has an empty tag") }
    guard UUID(reading: tag) == nil else {
      throw .argument("\(subject()) has the tag \(tag), which reads as a UUID", "its own UUID is a tag by itself")
    }
  }

  /// Checks the number of entries of metadata.
  package static func check(metadataCount: Int, of subject: @autoclosure () -> String) throws(RegistrationError) {
    guard metadataCount <= maximumCount else {
      throw .argument("\(subject()) has \(metadataCount) entries of metadata", "at most \(maximumCount) are allowed")
    }
  }

  /// Checks the members against each other.
  ///
  /// - Parameters:
  ///   - subject: The phrase for the factory in a message.
  ///   - destroys: Whether the factory has a destroy function.
  package func check(_ subject: @autoclosure () -> String, destroys: Bool) throws(RegistrationError) {
    if let contract {
      guard ContractName.isName(contract) else {
        throw .contract(
          "\(subject()) has the contract \(contract.shown)", "write a name, a slash and a number, as in troupe.transform/1")
      }
      guard case .pointer = signature.result, signature.resultLength == nil else {
        throw .signature(
          "\(subject()) makes instances of \(contract) and returns \(signature.returned)", "it has to return a pointer")
      }
    } else {
      guard !destroys else {
        throw .argument("\(subject()) has a destroy function but no contract", "a plain function makes nothing to destroy")
      }
      guard lifetime == .transient else {
        throw .argument(
          "\(subject()) is \(lifetime == .scoped ? "scoped" : "a singleton") but has no contract",
          "a plain function is transient")
      }
    }
  }
}

extension Signature {
  /// The result of the function, for a message.
  fileprivate var returned: String { resultLength == nil ? result.description : "a buffer of \(result)" }
}
