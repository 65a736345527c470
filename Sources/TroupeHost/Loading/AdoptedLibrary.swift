internal import Troupe
internal import TroupeJSON

/// An open library that is no plugin by itself, and whose functions are registered as if it were.
struct AdoptedLibrary {
  let image: PluginImage
  let interface: PluginInterface

  /// Why a library cannot be used, as the end of a sentence that begins with the file that adopts it.
  struct Failure: Error {
    let code: PluginFault.Code
    let problem: String
    let remedy: String
  }

  /// Registers functions; nothing becomes visible yet. If one cannot be registered, what was registered before it is to be
  /// discarded.
  func register(_ functions: [AdoptedFunction]) throws(Failure) {
    let descriptors = try descriptors(of: functions)
    do throws(RegistrationError) {
      try interface.registrations.run(image) { () throws(RegistrationError) in
        for descriptor in descriptors {
          try checkContract(descriptor.declaration)
          try interface.registrations.add(descriptor, resolver: interface.resolver)
        }
      }
    } catch {
      throw Failure(code: .refused, problem: "was refused: \(error.problem)", remedy: error.remedy ?? "correct it")
    }
  }

  /// Looks all symbols up, and checks that they lead to code: calling a variable would end the process.
  private func descriptors(of functions: [AdoptedFunction]) throws(Failure) -> [FactoryDescriptor] {
    var code = CodeAddresses()
    var missing: [String] = []
    var data: [String] = []
    func address(_ symbol: String, _ member: String, _ index: Int) -> UnsafeRawPointer? {
      let place = "\(symbol.shown) (functions[\(index)].\(member))"
      guard let address = image.symbol(symbol) else {
        missing.append(place)
        return nil
      }
      if !code.contains(address) { data.append(place) }
      return address
    }
    var descriptors: [FactoryDescriptor] = []
    for (index, function) in functions.enumerated() {
      let destroy = function.destroy.flatMap { address($0, "destroy", index) }
      guard let pointer = address(function.symbol, "symbol", index) else { continue }
      descriptors.append(
        FactoryDescriptor(
          declaration: function.declaration, function: pointer,
          destroy: destroy.map { unsafeBitCast($0, to: ForeignInstance.Destroy.self) }, vtable: nil))
    }
    guard missing.isEmpty else {
      throw Failure(
        code: .missingSymbol, problem: "adopts \(image.path), which has no function \(Self.list(missing))",
        remedy: "correct the name, or install a version of the library that has it")
    }
    guard data.isEmpty else {
      throw Failure(
        code: .missingSymbol, problem: "adopts \(image.path), where this is a variable and no function: \(Self.list(data))",
        remedy: "name a function")
    }
    return descriptors
  }

  /// Names some symbols, and counts the rest where there are many.
  private static func list(_ names: [String]) -> String {
    let limit = 10
    let shown = names.prefix(limit).joined(separator: ", ")
    return names.count > limit ? "\(shown) and \(names.count - limit) more" : shown
  }

  private func checkContract(_ declaration: FactoryDeclaration) throws(RegistrationError) {
    guard let contract = declaration.contract, interface.registrations.needsTable(contract) else { return }
    throw .contract(
      "\(FactoryDeclaration.subject(declaration.name)) is for the contract \(contract), which needs a table of functions",
      "write a plugin in C with troupe.h, or leave the contract out")
  }
}
