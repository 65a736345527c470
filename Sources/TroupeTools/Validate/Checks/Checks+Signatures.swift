internal import TroupeCall
internal import TroupeFiles
internal import TroupeHost

/// The comparison of signatures with debug information.
extension Checks {
  /// Returns the first difference between a signature and the function in the debug information.
  static func signatureFinding(_ loaded: HostedPlugin) throws -> Finding {
    if loaded.isAdoption { throw NotApplicable("it adopts a library, whose debug information is elsewhere") }
    let functions = loaded.registrations.filter { $0.function != nil }
    guard !functions.isEmpty else { throw NotApplicable("it registers no function in C") }
    let information = try DebugInformation(loaded.library)
    var compared = 0
    for registration in functions {
      guard let signature = registration.function, let address = loaded.host.addresses(of: registration).first,
        let types = information.types(ofFunctionAt: address)
      else { continue }
      compared += 1
      if let difference = difference(signature, types) {
        return .problem(
          "registers \(registration.subject) with the signature \(signature), and \(difference)",
          remedy: "let TROUPE_FACTORY or TROUPE_SIGNATURE write the signature")
      }
    }
    if compared == 0 { throw NotApplicable("its library has no debug information about its functions") }
    return .passed
  }

  /// The first difference, as the end of a sentence; nil if there is none. A type that only the plugin knows equals any other.
  private static func difference(_ signature: Signature, _ types: DebugInformation.Function) -> String? {
    guard signature.parameters.count == types.parameters.count else {
      return "the function has \(types.parameters.count) parameters"
    }
    if let text = mismatch(signature.result, types.result) { return "the function returns \(text)" }
    for (index, pair) in zip(signature.parameters, types.parameters).enumerated() {
      if let text = mismatch(pair.0.typeInC, pair.1) { return "parameter \(index + 1) of the function is \(text)" }
    }
    return nil
  }

  /// The spelling of a type in the debug information, if it is another one than in the signature.
  private static func mismatch(_ type: CType, _ spelling: String) -> String? {
    guard let expected = shape(type), let found = shape(spelling: spelling), expected != found else { return nil }
    return spelling
  }

  /// The form in which a value is passed.
  private enum Shape: Equatable { case void, bool, integer(bits: Int, isSigned: Bool), float, double, pointer }

  private static func shape(_ type: CType) -> Shape? {
    switch type {
    case .void: .void
    case .bool: .bool
    case .integer(let integer): .integer(bits: integer.width, isSigned: integer.isSigned)
    case .float: .float
    case .double: .double
    case .string, .wideString, .pointer, .handle, .function, .sequence, .resolver: .pointer
    case .enumeration, .longDouble, .complex, .record, .array, .flexible: nil
    }
  }

  private static func shape(spelling: String) -> Shape? {
    if spelling.isEmpty || spelling == "void" { return .void }
    let bare = spelling.replacing("const ", with: "").replacing("volatile ", with: "").replacing(" restrict", with: "")
    if bare.hasSuffix("*") || bare.hasSuffix("*const") || bare.contains("(*)") || bare.hasSuffix("]") { return .pointer }
    guard let signature = try? Signature(parsing: "void (\(bare == "_Bool" ? "bool" : bare))") else { return nil }
    return signature.parameters.first.flatMap { shape($0.type) }
  }
}
