extension ELFFile {
  /// An entry of the dynamic symbol table.
  package struct DynamicSymbol: Sendable, Hashable {
    package enum Binding: Sendable, Hashable { case local, global, weak, unique, other }

    package let name: String
    /// Whether the library defines the symbol; false for a reference.
    package let isDefined: Bool
    package let binding: Binding
  }

  /// The named dynamic symbols of the library. Cost: reads the whole table and its names. Throws a `ReadError` if they are damaged.
  package func dynamicSymbols(_ dynamic: DynamicSection) throws(ReadError) -> [DynamicSymbol] {
    guard let table = dynamic.symbols else { return [] }
    let count = try symbolCount(dynamic)
    guard count <= Self.maximumCount, dynamic.strings.size <= Self.maximumStringsSize else {
      throw ReadError("is damaged: it has \(count) symbols with \(dynamic.strings.size) bytes of names")
    }
    let entries = Words(try bytes.read(at: table, count: Int(count) * Symbol.size))
    let names = Words(try bytes.read(at: dynamic.strings.offset, count: Int(dynamic.strings.size)))
    return (0..<Int(count)).compactMap { index in
      let symbol = Symbol(entries, index * Symbol.size)
      guard symbol.name > 0, symbol.name < names.count, let name = names.terminatedText(at: Int(symbol.name)) else {
        return nil
      }
      return DynamicSymbol(name: name, isDefined: symbol.isDefined, binding: symbol.binding)
    }
  }
}
