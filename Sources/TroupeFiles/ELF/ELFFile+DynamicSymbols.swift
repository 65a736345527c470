internal import TroupeBase

extension ELFFile {
  /// An entry of the dynamic symbol table.
  package struct DynamicSymbol: Sendable, Hashable {
    package enum Binding: Sendable, Hashable { case local, global, weak, unique, other }

    package let name: String
    /// Whether the library defines the symbol; false for a reference.
    package let isDefined: Bool
    package let binding: Binding
    /// Whether it is a function that other files see. Of a function with several versions, that of new programs counts, whose version is
    /// not hidden.
    package let isExportedFunction: Bool
  }

  /// The named dynamic symbols of the library. Cost: reads the whole table and its names. Throws a `ReadError` if they are damaged.
  package func dynamicSymbols(_ dynamic: DynamicSection) throws(ReadError) -> [DynamicSymbol] {
    guard let table = dynamic.symbols else { return [] }
    let count = try symbolCount(dynamic)
    guard count <= Self.maximumCount, dynamic.strings.size <= Self.maximumStringsSize else {
      throw ReadError("is damaged: it has \(count) symbols with \(dynamic.strings.size) bytes of names")
    }
    let entries = ByteView(try bytes.read(at: table, count: Int(count) * Symbol.size))
    let names = ByteView(try bytes.read(at: dynamic.strings.offset, count: Int(dynamic.strings.size)))
    let versions = try dynamic.versions.map { offset throws(ReadError) in try bytes.view(at: offset, count: Int(count) * 2) }
    return (0..<Int(count)).compactMap { index in
      let symbol = Symbol(entries, index * Symbol.size)
      guard symbol.name > 0, symbol.name < names.count, let name = names.terminatedText(at: Int(symbol.name)) else {
        return nil
      }
      let isHidden = versions.map { $0.uint16(index * 2) & Self.hiddenVersion != 0 } ?? false
      return DynamicSymbol(
        name: name, isDefined: symbol.isDefined, binding: symbol.binding,
        isExportedFunction: symbol.isCode && symbol.isVisible && !isHidden)
    }
  }
}
