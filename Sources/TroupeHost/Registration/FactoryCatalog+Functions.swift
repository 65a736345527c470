internal import FoundationEssentials
internal import TroupeCall

/// Lookup and calls of plain functions, which arguments may name for callbacks.
extension FactoryCatalog {
  /// Returns the plain functions with a UUID or name.
  func functions(_ name: String) -> [Registration] {
    let uuid = UUID(reading: name)
    return all.filter { $0.isFunction && (uuid == nil ? $0.name == name : $0.uuid == uuid) }
  }

  /// Calls a function. Its arguments may name other functions for callbacks; the plugins of those stay open until the call returns.
  ///
  /// Throws a `CallError`.
  func call(_ function: ForeignFunction, reading arguments: PluginHost.ArgumentReader) throws -> Value {
    var callbacks: [ForeignFunction] = []
    let values = try arguments(function.signature) { (name, type) throws(CallError) in
      let callback = try self.callback(name, type)
      callbacks.append(callback)
      return .pointer(callback.address)
    }
    defer { withExtendedLifetime(callbacks) {} }
    return try function.call(values)
  }

  /// Returns the function that an argument names for a callback: of several with the same name, the only one of the right type.
  private func callback(_ name: String, _ type: Signature) throws(CallError) -> ForeignFunction {
    func fits(_ registration: Registration) -> Bool { registration.function?.isCompatible(with: type) == true }
    let named = functions(name)
    let fitting = named.filter(fits)
    if fitting.isEmpty, let other = named.first?.function { throw .wrongFunction(name, other, type) }
    guard fitting.count < 2 else {
      throw .ambiguousFunction(name, fitting.map(\.distinction).joined(separator: ", "))
    }
    // The plugin may have been retired since the lookup.
    guard let registration = fitting.first,
      let function = try? instance(of: registration, arguments: .none) as? ForeignFunction
    else {
      throw .unknownFunction(name, type, known: all.filter { $0.isFunction && fits($0) }.map(\.name))
    }
    return function
  }
}
