internal import TroupeBase
internal import TroupeHost

/// The constants of a plugin by the names that arguments of `troupe call` can use for them.
///
///     deflate '$1' Z_FINISH                       an integer
///     compile 'PCRE2_CASELESS|PCRE2_UTF'          several integers
///     open_with '{"flags": "O_RDWR|O_CREAT"}'     an integer in a literal
///     counters_length COUNTERS_NAME               a text
struct ArgumentConstants {
  private let constants: [String: Manifest.Constant]

  init(_ constants: [String: Manifest.Constant] = [:]) { self.constants = constants }

  /// The constants of the plugin of a function.
  init(of function: RegistrationDescription, _ host: PluginHost) {
    self.init(host.plugins.first { $0.manifest?.id == function.plugin }?.manifest?.constants ?? [:])
  }

  /// Returns the value that a word names for a parameter, nil for one behind the parameters. Returns nil for other words.
  func value(_ word: String, _ parameter: Signature.Parameter?) -> Value? {
    // Behind the parameters, texts have no type.
    guard let parameter else { return integer(word, .integer(.long)).map(Value.integer) }
    if parameter.isBuffer { return nil }
    if case .string = parameter.type {
      guard case .text(let text)? = constants[word] else { return nil }
      return .string(text)
    }
    return integer(word, parameter.type).map(Value.integer)
  }

  /// Returns the integer that a word names for a number, among which the values of an enumeration come first. Returns nil for the name of a value of
  /// the enumeration itself, which is named in the result, too.
  private func integer(_ word: String, _ type: CType) -> Int128? {
    var cases: [String: Int128] = [:]
    switch type {
    case .enumeration(let enumeration):
      for each in enumeration.cases { cases[each.name] = each.value }
      if cases[word] != nil { return nil }
    case .bool, .integer, .float, .double, .longDouble: break
    default: return nil
    }
    var result: Int128 = 0
    for name in word.split(separator: "|", omittingEmptySubsequences: false).map(String.init) {
      if let value = cases[name] {
        result |= value
      } else if case .integer(let integer)? = constants[name] {
        result |= integer
      } else {
        return nil
      }
    }
    return result
  }

  /// Returns a literal in JSON with integers in the place of names; nil without names, and for other words.
  func literal(_ word: String, _ parameter: Signature.Parameter?) -> String? {
    // A library for JSON gets text that looks like a literal.
    if case .pointer(let pointer)? = parameter?.type, parameter?.isBuffer == false, pointer.target?.isByte ?? true {
      return nil
    }
    guard !constants.isEmpty, word.first == "{" || word.first == "[", word.contains("\""), let type = parameter?.typeInJSON,
      let node = try? JSONReader.read(Array(word.utf8))
    else { return nil }
    let text = text(node, type)
    return text == node.text ? nil : text
  }

  private func text(_ node: JSONNode, _ type: CType?) -> String {
    switch node.content {
    case .string(let name): return type.flatMap { integer(name, $0) }.map { "\($0)" } ?? node.text
    case .array(let nodes):
      let areObjects = nodes.allSatisfy { if case .object = $0.content { true } else { false } }
      let type = type?.arrayBehindPointer(areObjects: areObjects, count: nodes.count) ?? type
      return "[\(nodes.enumerated().map { text($1, type?.element(at: $0)) }.joined(separator: ", "))]"
    case .object(let members):
      let types = type?.memberTypes ?? [:]
      return "{\(members.map { "\($0.name.inJSON): \(text($0.value, types[$0.name]))" }.joined(separator: ", "))}"
    default: return node.text
    }
  }
}
