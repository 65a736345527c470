package import FoundationEssentials
internal import TroupeManifest
package import TroupeSignature
internal import TroupeBase

/// What a plugin in C declares about a factory: in a `troupe_factory`, or in an adoption file. Both pass the same checks, which are here.
package struct FactoryDeclaration: Sendable {
  package let uuid: UUID
  package let name: String
  package let contract: String?
  package let type: FunctionType
  package let tags: [String]
  package let metadata: [String: String]
  package let lifetime: FactoryLifetime
  /// The function may be called on any thread, also on several at once.
  package let isCallableFromAnyThread: Bool

  package init(
    uuid: UUID, name: String, contract: String?, type: FunctionType, tags: [String], metadata: [String: String],
    lifetime: FactoryLifetime, isCallableFromAnyThread: Bool
  ) {
    (self.uuid, self.name, self.contract, self.type) = (uuid, name, contract, type)
    (self.tags, self.metadata, self.lifetime) = (tags, metadata, lifetime)
    self.isCallableFromAnyThread = isCallableFromAnyThread
  }

  package var signature: Signature { type.signature }

  /// A larger number of tags or metadata entries is a mistake, and reading so many could crash.
  static let maximumCount = 1024

  /// The subject of a diagnosis.
  package static func subject(_ name: String) -> String { "the factory \"\(name)\"" }

  package static func uuid(_ text: String) throws(Diagnosis) -> UUID {
    guard let uuid = UUID(parsing: text) else {
      throw Diagnosis(
        .invalidArgument, problem: "it registers a factory with the uuid \(text.shown), which is not one",
        remedy: "make one with uuidgen")
    }
    return uuid
  }

  package static func check(name: String, _ uuid: UUID) throws(Diagnosis) {
    guard 1...255 ~= name.utf8.count else {
      throw Diagnosis(
        .invalidArgument, "the factory \(uuid.uuidString.lowercased())", problem: "has a name of \(name.utf8.count) bytes",
        remedy: "give it 1 to 255")
    }
  }

  package static func type(_ text: String, of subject: @autoclosure () -> String) throws(Diagnosis) -> FunctionType {
    do {
      return try FunctionType.parsing(text)
    } catch {
      throw Diagnosis(.invalidSignature, subject(), problem: "\(error)")
    }
  }

  package static func check(tagCount: Int, of subject: @autoclosure () -> String) throws(Diagnosis) {
    guard tagCount <= maximumCount else {
      throw Diagnosis(
        .invalidArgument, subject(), problem: "has \(tagCount) tags", remedy: "at most \(maximumCount) are allowed")
    }
  }

  package static func check(tag: String, of subject: @autoclosure () -> String) throws(Diagnosis) {
    guard !tag.isEmpty else { throw Diagnosis(.invalidArgument, subject(), problem: "has an empty tag") }
    guard UUID(parsing: tag) == nil else {
      throw Diagnosis(
        .invalidArgument, subject(), problem: "has the tag \(tag), which reads as a UUID",
        remedy: "its own UUID is a tag by itself")
    }
  }

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
  ///   - destroys: Pass true if the factory has a destroy function.
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

/// How long an instance of a factory lives, by the names of `troupe_lifetime` in C and of adoption files.
package enum FactoryLifetime: UInt8, Sendable, Hashable {
  case transient
  case singleton
  case scoped
}

extension FactoryLifetime: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(number: rawValue) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let number: UInt8 = try reader.number()
    guard let lifetime = Self(rawValue: number) else { throw ReadError("\(number) is no lifetime") }
    self = lifetime
  }
}
