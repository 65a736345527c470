package import FoundationEssentials
internal import TroupeManifest
package import TroupeSignature
internal import TroupeBase

/// The declaration of a factory in C, from a `troupe_factory` or from a file that adopts a library. Both have to pass the same checks.
package struct FactoryDeclaration: Sendable {
  package let uuid: UUID
  package let name: String
  package let contract: String?
  package let type: FunctionType
  package let tags: [String]
  package let metadata: [String: String]
  package let lifetime: FactoryLifetime
  /// Whether the function may be called on any thread, also on several at once.
  package let isCallableFromAnyThread: Bool

  package init(
    uuid: UUID, name: String, contract: String?, type: FunctionType, tags: [String], metadata: [String: String],
    lifetime: FactoryLifetime, isCallableFromAnyThread: Bool
  ) {
    (self.uuid, self.name, self.contract, self.type) = (uuid, name, contract, type)
    (self.tags, self.metadata, self.lifetime) = (tags, metadata, lifetime)
    self.isCallableFromAnyThread = isCallableFromAnyThread
  }

  /// The parameters and the result of the function.
  package var signature: Signature { type.signature }

  /// The largest number of tags, and of metadata entries. A larger count is a mistake, and reading so many could crash.
  static let maximumCount = 1024

  /// Returns the subject of a diagnosis of a factory.
  package static func subject(_ name: String) -> String { "the factory \"\(name)\"" }

  /// Reads a UUID.
  package static func uuid(_ text: String) throws(Diagnosis) -> UUID {
    guard let uuid = UUID(reading: text) else {
      throw Diagnosis(
        .invalidArgument, problem: "it registers a factory with the uuid \(text.shown), which is not one",
        remedy: "make one with uuidgen")
    }
    return uuid
  }

  /// Checks a name.
  package static func check(name: String, _ uuid: UUID) throws(Diagnosis) {
    guard 1...255 ~= name.utf8.count else {
      throw Diagnosis(
        .invalidArgument, "the factory \(uuid.uuidString.lowercased())", problem: "has a name of \(name.utf8.count) bytes",
        remedy: "give it 1 to 255")
    }
  }

  /// Reads a signature.
  package static func type(_ text: String, of subject: @autoclosure () -> String) throws(Diagnosis) -> FunctionType {
    do {
      return try FunctionType.parsing(text)
    } catch {
      throw Diagnosis(.invalidSignature, subject(), problem: "\(error)")
    }
  }

  /// Checks the number of tags.
  package static func check(tagCount: Int, of subject: @autoclosure () -> String) throws(Diagnosis) {
    guard tagCount <= maximumCount else {
      throw Diagnosis(
        .invalidArgument, subject(), problem: "has \(tagCount) tags", remedy: "at most \(maximumCount) are allowed")
    }
  }

  /// Checks a tag.
  package static func check(tag: String, of subject: @autoclosure () -> String) throws(Diagnosis) {
    guard !tag.isEmpty else { throw Diagnosis(.invalidArgument, subject(), problem: "has an empty tag") }
    guard UUID(reading: tag) == nil else {
      throw Diagnosis(
        .invalidArgument, subject(), problem: "has the tag \(tag), which reads as a UUID",
        remedy: "its own UUID is a tag by itself")
    }
  }

  /// Checks the number of entries of metadata.
  package static func check(metadataCount: Int, of subject: @autoclosure () -> String) throws(Diagnosis) {
    guard metadataCount <= maximumCount else {
      throw Diagnosis(
        .invalidArgument, subject(), problem: "has \(metadataCount) entries of metadata",
        remedy: "at most \(maximumCount) are allowed")
    }
  }

  /// Checks the members against each other.
  ///
  /// - Parameters:
  ///   - subject: The subject of a diagnosis.
  ///   - destroys: Whether the factory has a destroy function.
  package func check(_ subject: @autoclosure () -> String, destroys: Bool) throws(Diagnosis) {
    if let contract {
      guard ContractName.isName(contract) else {
        throw Diagnosis(
          .invalidContract, subject(), problem: "has the contract \(contract.shown)",
          remedy: "write a name, a slash and a number, as in troupe.transform/1")
      }
      guard case .pointer = signature.result else {
        throw Diagnosis(
          .invalidSignature, subject(), problem: "makes instances of \(contract) and returns \(signature.result)",
          remedy: "it has to return a pointer")
      }
    } else {
      guard !destroys else {
        throw Diagnosis(
          .invalidArgument, subject(), problem: "has a destroy function but no contract",
          remedy: "a plain function makes nothing to destroy")
      }
      guard lifetime == .transient else {
        throw Diagnosis(
          .invalidArgument, subject(), problem: "is \(lifetime == .scoped ? "scoped" : "a singleton") but has no contract",
          remedy: "a plain function is transient")
      }
    }
  }
}
