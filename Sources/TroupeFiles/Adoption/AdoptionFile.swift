internal import FoundationEssentials
internal import CTroupe
internal import TroupeBase
internal import TroupeManifest

/// An adoption file, `NAME.troupe.json`: it makes a plugin of an existing C library, which needs no change and no manifest.
///
/// ```json
/// { "id": "org.example.zlib", "name": "zlib", "version": "1.0.0", "library": "libz.so.1",
///   "functions": [{ "uuid": "…", "name": "crc32", "symbol": "crc32", "signature": "uint64_t (uint64_t, const void *, uint32_t)" }] }
/// ```
///
/// A person writes the file, so all of its errors are reported at once, each with its line. Each part is read separately: `errors` has those
/// that reject the file, and `refusals` those that only cost a function.
package struct AdoptionFile {
  /// In bytes.
  package static let maximumSize: UInt64 = 1 << 20
  package static let maximumFunctionCount = 10_000

  private static let members = [
    "id", "name", "version", "description", "library", "functions", "variables", "types", "start", "stop", "strict", "threads",
    "constants",
  ]

  /// Nil with an error in it.
  let manifest: Manifest?
  /// The name or path of the library. Nil with an error in it. See `AdoptedLibrarySearch`.
  let library: JSONObject.Text?
  /// One faulty function rejects the plugin.
  let isStrict: Bool
  /// The valid functions, and then the valid variables, in order.
  private(set) var functions: [AdoptedFunction] = []
  private(set) var start, stop: AdoptedCall?
  /// The errors of the other functions, with their names if these can be read.
  package private(set) var refusals: [(name: String?, errors: [JSONError])] = []
  /// The errors that reject the file: those outside the functions in their order in the text, and then those of the functions, if the
  /// file is strict or has no valid one.
  package private(set) var errors: [(name: String?, error: JSONError)]

  /// Throws only if the text is no JSON object.
  package init(_ bytes: [UInt8]) throws(JSONError) {
    let whole = try JSONObject(JSONReader.read(bytes))
    var outer = JSONErrors(whole.others(than: Self.members))
    manifest = Self.manifest(whole, &outer)
    library = outer.reading(
      try Self.text(whole, "library", expecting: "a string such as \"libz.so.1\" or \"./libfoo.so\""))
    isStrict = outer.reading(try whole.optionalBoolean("strict") ?? false) ?? false
    let allowsThreads = outer.reading(try whole.threads() ?? false) ?? false
    let types = outer.reading(try Self.types(whole)) ?? []
    let lists = (outer.reading(try Self.functions(whole)), outer.reading(try Self.variables(whole)))
    let calls = (
      outer.reading(try whole.optionalString("start", expecting: AdoptedCall.example)) ?? nil,
      outer.reading(try whole.optionalString("stop", expecting: AdoptedCall.example)) ?? nil
    )
    errors = []
    if let functions = lists.0, let variables = lists.1 {
      var declarations = SharedDeclarations(types.map(\.text))
      readFunctions(functions, variables, allowsThreads, &declarations)
      _ = outer.reading(try Self.check(declarations, types))
      start = outer.reading(try calls.0.map { text throws(JSONError) in try AdoptedCall(text, self.functions) }) ?? nil
      stop = outer.reading(try calls.1.map { text throws(JSONError) in try AdoptedCall(text, self.functions) }) ?? nil
    }
    errors = outer.all.sorted { $0.offset < $1.offset }.map { (nil, $0) } + errors
  }

  private static func manifest(_ whole: JSONObject, _ errors: inout JSONErrors) -> Manifest? {
    let id = errors.reading(try id(whole))
    let name = errors.reading(try text(whole, "name", expecting: "a string such as \"zlib\"").text)
    let version = errors.reading(try version(whole))
    let description = errors.reading(try description(whole))
    let constants = errors.reading(try constants(whole))
    guard let id, let name, let version, let description, let constants else { return nil }
    let abi = Manifest.ABI(major: Int(TROUPE_ABI_MAJOR), minor: Int(TROUPE_ABI_MINOR))
    return Manifest(adoptingAs: id, name: name, description: description, version: version, abi: abi, constants: constants)
  }

  private static func constants(_ whole: JSONObject) throws(JSONError) -> [String: Manifest.Constant] {
    let example = "an object such as {\"Z_FINISH\": 4, \"ZLIB_VERSION\": \"1.3\"}"
    var constants: [String: Manifest.Constant] = [:]
    for member in try whole.optionalObject("constants", expecting: example)?.members ?? [] {
      switch member.value.content {
      case .string(let text): constants[member.name] = .text(text)
      case .number(let text):
        guard let integer = Int128(text) else { fallthrough }
        constants[member.name] = .integer(integer)
      default:
        throw JSONError(
          member.value.location, "is \(member.value.text.shown); expected an integer or a string", remedy: "correct it")
      }
    }
    return constants
  }

  private static func id(_ whole: JSONObject) throws(JSONError) -> String {
    let id = try text(whole, "id", expecting: "a string such as \"org.example.zlib\"")
    if let problem = PluginIdentifier.problem(in: id.text) {
      throw JSONError(id.location, "\(id.text.shown) \(problem)", remedy: "write one such as \"org.example.zlib\"")
    }
    return id.text
  }

  private static func version(_ whole: JSONObject) throws(JSONError) -> SemanticVersion {
    let version = try text(whole, "version", expecting: "a string such as \"1.0.0\"")
    guard let number = SemanticVersion(version.text) else {
      throw JSONError(
        version.location, "is \(version.text.shown), which is not a semantic version", remedy: "write one such as \"1.0.0\"")
    }
    return number
  }

  private static func description(_ whole: JSONObject) throws(JSONError) -> String {
    let description = try whole.optionalString("description", expecting: "a string such as \"Compression of data\"")
    if let description { try checkLength(description) }
    return description?.text ?? ""
  }

  private static func functions(_ whole: JSONObject) throws(JSONError) -> JSONObject.List {
    let list = try whole.array("functions", expecting: "an array of objects")
    try checkCount(list)
    guard !list.elements.isEmpty else {
      throw JSONError(list.location, "is empty; expected at least one function", remedy: "add one")
    }
    return list
  }

  private static func variables(_ whole: JSONObject) throws(JSONError) -> [JSONNode] {
    guard let list = try whole.optionalArray("variables", expecting: "an array of objects") else { return [] }
    try checkCount(list)
    return list.elements
  }

  private static func checkCount(_ list: JSONObject.List) throws(JSONError) {
    guard list.elements.count <= maximumFunctionCount else {
      throw JSONError(
        list.location, "has \(list.elements.count) elements; expected at most \(maximumFunctionCount)",
        remedy: "divide it among several files")
    }
  }

  private static func types(_ whole: JSONObject) throws(JSONError) -> [JSONObject.Text] {
    let example = "an array of C declarations, such as [\"struct point { double x, y; };\"]"
    var types: [JSONObject.Text] = []
    for element in try whole.optionalArray("types", expecting: example)?.elements ?? [] {
      let type = try JSONObject.text(
        element, expecting: "a C declaration, such as \"enum color { RED, GREEN };\"", mayBeMultiline: true)
      types.append(type)
    }
    return types
  }

  private static func check(_ declarations: SharedDeclarations, _ types: [JSONObject.Text]) throws(JSONError) {
    guard let (index, error) = declarations.firstError() else { return }
    throw JSONError(types[index].location, "is refused: \(error)", remedy: "correct it")
  }

  private mutating func readFunctions(
    _ list: JSONObject.List, _ variables: [JSONNode], _ allowsThreads: Bool, _ declarations: inout SharedDeclarations
  ) {
    var locations: [UUID: JSONPath] = [:]
    // Without a manifest, the file is rejected.
    let plugin = manifest?.id ?? ""
    for (elements, isVariable) in [(list.elements, false), (variables, true)] {
      for element in elements {
        do throws(JSONErrors) {
          functions.append(
            try Self.function(element, isVariable: isVariable, plugin: plugin, allowsThreads, &declarations, &locations))
        } catch {
          refusals.append((try? JSONObject(element).string("name", expecting: "").text, error.all))
        }
      }
    }
    if isStrict || functions.isEmpty {
      errors += refusals.flatMap { refusal in refusal.errors.map { (refusal.name, $0) } }
    }
  }

  /// Reads an element of `functions` or `variables`. Throws if an earlier one has the same UUID.
  private static func function(
    _ element: JSONNode, isVariable: Bool, plugin: String, _ allowsThreads: Bool, _ declarations: inout SharedDeclarations,
    _ locations: inout [UUID: JSONPath]
  ) throws(JSONErrors) -> AdoptedFunction {
    var errors = JSONErrors()
    guard let object = errors.reading(try JSONObject(element)) else { throw errors }
    let function = try AdoptedFunction(
      object, isVariable: isVariable, plugin: plugin, allowsThreads: allowsThreads, &declarations)
    guard let uuid = function.description.uuid,
      let other = locations.updateValue(object.location.path, forKey: uuid)
    else { return function }
    locations[uuid] = other
    let location = object.members.first { $0.name == "uuid" }?.value.location ?? object.location
    throw JSONErrors([JSONError(location, "is the UUID of \(other) as well", remedy: "make another with uuidgen")])
  }

  /// Returns a string member of the outer object, with the length limit of a manifest.
  private static func text(_ whole: JSONObject, _ name: String, expecting example: String) throws(JSONError) -> JSONObject.Text
  {
    let member = try whole.string(name, expecting: example)
    try checkLength(member)
    return member
  }

  private static func checkLength(_ member: JSONObject.Text) throws(JSONError) {
    guard member.text.utf8.count <= ManifestText.maximumLength else {
      throw JSONError(
        member.location, "has \(member.text.utf8.count) bytes; expected at most \(ManifestText.maximumLength)",
        remedy: "shorten it")
    }
  }
}

extension JSONObject {
  /// Returns an error for each member with an unknown name, which is probably misspelled.
  func others(than names: [String]) -> [JSONError] {
    members.filter { !names.contains($0.name) }.map { other in
      let nearest = nearestName(to: other.name, in: names)
      return JSONError(
        other.value.location, "is not known; expected one of \(names.joined(separator: ", "))",
        remedy: nearest.map { "rename it to \($0.shown), or remove it" } ?? "correct its name, or remove it")
    }
  }
}
