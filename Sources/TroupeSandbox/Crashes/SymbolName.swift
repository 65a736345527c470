/// Makes the symbols of functions readable: `Demo.Parser.parse` for `$s4Demo6ParserV5parseyyF`, `demo::parse` for `_ZN4demo5parseEPKc`.
///
/// The result has the names of the function and of what contains it, and no parameters. A symbol of another form stays as it is.
/// See `MangledNameReader` for why no demangler of a runtime reads it.
enum SymbolName {
  static func readable(_ symbol: String) -> String {
    let swift = MangledNameReader(symbol, prefix: "$s").flatMap(swift)
    return swift ?? MangledNameReader(symbol, prefix: "_Z").flatMap(plusPlus) ?? symbol
  }

  // MARK: Swift

  private static func swift(_ reader: MangledNameReader) -> String? {
    var reader = reader
    guard let module = reader.module() else { return nil }
    var path = [module]
    var member: String?
    while member == nil, let name = reader.skip("AA") ? module : reader.identifier() {
      // An extension in the module `name`.
      if reader.skip("E") { continue }
      reader.skipDiscriminator()
      if reader.skip(oneOf: "VCOP") != nil { path.append(name) } else { member = name }
    }
    let container = path.joined(separator: ".")
    if reader.hasSuffix("TW") { return "a protocol witness of \(container)" }
    // The first identifier of an initializer is a label.
    if reader.hasSuffix("fC") || reader.hasSuffix("fc") { return container + ".init" }
    if reader.hasSuffix("fD") || reader.hasSuffix("fd") { return container + ".deinit" }
    // The mangled name of an operator spells its characters as letters, so it would read as another function.
    guard let member, reader.next != UInt8(ascii: "o") else { return nil }
    // The name of a closure that a function was specialized for begins with `$s`, too.
    let isClosure = reader.isClosure || reader.isDerived && reader.contains("fU_") && !reader.contains("$s")
    if reader.isFunction || reader.isDerived && !isClosure { return "\(container).\(member)" }
    return isClosure ? "a closure in \(reader.contains("fc") ? container : "\(container).\(member)")" : nil
  }

  // MARK: C++

  private static func plusPlus(_ reader: MangledNameReader) -> String? {
    var reader = reader
    let isNested = reader.skip("N")
    if isNested { reader.skip { "rVKRO".utf8.contains($0) } }
    var path: [String] = []
    var last: String?
    repeat {
      if reader.skip("St") {
        path.append("std")
      } else if reader.skip("I") {
        guard reader.skipTemplateArguments(), let name = path.popLast() else { return nil }
        path.append(name + "<…>")
      } else if let last, let kind = reader.skip(oneOf: "CD") {
        guard reader.skip(oneOf: "012345") != nil else { return nil }
        path.append(kind == UInt8(ascii: "C") ? last : "~" + last)
      } else if reader.skip("B") {
        // The tag of an ABI.
        guard reader.plainIdentifier() != nil else { return nil }
      } else {
        // A name of internal linkage.
        _ = reader.skip("L")
        guard let name = reader.plainIdentifier() else { return nil }
        last = name.starts(with: "_GLOBAL__N".utf8) ? "(anonymous namespace)" : String(decoding: name, as: UTF8.self)
        path.append(last ?? "")
      }
      // Behind a name without `N` come the parameters.
      if !isNested, path != ["std"], reader.next != UInt8(ascii: "I") { break }
    } while !reader.skip("E")
    return path.isEmpty ? nil : path.joined(separator: "::")
  }
}

extension MangledNameReader {
  /// Whether the symbol is a function, or an accessor of a variable; also a static or asynchronous one.
  fileprivate var isFunction: Bool {
    ["F", "FZ", "vg", "vs", "vM", "vr", "vw", "vW", "vgZ", "vsZ", "vMZ"].contains { hasSuffix($0) }
  }

  /// Whether the symbol is a part of an asynchronous function, or a specialization of a function for its arguments or for types.
  fileprivate var isDerived: Bool {
    guard contains("F") || contains("fU_") else { return false }
    return hasIndexedSuffix("TQ") || hasIndexedSuffix("TY") || contains("Tf") && hasSuffix("n")
      || ["Tg5", "TG5", "Tgq5", "Tt0g5"].contains { hasSuffix($0) }
  }

  /// Whether the symbol is a closure with an index, such as `U_` or `U0_`.
  fileprivate var isClosure: Bool {
    hasIndexedSuffix("U")
  }

  /// Skips the arguments of a C++ template up to its end. Returns false if it has a construct that has to be understood for that.
  fileprivate mutating func skipTemplateArguments() -> Bool {
    var depth = 1
    while depth > 0 {
      switch next {
      case UInt8(ascii: "E"):
        depth -= 1
        _ = skip("E")
      case UInt8(ascii: "I"), UInt8(ascii: "N"), UInt8(ascii: "J"), UInt8(ascii: "F"):
        depth += 1
        _ = skip(oneOf: "INJF")
      case UInt8(ascii: "S"), UInt8(ascii: "T"):
        // A substitution, or a parameter of a template.
        _ = skip(oneOf: "ST")
        if skip(oneOf: "abdiost") == nil {
          skip { $0.isDigit || $0.isUppercase }
          guard skip("_") else { return false }
        }
      case UInt8(ascii: "L"):
        // A literal of a simple type.
        guard skip("L"), skip(oneOf: "abcdefhijlmstwxy") != nil else { return false }
        skip { $0.isDigit || $0 == UInt8(ascii: "n") }
        guard skip("E") else { return false }
      case UInt8(ascii: "A"):
        guard skip("A") else { return false }
        skip(while: \.isDigit)
        guard skip("_") else { return false }
      case UInt8(ascii: "D"):
        guard skip("D"), skip(oneOf: "adefhinpsu") != nil else { return false }
      default: guard plainIdentifier() != nil || skip(oneOf: "KVPROGabcdefghijlmnostvwxyz") != nil else { return false }
      }
    }
    return true
  }
}
