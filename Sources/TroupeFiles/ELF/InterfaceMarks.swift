internal import TroupeBase

/// The layout of a Swift module that was built without library evolution: the module and a hash of its declarations, private ones
/// included.
///
/// A library with a mark defines the symbol `_swift_FORCE_LOAD_$_MODULE_HASH` and gives its exports the version `MODULE_HASH`. The
/// compiler makes each file that imports the module refer to the symbol, weakly, and the linker records the version. So both sides of a
/// shared interface say for which layout they were compiled, without running code.
///
/// Marks are ordered by their descriptions, so that of several differences each run reports the same one.
package struct LayoutMark: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let module: String
  /// 16 lowercase hexadecimal digits.
  package let hash: String

  /// Parses the name of a version, `MODULE_HASH`.
  package init?(version: String) {
    let digits = version.utf8.suffix(Self.hashLength)
    let module = version.utf8.dropLast(Self.hashLength)
    guard digits.count == Self.hashLength, digits.allSatisfy(Self.isDigit), module.count > 1, module.last == UInt8(ascii: "_"),
      module.allSatisfy(Self.isOfModule)
    else { return nil }
    self.module = String(decoding: module.dropLast(), as: UTF8.self)
    hash = String(decoding: digits, as: UTF8.self)
  }

  package init?(symbol: String) {
    guard symbol.utf8.starts(with: Self.prefix.utf8) else { return nil }
    self.init(version: String(decoding: symbol.utf8.dropFirst(Self.prefix.utf8.count), as: UTF8.self))
  }

  package var symbol: String { "\(Self.prefix)\(module)_\(hash)" }
  package var description: String { "\(module) \(hash)" }

  package static func < (first: LayoutMark, second: LayoutMark) -> Bool { first.description < second.description }

  private static let prefix = "_swift_FORCE_LOAD_$_"
  private static let hashLength = 16

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// The characters of the modules that `troupe flags --interface` accepts; Swift itself allows more.
  private static func isOfModule(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

/// The marks among the exports of a Swift library, by which a host tells a changed interface from the one that a client was built against.
package struct InterfaceMarks: Sendable {
  /// The layouts of modules without library evolution.
  package let layouts: Set<LayoutMark>
  /// True if at least one module was built with library evolution; then no warning is given for the others. Its clients use the layout of
  /// the library that they find.
  package let isResilient: Bool
}

extension ELFFile {
  /// Returns nil for a library that exports no Swift. Cost: reads the names of the symbols and, for a library with Swift, all symbols.
  package func interfaceMarks(_ dynamic: DynamicSection) throws(ReadError) -> InterfaceMarks? {
    // All of Swift's symbols have a dollar sign, and few others.
    guard try hasName(containing: "$", dynamic) else { return nil }
    var layouts: Set<LayoutMark> = []
    var (isSwift, isResilient) = (false, false)
    for symbol in try dynamicSymbols(dynamic) where symbol.isDefined {
      if symbol.name.utf8.starts(with: Self.swiftPrefix.utf8) {
        isSwift = true
        isResilient = isResilient || Self.resilientSuffixes.contains { symbol.name.hasSuffix($0) }
      } else if let mark = LayoutMark(symbol: symbol.name) {
        layouts.insert(mark)
      } else if symbol.name.utf8.starts(with: Self.resilientPrefix.utf8) {
        isResilient = true
      }
    }
    return isSwift || isResilient || !layouts.isEmpty ? InterfaceMarks(layouts: layouts, isResilient: isResilient) : nil
  }

  private static let swiftPrefix = "$s"
  /// The mark that `troupe flags --interface` gives a library with evolution: a library of structs and functions has no other.
  private static let resilientPrefix = "_troupe_resilient_"
  /// A dispatch thunk of a method, and the tag of an enum case. The compiler exports neither without library evolution.
  private static let resilientSuffixes = ["Tj", "FWC"]
}
