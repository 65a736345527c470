internal import FoundationEssentials
internal import TroupeCall
internal import TroupeHost

/// A plugin that a check has loaded, in a host of its own: its registrations, and the instances and functions that a check can use.
struct HostedPlugin {
  let host: PluginHost
  let plugin: Plugin
  /// The plugin's registrations, in the order of registration.
  let registrations: [RegistrationDescription]
  /// The resolved path of the library.
  let library: String
  let isAdoption: Bool

  init(host: PluginHost, subject: CheckedFile) {
    self.host = host
    plugin = host.plugins.first { $0.path == subject.path } ?? host.plugins[0]
    let id = plugin.manifest?.id
    registrations = host.registrations.filter { $0.plugin == id }
    library = subject.libraryPath
    isAdoption = subject.isAdoption
  }

  // MARK: Instances

  /// The factories whose instances a check can make: without parameters, or with numbers alone.
  ///
  /// - Parameter repeatedly: True to leave out singletons, which have one instance.
  /// - Throws: `NotApplicable` if there are none.
  func factories(repeatedly: Bool = false, ofContract contract: String? = nil) throws -> [RegistrationDescription] {
    let all = registrations.filter { registration in
      guard !registration.isFunction, contract == nil || registration.contract == contract else { return false }
      if repeatedly && registration.lifetime == .singleton { return false }
      guard let function = registration.function else { return registration.signature.hasPrefix("() ->") }
      return function.callerParameters.allSatisfy { $0.passing == .value && $0.type.isNumber }
    }
    if all.isEmpty {
      let kind = contract == nil ? "factory of instances" : "transform"
      throw NotApplicable("it registers no \(kind) that needs no arguments")
    }
    return all
  }

  /// Makes an instance, in a scope of its own, as a host does for each piece of work. Returns nil for a factory in Swift that only
  /// asynchronous code can call. Throws `NotApplicable` if the factory fails for a reason, such as a missing configuration.
  func make(_ registration: RegistrationDescription) throws -> Any? {
    let arguments = (registration.function?.callerParameters ?? []).map { $0.type.value(1) }
    let tags = [registration.uuid?.uuidString].compactMap(\.self) + (registration.uuid == nil ? registration.tags : [])
    do {
      return try host.resolve(
        tags: tags, contract: registration.contract, arguments: .values(arguments),
        in: registration.lifetime == .singleton ? nil : host.container.scope()
      ).first { $0.registration.uuid == registration.uuid && $0.registration.name == registration.name }?.value
    } catch let failure as RegistrationError {
      let isSwift = registration.function == nil
      if isSwift && failure.cause is ResolutionError { return nil }
      guard isSwift || (failure.cause as? ForeignFactoryError)?.hasReason == true else { throw failure }
      throw NotApplicable("its factory fails: \(failure)")
    }
  }

  // MARK: Functions

  /// The C functions whose parameters are all numbers, or buffers of numbers with lengths that a check can choose.
  ///
  /// - Throws: `NotApplicable` if there are none, or for an adopted library.
  func callableFunctions() throws -> [CallableFunction] {
    if isAdoption { throw NotApplicable("it adopts a library, whose functions have conditions that its file cannot express") }
    let all = try registrations.filter(\.isFunction).compactMap { registration in
      try CallableFunction(registration) { try host.function(registration) }
    }
    if all.isEmpty { throw NotApplicable("it registers no function whose parameters are all numbers or buffers") }
    return all
  }
}

extension CType {
  var isNumber: Bool {
    switch self {
    case .bool, .integer, .float, .double: true
    default: false
    }
  }

  func value(_ number: Int) -> Value {
    switch self {
    case .bool: .bool(number != 0)
    case .float: .float(Float(number))
    case .double: .double(Double(number))
    default: .integer(Int128(number))
    }
  }
}
