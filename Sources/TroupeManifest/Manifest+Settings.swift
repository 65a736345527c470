package import TroupeBase

/// The settings that a plugin declares, and whether a configuration fits them.
extension Manifest {
  static func settings(_ members: [SettingMembers]) throws(ManifestError) -> [Setting] {
    guard members.count <= Setting.maximumCount else {
      throw ManifestError("has more than \(Setting.maximumCount) entries in \"settings\"")
    }
    var settings: [Setting] = []
    for member in members {
      let setting = try member.setting()
      guard !settings.contains(where: { $0.key == setting.key }) else {
        throw ManifestError("declares the setting \"\(setting.key)\" twice")
      }
      settings.append(setting)
    }
    return settings
  }

  /// Returns the values that the plugin reads: the configured value or the default of each declared setting. A plugin that declares none
  /// reads the whole configuration.
  package func values(_ configured: [String: String]) -> [String: String] {
    guard !settings.isEmpty else { return configured }
    var values: [String: String] = [:]
    for setting in settings {
      values[setting.key] = configured[setting.key].flatMap(setting.canonical) ?? setting.defaultValue
    }
    return values
  }

  /// Returns the first problem of a configuration, without a subject. A plugin without declared settings accepts every configuration.
  package func diagnosis(inConfiguration configured: [String: String]) -> Diagnosis? {
    guard !settings.isEmpty else { return nil }
    for (key, value) in configured.sorted(by: { $0.key < $1.key }) {
      guard let setting = settings.first(where: { $0.key == key }) else {
        let keys = settings.map(\.key)
        let list = keys.listed(atMost: 8)
        let nearest = nearestName(to: key, in: keys).map { "set \"\($0)\" instead, the nearest of its settings: \(list)" }
        return Diagnosis(
          .invalidSetting, problem: "has no setting \"\(key.shortened())\"",
          remedy: nearest ?? "set one of its settings instead: \(list)")
      }
      if setting.canonical(value) == nil {
        return Diagnosis(
          .invalidSetting, problem: "is configured with \(key) = \"\(value.shortened())\", which is not \(setting.expectation)",
          remedy: "set \(key) of \(id) to \(setting.expectation)")
      }
    }
    return nil
  }
}

// MARK: - JSON

/// The members of a declared setting before they are checked.
struct SettingMembers {
  var key, type, value, minimum, maximum, description: String?
  var choices: [String]?
  /// The first member of a wrong type, as the end of a sentence.
  var mismatch: String?

  /// The scanner is at the object.
  init(_ scanner: inout JSONScanner) throws(JSONScanner.SyntaxError) {
    try scanner.readObject { (scanner, name) throws(JSONScanner.SyntaxError) in
      switch name {
      case "key": key = take(try scanner.readString(), "key")
      case "type": type = take(try scanner.readString(), "type")
      case "default": value = take(try scanner.readScalar(), "default")
      case "minimum": minimum = take(try scanner.readScalar(), "minimum")
      case "maximum": maximum = take(try scanner.readScalar(), "maximum")
      case "description": description = take(try scanner.readString(), "description")
      case "choices": choices = take(try scanner.readStrings(), "choices")
      default: try scanner.skipValue()
      }
    }
  }

  private mutating func take<Value>(_ found: JSONScanner.Found<Value>, _ name: String) -> Value? {
    switch found {
    case .value(let value): return value
    case .null: return nil
    case .other:
      if mismatch == nil { mismatch = "has a \"\(name)\" of the wrong type" }
      return nil
    }
  }
}

extension SettingMembers {
  fileprivate func setting() throws(ManifestError) -> Setting {
    if let mismatch { throw manifestError(mismatch) }
    guard let value else { throw manifestError("has no \"default\"") }
    let kind = try kind()
    do {
      return try Setting(key: key ?? "", valueType: kind, defaultValue: value, description: description ?? "")
    } catch {
      throw manifestError(error.description)
    }
  }

  private func manifestError(_ text: String) -> ManifestError {
    ManifestError("declares the setting \"\(key ?? "")\", which \(text)")
  }

  private func kind() throws(ManifestError) -> Setting.ValueType {
    switch type {
    case "text": return .text
    case "boolean": return .boolean
    case "choice": return .choice(choices ?? [])
    case "integer":
      return .integer(try range(Int64.min, Int64.max, "an integer of 64 bits") { Int64($0) })
    case "number":
      return .number(try range(-Double.infinity, Double.infinity, "a number") { Double($0) })
    default:
      throw manifestError("has the type \"\(type ?? "")\"; it is one of text, choice, integer, number and boolean")
    }
  }

  private func range<Bound: Comparable>(
    _ least: Bound, _ greatest: Bound, _ kind: String, _ read: (String) -> Bound?
  ) throws(ManifestError) -> ClosedRange<Bound> {
    func bound(_ name: String, _ text: String?, _ none: Bound) throws(ManifestError) -> Bound {
      guard let bound = text.map(read) ?? none else {
        throw manifestError("has the \(name) \(text ?? ""), which is not \(kind)")
      }
      return bound
    }
    let (lower, upper) = (try bound("minimum", minimum, least), try bound("maximum", maximum, greatest))
    guard lower <= upper else { throw manifestError("has the range \(lower) to \(upper), which has no values") }
    return lower...upper
  }
}
