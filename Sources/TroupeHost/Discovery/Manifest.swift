internal import FoundationEssentials
public import TroupeManifest

/// What a plugin says about itself.
public struct Manifest: Sendable, Hashable {
  /// The version of the ABI that a plugin was built against.
  public struct ABI: Sendable, Hashable, CustomStringConvertible {
    /// Counts incompatible changes.
    public let major: Int
    /// Counts additions.
    public let minor: Int

    /// Such as `1.0`.
    public var description: String { "\(major).\(minor)" }
  }

  /// The plugin's id in reverse DNS notation.
  public let id: String
  /// The plugin's name for people.
  public let name: String
  /// The plugin's version.
  public let version: SemanticVersion
  /// The language that it is written in, such as `swift`, `c` or `c++`.
  public let language: String
  /// The ABI that it was built against.
  public let abi: ABI
  /// For a plugin in Swift, the release of Troupe that it was built against.
  public let sdk: String?
}

extension Manifest {
  /// Reads a manifest up to its first NUL. Members that are not known are ignored, so that later versions can add some.
  ///
  /// Throws a `ManifestError`.
  package init(json: [UInt8]) throws(ManifestError) {
    // C's literal ends with a NUL, and Swift's is filled up with spaces, which JSON ignores.
    guard let text = String(validating: json.prefix { $0 != 0 }, as: UTF8.self) else { throw ManifestError("is not UTF-8") }
    let members: Members
    do {
      members = try JSONDecoder().decode(Members.self, from: Data(text.utf8))
    } catch let DecodingError.typeMismatch(_, context), let DecodingError.valueNotFound(_, context) {
      let name = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw ManifestError(name.isEmpty ? "is not a JSON object" : "has a \"\(name)\" that is not a string")
    } catch {
      throw ManifestError("is not JSON")
    }
    id = try Self.required("id", members.id)
    if let fault = PluginIdentifier.fault(in: id) { throw ManifestError("has the id \"\(id)\", which \(fault)") }
    name = try Self.required("name", members.name)
    let versionText = try Self.required("version", members.version)
    guard let version = SemanticVersion(versionText) else {
      throw ManifestError("has the version \"\(versionText)\", which is not a semantic version such as 1.0.0")
    }
    self.version = version
    language = try Self.required("language", members.language)
    abi = try Self.abi(try Self.required("abi", members.abi))
    sdk = members.sdk == nil ? nil : try Self.required("sdk", members.sdk)
  }

  private struct Members: Decodable {
    var id, name, version, language, abi, sdk: String?
  }

  private static func required(_ name: String, _ value: String?) throws(ManifestError) -> String {
    guard let value, !value.isEmpty else { throw ManifestError("has no \"\(name)\"") }
    guard value.utf8.count <= ManifestText.maximumLength else {
      throw ManifestError("has a \"\(name)\" of more than \(ManifestText.maximumLength) bytes")
    }
    guard !ManifestText.hasControlCharacters(value) else {
      throw ManifestError("has a \"\(name)\" with control characters")
    }
    return value
  }

  private static func abi(_ text: String) throws(ManifestError) -> ABI {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt16($0) }
    guard numbers.count == 2, let major = numbers[0], let minor = numbers[1] else {
      throw ManifestError("has the abi \"\(text)\", which is not a version such as 1.0")
    }
    return ABI(major: Int(major), minor: Int(minor))
  }
}

/// What is wrong with a manifest, as the end of a sentence that begins with the manifest.
package struct ManifestError: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
