@testable import TroupeBase
@testable import TroupeManifest

/// Reads any bytes as a manifest. No input may trap. A manifest that is read obeys the rules of manifests, has the members of the tree
/// that `JSONReader` builds from the same bytes, and is equal to itself after it is written and read again. Both accept the same JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let (manifest, fault) = read(bytes)
  let document: JSONNode?
  do {
    document = try JSONReader.read(Array(bytes.prefix { $0 != 0 }), maximumDepth: 512)
  } catch {
    // The one difference: of a member that is there twice the last counts.
    let isTwice = error.problem.hasPrefix("occurs twice")
    require(
      isTwice || fault == "is not JSON" || fault == "is not UTF-8", "\(error.problem), and the manifest is \(fault ?? "fine")")
    document = nil
  }
  if document != nil { require(fault != "is not JSON" && fault != "is not UTF-8", "JSON is JSON") }
  guard let manifest else {
    require(fault?.isEmpty == false, "the fault says something")
    require(fault?.unicodeScalars.contains { $0.properties.generalCategory == .control } == false, "the fault is one line")
    return 0
  }
  check(manifest)
  if let document { check(manifest, document) }
  let again = read(Array(manifest.json.utf8))
  require(again.manifest == manifest, "\(manifest.json) is \(again)")
  return 0
}

private func read(_ bytes: [UInt8]) -> (manifest: Manifest?, fault: String?) {
  do {
    return (try Manifest(json: bytes), nil)
  } catch {
    // A text that is not what it has to be is quoted as it is; what is made of it is one line.
    return (nil, error.description.onOneLine)
  }
}

/// The rules of manifests.
private func check(_ manifest: Manifest) {
  let texts = [
    manifest.id, manifest.name, manifest.version.description, manifest.language, manifest.sdk ?? "-",
    manifest.interface ?? "-",
  ]
  for text in texts {
    require(!text.isEmpty && text.utf8.count <= ManifestText.maximumLength, "\(text) is as long as a text may be")
    require(!text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(text) has no control characters")
  }
  require(PluginIdentifier.problem(in: manifest.id) == nil, "\(manifest.id) is an id")
  require(SemanticVersion(manifest.version.description) == manifest.version, "\(manifest.version) is a version")
  require((0...65535).contains(manifest.abi.major) && (0...65535).contains(manifest.abi.minor), "\(manifest.abi) is an ABI")
  require(manifest.requires.count <= Requirement.maximumCount, "there are few requirements")
  require(manifest.provides.count <= Requirement.maximumCount, "there are few contracts")
  require(manifest.provides.allSatisfy { ContractName.isName($0) }, "contracts have names of contracts")
  for requirement in manifest.requires {
    require((try? Requirement(requirement.description)) == requirement, "\(requirement) is a requirement")
  }
}

/// Compares a manifest with the tree of the same text.
private func check(_ manifest: Manifest, _ document: JSONNode) {
  guard case .object(let members) = document.content else { fatalError("a manifest is an object") }
  func text(_ name: String) -> String? {
    guard let member = members.first(where: { $0.name == name }), case .string(let text) = member.value.content else {
      return nil
    }
    return text
  }
  require(text("id") == manifest.id, "the id is the same")
  require(text("name") == manifest.name, "the name is the same")
  require(text("version") == manifest.version.description, "the version is the same")
  require(text("language") == manifest.language, "the language is the same")
  require(text("sdk") == manifest.sdk, "the release is the same")
  require(text("interface") == manifest.interface, "the interface is the same")
  require(text("compiler") == manifest.compiler, "the compiler is the same")
  require(text("description") ?? "" == manifest.description, "the description is the same")
  require(text("loading") == manifest.loading?.rawValue, "the way of loading is the same")
}

extension Manifest {
  /// The manifest as JSON.
  fileprivate var json: String {
    let texts = [
      ("id", id), ("name", name), ("version", version.description), ("language", language), ("abi", abi.description),
    ]
    let lists = [("requires", requires.map(\.description)), ("provides", provides)]
    let optional = [
      ("description", description.isEmpty ? nil : description), ("sdk", sdk), ("interface", interface), ("compiler", compiler),
      ("loading", loading?.rawValue),
    ].compactMap { name, text in text.map { (name, $0) } }
    let members =
      (texts + optional).map { quoted($0) + ":" + quoted($1) }
      + lists.map { quoted($0) + ":[" + $1.map(quoted).joined(separator: ",") + "]" }
      + [#""settings":["# + settings.map(\.json).joined(separator: ",") + "]"]
    return "{" + members.joined(separator: ",") + "}"
  }
}

extension Setting {
  /// The declaration as JSON.
  fileprivate var json: String {
    let bounds =
      switch valueType {
      case .integer(let range): #","minimum":\#(range.lowerBound),"maximum":\#(range.upperBound)"#
      case .number(let range):
        (range.lowerBound.isFinite ? #","minimum":\#(range.lowerBound)"# : "")
          + (range.upperBound.isFinite ? #","maximum":\#(range.upperBound)"# : "")
      case .choice(let choices): #","choices":["# + choices.map(quoted).joined(separator: ",") + "]"
      case .text, .boolean: ""
      }
    let texts = [("key", key), ("type", valueType.name), ("default", defaultValue), ("description", description)]
    return "{" + texts.map { quoted($0) + ":" + quoted($1) }.joined(separator: ",") + bounds + "}"
  }
}

/// A text without control characters as a JSON string.
private func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    if scalar == "\"" || scalar == "\\" { result += "\\" }
    result.unicodeScalars.append(scalar)
  }
  return result + "\""
}

/// Ends the process with a message, also in a release build.
private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard condition else { fatalError(message()) }
}
