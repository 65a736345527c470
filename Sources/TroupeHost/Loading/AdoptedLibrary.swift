internal import Troupe
internal import TroupeFiles

/// An open library without a plugin entry, and the bindings through which the host registers its functions.
struct AdoptedLibrary {
  let image: PluginImage
  let bindings: HostBindings

  /// Registers functions, which the plugin publishes later. Skips a function that cannot be registered, and notes the reason.
  ///
  /// Throws if no function can be registered, if the file is strict and one cannot be, or if another plugin has one of the UUIDs. The
  /// caller then discards the others. The thrown `Diagnosis` has no subject.
  func register(_ adopted: AdoptedFunctions) throws(Diagnosis) {
    let registrations = bindings.registrations
    try registrations.run(image) { () throws(Diagnosis) in
      var code = CodeAddresses()
      var failures: [(name: String, failure: Diagnosis)] = []
      for function in adopted.functions {
        do throws(Diagnosis) {
          try register(function, &code)
        } catch {
          failures.append((function.description.name, error))
        }
      }
      // A UUID of another plugin rejects this plugin, as with pending registrations.
      if let failure = failures.lazy.map(\.failure).first(where: { $0.code == .duplicateUUID }) {
        throw Diagnosis(.refused, problem: "was refused: \(failure.statement)", remedy: failure.remedy)
      }
      if adopted.isStrict || failures.count == adopted.functions.count,
        let failure = Diagnosis.combining(failures.map(\.failure))
      {
        throw failure
      }
      for refusal in adopted.refusals { registrations.refuse(refusal) }
      for (name, failure) in failures {
        registrations.refuse(failure.about(AdoptedFunction.subject(name)))
      }
    }
  }

  private func register(_ function: AdoptedFunction, _ code: inout CodeAddresses) throws(Diagnosis) {
    let address = try address(function.symbol, "functions[\(function.index)].symbol", &code)
    var destroy: UnsafeRawPointer?
    if let symbol = function.destroy { destroy = try self.address(symbol, "functions[\(function.index)].destroy", &code) }
    let description = function.description
    do throws(Diagnosis) {
      let code = FactoryCode(
        type: try RegistrationDescription.type(description.signature, of: description.subject), function: address,
        destroy: destroy.map { unsafeBitCast($0, to: ForeignInstance.Destroy.self) }, vtable: nil, body: nil)
      try checkContract(description)
      try bindings.registrations.add(description, code, resolver: bindings.resolver)
    } catch {
      if error.code == .duplicateUUID { throw error }
      throw Diagnosis(
        .refused, problem: "functions[\(function.index)] is refused: \(error.statement)",
        remedy: error.remedy.isEmpty ? "correct it" : error.remedy)
    }
  }

  /// Returns the address of a function. Throws for a variable, since a call of it would crash the process.
  private func address(_ symbol: String, _ member: String, _ code: inout CodeAddresses) throws(Diagnosis) -> UnsafeRawPointer {
    guard let address = image.symbol(symbol) else {
      throw Diagnosis(
        .missingSymbol, problem: "\(member) is \(symbol.shown), and \(image.path) has no such function",
        remedy: "correct the name, or install a version of the library with it")
    }
    guard code.contains(address) else {
      throw Diagnosis(
        .missingSymbol, problem: "\(member) is \(symbol.shown), a variable and no function of \(image.path)",
        remedy: "name a function")
    }
    return address
  }

  private func checkContract(_ description: RegistrationDescription) throws(Diagnosis) {
    guard let contract = description.contract, bindings.registrations.needsTable(contract) else { return }
    throw Diagnosis(
      .invalidContract, description.subject,
      problem: "is for the contract \(contract), which needs a table of functions",
      remedy: "write a plugin in C with troupe.h, or leave the contract out")
  }
}
