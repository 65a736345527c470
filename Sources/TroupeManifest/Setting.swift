/// A setting that a plugin declares in its manifest, so that a host can check a configuration before it loads the plugin, and list the
/// settings with their meaning.
///
/// ```swift
/// let width = try Setting(key: "width", valueType: .integer(1...4096), defaultValue: "640", description: "Pixels per row.")
/// width.canonical("+0800")  // "800"
/// width.canonical("0")      // nil: expected an integer from 1 to 4096
/// ```
///
/// A plugin reads values as text in canonical form.
public struct Setting: Sendable, Hashable {
  /// The type of a setting's values.
  public enum ValueType: Sendable, Hashable {
    /// Any text.
    case text
    /// One of some texts.
    case choice([String])
    /// An integer in a range.
    case integer(ClosedRange<Int64>)
    /// A finite floating-point number in a range.
    case number(ClosedRange<Double>)
    /// `true` or `false`.
    case boolean

    /// The name of the type in a manifest.
    public var name: String {
      switch self {
      case .text: "text"
      case .choice: "choice"
      case .integer: "integer"
      case .number: "number"
      case .boolean: "boolean"
      }
    }
  }

  /// The most settings that one plugin may declare, and the most choices of one.
  public static let maximumCount = 256

  /// The key, unique within the plugin.
  public let key: String
  /// The type of the values.
  public let valueType: ValueType
  /// The value without configuration, as `canonical(_:)` returns it.
  public let defaultValue: String
  /// The meaning, for the user.
  public let description: String

  /// Creates a setting. Throws a `ManifestError` for a malformed key, text or list of choices, and for a default that is not a value of the
  /// type.
  public init(key: String, valueType: ValueType, defaultValue: String, description: String) throws(ManifestError) {
    if let problem = Self.problem(inKey: key) { throw ManifestError(problem) }
    if let text = ([defaultValue, description] + valueType.choices).first(where: Self.isUnfit) {
      throw ManifestError(
        "has the text \"\(text)\", which has control characters or more than \(ManifestText.maximumLength) bytes")
    }
    if case .choice(let choices) = valueType {
      guard (1...Self.maximumCount).contains(choices.count) else {
        throw ManifestError("has \(choices.count) choices; name 1 to \(Self.maximumCount)")
      }
      var known: Set<[UInt8]> = []
      if let choice = choices.first(where: { $0.isEmpty || !known.insert(Array($0.utf8)).inserted }) {
        throw ManifestError(choice.isEmpty ? "has an empty choice" : "has the choice \"\(choice)\" twice")
      }
    }
    guard let value = valueType.canonical(defaultValue) else {
      throw ManifestError("has the default \"\(defaultValue)\", which is not \(valueType.expectation)")
    }
    (self.key, self.valueType, self.defaultValue, self.description) = (key, valueType, value, description)
  }

  /// Returns a configured value in the form that a plugin reads: integers and numbers in decimal, without needless signs and zeros.
  /// Returns nil for a text that is not a value of the setting's type, range or choices.
  public func canonical(_ value: String) -> String? { valueType.canonical(value) }

  /// The accepted values as a phrase, such as "an integer from 1 to 100".
  public var expectation: String { valueType.expectation }

  /// On the command line an equals sign follows the key.
  private static func problem(inKey key: String) -> String? {
    let isPlain = key.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
    }
    guard isPlain, (1...ManifestText.maximumLength).contains(key.utf8.count) else {
      return "is not a key; use letters, digits, hyphens, underscores and dots"
    }
    return nil
  }

  private static func isUnfit(_ text: String) -> Bool {
    text.utf8.count > ManifestText.maximumLength || ManifestText.hasControlCharacters(text)
  }
}

extension Setting.ValueType {
  fileprivate var choices: [String] { if case .choice(let choices) = self { choices } else { [] } }

  fileprivate func canonical(_ value: String) -> String? {
    switch self {
    case .text: value
    // A plugin in C compares bytes.
    case .choice(let choices): choices.contains { $0.utf8.elementsEqual(value.utf8) } ? value : nil
    case .integer(let range): Int64(value).flatMap { range.contains($0) ? String($0) : nil }
    case .number(let range): Double(value).flatMap { $0.isFinite && range.contains($0) ? "\($0)" : nil }
    case .boolean: ["true", "false"].contains(value) ? value : nil
    }
  }

  fileprivate var expectation: String {
    switch self {
    case .text: "a text"
    case .choice(let choices): "one of \(choices.joined(separator: ", "))"
    case .integer(let range):
      range == Int64.min...Int64.max
        ? "an integer of 64 bits" : "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range):
      range == -Double.infinity...Double.infinity
        ? "a finite number" : "a number from \(range.lowerBound) to \(range.upperBound)"
    case .boolean: "true or false"
    }
  }
}
