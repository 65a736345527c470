internal import TroupeHost
internal import TroupeManifest

/// A declared setting in JSON. Members that do not apply to the type are null.
struct SettingReport: Encodable {
  private let setting: Setting

  init(_ setting: Setting) {
    self.setting = setting
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(setting.key, forKey: .key)
    try members.encode(setting.kind.name, forKey: .type)
    try members.encode(value(setting.defaultValue), forKey: .default)
    var (minimum, maximum, choices): (Value?, Value?, [String]?)
    switch setting.kind {
    case .integer(let range):
      (minimum, maximum) = (.integer(Int128(range.lowerBound)), .integer(Int128(range.upperBound)))
    case .number(let range) where range != -Double.infinity...Double.infinity:
      (minimum, maximum) = (.double(range.lowerBound), .double(range.upperBound))
    case .choice(let texts): choices = texts
    case .text, .boolean, .number: break
    }
    try members.encode(minimum, forKey: .minimum)
    try members.encode(maximum, forKey: .maximum)
    try members.encode(choices, forKey: .choices)
    try members.encode(setting.description, forKey: .description)
  }

  /// A value in the type of the setting.
  private func value(_ text: String) -> Value {
    switch setting.kind {
    case .text, .choice: .string(text)
    case .integer: Int128(text).map { .integer($0) } ?? .null
    case .number: Double(text).map { .double($0) } ?? .null
    case .boolean: .bool(text == "true")
    }
  }

  private enum Member: CodingKey { case key, type, `default`, minimum, maximum, choices, description }
}
