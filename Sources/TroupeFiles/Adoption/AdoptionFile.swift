internal import CTroupe
internal import TroupeJSON
internal import TroupeManifest

/// The content of a file `NAME.troupe.json`, which makes a plugin of an existing C library: the identity of the plugin, the library,
/// and its functions.
///
/// Each part is read separately, so that a fault in one does not hide the others.
package struct AdoptionFile {
  /// The largest size of a file in bytes.
  package static let maximumSize: UInt64 = 1 << 20
  /// The largest number of functions.
  package static let maximumFunctionCount = 10_000

  private static let members = ["id", "name", "version", "description", "library", "functions", "strict", "threads"]

  /// The outer object.
  private let whole: JSONObject

  /// Parses the JSON text.
  init(_ bytes: [UInt8]) throws(JSONFault) {
    whole = try JSONObject(JSONReader.read(bytes))
  }

  /// Throws a fault for an unknown member of the outer object.
  func checkMembers() throws(JSONFault) { try whole.refuseOthers(than: Self.members) }

  /// Returns the manifest of the plugin. The language is `c`, and the ABI is the host's, since the plugin has no code of its own.
  func manifest() throws(JSONFault) -> Manifest {
    let id = try text("id", such: "a string such as \"org.example.zlib\"")
    if let fault = PluginIdentifier.fault(in: id.text) {
      throw JSONFault(id.place, "\(id.text.shown) \(fault)", remedy: "write one such as \"org.example.zlib\"")
    }
    let name = try text("name", such: "a string such as \"zlib\"")
    let version = try text("version", such: "a string such as \"1.0.0\"")
    guard let number = SemanticVersion(version.text) else {
      throw JSONFault(
        version.place, "is \(version.text.shown), which is not a semantic version", remedy: "write one such as \"1.0.0\"")
    }
    let description = try whole.optionalString("description", such: "a string such as \"Compression of data\"")
    if let description { try Self.checkLength(description) }
    let abi = Manifest.ABI(major: Int(TROUPE_ABI_MAJOR), minor: Int(TROUPE_ABI_MINOR))
    return Manifest(
      Manifest.Content(
        id: id.text, name: name.text, description: description?.text ?? "", version: number, language: "c", abi: abi, sdk: nil,
        interface: nil, requires: [], provides: [], loading: nil))
  }

  /// Returns the name or path of the library and its location in the file. The loader searches for a name; a path is relative to the
  /// folder of the file.
  func library() throws(JSONFault) -> JSONObject.Text {
    try text("library", such: "a string such as \"libz.so.1\" or \"./libfoo.so\"")
  }

  /// Returns whether one faulty function rejects the plugin; false by default.
  func isStrict() throws(JSONFault) -> Bool {
    try whole.optionalBoolean("strict") ?? false
  }

  /// Returns the valid functions in their order, and the faults of the others with their names, if these can be read. Throws if the
  /// file is strict and has a fault, or has no valid function.
  func functions() throws(JSONFault) -> (sound: [AdoptedFunction], faults: [(name: String?, fault: JSONFault)]) {
    let list = try whole.array("functions", such: "an array of objects")
    guard list.elements.count <= Self.maximumFunctionCount else {
      throw JSONFault(
        list.place, "has \(list.elements.count) elements; expected at most \(Self.maximumFunctionCount)",
        remedy: "divide it among several files")
    }
    let isStrict = try isStrict()
    let allowsThreads = try whole.threads() ?? false
    var (functions, faults): ([AdoptedFunction], [(name: String?, fault: JSONFault)]) = ([], [])
    var places: [AdoptedFunction.Identifier: JSONPath] = [:]
    for (index, element) in list.elements.enumerated() {
      do throws(JSONFault) {
        functions.append(try Self.function(element, index, allowsThreads, &places))
      } catch {
        if isStrict { throw error }
        faults.append((try? JSONObject(element).string("name", such: "").text, error))
      }
    }
    guard !functions.isEmpty else {
      throw faults.first?.fault ?? JSONFault(list.place, "is empty; expected at least one function", remedy: "add one")
    }
    return (functions, faults)
  }

  /// Reads an element of `functions`. Throws if an earlier function has the same UUID.
  private static func function(
    _ element: JSONNode, _ index: Int, _ allowsThreads: Bool, _ places: inout [AdoptedFunction.Identifier: JSONPath]
  ) throws(JSONFault) -> AdoptedFunction {
    let object = try JSONObject(element)
    let function = try AdoptedFunction(object, index: index, allowsThreads: allowsThreads)
    if let other = places[function.declaration.uuid] {
      throw JSONFault(
        try object.string("uuid", such: AdoptedFunction.uuidExample).place, "is the UUID of \(other) as well",
        remedy: "make another with uuidgen")
    }
    places[function.declaration.uuid] = object.place.path
    return function
  }

  /// Returns a string member of the outer object, with the length limit of a manifest.
  private func text(_ name: String, such example: String) throws(JSONFault) -> JSONObject.Text {
    let member = try whole.string(name, such: example)
    try Self.checkLength(member)
    return member
  }

  private static func checkLength(_ member: JSONObject.Text) throws(JSONFault) {
    guard member.text.utf8.count <= ManifestText.maximumLength else {
      throw JSONFault(
        member.place, "has \(member.text.utf8.count) bytes; expected at most \(ManifestText.maximumLength)",
        remedy: "shorten it")
    }
  }
}

extension JSONObject {
  /// Throws a fault for the first member with an unknown name, which is probably misspelled.
  func refuseOthers(than names: [String]) throws(JSONFault) {
    guard let other = members.first(where: { !names.contains($0.name) }) else { return }
    let nearest = nearestName(to: other.name, in: names)
    throw JSONFault(
      other.value.place, "is not known; expected one of \(names.joined(separator: ", "))",
      remedy: nearest.map { "rename it to \($0.shown), or remove it" } ?? "correct its name, or remove it")
  }
}
