internal import FoundationEssentials
internal import TroupeHost
internal import TroupeTools
internal import TroupeManifest

/// A plugin in JSON.
struct PluginReport: Encodable {
  let id, name, version, description, language, abi, interface, compiler: String?
  let path: String
  let library: String?
  let requires, provides: [String]
  let state: String
  let code, reason: String?
  let backtrace, refused, warnings: [String]

  init(_ plugin: Plugin) {
    id = plugin.manifest?.id
    name = plugin.manifest?.name
    version = plugin.manifest?.version.description
    description = plugin.manifest?.description
    language = plugin.manifest?.language
    abi = plugin.manifest?.abi.description
    interface = plugin.manifest?.interface
    compiler = plugin.manifest?.compiler
    path = plugin.path
    library = plugin.library
    requires = plugin.manifest?.requires.map(\.description) ?? []
    provides = plugin.manifest?.provides ?? []
    let diagnosis = plugin.state.diagnosis ?? plugin.previousRejection
    state = plugin.previousRejection == nil ? plugin.state.name : "rejected"
    (code, reason) = (diagnosis?.code.rawValue, diagnosis?.reason)
    backtrace = diagnosis?.backtrace ?? []
    refused = plugin.refusals.map(\.description)
    warnings = plugin.warnings
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    // Absent values are null, so that every member exists.
    try members.encode(id, forKey: .id)
    try members.encode(name, forKey: .name)
    try members.encode(version, forKey: .version)
    try members.encode(description, forKey: .description)
    try members.encode(language, forKey: .language)
    try members.encode(abi, forKey: .abi)
    try members.encode(interface, forKey: .interface)
    try members.encode(compiler, forKey: .compiler)
    try members.encode(path, forKey: .path)
    try members.encode(library, forKey: .library)
    try members.encode(requires, forKey: .requires)
    try members.encode(provides, forKey: .provides)
    try members.encode(state, forKey: .state)
    try members.encode(code, forKey: .code)
    try members.encode(reason, forKey: .reason)
    try members.encode(backtrace, forKey: .backtrace)
    try members.encode(refused, forKey: .refused)
    try members.encode(warnings, forKey: .warnings)
  }

  private enum Member: CodingKey {
    case id, name, version, description, language, abi, interface, compiler, path, library, requires, provides
    case state, code, reason, backtrace, refused, warnings
  }
}

/// A registration in JSON.
struct RegistrationReport: Encodable {
  private let registration: RegistrationDescription

  init(_ registration: RegistrationDescription) {
    self.registration = registration
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(registration.uuid?.uuidString.lowercased(), forKey: .uuid)
    try members.encode(registration.name, forKey: .name)
    try members.encode(registration.contract, forKey: .contract)
    try members.encode(registration.tags, forKey: .tags)
    try members.encode(registration.signature, forKey: .signature)
    try members.encode("\(registration.lifetime)", forKey: .lifetime)
    let documentation = registration.documentation
    try members.encode(documentation.description, forKey: .description)
    try members.encode(documentation.parameters, forKey: .parameters)
    try members.encode(documentation.examples.map { ["arguments": $0.arguments, "result": $0.result] }, forKey: .examples)
    try members.encode(registration.metadata.filter { !Documentation.isDocumentation(key: $0.key) }, forKey: .metadata)
  }

  private enum Member: CodingKey {
    case uuid, name, contract, tags, signature, lifetime, description, parameters, examples, metadata
  }
}

/// A resolved instance in JSON.
struct InstanceReport: Encodable {
  private let resolved: ResolvedInstance
  private let format: BytesFormat

  init(_ resolved: ResolvedInstance, _ format: BytesFormat) {
    (self.resolved, self.format) = (resolved, format)
  }

  /// The instance: a value itself, a C function by its signature, a C object by its address, any other by its type.
  var instance: Value {
    get throws(Diagnosis) {
      switch resolved.value {
      case let value as Value: format.shown(try resolved.registration.shown(value))
      case let function as ForeignFunction: .string(function.signature.description)
      case let backed as any ForeignBacked: .pointer(Value.Pointer(backed.foreign.object))
      case let other: Value(other).map(format.shown) ?? .string(String(describing: type(of: other)))
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    let registration = resolved.registration
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(registration.plugin, forKey: .plugin)
    try members.encode(registration.uuid?.uuidString.lowercased(), forKey: .uuid)
    try members.encode(registration.name, forKey: .name)
    try members.encode(registration.contract, forKey: .contract)
    try members.encode(registration.tags, forKey: .tags)
    try members.encode(try instance, forKey: .instance)
  }

  private enum Member: CodingKey { case plugin, uuid, name, contract, tags, instance }
}

/// A declared setting in JSON. Members that do not apply to the type are null.
struct SettingReport: Encodable {
  private let setting: Setting

  init(_ setting: Setting) {
    self.setting = setting
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(setting.key, forKey: .key)
    try members.encode(setting.valueType.name, forKey: .type)
    try members.encode(value(setting.defaultValue), forKey: .default)
    var (minimum, maximum, choices): (Value?, Value?, [String]?)
    switch setting.valueType {
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
    switch setting.valueType {
    case .text, .choice: .string(text)
    case .integer: Int128(text).map { .integer($0) } ?? .null
    case .number: Double(text).map { .double($0) } ?? .null
    case .boolean: .bool(text == "true")
    }
  }

  private enum Member: CodingKey { case key, type, `default`, minimum, maximum, choices, description }
}
