internal import FoundationEssentials
internal import Troupe
public import TroupeCall

/// Calls of plain C functions whose types are unknown when the program is compiled.
///
///     functions("area")  ─►  RegistrationDescription  ─►  arguments  ─►  ForeignFunction  ─►  result
///                            double (double, double)      3, 4.5         opens the plugin     13.5
///
/// The signature in the description is enough to read the arguments, so the plugin is opened after that: a wrong argument runs no code of
/// the plugin. An argument that names a function for a callback opens the plugin of that function.
extension PluginHost {
  /// Returns the plain functions with a UUID or name.
  public func functions(_ name: String) -> [RegistrationDescription] { factories.functions(name) }

  /// Returns the function of a registration, and opens its plugin.
  ///
  /// - Throws: A `RegistrationError` if it is no longer registered, if its plugin cannot be opened, or if it is a factory.
  public func function(_ registration: RegistrationDescription) throws -> ForeignFunction {
    do {
      if let function = try factories.instance(of: registration, arguments: .none) as? ForeignFunction { return function }
      throw ResolutionError(factories.key(of: registration), reason: .invalidInstanceType)
    } catch {
      throw RegistrationError(registration: registration, cause: error)
    }
  }

  /// Calls the function of a registration.
  ///
  /// - Parameter arguments: In a text or in JSON, an argument for a callback is the name or the UUID of a plain function of that type,
  ///   from any plugin, or `null`. The plugin of that function stays open until the call returns. If C keeps the pointer longer, the
  ///   caller must keep the plugin open, for example with a `ForeignFunction`.
  /// - Returns: The result of the function; see `ForeignFunction.call`.
  /// - Throws: A `RegistrationError`, whose cause is a `CallError` for arguments that do not fit and for a failure of the call.
  public func call(_ registration: RegistrationDescription, _ arguments: FactoryArguments) throws -> Value {
    try with(registration, reading: { try arguments.values(for: $0, functions: $1) }) { try $0.call($1) }
  }

  /// Reads the arguments for a signature, with a lookup for the functions that arguments for callbacks name.
  package typealias ArgumentReader = (Signature, Signature.FunctionLookup) throws -> [Value]

  /// Runs a closure with the function of a registration and the arguments that another closure reads. Callbacks among the arguments are
  /// valid until it returns.
  ///
  /// The reader may run twice: for the signature of the registration, and for that of the open plugin if it differs.
  package func with<Result>(
    _ registration: RegistrationDescription, reading arguments: ArgumentReader,
    _ body: (ForeignFunction, [Value]) throws -> Result
  ) throws -> Result {
    guard registration.isFunction, let signature = registration.function else {
      throw RegistrationError(
        registration: registration, cause: ResolutionError(factories.key(of: registration), reason: .invalidInstanceType))
    }
    let isIsolated = options.isolation(of: registration.plugin) != .inProcess
    do {
      var read = try factories.arguments(for: signature, of: registration.plugin, isIsolated: isIsolated, arguments)
      let function = try function(registration)
      // The plugin may have been replaced by a version with another signature.
      if function.signature != signature {
        read = try factories.arguments(for: function.signature, of: registration.plugin, isIsolated: isIsolated, arguments)
      }
      return try withExtendedLifetime(read.callbacks) { try body(function, read.values) }
    } catch let failure as RegistrationError {
      throw failure
    } catch {
      throw RegistrationError(registration: registration, cause: error)
    }
  }
}

extension PluginRegistry {
  func functions(_ name: String) -> [RegistrationDescription] {
    let uuid = UUID(parsing: name)
    return all.filter { $0.isFunction && (uuid == nil ? $0.name == name : $0.uuid == uuid) }
  }

  /// Reads the arguments for a function of a plugin. Arguments may name functions for callbacks, whose plugins this opens.
  ///
  /// Ownership: an argument may be the bare address of a callback, so the caller retains `callbacks` until the call returns.
  ///
  /// - Parameter isIsolated: True if the function is in a worker, where an address of this process means nothing.
  /// - Throws: A `CallError`.
  func arguments(
    for signature: Signature, of plugin: String, isIsolated: Bool, _ reader: PluginHost.ArgumentReader
  ) throws -> (values: [Value], callbacks: [ForeignFunction]) {
    var callbacks: [ForeignFunction] = []
    let values = try reader(signature) { (name, type) throws(CallError) in
      let callback = try self.callback(name, type)
      callbacks.append(callback)
      // A library may call its own functions on any of its threads, as it does in C, while a call of it has the lock.
      let address = callback.registration.plugin == plugin ? callback.addressInLibrary : callback.address
      if let address, !isIsolated { return .pointer(address) }
      // The function computes the lengths of buffers itself.
      let takesArgument = type.takesArgument
      return .callback(
        try Callback(signature: type) { values in try callback.call(zip(values, takesArgument).filter(\.1).map(\.0)) })
    }
    return (values, callbacks)
  }

  /// Opens the function that an argument names for a callback. Of several with the same name, only one may have the right type.
  private func callback(_ name: String, _ type: Signature) throws(CallError) -> ForeignFunction {
    func fits(_ registration: RegistrationDescription) -> Bool { registration.function?.isCompatible(with: type) == true }
    let named = functions(name)
    let fitting = named.filter(fits)
    if fitting.isEmpty, let other = named.first?.function { throw .wrongFunction(name, other, type) }
    guard fitting.count < 2 else {
      throw .ambiguousFunction(name, fitting.map(\.distinction).joined(separator: ", "))
    }
    // The instance is missing if the plugin cannot be opened, or has been retired since the lookup.
    guard let registration = fitting.first,
      let function = try? instance(of: registration, arguments: .none) as? ForeignFunction
    else {
      throw .unknownFunction(name, type, known: all.filter { $0.isFunction && fits($0) }.map(\.name))
    }
    return function
  }
}
