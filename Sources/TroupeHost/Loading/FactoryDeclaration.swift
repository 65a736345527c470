internal import FoundationEssentials
internal import Troupe
internal import TroupeCall
internal import TroupeJSON

/// What is said about a factory in C, wherever it is said: in a `troupe_factory`, or in a file that adopts a library. The
/// rules for it are here, so that both ways have the same.
struct FactoryDeclaration: Sendable {
  let uuid: UUID
  let name: String
  let contract: String?
  let type: FunctionType
  let tags: [String]
  let metadata: [String: String]
  let lifetime: Lifetime

  /// What its function takes and gives.
  var signature: Signature { type.signature }

  /// No factory has more tags or metadata than this; a larger count is a mistake, and following it would be a fault.
  static let maximumCount = 1024

  /// How a factory is called in a sentence.
  static func subject(_ name: String) -> String { "the factory \"\(name)\"" }

  /// Reads a UUID.
  static func uuid(_ text: String) throws(RegistrationError) -> UUID {
    guard let uuid = UUID(reading: text) else {
      throw .argument("it registers a factory with the uuid \(text.shown), which is not one", "make one with uuidgen")
    }
    return uuid
  }

  /// Checks a name.
  static func check(name: String, _ uuid: UUID) throws(RegistrationError) {
    guard 1...255 ~= name.utf8.count else {
      throw .argument("the factory \(uuid.uuidString.lowercased()) has a name of \(name.utf8.count) bytes", "give it 1 to 255")
    }
  }

  /// Reads a signature.
  static func type(_ text: String, of subject: @autoclosure () -> String) throws(RegistrationError) -> FunctionType {
    do {
      return try FunctionType.parsing(text)
    } catch {
      throw .signature("\(subject()): \(error)")
    }
  }

  /// Checks the number of tags.
  static func check(tagCount: Int, of subject: @autoclosure () -> String) throws(RegistrationError) {
    guard tagCount <= maximumCount else {
      throw .argument("\(subject()) has \(tagCount) tags", "at most \(maximumCount) are allowed")
    }
  }

  /// Checks a tag.
  static func check(tag: String, of subject: @autoclosure () -> String) throws(RegistrationError) {
    guard !tag.isEmpty else { throw .argument("\(subject()) has an empty tag") }
    guard UUID(reading: tag) == nil else {
      throw .argument("\(subject()) has the tag \(tag), which reads as a UUID", "its own UUID is a tag by itself")
    }
  }

  /// Checks the number of entries of metadata.
  static func check(metadataCount: Int, of subject: @autoclosure () -> String) throws(RegistrationError) {
    guard metadataCount <= maximumCount else {
      throw .argument("\(subject()) has \(metadataCount) entries of metadata", "at most \(maximumCount) are allowed")
    }
  }

  /// Checks what holds between the members.
  ///
  /// - Parameters:
  ///   - subject: How the factory is called in a sentence.
  ///   - destroys: Whether there is a function that ends an instance.
  func check(_ subject: @autoclosure () -> String, destroys: Bool) throws(RegistrationError) {
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
  /// What the function returns, for a message.
  fileprivate var returned: String { resultLength == nil ? result.description : "a buffer of \(result)" }
}
