internal import FoundationEssentials
internal import TroupeBase
internal import TroupeContainer
internal import TroupeManifest
internal import TroupeSignature

/// A function or variable of a C library that an adoption file registers: its description, and its symbols in the library. A variable is
/// registered as a function without parameters that returns its value.
package struct AdoptedFunction: Sendable {
  /// The path of its object in the file, such as `functions[2]`.
  package let path: String
  package let description: RegistrationDescription
  package let symbol: String
  /// The symbol of the function that destroys an instance of a contract.
  package let destroy: String?
  package let isVariable: Bool
  /// The function of the variable returns the address of the symbol: that of the elements of an array, or a reference to a struct.
  package let returnsAddress: Bool

  /// The subject of a diagnosis, with the name of the function if it can be read.
  package static func subject(_ name: String?) -> String { name.map { "the function \"\($0)\"" } ?? "a function" }
}

/// All that an adoption file registers, and the calls with which its library starts and stops.
package struct AdoptedFunctions: Sendable {
  package let functions: [AdoptedFunction]
  /// One function that cannot be registered rejects the plugin.
  package let isStrict: Bool
  /// The diagnoses of the rejected functions.
  package let refusals: [Diagnosis]
  /// The host makes this call once when it has opened the library.
  package let start: AdoptedCall?
  /// The host makes this call once when nothing uses the library any more.
  package let stop: AdoptedCall?
}

/// A call that the host makes by itself, from the member `start` or `stop`: `initGEOS(null, null)`, or `sodium_init` without arguments.
package struct AdoptedCall: Sendable {
  /// A function of the file.
  package let function: AdoptedFunction
  /// A JSON array.
  package let arguments: String

  static let example = "a call of a function of the file, such as \"sodium_init\" or \"initGEOS(null, null)\""

  /// - Parameters:
  ///   - text: The name of a function, and its arguments in parentheses.
  ///   - functions: The valid functions of the file.
  init(_ text: JSONObject.Text, _ functions: [AdoptedFunction]) throws(JSONError) {
    let parts = text.text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0].reversed().drop { $0 == " " }.reversed())
    guard let function = functions.first(where: { $0.description.name == name && !$0.isVariable }) else {
      let nearest = nearestName(to: name, in: functions.map(\.description.name)).map { "write \($0.shown), or " }
      throw JSONError(
        text.location, "calls \(name.shown), which is no function of the file",
        remedy: "\(nearest ?? "")add the function to the file")
    }
    var list = ""
    if parts.count > 1 {
      let rest = parts[1].reversed().drop { $0 == " " || $0 == ";" }
      guard rest.first == ")" else {
        throw JSONError(
          text.location, "is \(text.text.shown), whose parenthesis is open; expected \(Self.example)", remedy: "close it")
      }
      list = String(rest.dropFirst().reversed())
    }
    arguments = "[\(list)]"
    let count: Int
    do throws(JSONError) {
      count = try JSONReader.read(Array(arguments.utf8)).elements?.count ?? 0
    } catch {
      throw JSONError(
        text.location, "has arguments that are no JSON: \(list.shown)", remedy: "write numbers, texts in double quotes, or null"
      )
    }
    let expected = function.description.function?.callerParameters.count ?? count
    guard count == expected else {
      throw JSONError(
        text.location, "passes \(count) arguments; \(name.shown) takes \(expected)", remedy: "write one for each parameter")
    }
    self.function = function
  }
}

// MARK: - JSON

extension AdoptedFunction {
  private static let members = [
    "uuid", "name", "symbol", "signature", "tags", "contract", "destroy", "metadata", "lifetime", "threads", "description",
    "parameters", "examples",
  ]
  private static let variableMembers = ["uuid", "name", "symbol", "type", "tags", "metadata", "threads", "description"]

  /// Reads an element of `functions` or `variables`. Throws the first error of each of its members.
  ///
  /// - Parameters:
  ///   - plugin: The id of the plugin.
  ///   - allowsThreads: True if the file says of all of its functions that they may be called on any thread.
  ///   - declarations: Those of the file.
  init(
    _ object: JSONObject, isVariable: Bool, plugin: String, allowsThreads: Bool, _ declarations: inout SharedDeclarations
  ) throws(JSONErrors) {
    var errors = JSONErrors(object.others(than: isVariable ? Self.variableMembers : Self.members))
    let uuid = errors.reading(try Self.uuid(object))
    let name = errors.reading(try Self.name(object, uuid))
    let subject = Self.subject(name)
    let symbolExample = isVariable ? "a variable, such as \"environ\"" : "a function, such as \"crc32\""
    let symbol = errors.reading(try object.string("symbol", expecting: "the name of \(symbolExample)").text)
    let type = errors.reading(try Self.type(object, isVariable: isVariable, subject, &declarations))
    let contract = errors.reading(
      try object.optionalString("contract", expecting: "the name of a contract, such as \"org.example.box/1\""))
    let destroy = errors.reading(
      try object.optionalString("destroy", expecting: "the name of a function, such as \"box_free\""))
    let lifetime = errors.reading(try Self.lifetime(object))
    let threads = errors.reading(try object.threads())
    let tags = errors.reading(try Self.tags(object, subject))
    let metadata = errors.reading(try Self.metadata(object, subject))
    guard errors.all.isEmpty, let uuid, let name, let symbol, let (type, returnsAddress) = type, let contract, let destroy,
      let lifetime, let threads,
      let tags, let metadata
    else { throw errors }

    (path, self.symbol, self.destroy) = (object.location.path.description, symbol, destroy?.text)
    (self.isVariable, self.returnsAddress) = (isVariable, returnsAddress)
    let description = RegistrationDescription(
      plugin: plugin, uuid: uuid, name: name, contract: contract?.text, tags: tags, signature: type.text,
      lifetime: lifetime?.value ?? .transient, metadata: metadata, isCallableFromAnyThread: threads ?? allowsThreads)
    self.description = description
    let location = contract?.location ?? destroy?.location ?? lifetime?.location ?? object.location
    let checked: Void? = errors.reading(
      try location.check(try description.check(subject, result: type.signature.result, destroys: destroy != nil)))
    if checked == nil { throw errors }
  }

  private static func uuid(_ object: JSONObject) throws(JSONError) -> UUID {
    let text = try object.string("uuid", expecting: "a UUID, which uuidgen makes")
    guard let uuid = UUID(parsing: text.text) else {
      throw JSONError(text.location, "is \(text.text.shown), which is not a UUID", remedy: "make one with uuidgen")
    }
    return uuid
  }

  private static func name(_ object: JSONObject, _ uuid: UUID?) throws(JSONError) -> String {
    let name = try object.string("name", expecting: "a string such as \"crc32\"")
    if let uuid { try name.location.check(try RegistrationDescription.check(name: name.text, uuid)) }
    return name.text
  }

  /// Returns the type of the function. That of an array of `char` returns text, and that of a struct with a tag a reference to the variable:
  /// the struct may contain pointers to itself, and C may compare its address.
  private static func type(
    _ object: JSONObject, isVariable: Bool, _ subject: String, _ declarations: inout SharedDeclarations
  ) throws(JSONError) -> (FunctionType, returnsAddress: Bool) {
    guard isVariable else {
      let text = try object.multilineString(
        "signature", expecting: "a C function type, such as \"double (double x, double y)\"")
      return (try text.location.check(try declarations.type(text.text, of: subject)), false)
    }
    let text = try object.multilineString("type", expecting: "a C type, such as \"const char *\"")
    let type = try text.location.check(try declarations.type(text.text + " (void)", of: subject))
    guard type.signature.result != .void else {
      throw JSONError(text.location, "is void, which no variable is", remedy: "write the type of the header")
    }
    if case .record(let record) = type.signature.result, record.name != nil {
      return (try text.location.check(try declarations.type(text.text + " *(void)", of: subject)), true)
    }
    guard case .sequence(let element, _) = type.signature.result else { return (type, false) }
    guard element == .integer(.char) else { return (type, true) }
    return (try text.location.check(try declarations.type("const char *(void)", of: subject)), true)
  }

  private static func lifetime(_ object: JSONObject) throws(JSONError) -> (value: Lifetime, location: JSONLocation)? {
    let example = "\"transient\", \"singleton\" or \"scoped\""
    guard let member = try object.optionalString("lifetime", expecting: example) else { return nil }
    switch member.text {
    case "transient": return (.transient, member.location)
    case "singleton": return (.singleton, member.location)
    case "scoped": return (.scoped, member.location)
    default: throw JSONError(member.location, "is \(member.text.shown); expected \(example)", remedy: "write one of the three")
    }
  }

  private static func tags(_ object: JSONObject, _ subject: String) throws(JSONError) -> [String] {
    guard let list = try object.optionalArray("tags", expecting: "an array of strings, such as [\"text\"]") else { return [] }
    try list.location.check(try RegistrationDescription.check(tagCount: list.elements.count, of: subject))
    var known: Set<String> = []
    var tags: [String] = []
    for element in list.elements {
      let tag = try JSONObject.text(element, expecting: "a string such as \"text\"")
      try tag.location.check(try RegistrationDescription.check(tag: tag.text, of: subject))
      if known.insert(tag.text).inserted { tags.append(tag.text) }
    }
    return tags
  }

  /// Reads `metadata`, and adds the entries of `description`, `parameters` and `examples`.
  private static func metadata(_ object: JSONObject, _ subject: String) throws(JSONError) -> [String: String] {
    let member = try object.optionalObject("metadata", expecting: "an object of strings, such as {\"author\": \"Ada\"}")
    var metadata =
      try member.map { member throws(JSONError) in try texts(member, expecting: "a string such as \"Ada\"") } ?? [:]
    let documented = try documentation(object).metadata
    if let member, let entry = member.members.first(where: { documented[$0.name] != nil }) {
      throw JSONError(
        entry.value.location, "is given twice, also by the member \"description\", \"parameters\" or \"examples\"",
        remedy: "remove one of the two")
    }
    metadata.merge(documented) { old, _ in old }
    try (member?.location ?? object.location).check(
      try RegistrationDescription.check(metadataCount: metadata.count, of: subject))
    return metadata
  }

  private static func documentation(_ object: JSONObject) throws(JSONError) -> Documentation {
    let description = try object.optionalMultilineString(
      "description", expecting: "a string such as \"Returns the area of a rectangle.\"")
    var documentation = Documentation(description: description?.text ?? "")
    let such = "an object of strings, such as {\"width\": \"The width.\"}"
    if let parameters = try object.optionalObject("parameters", expecting: such) {
      documentation.parameters = try texts(parameters, expecting: "a string such as \"The width.\"")
    }
    let example = "an object such as {\"arguments\": [3, 4.5], \"result\": 13.5}"
    for element in try object.optionalArray("examples", expecting: "an array of objects")?.elements ?? [] {
      let object = try JSONObject(element)
      if let other = object.others(than: ["arguments", "result"]).first { throw other }
      let arguments = try object.array("arguments", expecting: "an array such as [3, 4.5]")
      guard let result = object.members.first(where: { $0.name == "result" }) else {
        throw JSONError(object.location, "has no result; expected \(example)", remedy: "add it")
      }
      let text = arguments.elements.map(\.text).joined(separator: ", ")
      guard !documentation.examples.contains(where: { $0.arguments == text }) else {
        throw JSONError(object.location, "has the arguments of an earlier example", remedy: "remove one of the two")
      }
      documentation.examples.append(Documentation.Example(arguments: text, result: result.value.text))
    }
    return documentation
  }

  private static func texts(_ object: JSONObject, expecting example: String) throws(JSONError) -> [String: String] {
    var texts: [String: String] = [:]
    for entry in object.members {
      texts[entry.name] = try JSONObject.text(entry.value, expecting: example, mayBeEmpty: true, mayBeMultiline: true).text
    }
    return texts
  }
}

extension JSONObject {
  /// Returns true if the member `threads` allows calls on any thread, and nil if it is missing.
  func threads() throws(JSONError) -> Bool? {
    let example = "\"any\" or \"one\""
    guard let member = try optionalString("threads", expecting: example) else { return nil }
    switch member.text {
    case "any": return true
    case "one": return false
    default: throw JSONError(member.location, "is \(member.text.shown); expected \(example)", remedy: "write one of the two")
    }
  }
}

extension JSONLocation {
  /// Throws the violation of a rule with this location.
  fileprivate func check<Result>(_ value: @autoclosure () throws(Diagnosis) -> Result) throws(JSONError) -> Result {
    do {
      return try value()
    } catch {
      throw JSONError(self, "is refused: \(error.statement)", remedy: error.remedy.isEmpty ? "correct it" : error.remedy)
    }
  }
}
