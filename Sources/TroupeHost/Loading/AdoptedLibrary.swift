internal import CTroupe
internal import Troupe
internal import TroupeFiles
internal import TroupeJSON

/// An open library without a plugin entry, and the interface through which the host registers its functions.
struct AdoptedLibrary {
  let image: PluginImage
  let interface: PluginInterface

  /// The fault of a function or of the library, as the end of a sentence that begins with the adopting file.
  struct Failure: Error {
    let code: PluginFault.Code
    let problem: String
    let remedy: String
    /// Whether the fault rejects the plugin and not only the function.
    var rejectsPlugin = false
  }

  /// Registers functions, which the plugin publishes later. Skips a function that cannot be registered, and notes the reason.
  ///
  /// Throws if no function can be registered, if the file is strict and one cannot be, or if another plugin has one of the UUIDs. The
  /// caller then discards the others.
  func register(_ adopted: AdoptedFunctions) throws(Failure) {
    let registrations = interface.registrations
    try registrations.run(image) { () throws(Failure) in
      var code = CodeAddresses()
      var failures: [(name: String, failure: Failure)] = []
      for function in adopted.functions {
        do throws(Failure) {
          try register(function, &code)
        } catch {
          failures.append((function.declaration.name, error))
        }
      }
      if let failure = failures.lazy.map(\.failure).first(where: \.rejectsPlugin) { throw failure }
      if adopted.isStrict || failures.count == adopted.functions.count, let failure = Self.sum(of: failures.map(\.failure)) {
        throw failure
      }
      for refusal in adopted.refusals { registrations.note(refusal) }
      for (name, failure) in failures {
        registrations.note("\(AdoptedFunction.subject(name)): \(failure.problem); \(failure.remedy)")
      }
    }
  }

  private func register(_ function: AdoptedFunction, _ code: inout CodeAddresses) throws(Failure) {
    let address = try address(function.symbol, "functions[\(function.index)].symbol", &code)
    var destroy: UnsafeRawPointer?
    if let symbol = function.destroy { destroy = try self.address(symbol, "functions[\(function.index)].destroy", &code) }
    let descriptor = FactoryDescriptor(
      declaration: function.declaration, function: address,
      destroy: destroy.map { unsafeBitCast($0, to: ForeignInstance.Destroy.self) }, vtable: nil)
    do throws(RegistrationError) {
      try checkContract(function.declaration)
      try interface.registrations.add(descriptor, resolver: interface.resolver)
    } catch {
      // A UUID of another plugin rejects this plugin, as with lazy registrations.
      let isTaken = error.status == TROUPE_DUPLICATE
      throw Failure(
        code: .refused, problem: (isTaken ? "was refused: " : "functions[\(function.index)] is refused: ") + error.problem,
        remedy: error.remedy ?? "correct it", rejectsPlugin: isTaken)
    }
  }

  /// Returns the address of a function. Throws for a variable, since a call of it would crash the process.
  private func address(_ symbol: String, _ member: String, _ code: inout CodeAddresses) throws(Failure) -> UnsafeRawPointer {
    guard let address = image.symbol(symbol) else {
      throw Failure(
        code: .missingSymbol, problem: "\(member) is \(symbol.shown), and \(image.path) has no such function",
        remedy: "correct the name, or install a version of the library with it")
    }
    guard code.contains(address) else {
      throw Failure(
        code: .missingSymbol, problem: "\(member) is \(symbol.shown), a variable and no function of \(image.path)",
        remedy: "name a function")
    }
    return address
  }

  /// Combines failures into one with the remedy of the first; nil without failures.
  private static func sum(of failures: [Failure]) -> Failure? {
    let limit = 10
    guard let first = failures.first else { return nil }
    let rest = failures.count > limit ? " and \(failures.count - limit) more" : ""
    return Failure(
      code: first.code, problem: failures.prefix(limit).map(\.problem).joined(separator: "; ") + rest, remedy: first.remedy)
  }

  private func checkContract(_ declaration: FactoryDeclaration) throws(RegistrationError) {
    guard let contract = declaration.contract, interface.registrations.needsTable(contract) else { return }
    throw .contract(
      "\(FactoryDeclaration.subject(declaration.name)) is for the contract \(contract), which needs a table of functions",
      "write a plugin in C with troupe.h, or leave the contract out")
  }
}
