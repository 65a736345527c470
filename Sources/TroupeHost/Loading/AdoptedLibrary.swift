internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeSignature

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
      try start(adopted)
      for refusal in adopted.refusals { registrations.refuse(refusal) }
      for (name, failure) in failures {
        registrations.refuse(failure.about(AdoptedFunction.subject(name)))
      }
    }
  }

  private func register(_ function: AdoptedFunction, _ code: inout CodeAddresses) throws(Diagnosis) {
    let description = function.description
    let type = try RegistrationDescription.type(description.signature, of: description.subject)
    let address =
      function.isVariable
      ? try reader(of: function, type, &code) : try address(function.symbol, "\(function.path).symbol", &code)
    var destroy: UnsafeRawPointer?
    if let symbol = function.destroy { destroy = try self.address(symbol, "\(function.path).destroy", &code) }
    do throws(Diagnosis) {
      let code = FactoryCode(
        type: type, function: address, destroy: destroy.map { unsafeBitCast($0, to: ForeignInstance.Destroy.self) },
        vtable: nil,
        body: nil)
      try checkContract(description)
      try bindings.registrations.add(description, code, resolver: bindings.resolver)
    } catch {
      if error.code == .duplicateUUID { throw error }
      throw Diagnosis(
        .refused, problem: "\(function.path) is refused: \(error.statement)",
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
        remedy: "name a function, or move it to the array \"variables\"")
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

// MARK: - Variables

extension AdoptedLibrary {
  /// Returns the address of machine code, made for a variable, that returns its value.
  private func reader(
    of variable: AdoptedFunction, _ type: FunctionType, _ code: inout CodeAddresses
  ) throws(Diagnosis) -> UnsafeRawPointer {
    let member = "\(variable.path).symbol is \(variable.symbol.shown)"
    guard let address = image.symbol(variable.symbol) else {
      throw Diagnosis(
        .missingSymbol, problem: "\(member), and \(image.path) has no such variable",
        remedy: "correct the name, or install a version of the library with it")
    }
    guard !code.contains(address) else {
      throw Diagnosis(
        .missingSymbol, problem: "\(member), a function and no variable of \(image.path)",
        remedy: "name a variable, or move it to the array \"functions\"")
    }
    do {
      // The code returns a pointer as it is. Its caller reads what is behind it.
      let result = type.signature.result.isPassedByAddress ? CType.pointer(.toVoid) : type.signature.result
      let memory = ForeignMemory(result, at: UnsafeMutableRawPointer(mutating: address))
      let target = variable.returnsAddress ? Value.pointer(Value.Pointer(address)) : nil
      let reader = try Callback(signature: Signature(parsing: "\(result) (void)")) { _ in try target ?? memory.read() }
      image.keep(reader)
      return reader.address
    } catch {
      throw Diagnosis(
        .invalidSignature, problem: "\(variable.path).type is \(type.signature.result), which cannot be read: \(error)",
        remedy: "name a number, a text, a pointer, an array, a struct with a tag, or a struct of numbers")
    }
  }
}

extension CType {
  /// True for texts, references, functions and other pointers.
  fileprivate var isPassedByAddress: Bool {
    switch self {
    case .void, .bool, .integer, .enumeration, .float, .double, .longDouble, .complex, .record: false
    default: true
    }
  }
}

// MARK: - Start and stop

extension AdoptedLibrary {
  /// Makes the call with which the library starts. That with which it stops follows when the image ends.
  private func start(_ adopted: AdoptedFunctions) throws(Diagnosis) {
    let stop = try adopted.stop.map { call throws(Diagnosis) in try prepare(call, "stop") }
    if let start = adopted.start {
      let run = try prepare(start, "start")
      if let problem = run() {
        throw Diagnosis(.refused, problem: problem, remedy: "correct its arguments, or what it needs")
      }
    }
    guard let stop else { return }
    image.atEnd { [context = bindings.registrations.context] in
      if let problem = stop() { context.log(.warning, problem) }
    }
  }

  /// Returns a closure that makes a call and returns the failure. It does not keep the image open.
  ///
  /// - Parameter member: The member of the file with the call.
  private func prepare(_ call: AdoptedCall, _ member: String) throws(Diagnosis) -> @Sendable () -> String? {
    let (function, description) = (call.function, call.function.description)
    var code = CodeAddresses()
    let address = try address(function.symbol, "\(function.path).symbol", &code)
    let type = try RegistrationDescription.type(description.signature, of: description.subject)
    let prepared: PreparedCall
    let arguments: [Value]
    do throws(CallError) {
      prepared = try PreparedCall(
        type: type, function: address, symbols: { image.function($0) },
        lock: description.isCallableFromAnyThread ? nil : image.lock)
      arguments = try type.signature.arguments(json: call.arguments)
    } catch {
      throw Diagnosis(
        .refused, problem: "\(member) calls \(description.name), which cannot be called so: \(error)",
        remedy: "correct \(member)")
    }
    return {
      do throws(CallError) {
        _ = try prepared.call(arguments)
        return nil
      } catch {
        return "\(member) called \(description.name), which failed: \(error)"
      }
    }
  }
}
