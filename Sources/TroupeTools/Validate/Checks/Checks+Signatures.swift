internal import Glibc
internal import TroupeCall
internal import TroupeFiles
internal import TroupeHost

/// The comparison of signatures with debug information.
extension Checks {
  /// Returns the first difference between a signature and the function in the debug information.
  static func signatureFinding(_ loaded: HostedPlugin) throws -> CheckResult {
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
    case .string, .wideString, .pointer, .reference, .function, .sequence, .resolver: .pointer
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

// MARK: Debug information

/// The types of functions in the debug information (DWARF) of a loaded library, read from the output of llvm-dwarfdump.
struct DebugInformation {
  /// The spellings of the types of a function.
  struct Function {
    /// Empty for a function without a result.
    var result = ""
    var parameters: [String] = []
  }

  private let library: String
  /// The address at which the library is loaded.
  private let base: UInt

  /// - Throws: `NotApplicable` if the library has no debug information or the tool is missing.
  init(_ library: String) throws {
    self.library = library
    let sections = try ELFFile(path: library).sections()
    guard sections.contains(where: { $0.name == ".debug_info" }) else {
      throw NotApplicable("its library has no debug information (-g)")
    }
    guard Self.output("command -v llvm-dwarfdump") != nil else {
      throw NotApplicable("the program llvm-dwarfdump is missing, which reads its debug information (package llvm)")
    }
    guard let base = Self.base(of: library) else { throw NotApplicable("its library is not mapped under its path") }
    self.base = base
  }

  /// Returns the types of the function at an address of this process; nil if the debug information lacks it.
  func types(ofFunctionAt address: UInt) -> Function? {
    guard address > base else { return nil }
    let quoted = library.shellWord
    let place = Self.output("llvm-dwarfdump --lookup=0x\(String(address - base, radix: 16)) \(quoted)") ?? ""
    guard let line = place.split(separator: "\n").last(where: { $0.contains("DW_TAG_subprogram") }),
      let offset = line.split(separator: ":").first
    else { return nil }
    return Self.function(at: offset, in: quoted)
  }

  /// Reads the entry of a function at an offset. The entry of optimized code refers to the entry with the types, and a definition in C++
  /// to the declaration with the result.
  private static func function(at offset: some StringProtocol, in quoted: String) -> Function? {
    guard let text = output("llvm-dwarfdump --debug-info=\(offset) --show-children \(quoted)") else { return nil }
    if let origin = reference("DW_AT_abstract_origin", in: text) { return function(at: origin, in: quoted) }
    var function = function(text)
    if function.result.isEmpty, let declaration = reference("DW_AT_specification", in: text) {
      function.result = Self.function(at: declaration, in: quoted)?.result ?? ""
    }
    return function
  }

  /// Returns the offset that an attribute of the first entry refers to.
  private static func reference(_ attribute: String, in text: String) -> Substring? {
    let entry = text.split(separator: "\n").drop { !$0.contains("DW_TAG_") }.dropFirst().prefix { !$0.contains("DW_TAG_") }
    return entry.first { $0.contains(attribute) }?.split(separator: "(").dropFirst().first?.prefix { $0 != " " && $0 != ")" }
  }

  /// Reads the entry of a function: its type, and the types of its parameters, which are its children.
  private static func function(_ text: String) -> Function {
    var function = Function()
    var depths: [Int] = []
    var isParameter = false
    for line in text.split(separator: "\n") {
      if let tag = line.firstRange(of: "DW_TAG_") {
        let depth = line.distance(from: line.startIndex, to: tag.lowerBound)
        depths = depths.filter { $0 < depth } + [depth]
        isParameter = depths.count == 2 && line[tag.lowerBound...].hasPrefix("DW_TAG_formal_parameter")
        if isParameter { function.parameters.append("") }
      } else if line.contains("DW_AT_type"), let quote = line.firstIndex(of: "\""), let end = line.lastIndex(of: "\"") {
        let spelling = String(line[quote..<end].dropFirst())
        if isParameter { function.parameters[function.parameters.count - 1] = spelling }
        if depths.count == 1 { function.result = spelling }
      }
    }
    return function
  }

  /// The address at which a library is loaded, from `/proc/self/maps`.
  private static func base(of library: String) -> UInt? {
    for line in ProcessStatus.text("/proc/self/maps").split(separator: "\n") where line.hasSuffix(" " + library) {
      return line.split(separator: "-").first.flatMap { UInt($0, radix: 16) }
    }
    return nil
  }

  /// Runs a shell command. Returns nil if it fails.
  private static func output(_ command: String) -> String? {
    guard let pipe = popen(command + " 2>/dev/null", "re") else { return nil }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&piece, 1, piece.count, pipe), count > 0 { bytes += piece[..<count] }
    return pclose(pipe) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
